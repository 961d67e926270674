package collect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/source"
)

// readingOf returns a reading of a file of now records, with before of them when
// it was last good.
func readingOf(part source.Part, now, before int) *reading {
	return &reading{
		part: part, file: source.File{Name: "a/b", SHA256: "now", Items: now},
		last: source.File{Name: "a/b", SHA256: "before", Items: before},
	}
}

// TestRecordLimits checks how far a file may shrink and grow.
func TestRecordLimits(t *testing.T) {
	for _, test := range []struct {
		now, before int
		maxLoss     float64
		limit       int // 0 when the file is accepted
	}{
		{now: 70, before: 100},
		{now: 69, before: 100, limit: 70},
		{now: 950, before: 1000, maxLoss: 0.05},
		{now: 949, before: 1000, maxLoss: 0.05, limit: 950},
		{now: 1500, before: 1000},
		{now: 1501, before: 1000, limit: 1500},
		{now: 130, before: 30},
		{now: 131, before: 30, limit: 130},
		{now: 50_000, before: 0}, // an empty file says nothing about its size
		{now: 0, before: 0},
		{now: 0, before: 1, limit: 1},
	} {
		limit := 0
		if refusals := checkRecords(readingOf(source.Part{MaxLoss: test.maxLoss}, test.now, test.before)); len(refusals) > 0 {
			limit = refusals[0].Limit
		}
		if limit != test.limit {
			t.Errorf("%d records after %d with a loss of %v: limit %d, want %d", test.now, test.before, test.maxLoss, limit, test.limit)
		}
	}
}

// TestColumnLimits checks which columns may lose their values or go.
func TestColumnLimits(t *testing.T) {
	for _, test := range []struct {
		name        string
		now, before int // values in the column "closed"
		absent      bool
		want        string // the figure that is refused
	}{
		{"as before", 40, 40, false, ""},
		{"half of them", 20, 40, false, ""},
		{"fewer than half", 19, 40, false, source.FigureValues},
		{"few values, all gone", 0, 19, false, ""},
		{"the column is gone", 0, 40, true, source.FigureColumn},
		{"an empty column is gone", 0, 0, true, ""},
		{"absent from the first record alone", 40, 40, true, ""},
	} {
		r := readingOf(source.Part{Columns: []string{"closed"}}, 2000, 2000)
		r.file.Filled, r.last.Filled = map[string]int{"closed": test.now}, map[string]int{"closed": test.before}
		if test.absent {
			r.absent = []string{"closed"}
		}
		var want, got []string
		if test.want != "" {
			want = []string{test.want}
		}
		for _, refusal := range checkFile(r) {
			got = append(got, refusal.Figure)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestColumnsNotCounted checks a file without a column whose last state was saved
// without figures: a few records may have been written by hand.
func TestColumnsNotCounted(t *testing.T) {
	for items, refused := range map[int]bool{handmade - 1: false, handmade: true} {
		r := readingOf(source.Part{Columns: []string{"closed"}}, items, items)
		r.absent = []string{"closed"}
		if got := checkFile(r); (len(got) == 1) != refused {
			t.Errorf("%d records: refused %+v, want %v", items, got, refused)
		}
	}
}

// TestOtherOrigin checks that the files of one publisher are not compared with
// those of another, nor used in their place.
func TestOtherOrigin(t *testing.T) {
	cache := newMemory()
	load := func(place Place) *source.Dataset {
		d, err := Load(t.Context(), Plan{IPTVOrg: place}, Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	large := load(Place{Folder: folderOf(2000), Name: "folder"})
	sample := load(Sample().IPTVOrg)
	if len(large.Channels) != 2000 || len(sample.Channels) > 200 || sample.Files[0].Kept {
		t.Errorf("%d channels, then %d, file %+v", len(large.Channels), len(sample.Channels), sample.Files[0])
	}
}
