package social

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

var report = Report{
	Key: strings.Repeat("0f", 32), Channel: "RecordNews.br", Code: "geo",
	Browser: "Chrome", OS: "Windows", Country: "BR", At: at,
}

// TestReportWire holds the event to the text that readers of other versions
// know.
func TestReportWire(t *testing.T) {
	e, err := report.Event()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"body":{"key":"` + report.Key + `","channel":"RecordNews.br","ok":false,"code":"geo",` +
		`"browser":"Chrome","os":"Windows","country":"BR","at":"2026-11-22T23:59:59Z"}}`
	if diff := cmp.Diff(want, string(e.Data)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := ReportOf(e); err != nil || got != report {
		t.Errorf("ReportOf = %v, %v", got, err)
	}
}

func TestReportRefusals(t *testing.T) {
	for name, spoil := range map[string]func(*Report){
		"short key":        func(r *Report) { r.Key = r.Key[1:] },
		"key of other":     func(r *Report) { r.Key = strings.Repeat("0F", 32) },
		"no channel":       func(r *Report) { r.Channel = "" },
		"channel of paths": func(r *Report) { r.Channel = "a/b" },
		"no reason":        func(r *Report) { r.Code = "" },
		"unknown reason":   func(r *Report) { r.Code = "rain" },
		"reason to play":   func(r *Report) { r.OK = true },
		"no browser":       func(r *Report) { r.Browser = "" },
		"browser of two":   func(r *Report) { r.Browser = "a|b" },
		"long browser":     func(r *Report) { r.Browser = strings.Repeat("x", maxName+1) },
		"browser of lines": func(r *Report) { r.Browser = "a\nb" },
		"no system":        func(r *Report) { r.OS = "" },
		"system of bytes":  func(r *Report) { r.OS = "\xff" },
		"no country":       func(r *Report) { r.Country = "" },
		"no moment":        func(r *Report) { r.At = time.Time{} },
		"an address":       func(r *Report) { r.Network = "192.0.2.1/24" },
		"a long network":   func(r *Report) { r.Network = strings.Repeat("0", 2*markLen+2) },
		"moment to come":   func(r *Report) { r.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		r := report
		spoil(&r)
		if _, err := r.Event(); !errors.Is(err, bus.ErrEvent) {
			t.Errorf("%s: Event = %v, want ErrEvent", name, err)
		}
	}
}

// TestBook decodes an event of every kind of facts from its subscription: each
// says its topic, and changes the counts of its channel.
func TestBook(t *testing.T) {
	samples := map[string]fact.Fact{Plays: play, Latencies: wait, Reports: report, Favorites: liked, Comments: said}
	for _, kind := range Book.Kinds {
		sample := samples[kind.Topic]
		e, err := fact.Encode(sample)
		if err != nil {
			t.Fatal(err)
		}
		got, err := kind.Decode(e)
		if err != nil || got.About() != sample.About() || got.About().Topic != kind.Topic || kind.Subscription != kind.Topic {
			t.Errorf("%s: %+v, %v", kind.Topic, got.About(), err)
		}
		doc := Book.New("RecordNews.br")
		kind.Apply(doc, got)
		if got.About().Subject != doc.Channel || cmp.Equal(doc.Counts, Counts{}) {
			t.Errorf("%s changes nothing in %+v", kind.Topic, doc)
		}
	}
	if len(Book.Kinds) != len(samples) {
		t.Errorf("%d kinds are counted, and %d are tested", len(Book.Kinds), len(samples))
	}
}

func randomReport(rng *rand.Rand) Report {
	r := Report{
		Channel: "RecordNews.br", OK: rng.IntN(2) > 0, Browser: fmt.Sprint("B", rng.IntN(4)), OS: fmt.Sprint("S", rng.IntN(4)),
		Country: []string{"BR", "PT", "ZZ"}[rng.IntN(3)], At: at.Add(-time.Duration(rng.IntN(20)) * time.Minute),
	}
	if !r.OK {
		r.Code = Codes[rng.IntN(len(Codes))]
	}
	r.Network, r.Doubtful = NetworkOf([16]byte{byte(rng.IntN(30))}, r.Channel), rng.IntN(2) == 0
	return r
}

// TestOrder applies the same facts in many orders: the counts are the same.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var all []Countable
	for range 200 {
		l := wait
		l.LastAt = at.Add(-time.Duration(rng.IntN(50)) * time.Second)
		all = append(all, randomReport(rng), l, play)
	}
	var want Counted
	for _, f := range all {
		want.Apply(f)
	}
	for range 20 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var got Counted
		for _, f := range all {
			got.Apply(f)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("another order (-one +other):\n%s", diff)
		}
	}
	if want.Plays+want.Fails != 200 || want.Played != 200 || want.Latency["ZZ"].Samples != 400 {
		t.Errorf("counts %+v", want)
	}
}

// sums are what no bound may change.
func sums(c Counts) (plays, fails map[string]int64) {
	plays, fails = map[string]int64{}, map[string]int64{}
	for key, e := range c.Environments {
		p := PlaceOf(key)
		plays[p.Country] += e.Plays
		fails[p.Country] += e.Fails
	}
	return plays, fails
}

// TestManyEnvironments counts more environments than are kept: those heard of
// last are, and the sums of countries are exact.
func TestManyEnvironments(t *testing.T) {
	var c Counts
	for n := range 3 * MaxEnvironments {
		r := Report{
			OK: n%3 > 0, Browser: fmt.Sprint("B", n), OS: "S", Country: []string{"BR", "PT"}[n%2], At: at.Add(time.Duration(n) * time.Second),
		}
		if !r.OK {
			r.Code = OtherCode
		}
		c.Apply(r)
	}
	if n := len(c.Environments); n > MaxEnvironments+2 {
		t.Errorf("%d environments are kept", n)
	}
	if _, ok := c.Environments[fmt.Sprintf("B%d|S|PT", 3*MaxEnvironments-1)]; !ok {
		t.Error("the last environment is not kept")
	}
	plays, fails := sums(c)
	if diff := cmp.Diff(map[string]int64{"BR": MaxEnvironments, "PT": MaxEnvironments}, plays); diff != "" {
		t.Errorf("plays by country (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"BR": MaxEnvironments / 2, "PT": MaxEnvironments / 2}, fails); diff != "" {
		t.Errorf("fails by country (-want +got):\n%s", diff)
	}
}

func openDB(t testing.TB) store.DB {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestReadCounts shows nothing below zero, as when an end has come before its
// beginning.
func TestReadCounts(t *testing.T) {
	db := openDB(t)
	if got, err := ReadCounts(t.Context(), db, "None.br"); err != nil || !cmp.Equal(Counts{}, got) {
		t.Errorf("of nobody: %v, %+v", err, got)
	}
	if err := db.Set(t.Context(), CountsPath("A.br"), Counted{Counts: Counts{Plays: 2, Favorites: -1, Comments: -3}}); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadCounts(t.Context(), db, "A.br"); err != nil || !cmp.Equal(Counts{Plays: 2}, got) {
		t.Errorf("%v, %+v", err, got)
	}
	if _, err := ReadCounts(t.Context(), storetest.Broken(), "A.br"); !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("without a database: %v", err)
	}
}

// TestClone changes a copy.
func TestClone(t *testing.T) {
	var c Counts
	c.Apply(report)
	c.Apply(wait)
	before := c.Clone()
	changed := c.Clone()
	changed.Apply(report)
	changed.Apply(wait)
	if diff := cmp.Diff(before, c); diff != "" {
		t.Errorf("the original has changed:\n%s", diff)
	}
}

func countedOf(channel string, revision, plays int64) Counted {
	return Counted{Channel: channel, Ledger: fact.Ledger{Revision: revision}, Counts: Counts{Plays: plays}}
}

// inShard returns n channels of the shard of the first.
func inShard(n int) (channels []string, shard int) {
	shard = ShardOf("Channel0.br")
	for i := 0; len(channels) < n; i++ {
		if c := fmt.Sprintf("Channel%d.br", i); ShardOf(c) == shard {
			channels = append(channels, c)
		}
	}
	return channels, shard
}

// TestOverlay follows what is shown; older counts come too late.
func TestOverlay(t *testing.T) {
	db := openDB(t)
	o := FollowOverlay(t.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
	if err := o.Loaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	names, shard := inShard(2)
	if _, ok := o.Counts(names[0]); ok {
		t.Error("counts of a channel that has none")
	}
	for _, step := range []struct {
		changed []Counted
		want    [2]int64
	}{
		{[]Counted{countedOf(names[0], 2, 20)}, [2]int64{20, 0}},
		{[]Counted{countedOf(names[0], 1, 10), countedOf(names[1], 1, 1)}, [2]int64{20, 1}},
		{[]Counted{countedOf(names[0], 3, 30), countedOf(names[0], 4, 40)}, [2]int64{40, 1}},
	} {
		if err := ShowCounts(t.Context(), db, shard, step.changed); err != nil {
			t.Fatal(err)
		}
		until(t, func() bool { return playsOf(o, names[0]) == step.want[0] && playsOf(o, names[1]) == step.want[1] })
	}
	meter := storetest.NewMeter(db)
	if err := ShowCounts(t.Context(), meter, shard, []Counted{countedOf(names[0], 4, 40)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(storetest.Ops{Reads: 1}, meter.Ops()); diff != "" {
		t.Errorf("what is shown already is written again:\n%s", diff)
	}
}

func playsOf(o *Overlay, channel string) int64 {
	if c, ok := o.Counts(channel); ok {
		return c.Plays
	}
	return 0
}

// until polls what another goroutine brings about.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 20_000 {
		if ok() {
			return
		}
		<-tick.C
	}
	t.Fatal("it does not come about")
}

// TestOverlayOutage shows what there is when the database is back. The overlay
// of nobody shows nothing.
func TestOverlayOutage(t *testing.T) {
	names, shard := inShard(1)
	db := openDB(t)
	if err := ShowCounts(t.Context(), db, shard, []Counted{countedOf(names[0], 1, 5)}); err != nil {
		t.Fatal(err)
	}
	s := storetest.NewSwitch(db)
	s.Off()
	o := FollowOverlay(t.Context(), overlay.NewSet(s, slog.New(slog.DiscardHandler), time.Now))
	if _, ok := o.Counts(names[0]); ok {
		t.Error("counts without a database")
	}
	s.On()
	until(t, func() bool { return playsOf(o, names[0]) == 5 })
	var none *Overlay
	if _, ok := none.Counts(names[0]); ok {
		t.Error("the overlay of nobody has counts")
	}
}

// TestOverlayDamaged keeps what was shown when a document cannot be read.
func TestOverlayDamaged(t *testing.T) {
	names, shard := inShard(1)
	db := openDB(t)
	o := FollowOverlay(t.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
	if err := ShowCounts(t.Context(), db, shard, []Counted{countedOf(names[0], 1, 5)}); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return playsOf(o, names[0]) == 5 })
	for _, data := range []string{"no deflate", "\x03\x00"} {
		damaged := struct {
			Data []byte `json:"data"`
		}{[]byte(data)}
		path := store.Path(fmt.Sprintf("overlays/social/shards/%d", shard)) // where shards have been kept from the start
		if err := db.Set(t.Context(), path, damaged); err != nil {
			t.Fatal(err)
		}
		if err := ShowCounts(t.Context(), db, shard, []Counted{countedOf(names[0], 2, 6)}); err == nil {
			t.Errorf("%q is read", data)
		}
	}
	if got := playsOf(o, names[0]); got != 5 {
		t.Errorf("%d plays are shown of a damaged document", got)
	}
}

// TestShardFits fills a shard with more than its document holds: it folds
// environments, and keeps every sum.
func TestShardFits(t *testing.T) {
	if testing.Short() {
		t.Skip("a full shard takes long, and one goroutine races with nobody")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	names, shard := inShard(700)
	var changed []Counted
	want := map[string]Counts{}
	for _, name := range names {
		c := Counts{Environments: map[string]Environment{}}
		for range 200 {
			p := Place{fmt.Sprint("Browser", rng.IntN(1000)), fmt.Sprint("System", rng.IntN(1000)), []string{"BR", "PT", "US"}[rng.IntN(3)]}
			c.Environments[p.Key()] = Environment{
				Plays: rng.Int64N(1e6), Fails: rng.Int64N(1e6), LastFailCode: Codes[rng.IntN(9)],
				LastAt: store.At(at.Add(-time.Duration(rng.Int64N(1e15)))), LastFailAt: store.At(at.Add(-time.Duration(rng.Int64N(1e15)))),
			}
		}
		changed = append(changed, Counted{Channel: name, Counts: c, Ledger: fact.Ledger{Revision: 1}})
		want[name] = c.Clone()
	}
	db := openDB(t)
	if err := ShowCounts(t.Context(), db, shard, changed); err != nil {
		t.Fatal(err)
	}
	o := FollowOverlay(t.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
	if err := o.Loaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, c := range want {
		got, ok := o.Counts(name)
		if !ok {
			t.Fatalf("no counts of %s", name)
		}
		plays, fails := sums(c)
		gotPlays, gotFails := sums(*got)
		if !cmp.Equal(plays, gotPlays) || !cmp.Equal(fails, gotFails) {
			t.Fatalf("the sums of %s: %s%s", name, cmp.Diff(plays, gotPlays), cmp.Diff(fails, gotFails))
		}
	}
}

func BenchmarkApply(b *testing.B) {
	var c Counts
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		c.Apply(randomReport(rng))
	}
}

func BenchmarkOverlayCounts(b *testing.B) {
	db := openDB(b)
	names, shard := inShard(1)
	if err := ShowCounts(b.Context(), db, shard, []Counted{countedOf(names[0], 1, 5)}); err != nil {
		b.Fatal(err)
	}
	o := FollowOverlay(b.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
	if err := o.Loaded(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		o.Counts(names[0])
	}
}
