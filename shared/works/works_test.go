package works_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/works"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

// A crowd is what is counted of channels, with the overlay that shows it.
type crowd struct {
	*social.Overlay
	db     store.DB
	counts map[string]social.Counted
}

// newCrowd returns a crowd that has counted nothing.
func newCrowd(t testing.TB) *crowd {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &crowd{db: db, counts: map[string]social.Counted{}}
}

// say counts that networks of a country report a channel on a day before today.
func (c *crowd) say(channel, country string, networks, daysAgo int, ok bool) {
	of := c.counts[channel]
	of.Channel, of.Ledger = channel, fact.Ledger{Revision: of.Revision + 1}
	for n := range networks {
		r := social.Report{
			Channel: channel, Browser: "Chrome", OS: "Windows", Country: country, OK: ok, At: noon.AddDate(0, 0, -daysAgo),
			Network: social.NetworkOf([16]byte{byte(n + 1), byte(daysAgo)}, channel),
		}
		if !ok {
			r.Code = "geo"
		}
		of.Apply(r)
	}
	c.counts[channel] = of
}

// show makes the overlay show what is counted.
func (c *crowd) show(t testing.TB) {
	t.Helper()
	shards := map[int][]social.Counted{}
	for channel, of := range c.counts {
		n := social.ShardOf(channel)
		shards[n] = append(shards[n], of)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for n, list := range shards {
		if err := social.ShowCounts(ctx, c.db, n, list); err != nil {
			t.Fatal(err)
		}
	}
	following, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	c.Overlay = social.FollowOverlay(following, overlay.NewSet(c.db, slog.New(slog.DiscardHandler), clock))
	if err := c.Loaded(ctx); err != nil {
		t.Fatal(err)
	}
}

// saidByChance returns a crowd that reports a part of the channels of reg.
func saidByChance(t testing.TB, reg *catalog.Register, share float64, countries []string) *crowd {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 3))
	c := newCrowd(t)
	for i := range reg.Records {
		if r.Float64() >= share {
			continue
		}
		for range 1 + r.IntN(3) {
			c.say(reg.Records[i].ID, countries[r.IntN(len(countries))], 1+r.IntN(4), r.IntN(40), r.IntN(3) > 0)
		}
	}
	c.show(t)
	return c
}

// factsOf returns what is known of a record, one stream after the other.
func factsOf(r *catalog.Record, o index.Overlay, blocked map[catalog.StreamID]bool, counts social.Counted) health.Facts {
	f := health.Facts{Agreed: counts.Heard.Agreed, Today: social.DateOf(noon), Country: r.Country, Area: r.BroadcastArea}
	measured := maps.Collect(o.Streams)
	for _, s := range r.Streams {
		if m := measured[s.ID]; !blocked[s.ID] {
			online := m != nil && m.Health.Status == "online" && !m.Closed && m.OnlineAt.After(o.OnlineSince)
			f.Streams = append(f.Streams, health.StreamFacts{Online: online, GeoBlocked: rank.GeoBlocked(s.Label)})
		}
	}
	return f
}

// TestIn compares the verdicts on all records with those of package health on one after the
// other, in some countries, with blocks and measurements.
func TestIn(t *testing.T) {
	countries := []string{"BR", "PT", "US", "JP", "AQ"}
	reg := indextest.Synthetic(41, 3000)
	o := indextest.Overlay(41, reg)
	blocked := map[catalog.StreamID]bool{}
	for i := 0; i < len(reg.Records); i += 7 {
		for _, s := range reg.Records[i].Streams[:min(1, len(reg.Records[i].Streams))] {
			blocked[s.ID], o.BlockedStreams = true, append(o.BlockedStreams, s.ID)
		}
	}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	v, c := index.NewView(ix, o, catalog.LinkBase{}), saidByChance(t, reg, 0.3, countries[:4])
	in := works.New(c.Overlay, clock)
	for _, country := range countries {
		w := in.In(v, country, false)
		stale := in.In(v, country, true)
		seen := map[catalog.Verdict]int{}
		for i := range reg.Records {
			r := &reg.Records[i]
			doc, ok := v.Doc(r.ID)
			if !ok {
				t.Fatalf("%s has no record", r.ID)
			}
			f := factsOf(r, o, blocked, c.counts[r.ID])
			want := health.WorksIn(f, country)
			seen[want]++
			if got := w.Verdict(doc); got != want {
				t.Fatalf("%s in %s: %s, want %s of %+v", r.ID, country, got, want, f)
			}
			for k := range f.Streams {
				f.Streams[k].Online = false
			}
			if got, want := stale.Verdict(doc), health.WorksIn(f, country); got != want {
				t.Fatalf("%s in %s, by a stale catalog: %s, want %s of %+v", r.ID, country, got, want, f)
			}
			reports, _ := social.NewShown(c.counts[r.ID].Counts).In(country)
			if plays, fails := w.Reports(r.ID); int64(plays) != reports.Plays || int64(fails) != reports.Fails {
				t.Fatalf("%s in %s: %d plays and %d fails, want %+v", r.ID, country, plays, fails, reports)
			}
		}
		if seen["likely"] < 50 || seen["unknown"] < 50 || seen["fails"] < 10 || country != "AQ" && seen["confirmed"] < 50 {
			t.Errorf("%s: too few of some verdicts to test anything: %v", country, seen)
		}
	}
}

