package index_test

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/catalog/rank"
)

// statuses returns an overlay in which streams were measured.
func statuses(of map[catalog.StreamID]string) index.Overlay {
	streams := map[catalog.StreamID]*catalog.Measurement{}
	for id, status := range of {
		streams[id] = &catalog.Measurement{Health: catalog.StreamHealth{Status: status}}
	}
	return index.Overlay{Streams: maps.All(streams)}
}

var since = time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)

// measurement is what probes know of a stream.
func measurement(status string, score int, online time.Time, checked string) *catalog.Measurement {
	m := &catalog.Measurement{Health: catalog.StreamHealth{Status: status}, OnlineAt: online}
	if score >= 0 {
		m.Health.Score = &score
	}
	if checked != "" {
		m.Health.CheckedAt = &checked
	}
	return m
}

// TestMeasuredHealth sums up what was measured of the streams of a channel, 1
// to 7.
func TestMeasuredHealth(t *testing.T) {
	ix := build(t, playRegister())
	after, before := since.Add(time.Second), since.Add(-time.Second)
	p := func(score int) *int { return &score }
	at := func(s string) *string { return &s }
	type streams = map[catalog.StreamID]*catalog.Measurement
	for _, test := range []struct {
		name    string
		streams streams
		blocked []catalog.StreamID
		since   time.Time
		want    *catalog.MeasuredHealth
	}{
		{name: "nothing"},
		{name: "only others", streams: streams{8: measurement("online", 90, after, "2026-11-20T04:00:00Z"), 99: measurement("online", 90, after, "")}},
		{name: "none", streams: streams{1: nil}},
		{"of nothing known", streams{1: {}}, nil, since, &catalog.MeasuredHealth{}},
		{"one", streams{2: measurement("online", 70, after, "2026-11-20T04:00:00Z")}, nil, since,
			&catalog.MeasuredHealth{Score: p(70), Online: true, CheckedAt: at("2026-11-20T04:00:00Z")}},
		{"the best score and the latest check are of different streams", streams{
			1: measurement("online", 70, before, "2026-11-20T04:00:00Z"), 2: measurement("offline", 10, time.Time{}, "2026-11-20T04:00:01Z"), 3: measurement("error", -1, time.Time{}, ""),
		}, nil, since, &catalog.MeasuredHealth{Score: p(70), CheckedAt: at("2026-11-20T04:00:01Z")}},
		{"online once is enough", streams{1: measurement("offline", 0, after, ""), 2: measurement("online", 1, since, "")}, nil, since,
			&catalog.MeasuredHealth{Score: p(1), Online: true}},
		{"not after, at", streams{2: measurement("online", 1, since, "")}, nil, since, &catalog.MeasuredHealth{Score: p(1)}},
		{"never online, and no release yet", streams{2: measurement("offline", 1, time.Time{}, "")}, nil, time.Time{}.Add(-catalog.StaleAfter), &catalog.MeasuredHealth{Score: p(1)}},
		{"the blocked do not count", streams{1: measurement("online", 99, after, "2026-11-20T05:00:00Z"), 2: measurement("offline", 5, before, "2026-11-20T04:00:00Z")},
			[]catalog.StreamID{1}, since, &catalog.MeasuredHealth{Score: p(5), CheckedAt: at("2026-11-20T04:00:00Z")}},
		{"only the blocked", streams{1: measurement("online", 99, after, "2026-11-20T05:00:00Z")}, []catalog.StreamID{1}, since, nil},
		{"checks in other zones", streams{1: measurement("online", 9, after, "2026-11-20T05:00:00+02:00"), 2: measurement("online", 9, after, "2026-11-20T04:00:00Z")},
			nil, since, &catalog.MeasuredHealth{Score: p(9), Online: true, CheckedAt: at("2026-11-20T04:00:00Z")}},
		{"an invalid time sorts before all others", streams{1: measurement("online", 9, after, "soon"), 2: measurement("online", 9, after, "2026-11-20T04:00:00Z")},
			nil, since, &catalog.MeasuredHealth{Score: p(9), Online: true, CheckedAt: at("2026-11-20T04:00:00Z")}},
		{"scores out of bounds", streams{1: measurement("online", 1000, after, "")}, nil, since, &catalog.MeasuredHealth{Score: p(100), Online: true}},
	} {
		o := index.Overlay{Streams: maps.All(test.streams), BlockedStreams: test.blocked, OnlineSince: test.since}
		v := index.NewView(ix, o, links)
		item, ok := v.Item("A.br", 0)
		if !ok || cmp.Diff(test.want, item.HealthExt) != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, cmp.Diff(test.want, item.HealthExt))
		}
		page, _ := decode(t, string(v.Search(index.Query{Selection: filter.Selection{Kind: "tv"}, Limit: 1}, 0, nil))).(catalog.Page)
		if len(page.Items) != 1 || cmp.Diff(item, &page.Items[0]) != "" {
			t.Errorf("%s: search shows %+v", test.name, page.Items)
		}
		_, online := v.Find(index.Query{Selection: filter.Selection{Online: true}, Limit: 1})
		if want := test.want != nil && test.want.Online; (online == 1) != want {
			t.Errorf("%s: %d channels are online", test.name, online)
		}
	}
}

