package overfound

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/source"
)

// TestOwnQueries checks that the set of the repository is large, in many
// languages, and without repeats.
func TestOwnQueries(t *testing.T) {
	list, err := load("")
	if err != nil {
		t.Fatal(err)
	}
	languages, asked := map[string]bool{}, map[string]bool{}
	for _, j := range list {
		languages[j.language] = true
		key := strings.Join([]string{j.kind, j.country, strings.ToLower(j.text)}, " ")
		if asked[key] {
			t.Errorf("%s is asked twice", key)
		}
		asked[key] = true
		if _, ok := i18n.Find(j.locale); !ok && j.locale != "" {
			t.Errorf("%s: %q is not a locale of the service", j.text, j.locale)
		}
	}
	if len(list) < 240 || len(languages) < 12 {
		t.Errorf("%d queries in %d languages, want 240 in 12", len(list), len(languages))
	}
}

func TestReadQueriesRefuses(t *testing.T) {
	const good = "c\ten\t\t\ttv\tone\tid=1"
	for _, c := range []struct{ name, line string }{
		{"a column too few", "c\ten\t\ttv\tone\tid=1"},
		{"no class", strings.Replace(good, "c\t", "\t", 1)},
		{"no text", strings.Replace(good, "one", "", 1)},
		{"another kind", strings.Replace(good, "tv", "film", 1)},
		{"no answers", strings.Replace(good, "id=1", "", 1)},
		{"an unknown field", strings.Replace(good, "id=1", "size=1", 1)},
		{"a field without a value", strings.Replace(good, "id=1", "id=", 1)},
		{"a broken regexp", strings.Replace(good, "id=1", "name~(", 1)},
		{"a place without a longitude", strings.Replace(good, "id=1", "near=1", 1)},
	} {
		if _, err := readQueries(strings.NewReader(columns + "\n" + c.line)); err == nil || !strings.HasPrefix(err.Error(), "line 2:") {
			t.Errorf("%s: error %v, want one that names line 2", c.name, err)
		}
	}
	if _, err := readQueries(strings.NewReader(good)); err == nil {
		t.Error("a file without its columns is read")
	}
	if list, err := readQueries(strings.NewReader("# comment\n" + columns + "\n\n" + good)); err != nil || len(list) != 1 {
		t.Errorf("%d queries, %v; want 1", len(list), err)
	}
}

func TestAnswers(t *testing.T) {
	berlin := &catalog.Record{ID: "b", Kind: catalog.Station, Name: "Fritz", AltNames: []string{"Radio Fritz"}, Country: "DE", Subdivision: "DE-BE",
		Languages: []string{"deu"}, Radio: &catalog.Radio{Tags: []string{"pop rock"}, Geo: &catalog.Geo{Lat: 52.4, Lon: 13.1}}}
	news := &catalog.Record{ID: "News.br", Name: "News", Country: "BR", Categories: []string{"news", "general"}}
	for _, c := range []struct {
		answers      string
		berlin, news bool
	}{
		{"id=News.br", false, true},
		{"name~^RADIO", true, false},
		{"name=fritz", false, false},
		{"country=BR & category=news", false, true},
		{"country=DE & category=news", false, false},
		{"country=DE & category=news | language=deu", true, false},
		{"tag~rock | category=general", true, true},
		{"tag=rock", false, false},
		{"subdivision=DE-BE", true, false},
		{"near=52.52,13.40", true, false},
		{"near=53.55,9.99", false, false},
	} {
		a, err := readAnswers(c.answers)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]bool{c.berlin, c.news}, []bool{a.accept(berlin), a.accept(news)}); diff != "" {
			t.Errorf("%s accepts (-want +got):\n%s", c.answers, diff)
		}
	}
}

