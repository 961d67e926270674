package rank_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/rank"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// health is a measurement of an age.
func health(status string, score int, age time.Duration) *catalog.StreamHealth {
	at := now.Add(-age).Format(time.RFC3339)
	h := &catalog.StreamHealth{Status: status, CheckedAt: &at}
	if score >= 0 {
		h.Score = &score
	}
	return h
}

func resolution(h *catalog.StreamHealth, r string) *catalog.StreamHealth {
	h.Resolution = &r
	return h
}

// plain is a stream that no rule holds against.
func plain() catalog.StreamRecord {
	return catalog.StreamRecord{URL: "https://a.example/x.m3u8", Kind: catalog.StreamHLS, Quality: "720p", Playable: true}
}

// TestRules checks each rule on two streams: the first is to come first, in
// whichever order they are given.
func TestRules(t *testing.T) {
	br := &catalog.Record{Country: "BR", BroadcastArea: []string{"c/PT", "r/LATAM", "s/AR-B", "ct/UYMVD"}}
	type side struct {
		health *catalog.StreamHealth
		change func(*catalog.StreamRecord)
		closed bool
	}
	with := func(f func(*catalog.StreamRecord)) side { return side{change: f} }
	measured := func(h *catalog.StreamHealth) side { return side{health: h} }
	geo := with(func(s *catalog.StreamRecord) { s.Label = "Geo-blocked" })
	sometimes := with(func(s *catalog.StreamRecord) { s.Label = "Not 24/7" })
	for _, test := range []struct {
		name          string
		country       string
		better, worse side
	}{
		{"online before not known", "", measured(health("online", 90, 0)), side{}},
		{"not known before offline", "", side{}, measured(health("offline", 90, 0))},
		{"not known before timeout", "", side{}, measured(health("timeout", -1, 0))},
		{"not known before error", "", side{}, measured(health("error", 0, 0))},
		{"not known before often down", "", side{}, measured(health("online", 20, 0))},
		{"often down before down", "", measured(health("online", 20, 0)), measured(health("offline", 20, 0))},
		{"a status of no meaning is as none", "", measured(health("unknown", 10, 0)), measured(health("offline", 99, 0))},
		{"an old failure says nothing", "", measured(health("offline", 0, rank.Stale+time.Hour)), measured(health("offline", 0, rank.Stale-time.Hour))},
		{"an old success says nothing", "", measured(health("online", 60, time.Hour)), measured(health("online", 90, rank.Stale+time.Hour))},
		{"refused to the prober, abroad", "US", side{}, measured(health("blocked", -1, 0))},
		{"refused to the prober, nowhere known", "", side{}, measured(health("blocked", -1, 0))},
		{"refused to the prober, at home", "BR", measured(health("blocked", 9, 0)), measured(health("online", 20, 0))},
		{"usable", "", side{}, with(func(s *catalog.StreamRecord) { s.Playable = false })},
		{"measured before usable by the register", "", side{health("online", -1, 0), func(s *catalog.StreamRecord) { s.Playable = false }, false}, side{}},
		{"open before closed", "", measured(health("online", 60, 0)), side{health: health("online", 99, 0), closed: true}},
		{"open before closed, though the register doubts it", "", side{health("online", 60, 0), func(s *catalog.StreamRecord) { s.Playable = false }, false}, side{health: health("online", 60, 0), closed: true}},
		{"closed before not known", "", side{health: health("online", 60, 0), closed: true}, side{}},
		{"closed long ago says nothing", "", side{health: health("online", 60, rank.Stale+time.Hour), closed: true}, sometimes},
		{"closed, never measured, says nothing", "", side{closed: true}, sometimes},
		{"no label before one", "", side{}, sometimes},
		{"geo-blocked is last", "", sometimes, geo},
		{"geo-blocked abroad", "US", sometimes, geo},
		{"geo-blocked at home", "BR", geo, sometimes},
		{"geo-blocked in a country of the area", "PT", geo, sometimes},
		{"geo-blocked in a state of the area", "AR", geo, sometimes},
		{"geo-blocked in a city of the area", "UY", geo, sometimes},
		{"hls before dash", "", side{}, with(func(s *catalog.StreamRecord) { s.Kind = catalog.StreamDASH })},
		{"dash before ts", "", with(func(s *catalog.StreamRecord) { s.Kind = catalog.StreamDASH }), with(func(s *catalog.StreamRecord) { s.Kind = catalog.StreamTS })},
		{"flv before the platform", "", with(func(s *catalog.StreamRecord) { s.Kind = catalog.StreamFLV }), with(func(s *catalog.StreamRecord) { s.Kind = catalog.StreamYouTube })},
		{"the platform before external", "", with(func(s *catalog.StreamRecord) { s.Kind = catalog.StreamYouTube }), with(func(s *catalog.StreamRecord) { s.Kind = catalog.StreamExternal })},
		{"no headers", "", side{}, with(func(s *catalog.StreamRecord) { s.Referrer = "https://r.example/" })},
		{"no user agent", "", side{}, with(func(s *catalog.StreamRecord) { s.UserAgent = "x" })},
		{"https", "", side{}, with(func(s *catalog.StreamRecord) { s.URL = "http://a.example/x.m3u8" })},
		{"sharper", "", side{}, with(func(s *catalog.StreamRecord) { s.Quality = "576i" })},
		{"sharper than nothing declared", "", side{}, with(func(s *catalog.StreamRecord) { s.Quality = "" })},
		{"sharper as measured", "", measured(resolution(health("online", 80, 0), "1080p")), measured(resolution(health("online", 99, 0), "480p"))},
		{"a better score", "", measured(health("online", 90, 9*time.Hour)), measured(health("online", 80, 0))},
		{"measured later", "", measured(health("online", 90, time.Hour)), measured(health("online", 90, 2*time.Hour))},
	} {
		make2 := func(a side) rank.Candidate {
			s := plain()
			if a.change != nil {
				a.change(&s)
			}
			return rank.Candidate{Stream: &s, Health: a.health, Closed: a.closed}
		}
		better, worse := make2(test.better), make2(test.worse)
		caller := rank.Caller{Country: test.country, Now: now}
		for _, list := range [][]rank.Candidate{{better, worse}, {worse, better}} {
			if best, ok := rank.Best(br, list, caller); !ok || best.Stream != better.Stream {
				t.Errorf("%s: Best chose the other", test.name)
			}
			if got := rank.Order(br, list, caller); len(got) != 2 || got[0].Stream != better.Stream {
				t.Errorf("%s: Order put the other first", test.name)
			}
		}
	}
}