// TestUsable compares streams that the register thinks playable, and of those
// that it does not, what their measurements make of that.
func TestUsable(t *testing.T) {
	for _, test := range []struct {
		status          string
		closed          bool
		playable, other bool // of a stream that the register thinks playable, and of one that it does not
	}{
		{"online", false, true, true},
		{"online", true, false, false},
		{"offline", false, false, false},
		{"timeout", false, false, false},
		{"error", true, false, false},
		{"blocked", false, true, false},
		{"blocked", true, true, false},
		{"unknown", false, true, false},
		{"", false, true, false},
	} {
		for register, want := range map[bool]bool{true: test.playable, false: test.other} {
			reg := &catalog.Register{Records: []catalog.Record{{ID: "A.br", Name: "A", Streams: []catalog.StreamRecord{
				{ID: 1, URL: "https://a.example/", Kind: "hls", Playable: register},
			}}}}
			m := &catalog.Measurement{Health: catalog.StreamHealth{Status: test.status}, Closed: test.closed}
			v := index.NewView(build(t, reg), index.Overlay{Streams: maps.All(map[catalog.StreamID]*catalog.Measurement{1: m})}, links)
			full, _ := v.Channel("A.br", 0, rank.Caller{})
			_, total := v.Find(index.Query{Selection: filter.Selection{Playable: true}, Limit: 1})
			if full.PlayableHint != want || full.Streams[0].PlayableHint != want || (total == 1) != want {
				t.Errorf("%q, closed %v, of a stream that is playable %v: channel %v, stream %v, %d found, want %v",
					test.status, test.closed, register, full.PlayableHint, full.Streams[0].PlayableHint, total, want)
			}
		}
	}
}

// TestMeasuredBlocks checks that a view with blocks and facts answers as one of
// a register that never had what is blocked.
func TestMeasuredBlocks(t *testing.T) {
	reg := indextest.Synthetic(28, 900)
	o := indextest.Overlay(28, reg)
	blocked, streams := map[string]bool{}, map[catalog.StreamID]bool{}
	for i := range reg.Records {
		r := &reg.Records[i]
		if i%4 == 0 {
			o.BlockedChannels = append(o.BlockedChannels, r.ID)
			blocked[r.ID] = true
		}
		for k, s := range r.Streams {
			if (i+k)%3 == 0 {
				o.BlockedStreams = append(o.BlockedStreams, s.ID)
				streams[s.ID] = true
			}
		}
	}
	left := without(reg, blocked, func(s *catalog.StreamRecord) bool { return streams[s.ID] })
	bare := o
	bare.BlockedChannels, bare.BlockedStreams = nil, nil
	v, want := index.NewView(build(t, reg), o, links), index.NewView(build(t, left), bare, links)
	compare(t, left, v, o, 300)
	compareDetails(t, reg, v, want)
	compareFacets(t, v, want)
}

// TestLogos shows logos by the ids of channels, their old ones too, and hides
// those that only blocked channels have.
func TestLogos(t *testing.T) {
	ix := build(t, playRegister()) // A.br, once Old.br, and rb.1
	url := func(id string) *string { s := "https://base.example/logos/" + id; return &s }
	pairs := func(list ...string) iter.Seq2[string, string] {
		return func(yield func(string, string) bool) {
			for i := 0; i < len(list) && yield(list[i], list[i+1]); i += 2 {
			}
		}
	}
	for _, test := range []struct {
		name    string
		logos   iter.Seq2[string, string]
		blocked []string
		want    *string // of A.br; nil when it is blocked too
		hidden  []string
	}{
		{name: "none"},
		{name: "one", logos: pairs("A.br", "one"), want: url("one")},
		{name: "of another", logos: pairs("rb.1", "one")},
		{name: "by an old id", logos: pairs("Old.br", "old"), want: url("old")},
		{name: "by both", logos: pairs("Old.br", "old", "A.br", "one"), want: url("one")},
		{name: "by both, the other way around", logos: pairs("A.br", "one", "Old.br", "old"), want: url("one")},
		{name: "empty", logos: pairs("A.br", "")},
		{name: "hostile", logos: pairs("A.br", `"/../é`), want: url("%22%2F..%2F%C3%A9")},
		{name: "gone", logos: pairs("Gone.br", "x")},
		{name: "blocked", logos: pairs("A.br", "one", "rb.1", "two"), blocked: []string{"A.br"}, hidden: []string{"one"}},
		{name: "blocked by an old id", logos: pairs("A.br", "one", "Old.br", "old"), blocked: []string{"Old.br"}, hidden: []string{"old", "one"}},
		{name: "one that a channel has that is shown", logos: pairs("A.br", "one", "rb.1", "one"), blocked: []string{"rb.1"}, want: url("one")},
		{name: "one that all have", logos: pairs("A.br", "one", "rb.1", "one"), blocked: []string{"rb.1", "A.br"}, hidden: []string{"one"}},
		{name: "blocked and gone", logos: pairs("Gone.br", "x", "A.br", "one"), blocked: []string{"Gone.br"}, want: url("one"), hidden: []string{"x"}},
		{name: "blocked and gone, and had by another", logos: pairs("Gone.br", "x", "A.br", "x"), blocked: []string{"Gone.br"}, want: url("x")},
	} {
		v := index.NewView(ix, index.Overlay{Logos: test.logos, BlockedChannels: test.blocked}, links)
		if b, ok := v.Summary("A.br"); ok && cmp.Diff(test.want, b.LogoURL) != "" || !ok && test.want != nil {
			t.Errorf("%s (-want +got):\n%s", test.name, cmp.Diff(test.want, b.LogoURL))
		}
		var hidden []string
		for _, id := range []string{"", "old", "one", "two", "x"} {
			if v.Hidden(id) {
				hidden = append(hidden, id)
			}
		}
		if d := cmp.Diff(test.hidden, hidden); d != "" {
			t.Errorf("%s: hidden (-want +got):\n%s", test.name, d)
		}
	}
}

