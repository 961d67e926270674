package i18n

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/unicode/norm"
)

// People write languages as they please: in the language itself ("français"),
// with a variety ("brazilian portuguese", "español - argentina"), several in one
// field ("english/russian"), misspelled, or as the country that speaks it.
// [LanguagesIn] reads such a text in three steps, and the first that finds
// something ends the search: the whole text as a name, each part between
// separators as a name, the names among the words of each part.
//
// Names come from otherNames and countryLanguages below, then from the tables
// of Unicode: the English names, those in the locales of the service, and those
// in the languages themselves. They are compared in lower case, without accents.

const (
	maxSpoken  = 200 // bytes of a text that are read; longer ones are not lists of languages
	minInWords = 4   // letters of a name among other words, since short ones are often something else
)

// otherNames are names that the tables of Unicode lack, of languages as radio
// stations give them: other English names, native names, varieties whose last
// word is another language, frequent misspellings, and countries with one
// dominant language. Keys are as plainText returns them.
var otherNames = map[string]string{
	// Names that the tables lack or give to another code.
	"ancient greek": "grc", "aymara": "aym", "azeri": "aze", "bahasa indonesia": "ind", "bahasa jawa": "jav", "bahasa melayu": "msa",
	"bahasa sunda": "sun", "bashkir": "bak", "bavarian": "bar", "bengali": "ben", "berber": "ber", "berbere": "ber", "bhojpuri": "bho",
	"bicolano": "bik", "bihari": "bho", "bisaya": "ceb", "bislama": "bis", "brezhoneg": "bre", "bosn": "bos", "castellano": "spa",
	"castelhano": "spa", "castilian": "spa", "cantonese": "yue", "carpatho rusyn": "rue", "cebuano": "ceb", "chhattisgarhi": "hne",
	"corsu": "cos", "cree": "cre", "dari": "prs", "dhivehi": "div", "euskera": "eus", "farsi": "fas", "fijian": "fij",
	"fijian hindi": "hif", "flemish": "nld", "friesian": "fry", "fries": "fry", "frysk": "fry", "frisian": "fry", "fulani": "ful",
	"furlan": "fur", "gaelic": "gla", "gaeilge": "gle", "gagauz": "gag", "galego": "glg", "gallego": "glg", "guarani": "grn",
	"haiti creole": "hat", "haitian creole": "hat", "hakka": "hak", "haryanvi": "bgc", "hassaniya": "mey", "hebrew": "heb",
	"hiligaynon": "hil", "hokkien": "nan", "ilocano": "ilo", "ilokano": "ilo", "ilonggo": "hil", "jamaican": "jam", "isindebele": "nde", "isixhosa": "xho",
	"isizulu": "zul", "jamaican patois": "jam", "javanese": "jav", "jawa": "jav", "kapampangan": "pam", "kashubian": "csb",
	"kikongo": "kon", "kiswahili": "swa", "kreyol": "hat", "kurdi": "kur", "kurdish": "kur", "kirmanci": "kmr", "ladino": "lad",
	"limburgs": "lim", "low german": "nds", "plattdeutsch": "nds", "luganda": "lug", "lusoga": "xog",
	"lumasaba": "myx", "lugwere": "gwr", "luhya": "luy", "malti": "mlt", "mandarin": "cmn", "maori": "mri", "melayu": "msa",
	"moldovan": "ron", "moldavian": "ron", "moldovian": "ron", "montenegrin": "cnr", "moroccan arabic": "ary", "nedersaksisch": "nds",
	"norsk": "nor", "occitan": "oci", "ossetian": "oss", "papiamentu": "pap", "papiamento": "pap", "persian": "fas", "punjab": "pan",
	"panjabi": "pan", "romani": "rom", "romany": "rom", "runyankole": "nyn", "samoan": "smo", "sanskrit": "san", "sardinian": "srd",
	"schweizerdeutsch": "gsw", "swiss german": "gsw", "sepedi": "nso", "seraiki": "skr", "saraiki": "skr", "serbo croatian": "hbs",
	"sorbian": "hsb", "sesotho": "sot", "setswana": "tsn", "shqip": "sqi", "silesian": "szl", "sinhalese": "sin", "siswati": "ssw", "slovenski": "slv", "soninke": "snk",
	"sranan tongo": "srn", "suomi": "fin", "sunda": "sun", "sundanese": "sun", "tagalog": "tgl", "filipino": "fil", "tahitian": "tah",
	"tamazight": "zgh", "amazigh": "zgh", "te reo": "mri", "te reo maori": "mri", "teochew": "nan", "tigre": "tig", "tigrigna": "tir",
	"tonga": "ton", "torres strait creole": "tcs", "tshivenda": "ven", "upper sorbian": "hsb", "lower sorbian": "dsb",
	"vlaams": "nld", "xhosa": "xho", "xitsonga": "tso", "yucatec maya": "yua", "northern sami": "sme", "inari sami": "smn",
	"skolt sami": "sms", "krio": "kri", "pidgin": "pcm", "nigerian pidgin": "pcm", "tok pisin": "tpi", "hindustani": "hin", "gujrati": "guj",
	// Native names that the tables write otherwise.
	"العربية": "ara", "عربي": "ara", "عربية": "ara", "فارسی": "fas", "ру": "rus", "русскии": "rus", "англиискии": "eng", "язык ру": "rus", "украінська": "ukr", "татарскии": "tat",
	"осетинскии": "oss", "молдавскии": "ron", "испанскии": "spa", "српски": "srp", "中文": "zho", "国语": "cmn", "普通话": "cmn",
	"粤语": "yue", "日本語": "jpn", "日本语": "jpn", "德语": "deu", "turkce": "tur", "ภาษาไทย": "tha", "cesky": "ces",
	"latviesu": "lav", "eesti": "est", "polski": "pol", "arapca": "ara", "engels": "eng", "pt br": "por",
	// Misspellings.
	"arabi": "ara", "engilsh": "eng", "englsih": "eng", "englsh": "eng", "englisg": "eng", "englisj": "eng", "engish": "eng",
	"engllish": "eng", "inglish": "eng", "espanish": "spa", "spani": "spa", "span": "spa", "espa": "spa", "espsnol": "spa", "espano": "spa",
	"franch": "fra", "francaise": "fra", "gernan": "deu", "finish": "fin", "portoguese": "por", "portguese": "por",
	"porgues": "por", "portugu": "por", "romana": "ron", "ukranian": "ukr", "ukraninan": "ukr", "flammish": "nld", "malgache": "mlg",
	"greel": "ell", "coatian": "hrv", "norwwegian": "nor", "monoglian": "mon", "turkish": "tur", "swahilli": "swa", "romanian": "ron",
}