func TestAtHome(t *testing.T) {
	for _, test := range []struct {
		home, area, country string
		want                bool
	}{
		{"BR", "", "BR", true},
		{"BR", "", "PT", false},
		{"BR", "", "", false},
		{"", "", "", false},
		{"BR", "c/PT", "PT", true},
		{"GB", "c/UK", "GB", true},
		{"BR", "s/AR-B", "AR", true},
		{"BR", "ct/UYMVD", "UY", true},
		{"BR", "ct/UY", "UY", false},
		{"BR", "r/INT", "JP", true},
		{"BR", "r/WW", "JP", true},
		{"BR", "r/LATAM", "AR", false},
		{"BR", "PT", "PT", false},
		{"BR", "c/", "", false},
		{"BR", "/PT", "PT", false},
	} {
		r := &catalog.Record{Country: test.home, BroadcastArea: []string{test.area}}
		if got := rank.AtHome(r, test.country); got != test.want {
			t.Errorf("a caller of %q, a channel of %q that covers %q: at home is %v", test.country, test.home, test.area, got)
		}
	}
}

func TestLines(t *testing.T) {
	for quality, want := range map[string]int{
		"1080p": 1080, "576i": 576, "1920x1080": 1080, "720": 720, "": 0, "HD": 0, "MP3": 0, "128k": 0, "x": 0, "-5p": 0,
		"999999999999999999999p": 0, "1000000p": 0, "1x2x3": 0,
	} {
		if got := rank.Lines(quality); got != want {
			t.Errorf("%q has %d lines, want %d", quality, got, want)
		}
	}
}