// pair returns a view of two channels, with aliases, in which nothing is measured.
func pair(t testing.TB, aliases map[string]string) *index.View {
	return indextest.Channels(t, catalog.LinkBase{}, aliases, "A.br", "B.br")
}

// TestKept checks that an answer is kept as long as what it is made from is the same, and
// no longer.
func TestKept(t *testing.T) {
	c := newCrowd(t)
	c.say("A.br", "PT", 3, 0, true)
	c.show(t)
	now, v := noon, pair(t, nil)
	in := works.New(c.Overlay, func() time.Time { return now })
	first := in.In(v, "PT", false)
	a, _ := v.Doc("A.br")
	if got := first.Verdict(a); got != catalog.Confirmed {
		t.Fatalf("at first: %s", got)
	}
	if in.In(pair(t, nil), "PT", false) != first {
		t.Error("the same catalog is judged twice")
	}
	if in.In(v, "BR", false) == first || in.In(v, "PT", true) == first {
		t.Error("another question has the same answer")
	}
	if w := in.In(v.WithOverlay(index.Overlay{BlockedChannels: []string{"A.br"}}), "PT", false); w == first || w.Verdict(a) != catalog.Unknown {
		t.Error("a blocked channel keeps its verdict")
	}
	now = noon.AddDate(0, 0, health.WorksFor)
	if got := in.In(v, "PT", false).Verdict(a); got != catalog.Unknown {
		t.Errorf("after %d days: %s", health.WorksFor, got)
	}
	now = noon
	c.say("A.br", "PT", 3, 0, false)
	c.show(t)
	if got := works.New(c.Overlay, clock).In(v, "PT", false).Verdict(a); got != catalog.Likely {
		t.Errorf("divided networks: %s", got)
	}
}

// TestFormerID checks that counts of an id that a channel once had do not speak for it, as
// they are not shown of it either.
func TestFormerID(t *testing.T) {
	c := newCrowd(t)
	c.say("Old.br", "PT", 3, 0, true)
	c.show(t)
	v := pair(t, map[string]string{"Old.br": "A.br"})
	if doc, ok := v.Doc("A.br"); !ok || works.New(c.Overlay, clock).In(v, "PT", false).Verdict(doc) != catalog.Unknown {
		t.Error("a former id speaks for a channel")
	}
	if _, ok := v.Doc("Old.br"); ok {
		t.Error("a former id has a record")
	}
}

// TestNothingKnown checks that without an overlay, or without anything, nothing plays.
func TestNothingKnown(t *testing.T) {
	v := pair(t, nil)
	if (*works.Countries)(nil).In(v, "PT", false) != nil {
		t.Error("nil knows something")
	}
	w := works.New(nil, clock).In(v, "PT", false)
	if plays, fails := w.Reports("A.br"); plays+fails != 0 {
		t.Errorf("%d plays, %d fails", plays, fails)
	}
	for _, q := range []index.Query{{Works: w}, {}} {
		q.Selection = filter.Selection{WorksIn: "PT", Kind: "all"}
		if n := len(v.Matches(q)); n != 0 {
			t.Errorf("%d channels play", n)
		}
	}
}

// TestBounded asks for more countries than are kept, from many goroutines at once: the
// answers are right, and what is kept is bounded.
func TestBounded(t *testing.T) {
	c := newCrowd(t)
	c.say("A.br", "PT", 3, 0, true)
	c.show(t)
	v := pair(t, nil)
	a, _ := v.Doc("A.br")
	in := works.New(c.Overlay, clock)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 26 * 26 {
				country := fmt.Sprintf("%c%c", 'A'+(i+n)%26, 'A'+i/26)
				want := catalog.Unknown
				if country == "PT" {
					want = catalog.Confirmed
				}
				if got := in.In(v, country, i%2 == 0).Verdict(a); got != want {
					t.Errorf("%s: %s, want %s", country, got, want)
				}
			}
		})
	}
	all.Wait()
	if n := in.Kept(); n > 64 {
		t.Errorf("%d answers are kept", n)
	}
}

