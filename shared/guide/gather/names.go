package gather

import (
	"strings"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
)

// qualities are the folded words with which names tell the picture, not the
// channel.
var qualities = map[string]bool{
	"hd": true, "fhd": true, "uhd": true, "sd": true, "4k": true, "8k": true, "hevc": true, "raw": true,
	"1080p": true, "1080i": true, "720p": true, "576p": true, "576i": true, "480p": true, "480i": true, "2160p": true,
}

// A key is a name as it is compared: folded as search folds it, but for the
// plus, which is what tells a channel from the same one an hour later, and
// without its spaces, in which spellings differ.
type key struct {
	whole string // with all its words
	plain string // without what tells the picture or the country at its end
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

// country returns the country at the end of an id of the form "Name.cc", or
// "Name.cc@Feed", as the catalog has it; empty when there is none. The ending
// of Tuvalu is one of sites.
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

// owners are the channels that have a name, by its key: few, most often one.
type owners map[string][]int32

// add adds a channel, which is none of those added before it or the last.
func (o owners) add(key string, channel int32) {
	list := o[key]
	if key != "" && (len(list) == 0 || list[len(list)-1] != channel) {
		o[key] = append(list, channel)
	}
}
