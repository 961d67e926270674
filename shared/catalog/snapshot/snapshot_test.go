package snapshot_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/catalog/snapshot"
)

func pack(t testing.TB, reg *catalog.Register) *snapshot.Columns {
	t.Helper()
	c, err := snapshot.Pack(reg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encode(t testing.TB, c *snapshot.Columns) []byte {
	t.Helper()
	data, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 500, 2500} {
		c := pack(t, indextest.Synthetic(1, n))
		got, err := snapshot.Decode(encode(t, c))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%d records (-want +got):\n%s", n, d)
		}
	}
}

// TestDeterministic checks that the bytes follow from the content alone, not
// from the order of records, the order of maps or the number of processors.
func TestDeterministic(t *testing.T) {
	a, b := indextest.Synthetic(2, 3000), indextest.Synthetic(2, 3000)
	for i := range b.Records {
		b.Records[i] = a.Records[len(a.Records)-1-i]
	}
	want := encode(t, pack(t, a))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if !bytes.Equal(encode(t, pack(t, b)), want) {
		t.Error("the same records in another order, on one processor, encode to other bytes")
	}
}

// TestVersion checks what makes a version: the content, not when it was built.
func TestVersion(t *testing.T) {
	base := pack(t, indextest.Synthetic(3, 60)).Version
	for _, c := range []struct {
		name   string
		same   bool
		change func(*catalog.Register)
	}{
		{"nothing", true, func(*catalog.Register) {}},
		{"time", true, func(r *catalog.Register) { r.BuiltAt = r.BuiltAt.Add(time.Hour) }},
		{"sources", true, func(r *catalog.Register) { r.Sources = nil }},
		{"name", false, func(r *catalog.Register) { r.Records[7].Name += "x" }},
		{"votes", false, func(r *catalog.Register) { firstStation(r).Votes++ }},
		{"label", false, func(r *catalog.Register) { r.Categories[1].Name[3] += "x" }},
		{"alias", false, func(r *catalog.Register) { r.ChannelAliases = map[string]string{"a": "b"} }},
		{"stream alias", false, func(r *catalog.Register) { r.StreamAliases = map[string]string{"a": "b"} }},
		{"gone", false, func(r *catalog.Register) { r.Gone[1].Since += "x" }},
		{"one fewer", false, func(r *catalog.Register) { r.Records = r.Records[1:] }},
	} {
		reg := indextest.Synthetic(3, 60)
		c.change(reg)
		if got := pack(t, reg).Version; (got == base) != c.same {
			t.Errorf("%s: version %s of %s", c.name, got, base)
		}
	}
}

func firstStation(r *catalog.Register) *catalog.Radio {
	for i := range r.Records {
		if r.Records[i].Radio != nil {
			return r.Records[i].Radio
		}
	}
	return nil
}

func TestPackRefuses(t *testing.T) {
	one := catalog.Record{ID: "a.br", Name: "A", Streams: []catalog.StreamRecord{{ID: 1}}}
	for name, records := range map[string][]catalog.Record{
		"an empty id":       {{Name: "A"}},
		"an invalid id":     {{ID: "\xff", Name: "A"}},
		"an id twice":       {{ID: "a.br"}, {ID: "a.br"}},
		"a stream id twice": {one, {ID: "b.br", Streams: one.Streams}},
	} {
		if _, err := snapshot.Pack(&catalog.Register{Records: records}); err == nil {
			t.Errorf("Pack accepted %s", name)
		}
	}
}

// TestDecodeRefuses damages a snapshot at every place in turn.
func TestDecodeRefuses(t *testing.T) {
	data := encode(t, pack(t, indextest.Synthetic(4, 40)))
	refuse := func(what string, at int, bad []byte) {
		if _, err := snapshot.Decode(bad); !errors.Is(err, snapshot.ErrCorrupt) {
			t.Fatalf("%s at %d of %d: error %v, want ErrCorrupt", what, at, len(data), err)
		}
	}
	for i := range data {
		refuse("cut", i, data[:i])
		refuse("flipped", i, flip(data, i, 0x40))
		if i >= headSize { // the hash is right: it may mean something else, but must hold together
			if _, err := snapshot.Decode(rehash(flip(data, i, 0x01))); err != nil && !errors.Is(err, snapshot.ErrCorrupt) {
				t.Fatalf("flipped at %d and hashed again: error %v", i, err)
			}
		}
	}
	refuse("longer", len(data), append(bytes.Clone(data), 0))
}

// TestOtherFormat checks that a snapshot of another version's format is refused
// as such: it is not damaged, and there is something to be done.
func TestOtherFormat(t *testing.T) {
	data := encode(t, pack(t, indextest.Synthetic(6, 3)))
	format := len(snapshot.Magic) - 1
	data[format]--
	want := fmt.Sprintf("it has format %d, and this version reads format %d", data[format], snapshot.Magic[format])
	if _, err := snapshot.Decode(data); !errors.Is(err, snapshot.ErrCorrupt) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestCountAlone checks that a column whose count is not followed by as many bytes takes
// memory in proportion to the snapshot, not to the count.
func TestCountAlone(t *testing.T) {
	const count = 16 << 20
	body := append(binary.AppendUvarint(nil, count), 4)
	random := make([]byte, 3<<20) // so that the head may claim so much
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(random)
	body = append(append(body, random...), make([]byte, 4*count)...)
	data, err := snapshot.EncodeBody(body)
	if err != nil {
		t.Fatal(err)
	}
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd} // begins each chunk
	second := bytes.Index(data[headSize+1<<20:], frame)
	data[headSize+1<<20+second] ^= 1
	data = rehash(data)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := snapshot.Decode(data); !errors.Is(err, snapshot.ErrCorrupt) {
		t.Fatalf("error %v, want ErrCorrupt", err)
	}
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(6*len(data)); got > most {
		t.Errorf("a snapshot of %d bytes with a count of %d allocated %d bytes, at most %d", len(data), count, got, most)
	}
}

