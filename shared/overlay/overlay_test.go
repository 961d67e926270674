package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire"
)

// backends opens an empty database of each kind that there is: the embedded
// one, and that of the emulator.
func backends(t *testing.T, f func(t *testing.T, db store.DB, writers int)) {
	t.Run("embedded", func(t *testing.T) { f(t, embedded(t), 50) })
	t.Run("firestore", func(t *testing.T) {
		host := os.Getenv("FIRESTORE_EMULATOR_HOST")
		if host == "" {
			if os.Getenv("CI") != "" && os.Getenv("MIRAMUNDO_EMULATORS") == "required" {
				t.Fatal("no Firestore emulator")
			}
			t.Skip("no Firestore emulator")
		}
		f(t, open(t, wire.Config{
			Backend: wire.Emulators, Project: fmt.Sprintf("demo-overlay-%d-%d", os.Getpid(), projects.Add(1)),
			FirestoreHost: host, PubSubHost: os.Getenv("PUBSUB_EMULATOR_HOST"),
		}), 6)
	})
}

var projects atomic.Int32

func embedded(t testing.TB) store.DB {
	return open(t, wire.Config{Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data")})
}

func open(t testing.TB, c wire.Config) store.DB {
	t.Helper()
	db, events, err := wire.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return db
}

var kind = Kind{Name: "test", Shards: 4}

// set returns what makes a shard hold text.
func set(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

func mustUpdate(t testing.TB, db store.DB, n int, text string) {
	t.Helper()
	if err := kind.Update(t.Context(), db, n, set(text)); err != nil {
		t.Fatal(err)
	}
}

// reads returns what Read does, as text.
func reads(t testing.TB, db store.DB) []string {
	t.Helper()
	shards, err := kind.Read(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, data := range shards {
		if data == nil {
			out = append(out, "none")
		} else {
			out = append(out, string(data))
		}
	}
	return out
}

// TestShardOf shards as FNV-1a does, for good: documents are kept by it.
func TestShardOf(t *testing.T) {
	for _, k := range []Kind{{Name: "one", Shards: 1}, kind, {Name: "many", Shards: 64}} {
		for _, id := range []string{"", "A.br", "rb.00000000-0000-4000-8000-000000000002", "é", strings.Repeat("x", 1000)} {
			h := fnv.New32a()
			_, _ = h.Write([]byte(id))
			if got := k.ShardOf(id); got != int(h.Sum32()%uint32(k.Shards)) {
				t.Errorf("shard of %q is %d of %d", id, got, k.Shards)
			}
		}
	}
	if kind.ShardOf("A.br") != 2 || kind.ShardOf("B.br") != 1 {
		t.Errorf("shards are %d and %d", kind.ShardOf("A.br"), kind.ShardOf("B.br"))
	}
}

// TestUpdate changes shards, and counts what that takes.
func TestUpdate(t *testing.T) {
	backends(t, func(t *testing.T, on store.DB, _ int) {
		db := storetest.NewMeter(on)
		refused := errors.New("no")
		for _, step := range []struct {
			name string
			n    int
			old  string // what f is given
			f    func([]byte) ([]byte, error)
			want error
			ops  storetest.Ops
			all  []string
		}{
			{"nothing is kept", 2, "", func(b []byte) ([]byte, error) { return b, nil }, nil, storetest.Ops{Reads: 2}, []string{"none", "none", "none", "none"}},
			{"the first", 2, "", set("one"), nil, storetest.Ops{Reads: 2 + 4, Writes: 2}, []string{"none", "none", "one", "none"}},
			{"a change", 2, "one", set("two"), nil, storetest.Ops{Reads: 2, Writes: 2}, []string{"none", "none", "two", "none"}},
			{"no change", 2, "two", set("two"), nil, storetest.Ops{Reads: 2}, []string{"none", "none", "two", "none"}},
			{"an error", 2, "two", func([]byte) ([]byte, error) { return []byte("x"), refused }, refused, storetest.Ops{Reads: 2}, []string{"none", "none", "two", "none"}},
			{"another shard", 0, "", set("\x00\xff"), nil, storetest.Ops{Reads: 2, Writes: 2}, []string{"\x00\xff", "none", "two", "none"}},
			{"emptied", 2, "two", set(""), nil, storetest.Ops{Reads: 2, Writes: 2}, []string{"\x00\xff", "none", "none", "none"}},
			{"still empty", 2, "", set(""), nil, storetest.Ops{Reads: 2}, []string{"\x00\xff", "none", "none", "none"}},
			{"filled again", 2, "", set("three"), nil, storetest.Ops{Reads: 2, Writes: 2}, []string{"\x00\xff", "none", "three", "none"}},
		} {
			before := db.Ops()
			err := kind.Update(t.Context(), db, step.n, func(old []byte) ([]byte, error) {
				if string(old) != step.old || (old == nil) != (step.old == "") {
					t.Errorf("%s: f is given %q", step.name, old)
				}
				return step.f(old)
			})
			if !errors.Is(err, step.want) {
				t.Fatalf("%s: %v", step.name, err)
			}
			if ops := db.Ops().Less(before); ops != step.ops {
				t.Errorf("%s: takes %+v, want %+v", step.name, ops, step.ops)
			}
			if d := cmp.Diff(step.all, reads(t, on)); d != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, d)
			}
		}
	})
}

// TestUpdateNoHead changes a shard that has no head: one read and one write.
func TestUpdateNoHead(t *testing.T) {
	db := storetest.NewMeter(embedded(t))
	k := Kind{Name: "counters", Shards: 4, NoHead: true}
	for _, step := range []struct {
		text string
		ops  storetest.Ops
	}{
		{"one", storetest.Ops{Reads: 1, Writes: 1}},
		{"two", storetest.Ops{Reads: 1, Writes: 1}},
		{"two", storetest.Ops{Reads: 1}},
	} {
		before := db.Ops()
		if err := k.Update(t.Context(), db, 2, set(step.text)); err != nil {
			t.Fatal(err)
		}
		if ops := db.Ops().Less(before); ops != step.ops {
			t.Errorf("writing %q takes %+v, want %+v", step.text, ops, step.ops)
		}
	}
	shards, err := k.Read(t.Context(), db)
	if err != nil || string(shards[2]) != "two" {
		t.Errorf("shards are %q, %v", shards, err)
	}
}

// TestChecks ends transactions by what checks say, before f is asked.
func TestChecks(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		lost := errors.New("lost")
		mustUpdate(t, db, 1, "kept")
		if err := db.Set(t.Context(), "locks/a", map[string]string{"holder": "me"}); err != nil {
			t.Fatal(err)
		}
		holds := func(who string) func(store.Tx) error {
			return func(tx store.Tx) error {
				var lock struct {
					Holder string `json:"holder"`
				}
				if err := tx.Get("locks/a", &lock); err != nil {
					return err
				}
				if lock.Holder != who {
					return lost
				}
				return nil
			}
		}
		err := kind.Update(t.Context(), db, 1, func([]byte) ([]byte, error) {
			t.Error("f is asked in spite of a check")
			return nil, nil
		}, holds("me"), holds("other"))
		if !errors.Is(err, lost) {
			t.Errorf("a check that fails: %v", err)
		}
		if err := kind.Update(t.Context(), db, 1, set("passed"), holds("me")); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"none", "passed", "none", "none"}, reads(t, db)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// TestConcurrent adds to shards from many writers at once: nothing is lost,
// and the head says how often each was written.
func TestConcurrent(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, writers int) {
		var g errgroup.Group
		want := make([][]string, kind.Shards)
		for w := range writers {
			n, line := w%kind.Shards, fmt.Sprintf("%03d\n", w)
			want[n] = append(want[n], line)
			g.Go(func() error {
				return kind.Update(t.Context(), db, n, func(old []byte) ([]byte, error) { return append(bytes.Clone(old), line...), nil })
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		var h revisionList
		if err := db.Get(t.Context(), kind.head(), &h); err != nil {
			t.Fatal(err)
		}
		for n, text := range reads(t, db) {
			got := slices.Sorted(strings.Lines(text))
			if d := cmp.Diff(want[n], got); d != "" {
				t.Errorf("shard %d (-want +got):\n%s", n, d)
			}
			if h.Revisions[n] != int64(len(want[n])) {
				t.Errorf("shard %d is at revision %d after %d writes", n, h.Revisions[n], len(want[n]))
			}
		}
	})
}

// TestKilled cuts updates off after each write: a shard and what the head says
// of it are the old ones or the new.
func TestKilled(t *testing.T) {
	for writes := range 3 {
		db := storetest.NewSwitch(embedded(t))
		mustUpdate(t, db, 1, "old")
		db.OffAfter(writes)
		err := kind.Update(t.Context(), db, 1, set("new"))
		db.On()
		want, revision := "new", int64(2)
		if writes == 0 {
			want, revision = "old", 1
		}
		if (err == nil) != (want == "new") {
			t.Errorf("after %d writes: %v", writes, err)
		}
		var h revisionList
		var s shard
		if err := errors.Join(db.Get(t.Context(), kind.head(), &h), db.Get(t.Context(), kind.shard(1), &s)); err != nil {
			t.Fatal(err)
		}
		if got := reads(t, db)[1]; got != want || h.Revisions[1] != revision || s.Revision != revision {
			t.Errorf("after %d writes the shard is %q at %d, and at %d to the head", writes, got, s.Revision, h.Revisions[1])
		}
	}
}

// TestTooLarge refuses what fits no document, or could not be read again, and
// leaves what was there.
func TestTooLarge(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB, _ int) {
		mustUpdate(t, db, 3, "old")
		noise := make([]byte, store.MaxSize)
		_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // never fails
		for name, data := range map[string][]byte{"does not deflate": noise, "deflates well": make([]byte, MaxBytes+1)} {
			err := kind.Update(t.Context(), db, 3, func([]byte) ([]byte, error) { return data, nil })
			if !errors.Is(err, store.ErrTooLarge) {
				t.Errorf("what %s: %v", name, err)
			}
		}
		for _, n := range []int{-1, 4} {
			if err := kind.Update(t.Context(), db, n, set("x")); err == nil {
				t.Errorf("shard %d of 4 was written", n)
			}
		}
		most := noise[:store.MaxSize/4*3-1000]
		if err := kind.Update(t.Context(), db, 2, func([]byte) ([]byte, error) { return most, nil }); err != nil {
			t.Errorf("%d bytes that do not deflate: %v", len(most), err)
		}
		shards, err := kind.Read(t.Context(), db)
		if err != nil || string(shards[3]) != "old" || !bytes.Equal(shards[2], most) {
			t.Errorf("shards hold %q and %d bytes, %v", shards[3], len(shards[2]), err)
		}
	})
}

// deflated returns text as a shard has it.
func deflated(t testing.TB, text []byte) []byte {
	t.Helper()
	data, err := deflate(text, smallest)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// corrupt are documents that Update did not write, by what is wrong with them.
func corrupt(t testing.TB) map[string]any {
	good := deflated(t, []byte(strings.Repeat("good", 100)))
	return map[string]any{
		"no deflate":     shard{9, []byte("not deflated")},
		"cut off":        shard{9, good[:len(good)-3]},
		"goes on":        shard{9, append(bytes.Clone(good), 0)},
		"no bytes":       map[string]any{"revision": 9, "data": "~"},
		"another type":   map[string]any{"revision": "9", "data": []string{"x"}},
		"not of a shard": map[string]any{"revision": map[string]int{"x": 1}},
	}
}

// TestBomb inflates what holds much: what may be held, and a byte more.
func TestBomb(t *testing.T) {
	const most = 1 << 20
	for _, size := range []int{most, most + 1, 10 * most} {
		small := deflated(t, make([]byte, size))
		data, err := inflate(small, most)
		if good := size <= most; errors.Is(err, errTooMuch) == good || (len(data) == size) != good || len(small) > size/100 {
			t.Errorf("%d bytes that were %d are %d, %v", len(small), size, len(data), err)
		}
	}
}

// TestCorrupt reads and writes shards that Update did not write: neither goes
// well, nothing is written over them, and other shards are as they were.
func TestCorrupt(t *testing.T) {
	for name, doc := range corrupt(t) {
		db := embedded(t)
		mustUpdate(t, db, 1, "other")
		if err := db.Set(t.Context(), kind.shard(2), doc); err != nil {
			t.Fatal(err)
		}
		if shards, err := kind.Read(t.Context(), db); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: Read = %q, %v", name, shards, err)
		}
		err := kind.Update(t.Context(), db, 2, func(old []byte) ([]byte, error) {
			t.Errorf("%s: f is given %.40q", name, old)
			return nil, nil
		})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: Update = %v", name, err)
		}
		mustUpdate(t, db, 1, "changed")
	}
}

