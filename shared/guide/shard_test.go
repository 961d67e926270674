package guide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gridOf returns the grid that a source gives of programmes.
func gridOf(t testing.TB, source string, ps []Programme) Grid {
	t.Helper()
	w := WindowOf(today)
	ps, _ = Fix(ps, w)
	g, ok := NewGrid(source, source+".example", w, ps)
	if !ok {
		t.Fatalf("no guide: %v", written(ps))
	}
	return g
}

// described gives each programme a description and each second one a category.
func described(ps []Programme) []Programme {
	for i := range ps {
		ps[i].Desc = "About " + ps[i].Title
		if i%2 == 0 {
			ps[i].Category = "Kind of " + string([]rune(ps[i].Title)[0])
		}
	}
	return ps
}

func sampleGrids(t testing.TB) map[string]Grid {
	return map[string]Grid{
		"A.br": gridOf(t, "one", described(programmes("-1:00-1:00 Night", "1:00-2:00 News", "3:00-4:00 News", "23:00-25:00 Late", "47:30-49:00 Última"))),
		"B.br": gridOf(t, "two", programmes("5:00-6:00 News")),
		"C.br": gridOf(t, "one", described(programmes("30:00-31:00 "+strings.Repeat("long ", 40)))),
	}
}

var gridsAlike = cmp.AllowUnexported(Grid{})

func TestShard(t *testing.T) {
	want := sampleGrids(t)
	data := encodeShard(want)
	s, err := decodeShard(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.grids(), gridsAlike); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again := encodeShard(s.grids()); string(again) != string(data) {
		t.Error("the same grids are other bytes")
	}
	if n := strings.Count(string(data), "News"); n != 1 {
		t.Errorf("a title is there %d times", n)
	}
	g := s.grids()["A.br"]
	if diff := cmp.Diff("About Última", g.full()[4].Desc); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(encodeShard(nil)) != 0 {
		t.Error("an empty shard has bytes")
	}
}

// TestShardCut gives every beginning of a shard, and the shard with more
// behind it.
func TestShardCut(t *testing.T) {
	data := encodeShard(sampleGrids(t))
	for n := 1; n < len(data); n++ {
		if _, err := decodeShard(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are a shard", n, len(data))
		}
	}
	if _, err := decodeShard(append(slices.Clone(data), 0)); err == nil {
		t.Error("a shard with a byte behind it is one")
	}
	if _, err := decodeShard([]byte{format + 1, 0, 0, 0, 0}); err == nil {
		t.Error("another format is read")
	}
}

// checkShard holds a shard that was read to what the rest relies on.
func checkShard(t *testing.T, s *shard) {
	t.Helper()
	for i := range s.lines {
		l := &s.lines[i]
		if i > 0 && s.lines[i-1].channel >= l.channel {
			t.Fatalf("channel %q behind %q", l.channel, s.lines[i-1].channel)
		}
		ps := s.grid(l).ps
		for k, p := range ps {
			if p.Title == "" || !p.Start.Before(p.Stop) || k > 0 && p.Start.Before(ps[k-1].Stop) {
				t.Fatalf("programme %+v", p)
			}
		}
		s.full(l)
	}
}

func FuzzShard(f *testing.F) {
	f.Add(encodeShard(sampleGrids(f)))
	f.Add([]byte{1, 0, 0, 0, 0})
	f.Add([]byte{1, 1, 1, 'a', 0, 1, 1, 'T', 0, 1, 1, 'c', 0, 0, 1, 1, 1, 0, 0, 0})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodeShard(data)
		if err != nil {
			return
		}
		checkShard(t, s)
		s.search = s.searchable()
		again, err := decodeShard(encodeShard(s.grids()))
		if err != nil {
			t.Fatalf("written again, it cannot be read: %v", err)
		}
		if diff := cmp.Diff(s.grids(), again.grids(), gridsAlike); diff != "" {
			t.Errorf("-first +again:\n%s", diff)
		}
		var l Live
		for n := range l.shards {
			l.shards[n].Store(s)
		}
		for id := range l.Channels(today) {
			l.Now(id, today)
			l.Day(id, today, today)
			l.Programmes(id, today)
		}
		for range l.Find("a", today) {
		}
	})
}

func TestReduce(t *testing.T) {
	date := dateOf(today)
	type counts struct{ channels, programmes, descs int }
	for level, want := range []counts{
		whole: {3, 7, 6}, withoutLateDescs: {3, 7, 4}, withoutDescs: {3, 7, 0}, withoutTomorrow: {3, 5, 0}, withoutLargest: {1, 0, 0}, withoutLargest + 1: {0, 0, 0},
	} {
		grids := sampleGrids(t)
		reduce(grids, level, date)
		var got counts
		for _, g := range grids {
			got.channels++
			for _, p := range g.full() {
				got.programmes++
				got.descs += flag(p.Desc != "")
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(counts{})); diff != "" {
			t.Errorf("level %d (-want +got):\n%s", level, diff)
		}
	}
}

// TestOn lets a day pass, and another.
func TestOn(t *testing.T) {
	for id, want := range map[string][3]int{"A.br": {5, 2, 1}, "B.br": {1, 0, 0}, "C.br": {1, 1, 0}} {
		for later := range int64(3) {
			g := sampleGrids(t)[id]
			g, ok := g.on(dateOf(today) + later)
			if ok != (want[later] > 0) || ok && g.Len() != want[later] {
				t.Errorf("%s after %d days: %v, %d programmes", id, later, ok, g.Len())
			}
			for _, p := range g.full() {
				if ok && p.Desc == "" && id != "B.br" {
					t.Errorf("%s after %d days: %q has lost its description", id, later, p.Title)
				}
			}
		}
	}
}

// TestBegins has channels of which nothing, or only an end, is within the window.
func TestBegins(t *testing.T) {
	w := WindowOf(today)
	for _, test := range []struct {
		line       string
		ok, begins bool
	}{
		{"-2:00--1:00 Gone", false, false},
		{"-1:00-2:00 Night", true, false},
		{"-20:00-4:00 Long", true, false},
		{"0:00-1:00 First", true, true},
		{"47:00-50:00 Last", true, true},
	} {
		ps, _ := Fix(programmes(test.line), w)
		if g, ok := NewGrid("s", "", w, ps); ok != test.ok || g.Begins() != test.begins || ok && (!g.EndsAfter(ps[0].Start) || g.EndsAfter(ps[0].Stop)) {
			t.Errorf("%s: %v, begins %v", test.line, ok, g.Begins())
		}
	}
}

// prose returns text as compressible as that of descriptions is.
func prose(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		k := int(float64(4000) * rnd.Float64() * rnd.Float64() * rnd.Float64())
		fmt.Fprintf(&b, "%s ", syllables[k%20]+syllables[k/20%20]+syllables[k/400])
	}
	return b.String()[:n]
}

var syllables = strings.Fields("be lo ma ri ta con ver sa do pre na tion the of ing er al is an re")