// TestTooMany checks that a snapshot has no more values and aliases than the tables that
// find them can number.
func TestTooMany(t *testing.T) {
	for what, width := range map[string]int{"values": 1, "channel aliases": snapshot.AliasWidth, "stream aliases": snapshot.AliasWidth} {
		c, err := snapshot.Pack(&catalog.Register{})
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]*snapshot.Texts{"values": &c.Values, "channel aliases": &c.ChannelAliases, "stream aliases": &c.StreamAliases}[what]
		*texts = snapshot.Texts{Ends: make([]uint32, (snapshot.MaxNumbered+1)*width)}
		if err := c.Validate(); !errors.Is(err, snapshot.ErrCorrupt) || !strings.HasSuffix(err.Error(), what+", which are too many") {
			t.Errorf("too many %s: %v", what, err)
		}
	}
}

func flip(data []byte, at int, bits byte) []byte {
	bad := bytes.Clone(data)
	bad[at] ^= bits
	return bad
}

const headSize = 8 + sha256.Size

// rehash makes the hash of damaged data right.
func rehash(data []byte) []byte {
	sum := sha256.Sum256(data[headSize:])
	copy(data[8:], sum[:])
	return data
}

// FuzzDecode feeds what passes the hash: a decoder must refuse it or return
// columns that hold together, without asking for much memory.
func FuzzDecode(f *testing.F) {
	for _, n := range []int{0, 1, 30} {
		data := encode(f, pack(f, indextest.Synthetic(5, n)))
		f.Add(data[headSize:])
	}
	f.Add(binary.AppendUvarint(nil, 1<<40))
	f.Fuzz(func(t *testing.T, rest []byte) {
		data := rehash(append(append([]byte(snapshot.Magic), make([]byte, sha256.Size)...), rest...))
		c, err := snapshot.Decode(data)
		if err != nil {
			if !errors.Is(err, snapshot.ErrCorrupt) {
				t.Errorf("error %v is not ErrCorrupt", err)
			}
			return
		}
		again, err := snapshot.Decode(encode(t, c))
		if err != nil {
			t.Fatalf("decoded columns encode to a snapshot that Decode refuses: %v", err)
		}
		if d := cmp.Diff(c, again, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("round trip (-want +got):\n%s", d)
		}
	})
}

// FuzzBody damages the columns themselves: what is not refused must serve, be
// it nonsense.
func FuzzBody(f *testing.F) {
	for _, n := range []int{0, 1, 12} {
		f.Add(pack(f, indextest.Synthetic(6, n)).Body(), uint(0), byte(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, at uint, xor byte) { serve(t, damaged(body, at, xor)) })
}

// TestDamaged does what FuzzBody does, once at every place of a small body.
func TestDamaged(t *testing.T) {
	reg := indextest.Synthetic(6, 4)
	reg.Gone = indextest.Synthetic(6, 40).Gone
	reg.Countries, reg.Languages, reg.Subdivisions, reg.Cities = nil, nil, nil, nil
	body := pack(t, reg).Body()
	for at := range body {
		serve(t, damaged(body, uint(at), []byte{1, 2, 0x80, 0xff}[at%4]))
	}
}

func damaged(body []byte, at uint, xor byte) []byte {
	body = bytes.Clone(body)
	if len(body) > 0 {
		body[at%uint(len(body))] ^= xor
	}
	return body
}

// serve loads a snapshot with the given body and uses all of it.
func serve(t *testing.T, body []byte) {
	data, err := snapshot.EncodeBody(body)
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Decode(data)
	if err != nil {
		return
	}
	v := index.NewView(ix, index.Overlay{BlockedHosts: []string{"host1.example"}}, catalog.LinkBase{})
	for _, sort := range []string{"name", "votes", "score", "relevance"} {
		for _, q := range []string{"", "a", "globo n", "glbo"} {
			v.Search(index.Query{Selection: filter.Selection{Q: q, Kind: "all", Sort: sort}, Limit: 50}, 4, nil)
		}
	}
	for _, r := range ix.Records() {
		v.Channel(r.ID, 1, rank.Caller{})
		for _, s := range r.Streams {
			v.Stream(s.ID.String())
		}
	}
	for _, g := range ix.GoneList() {
		v.Gone(g.ID)
		v.GoneNamed(g.Name, 3)
	}
	v.Countries("all", 1)
	v.Qualities("all")
	v.Tags("", 10)
	v.Cities("", "", "all")
	v.Subdivisions("", "all")
}
