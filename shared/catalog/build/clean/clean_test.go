package clean

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"Globo", "Globo"},
		{"  TV\t Cultura \r\n", "TV Cultura"},
		{"a\x00b\u0085c", "a b c"},
		{"bad\xffutf8", "badutf8"},
		{"\u202Eevil\u2066x", "evilx"},
		{"\uFEFFBOM", "BOM"},
		{"قناة الجزيرة", "قناة الجزيرة"},
		{strings.Repeat("é", 200), strings.Repeat("é", 150)},
	} {
		if got := Text(test.in, 300); got != test.want {
			t.Errorf("Text(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestCountry(t *testing.T) {
	for in, want := range map[string]string{"UK": "GB", "uk": "GB", "br": "BR", " XK ": "XK", "": "", "BRA": "", "1A": "", "ÄÖ": ""} {
		if got := Country(in); got != want {
			t.Errorf("Country(%q) = %q, want %q", in, got, want)
		}
	}
}
