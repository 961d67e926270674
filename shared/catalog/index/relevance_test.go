package index_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
)

// hostile are queries that nobody types who looks for a channel.
var hostile = []string{
	"a b c d e f g h i j k", "one two three 4 5 6 seven eight nine ten", strings.Repeat("x", 200), strings.Repeat("é", 200),
	strings.Repeat(`"`, 200), `a"b"c"`, strings.Repeat("\u0301", 200), strings.Repeat("a\u0301\u0302", 60), strings.Repeat("ﷺ", 200),
	"\xff\xfe\xc3", "globo\x00news", "globo 📺", "ｇｌｏｂｏ", "the of and in live", "tv", "radio tv live", "globo zzzz 📺", "матч тв", "zzzz матч",
	"央视新闻", "नौ नौ", "globonews1 onnews", "glbo nwes brazl", "+", "1+1+1", "+1", "news brazil", "brazil",
}

// manyWords returns a query of distinct words.
func manyWords(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}

// TestRelevancePages checks that the pages of a search by relevance have each
// record that it matches once, and none that is blocked, however the pages are cut.
func TestRelevancePages(t *testing.T) {
	reg := indextest.Synthetic(61, 3000)
	o := indextest.Overlay(61, reg)
	for i := 0; i < len(reg.Records); i += 7 {
		o.BlockedChannels = append(o.BlockedChannels, reg.Records[i].ID)
	}
	v, paged := index.NewView(build(t, reg), o, links), 0
	for _, text := range append([]string{"a", "globo", "news", "globo news", "radio", manyWords(10_000)}, hostile...) {
		for n, s := range []filter.Selection{{Kind: "all"}, {Kind: "tv", Playable: true}, {Kind: "radio", Country: "BR"}} {
			s.Q, s.Sort = text, filter.ByRelevance
			q := index.Query{Selection: s, Home: []string{"", "BR"}[n%2], Limit: 500}
			all := v.Matches(q)
			if sorted := slices.Compact(slices.Sorted(slices.Values(all))); len(sorted) != len(all) {
				t.Fatalf("%.40q: %d of %d matches are repeated", text, len(all)-len(sorted), len(all))
			}
			for _, limit := range []int{1, 37, 96, 500} {
				from := max(0, len(all)-40*limit) // the last pages; short ones take long
				for q.Offset, q.Limit = from, limit; q.Offset < len(all); q.Offset += limit {
					docs, total := v.Find(q)
					if want := all[q.Offset:min(q.Offset+limit, len(all))]; total != len(all) || !slices.Equal(docs, want) {
						t.Fatalf("%.40q at %d: found %d of %d, want %d of %d", text, q.Offset, docs, total, want, len(all))
					}
					paged++
				}
			}
			for _, id := range o.BlockedChannels {
				if doc, ok := v.Index().Resolve(id); ok && slices.Contains(all, doc) {
					t.Errorf("%.40q finds %s, which is blocked", text, id)
				}
			}
			for _, q.Offset = range []int{len(all), len(all) + 1, 1 << 62, 1<<63 - 1, -1 << 63} {
				if docs, total := v.Find(q); total != len(all) || len(docs) > 0 != (q.Offset < 0 && total > 0) {
					t.Errorf("%.40q at %d: found %d of %d, want none of %d", text, q.Offset, docs, total, len(all))
				}
			}
		}
	}
	if paged < 300 {
		t.Errorf("only %d pages were compared: the test checks little", paged)
	}
}

