package gather

import (
	"strings"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
)

// qualities are the folded words at the end of names that describe the picture,
// not the channel.
var qualities = map[string]bool{
	"hd": true, "fhd": true, "uhd": true, "sd": true, "4k": true, "8k": true, "hevc": true, "raw": true,
	"1080p": true, "1080i": true, "720p": true, "576p": true, "576i": true, "480p": true, "480i": true, "2160p": true,
}

// A key is a name in the form in which names are compared: folded as in the
// catalog's search, without spaces, in which spellings differ. A plus sign
// becomes a word: "+1" marks the same channel an hour later.
type key struct {
	whole string // with all its words
	plain string // without words for the picture or the country at its end
	vague bool   // one short word, which means little without a country
}

// keyOf returns the key of a name in a country, which may be unknown; whole is
// empty when the name has neither letters nor digits.
func keyOf(name, country string) key {
	words := strings.Fields(fold.Words(strings.ReplaceAll(name, "+", " plus ")))
	k := key{whole: strings.Join(words, "")}
	for len(words) > 0 && (qualities[words[len(words)-1]] || isCountry(words[len(words)-1], country)) {
		words = words[:len(words)-1]
	}
	k.plain = strings.Join(words, "")
	k.vague = len(words) < 2 && utf8.RuneCountInString(k.plain) < 8
	return k
}

// isCountry reports whether a folded word is the code of a country.
func isCountry(word, country string) bool {
	return country != "" && len(word) == 2 && catalog.CountryCode(word) == country
}

// country returns the country at the end of an id of the form "Name.cc" or
// "Name.cc@Feed", or "" when there is none. The ending .tv does not count: it is
// common in names of sites.
func country(id string) string {
	id, _, _ = strings.Cut(id, "@")
	at := strings.LastIndexByte(id, '.')
	if at < 1 || len(id)-at != 3 {
		return ""
	}
	code := catalog.CountryCode(id[at+1:])
	if code == "TV" || strings.ContainsFunc(code, func(r rune) bool { return r < 'A' || r > 'Z' }) {
		return ""
	}
	return code
}

// owners are the channels by the key of a name: few for each, usually one.
type owners map[string][]int32

// add adds a channel to those of a key. The same channel may be added again only
// before any other: repeats are recognized by the last one.
func (o owners) add(key string, channel int32) {
	list := o[key]
	if key != "" && (len(list) == 0 || list[len(list)-1] != channel) {
		o[key] = append(list, channel)
	}
}
