package part

import (
	"fmt"
	"testing"
	"unicode/utf8"
)

func TestLettering(t *testing.T) {
	for name, want := range map[string][2]string{
		"arte":                           {"arte", "0"},
		"Canal Once":                     {"Canal Once", "1"},
		"24 Horas":                       {"24 Horas", "1"},
		"TV5Monde":                       {"TV5Monde", "2"},
		"France 24 English":              {"France 24 English", "2"},
		"Deutsche Welle":                 {"Deutsche Welle", "2"},
		"Al Jazeera Documentary":         {"Al Jazeera Documentary", "3"},
		"Radio Nacional de la Provincia": {"Radio Nacional de la Provincia", "3"},
		"Rede Brasileira de Notícias da Manhã e da Tarde e da Noite Inteira e do Dia": {"Rede Brasileira de Notícias da Manhã e da Tarde e da Noite Inteira …", "4"},
		"Donaudampfschifffahrtsgesellschaft":                                          {"Donaudampfschif…", "4"},
		"日本放送協会テレビ":                                                                   {"日本放送協会テレビ", "4"},
		"NHK 総合":                                                                      {"NHK 総合", "1"},
		"«…» 3sat":                                                                    {"3sat", "0"},
		"MANGOBAND":                                                                   {"MANGOBAND", "3"},
		"WWWWWWWWWW":                                                                  {"WWWWWWWWW…", "4"},
		"BandaNova":                                                                   {"BandaNova", "3"},
		"e\u0301cran":                                                                 {"e\u0301cran", "0"},
		"الأولى":                                                                      {"الأولى", "1"},
		"🏴\u200d☠️ 🎵":                                                                 {"", ""},
		"":                                                                            {"", ""},
		"  \t ":                                                                       {"", ""},
	} {
		text, size := lettering(name)
		if got := [2]string{text, size}; got != want {
			t.Errorf("lettering(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzLettering(f *testing.F) {
	f.Add("Canal Once")
	f.Add("\xff\xfe a")
	f.Add("漢字 漢字漢字漢字漢字漢字 é")
	f.Fuzz(func(t *testing.T, name string) {
		text, size := lettering(name)
		if (text == "") != (size == "") {
			t.Errorf("lettering(%q) = %q, %q", name, text, size)
		}
		last := fits[len(fits)-1]
		if n := columns(text); n > (last.line+space)*last.lines+column('…') {
			t.Errorf("lettering(%q) = %q, %d columns", name, text, n)
		}
		if utf8.ValidString(name) && !utf8.ValidString(text) {
			t.Errorf("lettering(%q) = %q", name, text)
		}
	})
}

// TestTone checks that ids have steady colours, all of which occur. The script's
// test in the browser suite compares with these.
func TestTone(t *testing.T) {
	for id, want := range map[string]string{"": "1", "France24.fr": "8"} {
		if got := tone(id); got != want {
			t.Errorf("tone(%q) = %s, want %s", id, got, want)
		}
	}
	found := map[string]bool{}
	for i := range 200 {
		found[tone(fmt.Sprintf("C%d.br", i))] = true
	}
	if len(found) != Tones {
		t.Errorf("%d colours of 200 channels, want %d", len(found), Tones)
	}
}

func TestSign(t *testing.T) {
	for _, tt := range []struct {
		category string
		radio    bool
		want     string
	}{{"news", false, "news"}, {"news", true, "news"}, {"", true, "radio"}, {"", false, ""}, {"general", false, ""}, {`"><b>`, false, ""}} {
		if got := sign(tt.category, tt.radio); got != tt.want {
			t.Errorf("sign(%q, %v) = %q, want %q", tt.category, tt.radio, got, tt.want)
		}
	}
}

// TestGround checks which plate a logo stands on. The script's test in the browser
// suite has the same logos.
func TestGround(t *testing.T) {
	for url, want := range map[string][2]string{
		"/logos/abc":                       {"", ""},
		"/logos/0123456789abcdef":          {"", ""},
		"/logos/0123456789abcdef--l":       {"", ""},
		"/logos/0123456789abcdef--d":       {"dark", ""},
		"/logos/0123456789abcdef--a":       {"any", ""},
		"/logos/0123456789abcdef--1f5f92":  {"", "#1f5f92"},
		"/logos/0123456789abcdef--1f5f92;": {"", ""},
	} {
		plate, fill := ground(url)
		if got := [2]string{plate, fill}; got != want {
			t.Errorf("ground(%q) = %q, want %q", url, got, want)
		}
	}
}

func TestSmall(t *testing.T) {
	for name, want := range map[string][2]string{
		"arte":                                {"arte", "0"},
		"Canal Once":                          {"Canal Once", "1"},
		"Al Jazeera Documentary":              {"AJ", "0"},
		"MANGOBAND":                           {"M", "0"},
		"- 0 n - 60s on Radio more":           {"0N", "0"},
		"(((ondas))) «altas» mar longe daqui": {"ML", "0"},
		"🎵":                                   {"", ""},
	} {
		p := Plate{}
		p.Letters, p.Size = lettering(name)
		p = p.Small(name)
		if got := [2]string{p.Letters, p.Size}; got != want {
			t.Errorf("Small of %q is %q, want %q", name, got, want)
		}
	}
}