// TestSearch checks the filter and the order against the verdicts: what is kept, in which
// order, and on which pages.
func TestSearch(t *testing.T) {
	reg := indextest.Synthetic(43, 2000)
	o := indextest.Overlay(43, reg)
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	v, c := index.NewView(ix, o, catalog.LinkBase{}), saidByChance(t, reg, 0.3, []string{"PT", "BR"})
	w := works.New(c.Overlay, clock).In(v, "PT", false)
	degree := map[catalog.Verdict]int{"confirmed": 0, "likely": 1, "unknown": 2, "fails": 3}
	r := rand.New(rand.NewPCG(5, 5))
	hits := 0
	for range 400 {
		q := indextest.Query(r, reg)
		wide := q
		wide.Limit = 0
		wide.Works, q.Works = nil, w
		if q.Sort == "score" { // ask for the order of sureness instead
			q.Sort, wide.Sort = filter.BySureness, filter.ByPopularity
			q.Home, wide.Home = "", ""
		}
		if r.IntN(4) > 0 {
			q.WorksIn = "PT"
		}
		want := v.Matches(wide)
		if q.WorksIn != "" {
			want = slices.DeleteFunc(want, func(doc uint32) bool { return degree[w.Verdict(doc)] > 1 })
		}
		if q.Sort == filter.BySureness {
			slices.SortStableFunc(want, func(a, b uint32) int { return degree[w.Verdict(a)] - degree[w.Verdict(b)] })
		}
		got := v.Matches(q)
		if d := cmp.Diff(append([]uint32{}, want...), append([]uint32{}, got...)); d != "" {
			t.Fatalf("%+v (-want +got):\n%s", q.Selection, d)
		}
		page, total := v.Find(q)
		if from := min(q.Offset, len(want)); total != len(want) || !slices.Equal(page, want[from:min(len(want), from+q.Limit)]) {
			t.Fatalf("%+v from %d: %v of %d, want %v of %d", q.Selection, q.Offset, page, total, want[from:], len(want))
		}
		if len(want) > 0 {
			hits++
		}
	}
	if hits < 100 {
		t.Errorf("only %d of 400 searches found something", hits)
	}
}

// real returns the real catalog, with a third of its streams measured, and reports of ten
// thousand of its channels.
func real(b *testing.B) (*index.View, index.Overlay, *crowd) {
	b.Helper()
	folder := collect.Folder(filepath.Join(reference.Dir(b), "catalog"))
	ds, err := collect.Load(b.Context(), collect.Plan{IPTVOrg: folder, Radio: folder}, collect.Options{})
	if err != nil {
		b.Fatal(err)
	}
	reg, _ := build.Register(ds, nil, noon)
	ix, err := index.Build(reg)
	if err != nil {
		b.Fatal(err)
	}
	o := indextest.Overlay(1, reg)
	c := saidByChance(b, reg, 10_000/float64(len(reg.Records)), []string{"PT", "BR", "US", "DE", "FR", "IN", "MX", "ES"})
	return index.NewView(ix, o, catalog.LinkBase{}), o, c
}

// BenchmarkReal searches the real catalog without the filter, with it, and with everything
// that it needs made anew: for another view, and for other counts.
func BenchmarkReal(b *testing.B) {
	v, o, c := real(b)
	in := works.New(c.Overlay, clock)
	b.Logf("%d records, %d channels with reports", v.Len(), len(c.counts))
	search := func(name string, q index.Query) {
		q.Limit, q.Playable = 20, true
		b.Run(name, func(b *testing.B) {
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				q := q
				if q.WorksIn != "" {
					q.Works = in.In(v, q.WorksIn, false)
				}
				buf = v.Search(q, 0, buf[:0])
			}
		})
	}
	for _, sort := range []string{"name", "popular", "works"} {
		for _, words := range []string{"", "news"} {
			for _, country := range []string{"", "PT"} {
				if country != "" || sort != "works" {
					search(fmt.Sprintf("sort=%s q=%s works_in=%s", sort, words, country), index.Query{Selection: filter.Selection{Kind: "all", Sort: sort, Q: words, WorksIn: country}})
				}
			}
		}
	}
	b.Run("another country each time", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			in.In(v, string([]byte{byte('A' + n%26), byte('A' + n/26%26)}), false)
		}
	})
	b.Run("another view each time", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fresh := v.WithOverlay(o)
			in := works.New(c.Overlay, clock)
			b.StartTimer()
			in.In(fresh, "PT", false)
		}
	})
}
