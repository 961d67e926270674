package library

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnite checks which items of a sub-tab are doubles. An item is written as its
// channel, and after a colon the stream that it pins.
func TestUnite(t *testing.T) {
	former := map[string]string{"Old": "New", "Older": "New"}
	current := func(id string) (string, bool) {
		if now, ok := former[id]; ok {
			return now, true
		}
		return id, id != "Gone"
	}
	for _, test := range []struct{ items, want, last string }{
		{"New Other", "New Other", "New"},
		{"Old Other", "Old Other", "Old"},
		{"Old New", "New", "New"},
		{"New Old", "New", "New"},
		{"Older Old", "Older", "Older"},
		{"Older New Old", "New", "New"},
		{"New New", "New", "New"},
		{"Old Old", "Old", "Old"},
		{"Gone Gone", "Gone", "Gone"},
		{"Old Older New New Old", "New", "New"},
		{"A New A Old A:s A", "A New A:s", "A"},
		{"Old:s New", "Old:s New", "Old"},
		{"Old:s New:s", "New:s", "New"},
		{"Old New:s", "Old New:s", "Old"},
	} {
		g := Group{}
		for i, text := range strings.Fields(test.items) {
			channel, stream, _ := strings.Cut(text, ":")
			g.Items = append(g.Items, Item{ID: string(rune('a' + i)), Channel: channel, Stream: stream})
		}
		g.LastItem = "a"
		l := &Library{Categories: []Category{{Groups: []Group{g}}}}
		l.Unite(current)
		var got []string
		last := ""
		for _, it := range l.Categories[0].Groups[0].Items {
			got = append(got, strings.TrimSuffix(it.Channel+":"+it.Stream, ":"))
			if it.ID == l.Categories[0].Groups[0].LastItem {
				last = it.Channel
			}
		}
		if d := cmp.Diff(test.want, strings.Join(got, " ")); d != "" || last != test.last {
			t.Errorf("%s: %s was played last, want %s (-want +got):\n%s", test.items, last, test.last, d)
		}
	}
}
