package index_test

import (
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

func TestPlaceName(t *testing.T) {
	reg := &catalog.Register{
		Subdivisions: []catalog.Subdivision{{Code: "US-CA", Country: "US", Name: "California"}, {Code: "BR-SP", Country: "BR", Name: "São Paulo, the state"}, {Code: "DE-BY", Country: "DE"}},
		Cities:       []catalog.City{{Code: "USNYC", Country: "US", Name: "New York"}, {Code: "BRSAO", Country: "BR", Subdivision: "BR-SP", Name: "São Paulo"}},
	}
	for name, reg := range map[string]*catalog.Register{"empty": {}, "full": reg} {
		v := index.NewView(build(t, reg), index.Overlay{}, links)
		for code, want := range map[string]string{
			"US-CA": "California", "BR-SP": "São Paulo, the state", "USNYC": "New York", "BRSAO": "São Paulo", "DE-BY": "", "": "", "BR": "", "BRSAO ": "", "ZZZZZ": "", "São Paulo": "",
		} {
			if name == "empty" {
				want = ""
			}
			if got, ok := v.PlaceName(code); got != want || ok != (want != "") {
				t.Errorf("%s: PlaceName(%q) = %q, %t, want %q", name, code, got, ok, want)
			}
		}
	}
}