// TestScheduled finds the channels of which programmes are known, by old ids
// too, and says that they have a guide and where from.
func TestScheduled(t *testing.T) {
	reg := playRegister()
	reg.Records[0].GuideSite, reg.Records[0].GuideLang = "listed.example", "pt"
	ix := build(t, reg)
	for _, test := range []struct {
		name   string
		guides map[string]string
		want   []string // channels
		site   string   // of A.br
	}{
		{"no guide", nil, nil, "listed.example"},
		{"an empty one", map[string]string{}, nil, "listed.example"},
		{"of a channel", map[string]string{"A.br": "one.example", "Gone.br": "two.example"}, []string{"A.br"}, "one.example"},
		{"by an old id", map[string]string{"Old.br": "one.example"}, []string{"A.br"}, "one.example"},
		{"of all", map[string]string{"rb.1": "two.example", "A.br": "one.example", "Old.br": "two.example"}, []string{"A.br", "rb.1"}, "one.example"},
		{"without a site", map[string]string{"A.br": ""}, []string{"A.br"}, ""},
	} {
		var overlay index.Overlay
		if test.guides != nil {
			overlay.Guides = maps.All(test.guides)
		}
		v := index.NewView(ix, overlay, links)
		for _, q := range []index.Query{{Selection: filter.Selection{Kind: "all"}, Scheduled: true}, {Selection: filter.Selection{Kind: "all", Guide: true}}} {
			var got []string
			for _, doc := range v.Matches(q) {
				got = append(got, v.ID(doc))
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("%s, %+v (-want +got):\n%s", test.name, q, d)
			}
		}
		for _, id := range []string{"A.br", "rb.1"} {
			if item, _ := v.Item(id, 0); item.HasGuide != slices.Contains(test.want, id) {
				t.Errorf("%s: %s has a guide: %v", test.name, id, item.HasGuide)
			}
		}
		item, _ := v.Item("A.br", 0)
		if d := cmp.Diff(catalog.TextOrNil(test.site), item.GuideSite); d != "" {
			t.Errorf("%s: the site (-want +got):\n%s", test.name, d)
		}
		list := string(v.Search(index.Query{Selection: filter.Selection{Kind: "all", Q: "A"}, Limit: 20}, 0, nil))
		if want, _ := json.Marshal(item.GuideSite); !strings.Contains(list, `"guide_site":`+string(want)+`,"guide_lang":"pt"`) {
			t.Errorf("%s: the list says %s", test.name, list)
		}
	}
}

// TestScratch searches for the same before and after a search of each kind: none
// leaves anything behind that another reads.
func TestScratch(t *testing.T) {
	reg := indextest.Synthetic(29, 700)
	v := index.NewView(build(t, reg), index.Overlay{}, links)
	words := []string{"globo", "rock", "jazz", "s"}
	var queries []index.Query
	for _, word := range words {
		queries = append(queries, index.Query{Selection: filter.Selection{Kind: "all", Q: word}, Limit: 20}, index.Query{Selection: filter.Selection{Kind: "all", Q: word, Language: "l04"}, Limit: 20},
			index.Query{Selection: filter.Selection{Kind: "all", Q: word, Sort: "relevance"}, Limit: 20}, index.Query{Selection: filter.Selection{Kind: "all", Q: word + " n", Playable: true}, Limit: 20})
	}
	for _, q := range queries {
		want := string(v.Search(q, 0, nil))
		for _, other := range queries {
			v.Search(other, 0, nil)
			if string(v.Search(q, 0, nil)) != want {
				t.Fatalf("%+v answers otherwise after %+v", q, other)
			}
		}
	}
}
