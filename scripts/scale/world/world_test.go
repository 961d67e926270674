package world

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func load(t *testing.T) *World {
	t.Helper()
	w, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestList has every value of the file by its name.
func TestList(t *testing.T) {
	names := map[string]Value{}
	for _, in := range load(t).List() {
		names[in.Name] = in.Value
	}
	if names["people.day"].Value != 10e6 || names["day.report"].Value == 0 || names["prices.reads"].Mark != Price {
		t.Errorf("the list lacks values: %v", names)
	}
}

// TestParseRefuses breaks the file in one place each.
func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ old, replaced, want string }{
		"an unknown value":   {`"zipf":`, `"zip":`, "unknown field"},
		"no unit":            {`"unit": "exponent"`, `"unit": ""`, "people.zipf must have a unit"},
		"an unknown mark":    {`"mark": "given"`, `"mark": "guessed"`, "people.day must have"},
		"a negative number":  {`{"value": 10000000,`, `{"value": -1,`, "people.day must be a number"},
		"hours of one weigh": {`"weights": [0.3, `, `"weights": [`, "hours must be 24 weights"},
	} {
		text := strings.Replace(string(worldJSON), test.old, test.replaced, 1)
		if text == string(worldJSON) {
			t.Errorf("%s: world.json has no %s", name, test.old)
		}
		if _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, test.want)
		}
	}
}

func TestReadGolden(t *testing.T) {
	got, err := ReadGolden("GET    /api/x/{id}   reads 0-3    writes 0      deletes 1\nPOST   /y  reads 2  writes 1-4  deletes 0-1\n")
	want := map[string]Span{
		"GET /api/x/{id}": {Documents{0, 0, 1}, Documents{3, 0, 1}},
		"POST /y":         {Documents{2, 1, 0}, Documents{2, 4, 1}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{"GET /x reads 1 writes 1\n", "GET /x reads a writes 1 deletes 0\n", "GET /x reads 1 writes 1- deletes 0\n"} {
		if _, err := ReadGolden(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestPrice has a price for each call, by the golden of the functions: a measured number
// outside of the pinned range counts as the end of the range.
func TestPrice(t *testing.T) {
	golden, err := LoadGolden("../../..")
	if err != nil {
		t.Fatal(err)
	}
	m, err := LoadMeasurement()
	if err != nil {
		t.Fatal(err)
	}
	m.Calls["history"] = Cost{Documents: Documents{Reads: 50, Writes: 0}}
	w := load(t)
	all, err := w.Price(m, golden)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(Calls) {
		t.Errorf("%d calls have a price, want %d", len(all), len(Calls))
	}
	for _, c := range all {
		if c.Name == "history" {
			if diff := cmp.Diff(golden["POST /api/history"].Most, c.Documents); diff != "" || !c.Pinned {
				t.Errorf("history, pinned %t (-want +got):\n%s", c.Pinned, diff)
			}
		}
	}
	delete(m.Calls, "home")
	delete(golden, "POST /api/history")
	w.Day["dance"] = Value{}
	_, err = w.Price(m, golden)
	for _, want := range []string{"no call home", "no line POST /api/history", "named day.dance"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}
