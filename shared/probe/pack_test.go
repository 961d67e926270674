package probe

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
)

// madeUp returns the states of n streams that were measured for a while, in the
// order of their ids.
func madeUp(rng *rand.Rand, n int) []row[State] {
	rows := make([]row[State], n)
	for i := range rows {
		rows[i] = row[State]{catalog.StreamID(rng.Uint64()), madeUpState(rng)}
	}
	slices.SortFunc(rows, func(a, b row[State]) int { return compareIDs(a.id, b.id) })
	return slices.CompactFunc(rows, func(a, b row[State]) bool { return a.id == b.id })
}

func compareIDs(a, b catalog.StreamID) int {
	if a < b {
		return -1
	}
	return 1
}

func madeUpState(rng *rand.Rand) (s State) {
	heights, codecs := []int{0, 480, 576, 720, 1080, 1081}, []string{"", "mp3", "avc1.64001f,mp4a.40.2", "hvc1.1.6.L93.B0"}
	at := noon.Add(-time.Duration(rng.Int64N(int64(100 * 24 * time.Hour))))
	for range 1 + rng.IntN(6) {
		r := Result{At: at, Status: statuses[rng.IntN(len(statuses))], Latency: time.Duration(rng.Int64N(1e10))}
		switch r.Status {
		case Online, "":
			r.Height, r.Bitrate = heights[rng.IntN(len(heights))], rng.IntN(9_000_000)
			r.Kind = kinds[rng.IntN(len(kinds))]
			r.Codecs, r.CORS, r.Closed = codecs[rng.IntN(len(codecs))], rng.IntN(2) == 0, rng.IntN(5) == 0
		default:
			r.Reason = []string{"refused", "no_such_host", "silent"}[rng.IntN(3)]
		}
		s = s.After(r)
		at = at.Add(time.Duration(rng.Int64N(int64(20 * time.Hour))))
	}
	return s
}

// shownOf returns what is shown of states.
func shownOf(rows []row[State]) []row[Shown] {
	var list []row[Shown]
	for _, r := range rows {
		if shown, changed := (Shown{}).Next(r.of); changed {
			list = append(list, row[Shown]{r.id, shown})
		}
	}
	return list
}

// rows compares rows by their fields, and no rows with none.
var rows = cmp.Options{cmp.AllowUnexported(row[State]{}, row[Shown]{}), cmpopts.EquateEmpty()}

func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 500} {
		states := madeUp(rng, n)
		got, err := unpackStates(packStates(states))
		if d := cmp.Diff(states, got, rows); err != nil || d != "" {
			t.Errorf("%d states: %v (-packed +unpacked):\n%s", n, err, d)
		}
		shown := shownOf(states)
		back, err := unpackShown(packShown(shown))
		if d := cmp.Diff(shown, back, rows); err != nil || d != "" {
			t.Errorf("%d shown: %v (-packed +unpacked):\n%s", n, err, d)
		}
	}
}

// TestUnpackWithoutKinds reads rows of the time before kinds were stored: the byte
// of their flags is the same without one.
func TestUnpackWithoutKinds(t *testing.T) {
	state := State{Status: Online, At: noon, Facts: Facts{CORS: true, Closed: true}}
	data := packStates([]row[State]{{1, state}})
	at := len(data) - bytes.Index(data, []byte{0, 0, 0, 0, 0, 0, 0, 1}) - 8
	if flags := data[len(data)-at]; flags != 3 {
		t.Errorf("flags of a row without a kind are %b, want 11", flags)
	}
	state.Kind = catalog.StreamAudio
	data = packStates([]row[State]{{1, state}})
	data[len(data)-at] = byte(len(kinds)) << kindShift
	if got, err := unpackStates(data); err == nil {
		t.Errorf("an unknown kind is read as %+v", got)
	}
}

// TestAfterUnknownKind checks that a kind that streams cannot be measured as is
// not stored.
func TestAfterUnknownKind(t *testing.T) {
	if got := (State{}).After(Result{Status: Online, Kind: catalog.StreamYouTube}).Kind; got != "" {
		t.Errorf("stored as %q", got)
	}
}

