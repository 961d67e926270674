package filter_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/i18n"
)

// fields returns the index of each field of Selection by the name of its
// parameter.
func fields(t *testing.T) map[string]int {
	t.Helper()
	byName := map[string]int{}
	typ := reflect.TypeFor[filter.Selection]()
	for i := range typ.NumField() {
		byName[typ.Field(i).Tag.Get("query")] = i
	}
	return byName
}

// given returns a value that a request may give a filter and that is not what
// a request without it means.
func given(id filter.ID) string {
	switch id {
	case filter.Playable:
		return "0"
	case filter.Guide, filter.Online:
		return "1"
	case filter.Sort:
		return "votes"
	case filter.Kind:
		return "radio"
	case filter.WorksIn:
		return "PT"
	case filter.Near:
		return "38.72,-9.14"
	case filter.Radius:
		return "120"
	}
	return "some"
}

// set gives a filter a value as package input does: by reflection.
func set(t *testing.T, s *filter.Selection, id filter.ID, value string) {
	t.Helper()
	field := reflect.ValueOf(s).Elem().Field(fields(t)[filter.All[id].Name])
	if field.Kind() == reflect.Bool {
		field.SetBool(value == "1")
		return
	}
	if field.Kind() == reflect.Int {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		field.SetInt(n)
		return
	}
	field.SetString(value)
}

// TestTable checks that each filter has a field and a row that mean the same,
// and that each row says what its way of selecting needs.
func TestTable(t *testing.T) {
	byName := fields(t)
	if len(byName) != int(filter.Count) {
		t.Errorf("Selection has %d parameters, the table %d", len(byName), filter.Count)
	}
	for id := range filter.Count {
		f := filter.All[id]
		if _, ok := byName[f.Name]; !ok {
			t.Errorf("%q (number %d) has no field in Selection", f.Name, id)
			continue
		}
		s := filter.Selection{Playable: true}
		if s.IsSet(id) {
			t.Errorf("%s: an empty selection has it", f.Name)
		}
		set(t, &s, id, given(id))
		if got := s.Value(id); got != given(id) {
			t.Errorf("%s: Value is %q after its field was set to %q", f.Name, got, given(id))
		}
		if d := cmp.Diff([][2]string{{f.Name, given(id)}}, s.Pairs()); d != "" {
			t.Errorf("%s: pairs (-want +got):\n%s", f.Name, d)
		}
		if s.Clear(id); s != (filter.Selection{Playable: true}) {
			t.Errorf("%s: after Clear %+v", f.Name, s)
		}
		if (f.Match == filter.ByValue) != (f.Values != nil) || f.Match == 0 {
			t.Errorf("%s: matches by %d, with values %t", f.Name, f.Match, f.Values != nil)
		}
		if (s.Flag(id) != nil) != (f.Chosen != "") {
			t.Errorf("%s: a flag has a word for when it is chosen, a text has none", f.Name)
		}
	}
}

// TestAppendJSON checks that the wire struct of the search page has a member for
// each filter and that AppendJSON writes it as encoding/json does.
func TestAppendJSON(t *testing.T) {
	typ := reflect.TypeFor[catalog.Filters]()
	var members, names []string
	for i := range typ.NumField() {
		members = append(members, typ.Field(i).Tag.Get("json"))
	}
	for _, f := range filter.All {
		names = append(names, f.Name)
	}
	if d := cmp.Diff(names, members); d != "" {
		t.Fatalf("catalog.Filters has other members than the table (-table +struct):\n%s", d)
	}
	all := filter.Selection{}
	for id := range filter.Count {
		set(t, &all, id, given(id))
	}
	for _, s := range []filter.Selection{{}, {Playable: true}, all, {Q: "a \"b\" <c>\u2028", Country: "BR"}} {
		text := s.AppendJSON(nil)
		var wire catalog.Filters
		if err := json.Unmarshal(text, &wire); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(wire); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.TrimSpace(b.String()), string(text)); d != "" {
			t.Errorf("(-encoding/json +AppendJSON):\n%s", d)
		}
		var back map[string]any
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		for id := range filter.Count {
			want := any(s.Value(id))
			if flag := s.Flag(id); flag != nil {
				want = *flag
			}
			if n := s.Number(id); n != nil {
				want = float64(*n)
			}
			if got := back[filter.All[id].Name]; s.IsSet(id) && got != want {
				t.Errorf("%s is written as %v, not %v", filter.All[id].Name, got, want)
			}
		}
	}
}

func TestNormalize(t *testing.T) {
	s := filter.Selection{Q: " globo ", Country: "uk", Language: "pt", Tag: "RocK", Category: "News", Network: " A "}
	s.Normalize()
	want := filter.Selection{Q: "globo", Country: "GB", Language: "por", Tag: "rock", Category: "News", Network: " A "}
	if d := cmp.Diff(want, s); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	plain := filter.Selection{Q: "globo", Country: "GB", Tag: "rock"}
	if n := testing.AllocsPerRun(100, func() { plain.Normalize() }); n != 0 {
		t.Errorf("a normalized selection costs %v allocations to normalize", n)
	}
}

// names is a catalog that names one category, one language and one place.
type names struct{}

func (names) CategoryName(id string, _ int) (string, bool) { return "News", id == "news" }
func (names) LanguageName(code string, _ int) (string, bool) {
	return "Brazilian", code == "por"
}
func (names) PlaceName(code string) (string, bool) { return "Bahia", code == "BR-BA" }

func TestLabel(t *testing.T) {
	for _, test := range []struct {
		id          filter.ID
		value, want string
	}{
		{filter.Country, "BR", "Brazil"},
		{filter.Country, "QQQ", "QQQ"},
		{filter.Category, "news", "News"},
		{filter.Category, "none", "none"},
		{filter.Language, "por", "Brazilian"},
		{filter.Language, "deu", "German"},
		{filter.Language, "qqq", "qqq"},
		{filter.Subdivision, "BR-BA", "Bahia"},
		{filter.City, "BRXXX", "BRXXX"},
		{filter.Tag, "rock", "rock"},
		{filter.Tag, "", ""},
		{filter.Genre, "love-songs", "Love songs"},
		{filter.Genre, "no-genre", "no-genre"},
		{filter.Kind, "radio", "Radio"},
		{filter.Kind, "all", "all"},
		{filter.WorksIn, "PT", "Portugal"},
	} {
		var s filter.Selection
		*s.Text(test.id) = test.value
		if got := s.Label(test.id, names{}, i18n.EN); got != test.want {
			t.Errorf("%s %q is labelled %q, want %q", filter.All[test.id].Name, test.value, got, test.want)
		}
	}
}

func TestAppliesTo(t *testing.T) {
	got := map[string][]string{}
	for _, f := range filter.All {
		for _, kind := range filter.Kinds {
			if !f.AppliesTo(kind) {
				got[f.Name] = append(got[f.Name], kind)
			}
		}
	}
	want := map[string][]string{"tag": {filter.TV, filter.Any}, "genre": {filter.TV, filter.Any}, "near": {filter.TV, filter.Any}, "category": {filter.Radio}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("kinds to which filters do not apply (-want +got):\n%s", d)
	}
}
