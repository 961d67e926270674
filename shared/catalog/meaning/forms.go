package meaning

import "strings"

// An ending is a rule that makes the forms of an adjective: words that end in
// suffix also take the others in its place. The suffix is of the folded word.
type ending struct {
	suffix string
	others []string
}

// endings are the rules by language; the first that fits is applied. They make
// some words that do not exist, which nobody types.
var endings = map[string][]ending{
	"eng": {{"ese", nil}, {"sh", nil}, {"ch", nil}, {"", []string{"s"}}},
	"por": {
		{"ao", []string{"a", "aos", "aes", "as"}}, {"es", []string{"esa", "eses", "esas"}}, {"o", []string{"a", "os", "as"}},
		{"a", []string{"as"}}, {"e", []string{"es"}}, {"ol", []string{"ola", "ois", "olas"}}, {"", []string{"es"}},
	},
	"spa": {
		{"an", []string{"ana", "anes", "anas"}}, {"on", []string{"ona", "ones", "onas"}}, {"es", []string{"esa", "eses", "esas"}},
		{"o", []string{"a", "os", "as"}}, {"ol", []string{"ola", "oles", "olas"}}, {"l", []string{"la", "les"}}, {"", []string{"s", "es"}},
	},
	"fra": {
		{"en", []string{"enne", "ens", "ennes"}}, {"on", []string{"onne", "ons", "onnes"}}, {"s", []string{"se", "ses"}},
		{"e", []string{"es"}}, {"", []string{"e", "s", "es"}},
	},
	"deu": {{"er", nil}, {"", []string{"e", "er", "es", "en", "em"}}},
}

// forms calls each with the forms of a folded adjective of a language: the
// word itself, and those for gender, number and case.
func forms(language, word string, each func(form string)) {
	each(word)
	for _, rule := range endings[language] {
		if stem, ok := strings.CutSuffix(word, rule.suffix); ok {
			for _, other := range rule.others {
				each(stem + other)
			}
			return
		}
	}
}