// countryLanguages maps countries and peoples to the one language that their
// stations speak, for texts that name no language.
var countryLanguages = map[string]string{
	"america": "eng", "american": "eng", "argentina": "spa", "australian": "eng", "brasil": "por", "brazil": "por", "brazilian": "por",
	"brasileiro": "por", "british": "eng", "bulgaria": "bul", "china": "zho", "中国": "zho", "colombia": "spa", "croatia": "hrv", "cz": "ces",
	"espana": "spa", "estonia": "est", "finland": "fin", "francia": "fra", "germany": "deu", "holland": "nld", "iran": "fas", "iranian": "fas",
	"italia": "ita", "japan": "jpn", "latino": "spa", "latinoamerica": "spa", "latvia": "lav", "lebanese": "ara", "mexicano": "spa",
	"mexico": "spa", "montenegro": "cnr", "nederland": "nld", "palestinian": "ara", "romania": "ron", "rossia": "rus", "russia": "rus",
	"spain": "spa", "tunisian": "aeb", "ua": "ukr", "ucrania": "ukr", "украина": "ukr",
}

// LanguagesIn returns the ISO 639-3 codes of the languages that a text names,
// each once and in the order of the text, or nil. It reads what people write
// into a free field; [LanguageCode] is the strict reading of one name or code.
func LanguagesIn(text string) []string {
	if len(text) > maxSpoken {
		return nil
	}
	if code, ok := LanguageCode(text); ok {
		return []string{code}
	}
	text = plainText(strings.ReplaceAll(text, "-", " "))
	if code, ok := spokenName(strings.Join(strings.FieldsFunc(text, notInName), " ")); ok {
		return []string{code}
	}
	parts := strings.FieldsFunc(text, separatesLanguages)
	found := languagesOf(parts)
	if len(found) > 0 {
		return found
	}
	for _, part := range parts {
		for _, code := range languagesAmong(strings.FieldsFunc(part, notInName)) {
			if !slices.Contains(found, code) {
				found = append(found, code)
			}
		}
	}
	return found
}

func notInName(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' }

func separatesLanguages(r rune) bool { return strings.ContainsRune("/,;&+|.:،·()[]–#", r) }

// languagesOf returns the codes of texts that are names of languages, and nil
// unless all of them are.
func languagesOf(texts []string) []string {
	var found []string
	for _, text := range texts {
		text = strings.Join(strings.FieldsFunc(text, notInName), " ")
		if text == "" {
			continue
		}
		code, ok := spokenName(text)
		if !ok {
			return nil
		}
		if !slices.Contains(found, code) {
			found = append(found, code)
		}
	}
	return found
}

// languagesAmong returns the languages that consecutive words name, taking the
// longest name first. A country counts only when no language is named:
// "english russia" is English.
func languagesAmong(words []string) []string {
	var found, countries []string
	for at := 0; at < len(words); {
		size := min(3, len(words)-at)
		for ; size > 0; size-- {
			name := strings.Join(words[at:at+size], " ")
			code, ok := spokenName(name)
			if !ok || utf8.RuneCountInString(name) < minInWords {
				continue
			}
			if countryLanguages[name] != "" {
				countries = append(countries, code)
			} else {
				found = append(found, code)
			}
			break
		}
		at += max(size, 1)
	}
	if len(found) == 0 {
		return countries
	}
	return found
}

// spokenName returns the code of a language by its name as plainText returns it.
func spokenName(name string) (string, bool) {
	code := cmp.Or(otherNames[name], countryLanguages[name])
	if code == "" {
		code = namesEverywhere()[name]
	}
	return code, code != ""
}

// namesEverywhere maps the names of languages, as plainText returns them, to
// codes: in English, in the locales of the service, and in each language
// itself. Where two languages share a name, English counts, then the locales.
var namesEverywhere = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for name, code := range englishNames() {
		names[plainText(name)] = code
	}
	add := func(name, code string) {
		if name = plainText(name); name != "" && names[name] == "" {
			names[name] = code
		}
	}
	bases := display.Supported.BaseLanguages()
	for _, l := range Locales {
		for _, base := range bases {
			if tag, err := language.Raw.Compose(base); err == nil {
				add(languageNamers[l].Name(tag), base.ISO3())
			}
		}
	}
	for _, base := range bases {
		if tag, err := language.Raw.Compose(base); err == nil {
			add(display.Self.Name(tag), base.ISO3())
		}
	}
	return names
})

// plainText returns s in lower case, without accents, its white space
// collapsed.
func plainText(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r < 0x0370 { // accents of Latin; marks of other scripts are part of the word
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(s))
	return strings.Join(strings.Fields(s), " ")
}
