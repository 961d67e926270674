package match

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
)

// Names in guides carry more than the name: "AR - ESPN 2 HD" is ESPN 2 as it is
// shown in Argentina, in high definition. A name is compared first with all its
// words, without what names a country at its front or in brackets at its end, and
// then without words for the picture and the country at its end. "+1" is neither:
// it names the same channel an hour later, whose programmes are on at other times.

// qualities are the folded words at the end of names that describe the picture,
// not the channel.
var qualities = map[string]bool{
	"hd": true, "fhd": true, "uhd": true, "sd": true, "4k": true, "8k": true, "hevc": true, "raw": true, "h265": true, "h264": true,
	"1080p": true, "1080i": true, "720p": true, "576p": true, "576i": true, "480p": true, "480i": true, "2160p": true,
}

// ultra are those for more than high definition.
var ultra = map[string]bool{"uhd": true, "4k": true, "8k": true, "2160p": true}

// A key is a name in the form in which names are compared: folded as in the
// catalog's search, without spaces, in which spellings differ.
type key struct {
	whole   string // with all its words
	plain   string // without words for the picture or the country at its end
	country string // that the name carries, as the catalog writes it; empty for none
	shift   string // the words of a timeshift at the end of plain; empty for none
	ultra   bool   // plain is without a word for a picture of more than high definition, which is often a channel by itself
	vague   bool   // one short word, which means little without a country
}

// Marks at the ends of a name: "AR - ", "AR: ", "AR| ", "|AR| " or "[AR] " before
// it, and "(AR)" or "[AR]" after it.
var (
	before = regexp.MustCompile(`^(?:[|\[(]\s*([\pL\d]{2,4})\s*[|\])]|([\pL\d]{2,4})(?:\s*[|:]|\s+[-–—•]\s))\s*(.*\S)`)
	after  = regexp.MustCompile(`^(.*\S)\s*[\[(]\s*(\pL{2,3})\s*[\])]$`)
)

// unmark returns a name without the marks at its ends, and the country that they
// name.
func unmark(name string) (rest, country string) {
	rest = strings.TrimSpace(name)
	for {
		parts := before.FindStringSubmatch(rest)
		if parts == nil {
			break
		}
		mark := parts[1] + parts[2]
		code := countryMark(mark)
		if code == "" && !qualities[strings.ToLower(mark)] {
			break
		}
		rest, country = parts[3], cmp.Or(code, country)
	}
	if parts := after.FindStringSubmatch(rest); parts != nil {
		if code := countryMark(parts[2]); code != "" {
			rest, country = parts[1], code
		}
	}
	return rest, country
}

// countryMark returns the country of a code of two or three capitals, or "". TV is
// a word before it is Tuvalu.
func countryMark(code string) string {
	if len(code) > 3 || code != strings.ToUpper(code) || code == "TV" {
		return ""
	}
	region, err := language.ParseRegion(catalog.CountryCode(code))
	if err != nil || !region.IsCountry() {
		return ""
	}
	return region.String()
}

// keyOf returns the key of a name in a country, which may be unknown; the one that
// the name carries counts more. Whole is empty when the name has neither letters
// nor digits.
func keyOf(name, country string) key {
	name, named := unmark(name)
	if named != "" {
		country = named
	}
	words := strings.Fields(fold.Words(strings.ReplaceAll(name, "+", " plus ")))
	k := key{whole: strings.Join(words, ""), country: named}
	words, shift := cutShift(words)
	for len(words) > 0 && (qualities[words[len(words)-1]] || isCountry(words[len(words)-1], country)) {
		k.ultra = k.ultra || ultra[words[len(words)-1]]
		words = words[:len(words)-1]
	}
	k.plain = strings.Join(words, "")
	k.vague = len(words) < 2 && utf8.RuneCountInString(k.plain) < 8
	if k.plain != "" {
		k.plain, k.shift = k.plain+shift, shift
	}
	return k
}

// shiftForm is the number of hours in the words of "+1", "+1h" or "+24".
var shiftForm = regexp.MustCompile(`^\d{1,2}h?$`)

// cutShift cuts the words of a timeshift off the end of a name, and returns them
// joined.
func cutShift(words []string) (rest []string, shift string) {
	if at := len(words) - 2; at > 0 && words[at] == "plus" && shiftForm.MatchString(words[at+1]) {
		return words[:at], "plus" + strings.TrimSuffix(words[at+1], "h")
	}
	return words, ""
}

// isCountry reports whether a folded word is the code of a country.
func isCountry(word, country string) bool {
	return country != "" && len(word) == 2 && catalog.CountryCode(word) == country
}

// countryOf returns the country at the end of an id of the form "Name.cc" or
// "Name.cc@Feed", or "" when it has no such ending. The ending .tv does not count: it is
// common in names of sites.
func countryOf(id string) string {
	id, _, _ = strings.Cut(id, "@")
	at := strings.LastIndexByte(id, '.')
	if at < 1 || len(id)-at != 3 {
		return ""
	}
	return countryMark(strings.ToUpper(id[at+1:]))
}

// nameIn returns the name within an id of the form "Name.cc", or "" when the id has
// another form.
func nameIn(id string) string {
	if countryOf(id) == "" {
		return ""
	}
	id, _, _ = strings.Cut(id, "@")
	return id[:strings.LastIndexByte(id, '.')]
}
