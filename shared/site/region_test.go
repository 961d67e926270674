package site

import (
	"testing"

	"miramundo.dev/shared/i18n"
)

func TestRegionOf(t *testing.T) {
	for code, want := range map[string]string{
		"BR": "005", "MX": "013", "US": "003", "CU": "029", "XK": "150", "ZA": "002", "TR": "142", "NZ": "009", "ZZ": "", "150": "", "": "", "brazil": "",
	} {
		if got := RegionOf(code); got != want {
			t.Errorf("RegionOf(%q) = %q, want %q", code, got, want)
		}
	}
	names := map[string]bool{}
	for _, l := range i18n.Locales {
		for _, number := range Regions {
			name, ok := i18n.RegionName(number, l)
			if !ok || names[l.Tag()+name] {
				t.Errorf("region %s is named %q in %s", number, name, l.Tag())
			}
			names[l.Tag()+name] = true
		}
	}
}