// fixture is a small catalog: two channels that play, one that does not, and
// three stations of one name.
func fixture() *catalog.Register {
	streams := func(id int) []catalog.StreamRecord {
		return []catalog.StreamRecord{{ID: catalog.StreamID(id), URL: "https://a.example/", Kind: catalog.StreamHLS, Playable: true}}
	}
	station := func(id, name string, n, votes int) catalog.Record {
		return catalog.Record{ID: id, Kind: catalog.Station, Name: name, Streams: streams(n), Radio: &catalog.Radio{Votes: votes}}
	}
	return &catalog.Register{Records: []catalog.Record{
		{ID: "Alpha.br", Name: "Alpha", Streams: streams(1)},
		{ID: "Beta.br", Name: "Beta", Streams: streams(2)},
		{ID: "Gamma.br", Name: "Gamma"},
		station("rb.1", "Delta One", 3, 1), station("rb.2", "Delta Three", 4, 900), station("rb.3", "Delta Two", 5, 30),
	}}
}

// TestAsk checks what is counted of a query: the state of its answers, and the
// place in the search and in the two simple ones.
func TestAsk(t *testing.T) {
	ix, err := index.Build(fixture())
	if err != nil {
		t.Fatal(err)
	}
	s := newSearcher(index.NewView(ix, index.Overlay{}, catalog.LinkBase{}))
	for _, c := range []struct {
		kind, text, answers string
		want                result
	}{
		{"tv", "alpha", "id=Alpha.br", result{playable, 0, 1, "Alpha [Alpha.br, ]", 0, 0}},
		{"tv", "gamma", "id=Gamma.br", result{known, 0, 1, "Gamma [Gamma.br, ]", 0, 0}},
		{"tv", "delta", "id=rb.1", result{absent, nowhere, 0, "nothing", nowhere, nowhere}},
		{"tv", "alpha", "id=Beta.br", result{playable, nowhere, 1, "Alpha [Alpha.br, ]", nowhere, nowhere}},
		{"radio", "delta", "id=rb.2", result{playable, 0, 3, "Delta Three [rb.2, ]", 1, 0}},
		{"radio", "delta", "name~two", result{playable, 1, 3, "Delta Three [rb.2, ]", 2, 1}},
	} {
		a, err := readAnswers(c.answers)
		if err != nil {
			t.Fatal(err)
		}
		got := s.ask(&judged{kind: c.kind, text: c.text, answers: a})
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(result{})); diff != "" {
			t.Errorf("%s %q for %s (-want +got):\n%s", c.kind, c.text, c.answers, diff)
		}
	}
}

// TestRun checks that the shares of a file are printed, its misses listed, and
// that a missed goal fails only a run that enforces the goals.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "queries.tsv")
	lines := columns + "\nc\ten\t\t\ttv\talpha\tid=Alpha.br\nc\ten\t\tBR\ttv\tbeta\tid=Alpha.br\nc\ten\t\t\ttv\tgamma\tid=Gamma.br\nc\ten\t\t\ttv\tdelta\tid=none\n"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	o := Options{Name: "fixture", Register: fixture(), Queries: file, Misses: true}
	r := report.New(&out)
	if err := Run(r, o); err != nil {
		t.Fatal(err)
	}
	r.Flush()
	for _, want := range []string{
		"4 queries", "all 2 50.0 50.0 0.0 50.0 50.0 50.0 50.0", "known, nothing plays (playable=0) 1 100.0", "absent from this catalog 1",
		"c missed tv beta (-BR) Beta [Beta.br, ]", "c absent tv delta nothing", "the answer is first, % 50.0 92 MISSED",
	} {
		if text := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(text, want) {
			t.Errorf("the output lacks %q:\n%s", want, text)
		}
	}
	o.Enforce = true
	if err := Run(r, o); !errors.Is(err, ErrMissed) {
		t.Errorf("error %v of a run that misses its goals, want ErrMissed", err)
	}
}