// TestCorruptHead updates under heads that Update did not write: they are made
// anew, and no shard is forgotten.
func TestCorruptHead(t *testing.T) {
	for name, doc := range map[string]any{
		"absent":       nil,
		"short":        revisionList{[]int64{7}},
		"long":         revisionList{make([]int64, 100)},
		"null":         map[string]any{"revisions": nil},
		"of texts":     map[string]any{"revisions": []string{"a", "b", "c", "d"}},
		"no list":      map[string]any{"revisions": 4},
		"empty":        map[string]any{},
		"of fractions": map[string]any{"revisions": []float64{1.5, 1, 1, 1}},
	} {
		db := embedded(t)
		for _, text := range []string{"a", "b", "c"} {
			mustUpdate(t, db, 1, text)
		}
		mustUpdate(t, db, 3, "kept")
		if err := db.Delete(t.Context(), kind.head()); err != nil {
			t.Fatal(err)
		}
		if doc != nil {
			if err := db.Set(t.Context(), kind.head(), doc); err != nil {
				t.Fatal(err)
			}
		}
		mustUpdate(t, db, 1, "d")
		var h revisionList
		if err := db.Get(t.Context(), kind.head(), &h); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]int64{0, 4, 0, 1}, h.Revisions); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// FuzzInflate checks that what inflates is what deflates to it, within bounds.
func FuzzInflate(f *testing.F) {
	for _, text := range []string{"", "a", strings.Repeat("ab", 5000)} {
		f.Add(deflated(f, []byte(text)))
	}
	const most = 1 << 20
	f.Add([]byte{1, 0, 0, 0xff, 0xff})
	f.Add([]byte("no deflate"))
	f.Fuzz(func(t *testing.T, in []byte) {
		data, err := inflate(in, most)
		if err != nil {
			return
		}
		if len(data) > most {
			t.Fatalf("%d bytes inflate to %d", len(in), len(data))
		}
		again, err := inflate(deflated(t, data), most)
		if err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%d bytes are %d when they return, %v", len(data), len(again), err)
		}
	})
}