// TestSearchesApart checks that a search finds the same whatever was searched
// before it or is searched beside it: they share pooled memory.
func TestSearchesApart(t *testing.T) {
	reg := indextest.Synthetic(62, 2000)
	plain := index.NewView(build(t, reg), index.Overlay{}, links)
	views := []*index.View{plain, plain.WithOverlay(indextest.Overlay(62, reg)), hinted(t), index.NewView(build(t, &catalog.Register{}), index.Overlay{}, links)}
	page := func(v *index.View, text string) string {
		return string(v.Search(index.Query{Selection: filter.Selection{Q: text, Kind: "all", Sort: filter.ByRelevance}, Limit: 20, Home: "BR"}, 1, nil))
	}
	want := map[string]string{}
	for n, v := range views {
		for _, text := range hostile {
			page(v, "!") // has no words: little is left of the search before
			want[fmt.Sprint(n, text)] = page(v, text)
		}
	}
	var group sync.WaitGroup
	for k := range 2 {
		group.Go(func() {
			for i := range 4 * len(hostile) {
				for n := range views {
					text := hostile[(i*(5+4*k)+n)%len(hostile)]
					if d := cmp.Diff(want[fmt.Sprint(n, text)], page(views[n], text)); d != "" {
						t.Errorf("view %d: %q after another search (-want +got):\n%s", n, text, d)
						return
					}
				}
			}
		})
	}
	group.Wait()
}

// TestForeignQueryForgotten checks that a query with a sign beyond the alphabets
// is not read as the query before it in Latin letters.
func TestForeignQueryForgotten(t *testing.T) {
	v := hinted(t)
	for range 20 { // the memory of the search before is not always the next that is used
		for _, text := range []string{"глобо", "zzzz 📺"} {
			p := byRelevance(t, v, filter.Selection{Q: text, Kind: "all"})
			if found := p.Total > 0; found != (text == "глобо") {
				t.Fatalf("%q found %d records", text, p.Total)
			}
		}
	}
}

// TestFeedNamesWithSigns checks that names of feeds are found exactly when they have
// signs that are spoken or escaped.
func TestFeedNamesWithSigns(t *testing.T) {
	reg := &catalog.Register{}
	for _, name := range []string{"Mundo", "Mundo One", "Mundo Dos"} {
		reg.Records = append(reg.Records, catalog.Record{ID: strings.ReplaceAll(name, " ", "") + ".br", Name: name, Origin: "up", FeedNames: []catalog.FeedName{
			{Feed: "Plus1", Name: "+1"}, {Feed: "Quoted", Name: `The "Big" One`}, {Feed: "Both", Name: `Sport+ "HD"`}, {Feed: "", Name: name + " Brasil"},
		}})
	}
	v := index.NewView(build(t, reg), index.Overlay{}, links)
	for q, want := range map[string]string{
		"mundo +1": "Mundo +1", "mundo plus 1": "Mundo +1", "mundo one +1": "Mundo One +1", `mundo the big one`: `Mundo The "Big" One`,
		"mundo dos sport+ hd": `Mundo Dos Sport+ "HD"`, "mundo brasil": "",
	} {
		p := explained(t, v, index.Query{Selection: filter.Selection{Q: q, Kind: "all", Sort: filter.ByRelevance}, Limit: 3})
		if len(p.Items) == 0 || p.Items[0].Explain.Text == nil || !p.Items[0].Explain.Text.Exact {
			t.Errorf("%q: the first of %d items does not have it as a name", q, len(p.Items))
			continue
		}
		if m := p.Items[0].Matched; (m == nil) != (want == "") || m != nil && m.Name != want {
			t.Errorf("%q: matched %+v, want %q", q, m, want)
		}
	}
}

// TestReplacedReleaseIsFreed checks that searches of a release keep nothing of the
// one before it in memory.
func TestReplacedReleaseIsFreed(t *testing.T) {
	search := func(v *index.View, text string) {
		v.Find(index.Query{Selection: filter.Selection{Q: text, Kind: "all", Sort: filter.ByRelevance}, Limit: 20})
	}
	load := func() weak.Pointer[uint32] {
		v := hinted(t)
		search(v, "globo record band jovem pan brasil silent barred")
		return weak.Make(&v.Index().Words.Docs(0, 1)[0])
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a pool has memory for each processor
	v, before := hinted(t), load()
	for range 4 { // memory in a pool is freed when it was not used between two collections
		search(v, "x")
		runtime.GC()
	}
	if before.Value() != nil {
		t.Error("the words of a release that nothing shows are still in memory")
	}
}