// TestNameSets checks which names of feeds and folded stations are asked, and
// which records bear them.
func TestNameSets(t *testing.T) {
	reg := fixture()
	reg.ChannelAliases = map[string]string{"rb.old": "rb.1", "rb.same": "rb.2", "rb.gone": "rb.9"}
	records := map[string]*catalog.Record{}
	for i := range reg.Records {
		records[reg.Records[i].ID] = &reg.Records[i]
	}
	ds := &source.Dataset{
		Feeds: []source.Feed{
			{Channel: "Alpha.br", ID: "SD", Name: "SD", Main: true, AltNames: []string{"Nacional"}},
			{Channel: "Alpha.br", ID: "North", Name: "North", AltNames: []string{"Norte"}},
			{Channel: "Unknown.br", ID: "North", Name: "North"},
		},
		Stations: []source.Station{{UUID: "OLD", Name: "Epsilon"}, {UUID: "same", Name: "delta  three"}, {UUID: "gone", Name: "Zeta"}, {UUID: "1", Name: "Eta"}},
	}
	feeds, folded := feedNames(ds, records), foldedNames(ds, reg, records)
	want := []askedName{{"Alpha Nacional", "Alpha.br"}, {"Alpha North", "Alpha.br"}, {"Alpha Norte", "Alpha.br"}}
	if diff := cmp.Diff(want, feeds.asked, cmp.AllowUnexported(askedName{})); diff != "" {
		t.Errorf("names of feeds (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]askedName{{"Epsilon", "rb.1"}}, folded.asked, cmp.AllowUnexported(askedName{})); diff != "" {
		t.Errorf("names of folded stations (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]bool{"rb.1": true}, folded.bearers["epsilon"]); diff != "" {
		t.Errorf("bearers of a folded name (-want +got):\n%s", diff)
	}
}

// TestNamesPart checks that a name that a record bears is found, and that one
// that the search cannot reach is listed.
func TestNamesPart(t *testing.T) {
	reg := fixture()
	reg.Records[3].AltNames = []string{"Epsilon"}
	reg.ChannelAliases = map[string]string{"rb.4": "rb.1", "rb.5": "rb.1"}
	ds := &source.Dataset{Stations: []source.Station{{UUID: "4", Name: "Epsilon"}, {UUID: "5", Name: "Omega"}}}
	var out bytes.Buffer
	r := report.New(&out)
	if err := Run(r, Options{Name: "fixture", Register: reg, Dataset: ds, Misses: true}); err != nil {
		t.Fatal(err)
	}
	r.Flush()
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"name of a folded station 2 50.0 50.0 50.0 MISSED", "name of a folded station missed radio Omega rb.1"} {
		if !strings.Contains(text, want) {
			t.Errorf("the output lacks %q:\n%s", want, text)
		}
	}
}

// TestOwnNames checks that the names of the records of a kind are asked, and
// their alternative names apart.
func TestOwnNames(t *testing.T) {
	reg := fixture()
	reg.Records[3].AltNames = []string{"Epsilon", "!"}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearcher(index.NewView(ix, index.Overlay{}, catalog.LinkBase{}))
	records := map[string]*catalog.Record{}
	for i := range s.records {
		records[s.records[i].ID] = &s.records[i]
	}
	for _, c := range []struct {
		kind        catalog.Kind
		alternative bool
		want        []string
	}{
		{catalog.TV, false, []string{"Alpha", "Beta", "Gamma"}},
		{catalog.TV, true, nil},
		{catalog.Station, false, []string{"Delta One", "Delta Three", "Delta Two"}},
		{catalog.Station, true, []string{"Epsilon"}},
	} {
		set := ownNames(c.kind, c.alternative, s, records)
		var got []string
		for _, name := range set.asked {
			got = append(got, name.text)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) || set.goal {
			t.Errorf("%s: asks %q with goal %v, want %q without", set.title, got, set.goal, c.want)
		}
		if sum, lost := s.askNames(set, records); sum.five != len(c.want) || len(lost) > 0 {
			t.Errorf("%s: %d of %d found, %v lost", set.title, sum.five, len(c.want), lost)
		}
	}
}
