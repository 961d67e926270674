package companion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/similar"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

// channels are the TV channels A to Z and C0 to C99, and the station rb.1. A was Old once; Y is blocked.
type channels struct{ view *index.View }

func (c channels) View() (*index.View, error) { return c.view, nil }

func newChannels(t testing.TB) channels {
	t.Helper()
	reg := &catalog.Register{BuiltAt: noon, ChannelAliases: map[string]string{"Old": "A"}}
	add := func(id string, kind catalog.Kind) {
		n := catalog.StreamID(len(reg.Records) + 1)
		r := catalog.Record{ID: id, Kind: kind, Name: "Name of " + id, Origin: "iptv-org"}
		if kind == catalog.Station {
			r.Radio = &catalog.Radio{}
		}
		r.Streams = []catalog.StreamRecord{{ID: n, URL: fmt.Sprintf("https://o.example/%d", n), Kind: catalog.StreamHLS, Origin: r.Origin, Playable: true}}
		reg.Records = append(reg.Records, r)
	}
	for letter := 'A'; letter <= 'Z'; letter++ {
		add(string(letter), catalog.TV)
	}
	for n := range 100 {
		add(fmt.Sprint("C", n), catalog.TV)
	}
	add("rb.1", catalog.Station)
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	return channels{index.NewView(ix, index.Overlay{BlockedChannels: []string{"Y"}}, catalog.LinkBase{})}
}

// A world is a database with what people keep.
type world struct {
	*testing.T
	db  store.DB
	set *overlay.Set
	Options
}

func newWorld(t *testing.T) *world {
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w := &world{T: t, db: db, set: overlay.NewSet(db, slog.New(slog.DiscardHandler), clock)}
	w.Options = Options{DB: db, Catalog: newChannels(t)}
	return w
}

// keep stores the library of an owner, with a letter for each channel.
func (w *world) keep(owner, letters string) {
	l := library.Library{Owner: identity.Owner(owner), Token: "secret", Categories: []library.Category{{ID: "cat_1", Name: "All", Groups: []library.Group{{ID: "grp_1"}}}}}
	for _, id := range ids(letters) {
		g := &l.Categories[0].Groups[0]
		g.Items = append(g.Items, library.Item{ID: "itm_" + id, Channel: id})
	}
	w.set1(library.Path(l.Owner), l)
}

// like stores the favorites of an owner.
func (w *world) like(owner, letters string) {
	var f kept.Favorites
	for _, id := range ids(letters) {
		f.Rows = append(f.Rows, kept.Favorite{Channel: id, Since: store.At(noon)})
	}
	w.set1(kept.FavoritesPath(identity.Owner(owner)), f)
}

func (w *world) set1(p store.Path, doc any) {
	w.Helper()
	if err := w.db.Set(w.Context(), p, doc); err != nil {
		w.Fatal(err)
	}
}

// ids returns the ids of letters; r is the station, and o the former id of A.
func ids(letters string) (list []string) {
	for _, l := range letters {
		list = append(list, map[rune]string{'r': "rb.1", 'o': "Old"}[l])
		if list[len(list)-1] == "" {
			list[len(list)-1] = string(l)
		}
	}
	return list
}

// hear stores that each channel is played by so many networks.
func (w *world) hear(networks int64, letters string) {
	w.Helper()
	for _, id := range ids(letters) {
		c := social.Counted{Channel: id, Counts: social.Counts{Heard: social.Heard{Plays: networks}}}
		c.Revision = 1
		if err := social.ShowCounts(w.Context(), w.db, social.ShardOf(id), []social.Counted{c}); err != nil {
			w.Fatal(err)
		}
	}
}

// run runs the job, and returns its report with the companions as followers see them.
func (w *world) run() (*Report, *Live) {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	w.Cleanup(cancel)
	w.Social = social.FollowOverlay(ctx, w.set)
	rep, err := NewJob(w.Options).Run(ctx, job.Order{})
	if err != nil {
		w.Fatal(err)
	}
	return rep.(*Report), Follow(ctx, overlay.NewSet(w.db, slog.New(slog.DiscardHandler), clock))
}

// guests stores a library of the same channels for each of n guests.
func (w *world) guests(prefix string, n int, letters string) {
	for i := range n {
		w.keep(fmt.Sprintf("g_%s%d", prefix, i), letters)
	}
}