// TestUnpackRefuses gives shards that nobody wrote.
func TestUnpackRefuses(t *testing.T) {
	good := packStates([]row[State]{{1, State{Status: Online, At: noon, Reason: "a"}}, {2, State{Status: Error, At: noon, Reason: "b"}}})
	uvarint := func(v uint64) []byte { return binary.AppendUvarint(nil, v) }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	of := func(status Status) []byte { return packStates([]row[State]{{1, State{Status: status, At: noon}}}) }
	swapped := bytes.Clone(good)
	copy(swapped[bytes.Index(good, []byte{0, 0, 0, 0, 0, 0, 0, 1}):], []byte{0, 0, 0, 0, 0, 0, 0, 3})
	for _, test := range []struct {
		name string
		data []byte
	}{
		{"no format", []byte{0}},
		{"another format", append([]byte{2}, good[1:]...)},
		{"only a format", []byte{format}},
		{"more after the end", append(bytes.Clone(good), 0)},
		{"ids that do not ascend", swapped},
		{"more texts than bytes", join([]byte{format}, uvarint(1<<62))},
		{"a text longer than any", join([]byte{format}, uvarint(1), uvarint(maxText+1), make([]byte, maxText+1), uvarint(0))},
		{"an empty text", join([]byte{format}, uvarint(1), uvarint(0), uvarint(0))},
		{"a text with a control character", join([]byte{format}, uvarint(1), uvarint(1), []byte{7}, uvarint(0))},
		{"more rows than bytes", join([]byte{format}, uvarint(0), uvarint(1<<40), make([]byte, 100))},
		{"a number without an end", join([]byte{format}, bytes.Repeat([]byte{0x80}, 20))},
		{"JSON", []byte(`{"s_0123":{}}`)},
	} {
		if got, err := unpackStates(test.data); err == nil {
			t.Errorf("%s: read as %v", test.name, got)
		}
		if got, err := unpackShown(test.data); err == nil {
			t.Errorf("%s: read as %v, to be shown", test.name, got)
		}
	}
	if _, err := unpackStates(of("")); err != nil {
		t.Errorf("a state before anything was found: %v", err)
	}
	if got, err := unpackShown(packShown([]row[Shown]{{1, Shown{CheckedAt: noon}}})); err == nil {
		t.Errorf("shown without a status: %v", got)
	}
}

// TestUnpackCut cuts a shard everywhere, and changes each of its bytes. It is
// refused or read, and never more than was there.
func TestUnpackCut(t *testing.T) {
	states := madeUp(rand.New(rand.NewPCG(7, 8)), 30)
	for _, whole := range [][]byte{packStates(states), packShown(shownOf(states))} {
		for n := 1; n < len(whole); n++ {
			if got, err := unpackStates(whole[:n]); err == nil {
				t.Fatalf("cut to %d of %d bytes: %d rows", n, len(whole), len(got))
			}
			if got, err := unpackShown(whole[:n]); err == nil {
				t.Fatalf("cut to %d of %d bytes: %d rows", n, len(whole), len(got))
			}
			bent := bytes.Clone(whole)
			bent[n] ^= 0xff
			if got, _ := unpackStates(bent); len(got)*leastRow > len(bent) {
				t.Fatalf("byte %d changed: %d rows of %d bytes", n, len(got), len(bent))
			}
		}
	}
}

func FuzzUnpack(f *testing.F) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{0, 1, 20} {
		states := madeUp(rng, n)
		f.Add(packStates(states))
		f.Add(packShown(shownOf(states)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := unpackStates(data); err == nil {
			again, err := unpackStates(packStates(got))
			if d := cmp.Diff(got, again, rows); err != nil || d != "" {
				t.Errorf("states: %v (-read +read again):\n%s", err, d)
			}
			for _, r := range got {
				r.of.Due(r.id, 5)
				if s := r.of.After(good(on(1e5))); s.Score < 0 || s.Score > 100 {
					t.Errorf("score %v", s.Score)
				}
			}
		}
		if got, err := unpackShown(data); err == nil {
			again, err := unpackShown(packShown(got))
			if d := cmp.Diff(got, again, rows); err != nil || d != "" {
				t.Errorf("shown: %v (-read +read again):\n%s", err, d)
			}
			for _, r := range got {
				_ = r.of.measurement()
			}
		}
	})
}

// BenchmarkUnpack reads the shards of 60,000 streams.
func BenchmarkUnpack(b *testing.B) {
	for _, n := range []int{60_000 / Shards} {
		states := madeUp(rand.New(rand.NewPCG(11, 12)), n)
		data, shown := packStates(states), packShown(shownOf(states))
		b.Run(fmt.Sprint("states=", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := unpackStates(data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("shown=", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(shown)))
			for b.Loop() {
				if _, err := unpackShown(shown); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
