package i18n

import (
	"slices"
	"strings"
	"testing"
)

func TestLanguagesIn(t *testing.T) {
	for in, want := range map[string]string{
		"pt": "por", "German": "deu", "ger": "deu", // as LanguageCode
		"français": "fra", "Español": "spa", "espaňol": "spa", "українська": "ukr", "Polski": "pol", "русский": "rus", // native names
		"Portugiesisch": "por", "anglais": "eng", "alemão": "deu", // in the locales of the service
		"brazilian portuguese": "por", "american english": "eng", "Português (Brasil)": "por", "castellano. español": "spa",
		"español - latinoamerica": "spa", "deutsch fränkisch": "deu", "язык: русский": "rus", "128 brasil português": "por", // varieties
		"low german": "nds", "haitian creole": "hat", "swiss german": "gsw", "fijian hindi": "hif", "carpatho-rusyn": "rue", // longest name first
		"english/russian": "eng rus", "inglés/portugués/español": "eng por spa", "swahili and english": "swa eng",
		"urdu/punjabi/seraiki": "urd pan skr", "english/english": "eng", // several
		"engilsh": "eng", "ukranian": "ukr", "espanish": "spa", "#spanish": "spa", // misspelled
		"brasil": "por", "romania": "ron", "UA": "ukr", "english russia": "eng", "fge spain": "spa", // countries
		"": "", "pop music": "", "80s": "", "global": "", "asunción": "", "rock": "", "creole": "", "latin": "", "e": "",
		"http://s.example/aac-32": "", strings.Repeat("english ", 100): "",
	} {
		if got := strings.Join(LanguagesIn(in), " "); got != want {
			t.Errorf("LanguagesIn(%.40q) = %q, want %q", in, got, want)
		}
	}
}

// TestOtherNames checks that the tables of names are written as they are looked
// up, and that each of their codes is a language.
func TestOtherNames(t *testing.T) {
	for _, table := range []map[string]string{otherNames, countryLanguages} {
		for name, code := range table {
			if plain := plainText(name); plain != name {
				t.Errorf("%q is looked up as %q", name, plain)
			}
			if got := LanguagesIn(name); !slices.Equal(got, []string{code}) {
				t.Errorf("LanguagesIn(%q) = %q, want %q", name, got, code)
			}
			if got, ok := LanguageCode(code); !ok || got != code {
				t.Errorf("%q stands for %q, which is not a code of ISO 639-3", name, code)
			}
		}
	}
}
