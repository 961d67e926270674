package searchpeers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

func TestCondition(t *testing.T) {
	terms := func(words []string) string { return words[0] + "+" + words[1] }
	q := &index.Query{Selection: filter.Selection{Kind: "tv", Playable: true, Country: "BR", Q: "One two"}}
	for _, c := range []struct {
		name    string
		dollars bool
		want    string
	}{
		{"marks", false, "1 = 1 AND kind = ? AND playable = 1 AND country = ? AND words = ?"},
		{"dollars", true, "1 = 1 AND kind = $1 AND playable = 1 AND country = $2 AND words = $3"},
	} {
		d := &database{match: "words = ?", terms: terms, dollars: c.dollars}
		where, args := d.condition(q)
		if diff := cmp.Diff(c.want, where); diff != "" {
			t.Errorf("%s: condition (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff([]any{0, "BR", "one+two"}, args); diff != "" {
			t.Errorf("%s: arguments (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestConditionWithoutWords checks that a text without a letter or digit finds nothing.
func TestConditionWithoutWords(t *testing.T) {
	d := &database{}
	where, args := d.condition(&index.Query{Selection: filter.Selection{Kind: "all", Q: "!"}})
	if where != "1 = 1 AND 1 = 0" || len(args) != 0 {
		t.Errorf("condition %q with %v", where, args)
	}
}
