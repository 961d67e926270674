package probe

import (
	"bytes"
	"compress/flate"
	"errors"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

func openDB(t testing.TB) store.DB {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// few is how many shards some tests use, so that few transactions are made.
const few = 4

func entries(rows []row[State]) []Entry {
	list := make([]Entry, len(rows))
	for i, r := range rows {
		list[i] = Entry{r.id, r.of}
	}
	return list
}

func everyone(catalog.StreamID) bool { return true }

func nobody(catalog.StreamID) bool { return false }

// TestKeep keeps states in parts, some of them again, and reads them.
func TestKeep(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	b := Book{DB: openDB(t)}
	states := madeUp(rng, 600*Shards/few)
	states = slices.DeleteFunc(states, func(r row[State]) bool { return ShardOf(r.id) >= few })[:500]
	want := map[catalog.StreamID]State{}
	for at := 0; at < len(states); at += 100 {
		part := entries(states[at : at+100])
		for range 20 { // of those that are kept already
			r := &states[rng.IntN(at+1)]
			r.of = r.of.After(good(on(20 + float64(at))))
			part = append(part, Entry{r.id, r.of})
		}
		rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		part = lastOf(part)
		for _, e := range part {
			want[e.ID] = e.State
		}
		if err := b.Keep(t.Context(), part, noon, everyone); err != nil {
			t.Fatal(err)
		}
	}
	got, err := b.States(t.Context())
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	live := follow(t, b.DB)
	n := 0
	for id, m := range live.All() {
		n++
		if looked, ok := live.Look(id); !ok || looked != m || m.Health.Status != string(want[id].Status) {
			t.Errorf("%v: %+v, %+v, want %+v", id, m, looked, want[id])
		}
	}
	if told := len(shownOf(states)); n != told {
		t.Errorf("%d streams are shown, want %d", n, told)
	}
}

// lastOf returns the entries of list, of each stream the latest.
func lastOf(list []Entry) []Entry {
	latest := map[catalog.StreamID]Entry{}
	for _, e := range list {
		if e.State.At.After(latest[e.ID].State.At) || latest[e.ID].ID == 0 {
			latest[e.ID] = e
		}
	}
	var kept []Entry
	for _, e := range latest {
		kept = append(kept, e)
	}
	return kept
}

func follow(t *testing.T, db store.DB) *Live {
	t.Helper()
	return Follow(t.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
}

// TestKeepFenced ends the transactions by their check: nothing is kept.
func TestKeepFenced(t *testing.T) {
	lost := errors.New("lost")
	b := Book{DB: openDB(t), Checks: []func(store.Tx) error{func(store.Tx) error { return lost }}}
	if err := b.Keep(t.Context(), entries(madeUp(rand.New(rand.NewPCG(1, 1)), 5)), noon, everyone); !errors.Is(err, lost) {
		t.Errorf("Keep = %v, want the error of the check", err)
	}
	if got, err := (Book{DB: b.DB}).States(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("%d states are stored, %v", len(got), err)
	}
	for id, m := range follow(t, b.DB).All() {
		t.Errorf("%v is shown as %+v", id, m)
	}
}

// TestKeepForgets drops streams that have left the catalog a month ago, of the
// shards that are written.
func TestKeepForgets(t *testing.T) {
	b := Book{DB: openDB(t)}
	var list []Entry
	for n := uint64(1); len(list) < 200; n++ {
		i, id := len(list), catalog.StreamID(mix(n))
		if ShardOf(id) >= few {
			continue
		}
		at := on(0)
		if i%2 == 1 {
			at = on(10 * 24)
		}
		list = append(list, Entry{id, State{}.After(good(at))})
	}
	if err := b.Keep(t.Context(), list, on(0), nobody); err != nil {
		t.Fatal(err)
	}
	known := map[catalog.StreamID]bool{}
	for _, test := range []struct {
		name    string
		now     time.Time
		present func(catalog.StreamID) bool
		left    int
	}{
		{"nobody left", on(31 * 24), everyone, 200 + few},
		{"too early", on(29 * 24), nobody, 200 + 2*few},
		{"a month after some", on(31 * 24), nobody, 100 + 3*few},
	} {
		// One state of each shard is measured, so that all are written.
		var fresh []Entry
		for n := range few {
			id := catalog.StreamID(1 << 40)
			for known[id] || ShardOf(id) != n {
				id++
			}
			known[id] = true
			fresh = append(fresh, Entry{id, State{}.After(good(test.now))})
		}
		if err := b.Keep(t.Context(), fresh, test.now, test.present); err != nil {
			t.Fatal(err)
		}
		got, err := b.States(t.Context())
		want := test.left
		if err != nil || len(got) != want {
			t.Errorf("%s: %d states, %v, want %d", test.name, len(got), err, want)
		}
		shown := 0
		for range follow(t, b.DB).All() {
			shown++
		}
		if shown != want {
			t.Errorf("%s: %d shown, want %d", test.name, shown, want)
		}
	}
}

// TestBroken keeps and reads over a shard that nobody can have written.
func TestBroken(t *testing.T) {
	b := Book{DB: openDB(t)}
	list := entries(madeUp(rand.New(rand.NewPCG(15, 16)), 1))
	n := ShardOf(list[0].ID)
	for _, kind := range []string{shownKind.Name, stateKind.Name} {
		err := stateKind.Update(t.Context(), b.DB, n, func([]byte) ([]byte, error) { return []byte("nothing of ours"), nil })
		if kind == shownKind.Name {
			err = errors.Join(err, shownKind.Update(t.Context(), b.DB, n, func([]byte) ([]byte, error) { return []byte("nor this"), nil }))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Keep(t.Context(), list, noon, everyone); !errors.Is(err, errShard) {
			t.Errorf("%s: Keep = %v, want %v", kind, err, errShard)
		}
	}
	if _, err := b.States(t.Context()); !errors.Is(err, errShard) {
		t.Errorf("States = %v, want %v", err, errShard)
	}
}

// TestLiveFollows shows what is kept after it began, and wakes who waits.
func TestLiveFollows(t *testing.T) {
	b := Book{DB: openDB(t)}
	live := follow(t, b.DB)
	if _, ok := live.Look(someID); ok {
		t.Error("a stream has a measurement before any was stored")
	}
	for i, r := range []Result{good(on(0)), {At: on(1), Status: Offline}, {At: on(2), Status: Blocked}} {
		var s State
		if err := b.Keep(t.Context(), []Entry{{someID, s.After(r)}}, r.At, everyone); err != nil {
			t.Fatal(err)
		}
		for {
			if m, ok := live.Look(someID); ok && m.Health.Status == string(r.Status) {
				break
			}
			select {
			case <-live.Changed():
			case <-time.After(time.Minute):
				t.Fatalf("result %d is not shown", i)
			}
		}
	}
}

// TestLiveReaders reads while shards change, for the race detector.
func TestLiveReaders(t *testing.T) {
	var l Live
	states := madeUp(rand.New(rand.NewPCG(17, 18)), 2000)
	by := map[int][]row[State]{}
	for _, s := range states {
		by[ShardOf(s.id)] = append(by[ShardOf(s.id)], s)
	}
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for id, m := range l.All() {
					if found, ok := l.Look(id); !ok || found.Health.Status == "" || m.Health.CheckedAt == nil {
						t.Errorf("%v differs between All and Look", id)
					}
				}
			}
		})
	}
	for range 5 {
		for n, rows := range by {
			if err := l.show(n, packShown(shownOf(rows))); err != nil {
				t.Error(err)
			}
		}
	}
	close(stop)
	readers.Wait()
	for range l.All() {
		return // a reader may stop early
	}
	t.Error("no measurement is shown")
}