// candidates are many streams of every sort, some of them alike.
func candidates(r *rand.Rand, n int) []rank.Candidate {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	out := make([]rank.Candidate, n)
	for i := range out {
		s := plain()
		s.Kind = pick("hls", "audio", "dash", "ts", "flv", "youtube", "externo", "")
		s.Label = pick("", "Geo-blocked", "Not 24/7", "Geo-blocked; Not 24/7")
		s.URL = pick("https://a", "HTTPS://a", "http://a", "rtmp://a", "")
		s.Quality = pick("", "1080p", "720p")
		s.Referrer, s.Playable = pick("", "x"), r.IntN(2) == 0
		out[i] = rank.Candidate{Stream: &s, Closed: r.IntN(3) == 0, Blocked: r.IntN(4) == 0, At: i}
		if r.IntN(3) > 0 {
			out[i].Health = health(pick("online", "offline", "blocked", "timeout", "error", "unknown", "?"), r.IntN(103)-1, time.Duration(r.IntN(12*24))*time.Hour)
		}
		if out[i].Health != nil && r.IntN(9) == 0 {
			out[i].Health.CheckedAt = new(string)
		}
	}
	return out
}

func places(list []rank.Candidate) []int {
	at := []int{}
	for _, c := range list {
		at = append(at, c.At)
	}
	return at
}

// TestOrder checks what holds of any streams: none that is blocked is there,
// all others are, once, the best first; the same streams give the same order;
// and to order what is in order changes nothing.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	channel := &catalog.Record{Country: "BR"}
	for range 2000 {
		list := candidates(r, r.IntN(24))
		caller := rank.Caller{Country: []string{"", "BR", "US"}[r.IntN(3)], Now: now}
		var open []int
		for _, c := range list {
			if !c.Blocked {
				open = append(open, c.At)
			}
		}
		best, found := rank.Best(channel, list, caller)
		got := rank.Order(channel, slices.Clone(list), caller)
		if found != (len(open) > 0) || found && best.At != got[0].At {
			t.Fatalf("Best is %d, %v; Order is %v of %v", best.At, found, places(got), open)
		}
		again := rank.Order(channel, slices.Clone(list), caller)
		twice := rank.Order(channel, slices.Clone(got), caller)
		if d := cmp.Diff(places(got), places(again)) + cmp.Diff(places(got), places(twice)); d != "" {
			t.Fatalf("the same streams in another order are ordered differently:\n%s", d)
		}
		sorted := places(got)
		slices.Sort(sorted)
		if !slices.Equal(sorted, open) {
			t.Fatalf("ordered %v, given %v", sorted, open)
		}
		transitive(t, channel, got, caller)
	}
}

// transitive checks that each stream is preferred to every later one that it
// is compared with alone, so that the order does not depend on the company.
func transitive(t *testing.T, channel *catalog.Record, order []rank.Candidate, caller rank.Caller) {
	t.Helper()
	for i := range order {
		for k := i + 1; k < len(order); k++ {
			pair := []rank.Candidate{order[i], order[k]}
			if best, _ := rank.Best(channel, pair, caller); best.At != order[i].At {
				t.Fatalf("%d comes before %d, but not alone", order[i].At, order[k].At)
			}
		}
	}
}

// TestStable checks that streams that nothing tells apart stay in their order.
func TestStable(t *testing.T) {
	list := make([]rank.Candidate, 40)
	for i := range list {
		s := plain()
		s.Title = strings.Repeat("x", i)
		list[i] = rank.Candidate{Stream: &s, At: i}
	}
	want := places(list)
	if d := cmp.Diff(want, places(rank.Order(&catalog.Record{}, list, rank.Caller{}))); d != "" {
		t.Error(d)
	}
}

func BenchmarkOrder(b *testing.B) {
	list := candidates(rand.New(rand.NewPCG(3, 4)), 12)
	channel, caller := &catalog.Record{Country: "BR"}, rank.Caller{Country: "BR", Now: now}
	work := make([]rank.Candidate, len(list))
	b.ReportAllocs()
	for b.Loop() {
		copy(work, list)
		rank.Order(channel, work, caller)
	}
}
