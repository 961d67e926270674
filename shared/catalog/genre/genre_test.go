package genre_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/i18n"
)

func TestOf(t *testing.T) {
	for _, test := range []struct {
		tags string // with "|" between them
		want string
	}{
		{"", ""},
		{"moi merino|méxico|estación", ""},
		{"news", "news"},
		{"Noticias|НОВОСТИ|nachrichten|أخبار", "news"},
		{"80s", "80s"}, {"80's", "80s"}, {"80er", "80s"}, {"anos 80", "80s"}, {"années 80", "80s"}, {"1980s", "80s"}, {"80", "80s"},
		{"90.1 fm", ""}, // a frequency
		{"70 80 hits", "hits"},
		{"Radio 80s rock hits", "hits 80s rock"},
		{"smooth jazz", "jazz"},
		{"classic rock", "classic-rock"}, // not also oldies and rock
		{"rock clásico", "classic-rock"},
		{"classic", "oldies"},
		{"sertanejo universitário", "sertanejo"},
		{"Forró|MPB|Música Popular Brasileira", "mpb forro"},
		{"hip-hop|Hip Hop|hiphop|rap", "hip-hop"},
		{"R&B", "rnb"}, {"drum & bass", "drum-and-bass"}, {"drum'n'bass", "drum-and-bass"},
		{"quran|القرآن الكريم", "islamic"},
		{"regional", "local"}, {"regional mexican", "regional-mexican"},
		{"schlager|volksmusik", "schlager volksmusik"},
		{"fado|flamenco|chanson|tango|salsa|cumbia", "salsa cumbia tango fado flamenco chanson"},
		{"джаз|рок|поп", "pop rock jazz"},
		{"top", "hits"}, {"top of the world", "world"},
		{"weather|traffic", "weather"},
	} {
		got := strings.Join(genre.Of(strings.Split(test.tags, "|")), " ")
		if got != test.want {
			t.Errorf("%q are of the genres %q, want %q", test.tags, got, test.want)
		}
	}
}

// TestVocabulary checks that ids can be parts of addresses, fit a Set, and have
// labels that differ within a locale.
func TestVocabulary(t *testing.T) {
	all := genre.All()
	if len(all) == 0 || len(all) > 128 {
		t.Fatalf("%d genres, want 1 to 128", len(all))
	}
	slug := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]string{}
	for i, g := range all {
		if !slug.MatchString(g.ID) || len(g.ID) > 32 {
			t.Errorf("%q is not an id", g.ID)
		}
		if n, ok := genre.Find(g.ID); !ok || n != i {
			t.Errorf("Find(%q) = %d, %t, want %d", g.ID, n, ok, i)
		}
		for l, name := range g.Name {
			key := i18n.Locales[l].Tag() + " " + name
			if name == "" || strings.HasPrefix(name, "genre.") || seen[key] != "" {
				t.Errorf("%s is called %q, as %q is", g.ID, key, seen[key])
			}
			seen[key] = g.ID
		}
		if got, ok := genre.Label(g.ID, i18n.FR); !ok || got != g.Name[i18n.FR] {
			t.Errorf("Label(%q) = %q, %t", g.ID, got, ok)
		}
	}
	if _, ok := genre.Find("no such"); ok {
		t.Error("an unknown id is found")
	}
	if _, ok := genre.Label("", i18n.EN); ok {
		t.Error("an empty id has a label")
	}
}

// TestLabelsMeanTheirGenre checks that a tag that is the label of a genre, in
// any locale, or its id, means at least that genre.
func TestLabelsMeanTheirGenre(t *testing.T) {
	for _, g := range genre.All() {
		for _, tag := range append(slices.Clone(g.Name[:]), g.ID) {
			if got := genre.Of([]string{tag}); !slices.Contains(got, g.ID) {
				t.Errorf("%q means %v, want %s", tag, got, g.ID)
			}
		}
	}
}

func TestSet(t *testing.T) {
	var a, b genre.Set
	a.Add(0)
	a.Add(63)
	b.Add(64)
	b.Add(127)
	b.Add(0)
	u := a.Union(b)
	if d := cmp.Diff([]int{0, 63, 64, 127}, slices.Collect(u.Numbers())); d != "" || u.Len() != 4 {
		t.Errorf("%d genres (-want +got):\n%s", u.Len(), d)
	}
}

// stations returns the tags of the real stations that have some, or skips the
// test.
func stations(t testing.TB) (tags [][]string) {
	t.Helper()
	f, err := os.Open("../../../../shared/data/catalog/radio-browser/stations.json.gz")
	if err != nil {
		t.Skip("no ../shared/data")
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Tags string `json:"tags"`
	}
	if err := json.NewDecoder(z).Decode(&rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if strings.Trim(row.Tags, ", ") != "" {
			tags = append(tags, strings.Split(row.Tags, ","))
		}
	}
	return tags
}

// TestCoverage checks that at least nine of ten tagged stations have a genre,
// and that every genre has stations.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the real stations")
	}
	all := stations(t)
	sorted, by := 0, map[string]int{}
	for _, tags := range all {
		ids := genre.Of(tags)
		sorted += min(len(ids), 1)
		for _, id := range ids {
			by[id]++
		}
	}
	t.Logf("%d of %d tagged stations have a genre", sorted, len(all))
	if sorted*10 < len(all)*9 {
		t.Errorf("%d of %d tagged stations have a genre, want nine of ten", sorted, len(all))
	}
	for _, g := range genre.All() {
		if by[g.ID] < 10 {
			t.Errorf("%s has %d stations", g.ID, by[g.ID])
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, tag := range []string{"", "rock clásico 80s", "r&b", "新闻", strings.Repeat("rock ", 100)} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		ids := genre.Of([]string{tag})
		last := -1
		for _, id := range ids {
			n, ok := genre.Find(id)
			if !ok || n <= last {
				t.Errorf("%q means %v", tag, ids)
			}
			last = n
		}
	})
}

func BenchmarkOf(b *testing.B) {
	all := stations(b)
	b.ResetTimer()
	i := 0
	for b.Loop() {
		genre.Of(all[i%len(all)])
		i++
	}
}
