package index_test

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

func encoded(t testing.TB, ix *index.Index) []byte {
	t.Helper()
	data, err := ix.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestDecodeInParts checks that an index is the same on one processor, which loads it at once,
// and on several, which share the work. It is not parallel with others, whose processors it
// takes.
func TestDecodeInParts(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	data := encoded(t, build(t, indextest.Synthetic(12, 13_000)))
	decode := func() *index.View {
		ix, err := index.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		return index.NewView(ix, index.Overlay{}, links)
	}
	one := decode()
	runtime.GOMAXPROCS(3)
	several := decode()
	page := func(v *index.View, offset int) string {
		q := index.Query{Selection: filter.Selection{Kind: "all"}, Limit: 50, Offset: offset}
		q.Normalize()
		return string(v.Search(q, 2, nil))
	}
	for offset := 0; offset < 13_000; offset += 50 {
		if want, got := page(one, offset), page(several, offset); got != want {
			t.Fatalf("from %d on (-one processor +several)\n%s", offset, cmp.Diff(want, got))
		}
	}
	for _, r := range one.Index().Register().Records {
		if _, ok := several.Current(r.ID); !ok {
			t.Errorf("%s is not found by its id", r.ID)
		}
	}
}

// TestRegister checks that an index gives back the register that it was built
// of, before and after a snapshot.
func TestRegister(t *testing.T) {
	want := indextest.Synthetic(11, 800)
	want.ChannelAliases = map[string]string{"old.br": want.Records[0].ID}
	want.StreamAliases = map[string]string{"0:old": want.Records[1].ID}
	ix := build(t, want)
	data := encoded(t, ix)
	loaded, err := index.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(want.Records, func(a, b catalog.Record) int {
		return strings.Compare(fold.Words(a.Name)+"\x00"+a.ID, fold.Words(b.Name)+"\x00"+b.ID)
	})
	want.Categories = append(want.Categories, catalog.Category{ID: "unlisted", Name: catalog.Labels{"unlisted", "unlisted", "unlisted", "unlisted", "unlisted"}})
	slices.SortFunc(want.Categories, func(a, b catalog.Category) int { return strings.Compare(a.ID, b.ID) })
	for name, ix := range map[string]*index.Index{"built": ix, "loaded": loaded} {
		if d := cmp.Diff(want, ix.Register(), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got):\n%.3000s", name, d)
		}
	}
	if loaded.Version() != ix.Version() || !bytes.Equal(encoded(t, loaded), data) {
		t.Error("a loaded index has another version or other bytes")
	}
}

// TestNormalised checks what Build makes of what a register should not hold.
func TestNormalised(t *testing.T) {
	rate, codec := -1, ""
	ix := build(t, &catalog.Register{Records: []catalog.Record{
		{ID: "1", Kind: catalog.Station, Name: "bad\xffname"},
		{ID: "2", Kind: catalog.Station, Radio: &catalog.Radio{Votes: -3, Bitrate: &rate, Codec: &codec, Geo: &catalog.Geo{Lat: 91}}},
		{ID: "3", Kind: catalog.TV, Radio: &catalog.Radio{Votes: 3}},
	}})
	got := map[string]catalog.Record{}
	for _, r := range ix.Records() {
		got[r.ID] = r
	}
	empty := &catalog.Radio{Tags: []string{}}
	want := map[string]catalog.Record{
		"1": {ID: "1", Kind: catalog.Station, Name: "bad\uFFFDname", Radio: empty},
		"2": {ID: "2", Kind: catalog.Station, Radio: empty},
		"3": {ID: "3"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestTooManyCategories(t *testing.T) {
	reg := &catalog.Register{}
	for i := range 65 {
		reg.Categories = append(reg.Categories, catalog.Category{ID: strings.Repeat("c", i+1)})
	}
	if _, err := index.Build(reg); err == nil || !strings.Contains(err.Error(), "65 categories") {
		t.Errorf("65 categories: error %v", err)
	}
}
