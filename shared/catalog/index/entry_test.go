package index_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/catalog/rank"
)

// TestPick checks which stream of a channel a list gives.
func TestPick(t *testing.T) {
	ix := build(t, playRegister())
	health := func(status string, ids ...catalog.StreamID) index.Overlay {
		of := map[catalog.StreamID]string{}
		for _, id := range ids {
			of[id] = status
		}
		return statuses(of)
	}
	blocked := index.Overlay{BlockedStreams: []catalog.StreamID{1, 2, 3, 4, 5}}
	for _, test := range []struct {
		name    string
		overlay index.Overlay
		channel string
		pinned  string
		caller  rank.Caller
		want    catalog.StreamID // 0 for a channel without one
	}{
		{name: "the best", channel: "A.br", want: 1},
		{name: "by an old id", channel: "Old.br", want: 1},
		{name: "pinned", channel: "A.br", pinned: id(5), want: 5},
		{name: "pinned by an alias", channel: "A.br", pinned: id(102), want: 2},
		{name: "pinned by a position", channel: "A.br", pinned: "up:A.br@SD:2", want: 3},
		{name: "pinned of another", channel: "A.br", pinned: id(8), want: 1},
		{name: "pinned outside", channel: "A.br", pinned: id(6), want: 1},
		{name: "pinned on the platform", channel: "A.br", pinned: id(7), want: 7},
		{name: "pinned nothing", channel: "A.br", pinned: "x", want: 1},
		{name: "dead", overlay: health("offline", 1), channel: "A.br", want: 4},
		{name: "pinned and dead", overlay: health("timeout", 5), channel: "A.br", pinned: id(5), want: 1},
		{name: "doubtful is not dead", overlay: health("blocked", 5), channel: "A.br", pinned: id(5), want: 5},
		{name: "only the platform lives", overlay: health("error", 1, 2, 3, 4, 5), channel: "A.br", want: 7},
		{name: "pinned, nothing lives", overlay: health("error", 1, 2, 3, 4, 5, 7), channel: "A.br", pinned: id(5), want: 5},
		{name: "nothing lives", overlay: health("error", 1, 2, 3, 4, 5, 7), channel: "A.br", want: 1},
		{name: "only the platform is allowed", overlay: blocked, channel: "A.br", want: 7},
		{name: "at home", overlay: health("offline", 1, 4), channel: "A.br", caller: rank.Caller{Country: "BR"}, want: 3},
		{name: "abroad", overlay: health("offline", 1, 4), channel: "A.br", want: 2},
		{name: "all blocked", overlay: index.Overlay{BlockedHosts: []string{"example", "youtube.com"}}, channel: "A.br"},
		{name: "a station", channel: "rb.1", want: 8},
	} {
		v := index.NewView(ix, test.overlay, links)
		p, ok := v.Entries(0, test.caller).Of(test.channel, test.pinned)
		switch {
		case !ok:
			t.Errorf("%s: not found", test.name)
		case (p.Stream != nil) != (test.want != 0):
			t.Errorf("%s: picked %+v", test.name, p.Stream)
		case p.Stream != nil && p.Stream.ID != test.want:
			t.Errorf("%s: picked %d, want %d", test.name, p.Stream.ID, test.want)
		}
	}
	v := index.NewView(ix, index.Overlay{BlockedChannels: []string{"A.br"}}, links)
	for _, channel := range []string{"A.br", "Old.br", "B.br", ""} {
		if p, ok := v.Entries(0, rank.Caller{}).Of(channel, id(1)); ok {
			t.Errorf("%q: picked %+v", channel, p)
		}
	}
	if v.Links() != links {
		t.Errorf("links are %+v", v.Links())
	}
}

// TestPickAt checks that what Find found is picked as by its id.
func TestPickAt(t *testing.T) {
	v := index.NewView(build(t, playRegister()), index.Overlay{}, links)
	docs, _ := v.Find(index.Query{Selection: filter.Selection{Kind: "all"}, Limit: 10})
	if len(docs) != 2 {
		t.Fatalf("found %v", docs)
	}
	for i, want := range []string{"A.br", "rb.1"} {
		at := v.Entries(-1, rank.Caller{}).At(docs[i])
		by, ok := v.Entries(0, rank.Caller{}).Of(want, "")
		if !ok || at.Channel.ID != want || at.Stream.ID != by.Stream.ID {
			t.Errorf("record %d is %s with %+v, and by its id has %+v", docs[i], at.Channel.ID, at.Stream, by.Stream)
		}
	}
}

// TestListing compares what lists show of channels with what search shows of them.
func TestListing(t *testing.T) {
	reg := indextest.Synthetic(35, 2000)
	v := index.NewView(build(t, reg), indextest.Overlay(35, reg), links)
	deref := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	for locale := range len(catalog.Labels{}) {
		entries := v.Entries(locale, rank.Caller{})
		for i := range reg.Records {
			e, ok := entries.Of(reg.Records[i].ID, "")
			c, shown := v.Item(reg.Records[i].ID, locale)
			if ok != shown || !ok {
				t.Fatalf("%s: listed is %v, shown is %v", reg.Records[i].ID, ok, shown)
			}
			want := catalog.Listing{
				ID: c.ID, Name: c.Name, Kind: reg.Records[i].Kind, Country: deref(c.Country), Languages: c.Languages, LanguageLabels: c.LanguageLabels,
				Quality: c.Quality, Logo: deref(c.LogoURL), Website: deref(c.Website),
			}
			if len(c.CategoryLabels) > 0 {
				want.Category = c.CategoryLabels[0]
			}
			if d := cmp.Diff(want, e.Channel, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("%s (-want +got):\n%s", c.ID, d)
			}
		}
	}
}
