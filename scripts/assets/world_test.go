package main

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"miramundo.dev/shared/site"
)

// TestDrawWorld draws the maps of the packages that are installed.
func TestDrawWorld(t *testing.T) {
	files, err := drawWorld("../../node_modules")
	if err != nil {
		t.Fatal(err)
	}
	var globe struct {
		Middles map[string][2]float64
		Dots    []string
	}
	if err := json.Unmarshal(files["globe.json"], &globe); err != nil {
		t.Fatal(err)
	}
	flat := string(files["world.svg"])
	for _, code := range append([]string{"mt", "re", "xk", "to"}, site.CommonFlags...) {
		if !strings.Contains(flat, `<g id="`+code+`">`) {
			t.Errorf("the flat map lacks %s", code)
		}
		if _, ok := globe.Middles[strings.ToUpper(code)]; !ok {
			t.Errorf("the globe lacks the middle of %s", code)
		}
	}
	if _, mt, _ := strings.Cut(flat, `<g id="mt">`); !strings.HasPrefix(mt, "<circle") {
		t.Error("Malta is not a dot on the flat map")
	}
	if !strings.Contains(string(files["cities.tsv"]), "\tSão Paulo\tBR\t-23.55\t-46.64\n") {
		t.Error("the cities lack São Paulo")
	}
}

func TestWorldOf(t *testing.T) {
	whole := map[string]string{"world.svg": plain, "globe.json": "{}", "cities.tsv": "1"}
	for _, test := range []struct {
		name, file, text, want string // want is part of the error; empty for none
	}{
		{"whole", "globe.json", "{}", ""},
		{"a missing file", "globe.json", "", "globe.json has 0 bytes"},
		{"a large file", "world.svg", strings.Repeat(" ", 200_000), "world.svg has 200000 bytes"},
		{"a script", "world.svg", `<svg><script>alert(1)</script></svg>`, "element script"},
	} {
		texts := maps.Clone(whole)
		texts[test.file] = test.text
		out, err := json.Marshal(texts)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := worldOf(out); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: worldOf = %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := worldOf([]byte("Error: no module")); err == nil {
		t.Error("read what is not JSON")
	}
}