func TestCompanions(t *testing.T) {
	w := newWorld(t)
	w.guests("ab", 5, "ABr")  // five keep A with B, and both with a station
	w.guests("ac", 7, "oCYA") // seven keep A, once by its former id, with C; Y is blocked
	w.guests("ad", 4, "AD")   // four are too few
	w.guests("ef", 9, "EF")
	w.guests("one", 9, "B")
	w.like("g_ad0", "BE")
	w.like("g_ad1", "B")
	w.like("g_nobody", "ABCDEF") // has no library
	for range 6 {                // organizations are not people
		w.keep(string(identity.NewOwner(identity.Organization)), "GH")
	}
	w.hear(100, "ABCDEGH")
	w.hear(6, "r")
	w.hear(5, "F")
	rep, live := w.run()
	if diff := cmp.Diff(Report{Owners: 34, Counted: 25, Channels: 5}, *rep); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	got := map[string][]similar.Companion{}
	for _, id := range append(ids("ABCDEFGHYr"), "Old", "", "Nowhere") {
		if list := live.Of(id); list != nil {
			got[id] = list
		}
	}
	want := map[string][]similar.Companion{
		"A": {{Channel: "C", People: 7}, {Channel: "B", People: 7}},
		"B": {{Channel: "A", People: 7}},
		"C": {{Channel: "A", People: 7}},
		"E": {{Channel: "F", People: 5}}, // nine keep both, and only five networks are heard of F
		"F": {{Channel: "E", People: 5}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("companions (-want +got):\n%s", diff)
	}
}

// TestNothingOfPeople checks that no document of the overlay has an owner, a token or a
// pair of fewer than five people.
func TestNothingOfPeople(t *testing.T) {
	w := newWorld(t)
	w.guests("ab", 5, "AB")
	w.guests("cd", 4, "CD")
	w.hear(100, "ABCD")
	w.run()
	shards, err := kind.Read(t.Context(), w.db)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, data := range shards {
		if len(data) > 0 {
			all = append(all, string(data))
		}
	}
	text := strings.Join(all, "\n")
	for _, never := range []string{"g_", "secret", `"C"`, `"D"`} {
		if strings.Contains(text, never) {
			t.Errorf("%s is stored: %s", never, text)
		}
	}
	if !strings.Contains(text, `"A":[{"c":"B","n":5}]`) {
		t.Errorf("stored: %s", text)
	}
}

// TestUnheard checks that many owners of one network make no companions.
func TestUnheard(t *testing.T) {
	w := newWorld(t)
	w.guests("ab", 300, "AB")
	w.hear(1000, "A")
	w.hear(4, "B")
	if rep, live := w.run(); rep.Channels != 0 || rep.Counted != 300 || live.Of("A") != nil || live.Of("B") != nil {
		t.Errorf("%+v, %v", rep, live.Of("A"))
	}
}

// TestAgain checks that a run that finds the same writes nothing, and that companions go
// with the people.
func TestAgain(t *testing.T) {
	w := newWorld(t)
	w.guests("ab", 5, "AB")
	w.hear(100, "AB")
	w.run()
	head := func() (revisions any) {
		var h map[string]any
		if err := w.db.Get(t.Context(), "overlays/companions", &h); err != nil {
			t.Fatal(err)
		}
		return h
	}
	before := head()
	if w.run(); !cmp.Equal(before, head()) {
		t.Errorf("the head changed from %v to %v", before, head())
	}
	if err := w.db.Delete(t.Context(), library.Path("g_ab0")); err != nil {
		t.Fatal(err)
	}
	if rep, live := w.run(); rep.Channels != 0 || live.Of("A") != nil {
		t.Errorf("with four people left: %+v, %v", rep, live.Of("A"))
	}
}

// TestUnreadable counts what can be read beside documents that cannot.
func TestUnreadable(t *testing.T) {
	w := newWorld(t)
	w.guests("ab", 5, "AB")
	w.hear(100, "AB")
	w.set1("libraries/g_bad", map[string]any{"categories": "none"})
	w.set1("owners/g_ab0/kept/favorites", map[string]any{"rows": 7})
	if rep, live := w.run(); rep.Unreadable != 2 || rep.Owners != 6 || len(live.Of("A")) != 1 {
		t.Errorf("%+v, %v", rep, live.Of("A"))
	}
}

// TestManyPages reads more libraries than one page has, each once.
func TestManyPages(t *testing.T) {
	w := newWorld(t)
	n := 2*pageSize + 1
	w.guests("ab", n, "AB")
	w.hear(1_000_000, "AB")
	rep, live := w.run()
	if diff := cmp.Diff([]similar.Companion{{Channel: "B", People: n}}, live.Of("A")); diff != "" || rep.Owners != n || rep.Cut {
		t.Errorf("%+v (-want +got):\n%s", rep, diff)
	}
}

// TestOneOwner checks that of an owner who keeps very much only a part counts, the
// favorites first.
func TestOneOwner(t *testing.T) {
	c := newChannels(t)
	r := run{view: c.view, report: &Report{}}
	many := make([]string, 3000)
	for i := range many {
		many[i] = fmt.Sprint("C", i/2) // those from C100 on are not shown
	}
	lib, likes := docOf(t, map[string]any{"categories": []any{map[string]any{"groups": []any{map[string]any{"items": items(many)}}}}}), docOf(t, kept.Favorites{Rows: []kept.Favorite{{Channel: "Z"}, {Channel: "Old"}, {Channel: "Z"}}})
	got := r.keptBy(lib, likes)
	want := []string{"Z", "A"}
	for n := range maxKept - 2 {
		want = append(want, fmt.Sprint("C", n))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	counter := newCounter()
	for range MinPeople {
		counter.add(want, func(string) catalog.Kind { return catalog.TV })
	}
	all := counter.companions(func(string) int { return 100 })
	if len(all) != maxKept || len(all["Z"]) != maxCompanions {
		t.Errorf("%d channels, %d companions", len(all), len(all["Z"]))
	}
}

func items(channels []string) (list []any) {
	for _, c := range channels {
		list = append(list, map[string]any{"channel": c})
	}
	return list
}

func docOf(t *testing.T, v any) store.Doc {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return store.Doc{Decode: func(into any) error { return json.Unmarshal(data, into) }}
}

// TestBadShards checks that a shard that the job did not write is refused, and the earlier
// one stays.
func TestBadShards(t *testing.T) {
	l := &Live{}
	n := kind.ShardOf("A")
	if err := l.show(n, []byte(`{"A":[{"c":"B","n":5}]}`)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`{`, `[]`, `{"A":[{"c":"B","n":4}]}`, `{"A":[{"c":"","n":9}]}`, `{"":[{"c":"B","n":9}]}`, `{"A":[{"c":"B","n":-1}]}`, `{"A":[{"c":"B"}]}`} {
		if err := l.show(n, []byte(bad)); err == nil || len(l.Of("A")) != 1 {
			t.Errorf("%s: %v, then %v", bad, err, l.Of("A"))
		}
	}
	if err := l.show(n, nil); err != nil || l.Of("A") != nil {
		t.Errorf("emptied: %v, %v", err, l.Of("A"))
	}
	if (*Live)(nil).Of("A") != nil {
		t.Error("a nil Live has companions")
	}
}

// TestFailures checks that a run that cannot read stores nothing.
func TestFailures(t *testing.T) {
	w := newWorld(t)
	w.guests("ab", 5, "AB")
	ctx, cancel := context.WithCancel(t.Context())
	w.Social = social.FollowOverlay(ctx, w.set)
	cancel()
	if _, err := NewJob(w.Options).Run(ctx, job.Order{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if err := w.db.Get(t.Context(), "overlays/companions", new(any)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a head is stored: %v", err)
	}
}

// BenchmarkCompanions counts what 50,000 people keep, 20 channels each of 20,000.
func BenchmarkCompanions(b *testing.B) {
	c := newCounter()
	state := uint32(1)
	for range 50_000 {
		var list []string
		for range 20 {
			state = state*1664525 + 1013904223
			list = append(list, fmt.Sprint("C", uint64(state)*uint64(state)>>32*20_000>>32)) // low numbers are kept most
		}
		c.add(list, func(string) catalog.Kind { return catalog.TV })
	}
	b.ReportAllocs()
	for b.Loop() {
		c.companions(func(string) int { return 1000 })
	}
}
