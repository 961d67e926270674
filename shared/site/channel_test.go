package site

import (
	"testing"

	"miramundo.dev/shared/i18n"
)

func TestChannelOf(t *testing.T) {
	for path, want := range map[string]Address{
		"/canal/Aurora.br":          {"Aurora.br", i18n.PT, true},
		"/es/canal/Aurora.br":       {"Aurora.br", i18n.ES, true},
		"/fr/chaine/A%2FB%20c":      {"A/B c", i18n.FR, true},
		"/de/sender/rb.0-1":         {"rb.0-1", i18n.DE, true},
		"/embed/Aurora.br":          {"Aurora.br", i18n.PT, true},
		"/en/embed/Aurora.br":       {"Aurora.br", i18n.EN, true},
		"/c/Aurora.br":              {"Aurora.br", i18n.PT, false},
		"/":                         {},
		"":                          {},
		"/canal":                    {},
		"/canal/":                   {},
		"/canal/Aurora.br/":         {},
		"/canal/a/b":                {},
		"/canal/%zz":                {},
		"/en/canal/Aurora.br":       {},
		"/fr/channel/Aurora.br":     {},
		"//canal/Aurora.br":         {},
		"/api/channels/Aurora.br":   {},
		"https://x/canal/Aurora.br": {},
	} {
		got, ok := ChannelOf(path, "/c/")
		if ok != (want.Channel != "") || ok && got != want {
			t.Errorf("ChannelOf(%q) = %+v, %t, want %+v", path, got, ok, want)
		}
	}
	for _, l := range i18n.Locales { // what the site writes it reads
		for _, path := range []string{Channel.Path(l, "A/B?c#d é"), EmbedPath(l, "A/B?c#d é")} {
			if got, ok := ChannelOf(path, "/c/"); !ok || got != (Address{"A/B?c#d é", l, true}) {
				t.Errorf("ChannelOf(%q) = %+v, %t", path, got, ok)
			}
		}
	}
}
