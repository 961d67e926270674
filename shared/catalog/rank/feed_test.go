package rank_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/rank"
)

func TestFeedFirst(t *testing.T) {
	for _, test := range []struct{ feed, want string }{
		{"SD", "abcd"}, {"Wales", "bacd"}, {"HD", "cabd"}, {"", "abcd"}, {"wales", "abcd"}, {"\x00\xff", "abcd"},
	} {
		sd, wales, hd := "SD", "Wales", "HD"
		streams := []catalog.Stream{{ID: "a", Feed: &sd}, {ID: "b", Feed: &wales}, {ID: "c", Feed: &hd}, {ID: "d"}}
		rank.FeedFirst(streams, test.feed)
		got := ""
		for _, s := range streams {
			got += s.ID
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", test.feed, d)
		}
	}
	rank.FeedFirst(nil, "SD")
}