// TestLiveMemory bounds what a reader keeps of each stream: 60,000 would take
// less than 15 MB.
func TestLiveMemory(t *testing.T) {
	const n, most = 15_000, 15 << 20 / 4
	shards := shardsOf(madeUp(rand.New(rand.NewPCG(19, 20)), n))
	before := inUse()
	l := &Live{}
	for i, data := range shards {
		if err := l.show(i, data); err != nil {
			t.Fatal(err)
		}
	}
	took := inUse() - before
	t.Logf("%d streams take %.1f MB, %d bytes each", n, float64(took)/(1<<20), took/n)
	if took > most {
		t.Errorf("%d streams take %d bytes, want at most %d", n, took, most)
	}
	runtime.KeepAlive(l)
}

// inUse returns how much memory is in use.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// shardsOf returns the shards of what is shown of states.
func shardsOf(states []row[State]) [Shards][]byte {
	var by [Shards][]row[Shown]
	for _, r := range shownOf(states) {
		by[ShardOf(r.id)] = append(by[ShardOf(r.id)], r)
	}
	var shards [Shards][]byte
	for n, rows := range by {
		shards[n] = packShown(rows)
	}
	return shards
}

// TestShardFits deflates a shard of 200,000 streams: documents have room for
// that of seven times as many.
func TestShardFits(t *testing.T) {
	states := madeUp(rand.New(rand.NewPCG(21, 22)), 200_000/Shards)
	for name, data := range map[string][]byte{"states": packStates(states), "shown": packShown(shownOf(states))} {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.DefaultCompression)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
		w.Close()
		t.Logf("%s: a shard takes %d bytes, deflated %d: %d bits for each stream", name, len(data), b.Len(), 8*b.Len()/len(states))
		if most := store.MaxSize * 3 / 4; 7*b.Len() > most { // as base64
			t.Errorf("a shard of %s takes %d bytes, want a seventh of %d", name, b.Len(), most)
		}
	}
}

// BenchmarkShow makes one shard of 60,000 streams what readers see: what a
// change of it costs each of them.
func BenchmarkShow(b *testing.B) {
	data := packShown(shownOf(madeUp(rand.New(rand.NewPCG(23, 24)), 60_000/Shards)))
	var l Live
	b.ReportAllocs()
	for b.Loop() {
		if err := l.show(0, data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAll(b *testing.B) {
	shards := shardsOf(madeUp(rand.New(rand.NewPCG(25, 26)), 60_000))
	var l Live
	for n, data := range shards {
		if err := l.show(n, data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, m := range l.All() {
			if m.Health.Status == "online" {
				n++
			}
		}
	}
}
