package site

import (
	"testing"

	"miramundo.dev/shared/i18n"
)

// TestInterface checks the paths that the interface names.
func TestInterface(t *testing.T) {
	for l, want := range [5][4]string{
		{"/", "/brasil", "/como-usar", "/sobre"},
		{"/en", "/en/brazil", "/en/how-to", "/en/about"},
		{"/es", "/es/brasil", "/es/como-usar", "/es/acerca"},
		{"/fr", "/fr/bresil", "/fr/mode-emploi", "/fr/a-propos"},
		{"/de", "/de/brasilien", "/de/anleitung", "/de/ueber"},
	} {
		l := i18n.Locale(l)
		brazil, _ := CountryPath(l, "BR")
		if got := [4]string{Home.Path(l, ""), brazil, Guide.Path(l, ""), About.Path(l, "")}; got != want {
			t.Errorf("%s: %q, want %q", l, got, want)
		}
	}
}

// TestCountries checks that each country has an address of its own in each
// locale, which is no other page's.
func TestCountries(t *testing.T) {
	for _, l := range i18n.Locales {
		taken := map[string]Page{}
		for _, p := range Pages {
			if p != Country {
				taken[p.Path(l, "x")] = p
			}
		}
		for _, other := range i18n.Locales[1:] {
			taken["/"+other.Tag()] = Home
		}
		n := 0
		taken[OfflinePath(l)] = Nowhere
		for code, slug := range countriesByLocale()[l].slugs {
			path, ok := CountryPath(l, code)
			if p, other := taken[path]; other {
				t.Errorf("%s: %s is at %s, as is %s", l, code, path, p)
			}
			back, found := CountryOf(l, slug)
			if !ok || !found || back != code {
				t.Errorf("%s: %s is at %s, which is %s", l, code, path, back)
			}
			if Slug(slug) != slug {
				t.Errorf("%s: the slug of %s is %q", l, code, slug)
			}
			n++
		}
		if n < 240 {
			t.Errorf("%s: %d countries", l, n)
		}
	}
	if _, ok := CountryPath(i18n.EN, "QQ"); ok {
		t.Error("QQ has a page")
	}
	if _, ok := CountryOf(i18n.EN, "brasil"); ok {
		t.Error("a slug of another locale is found")
	}
}

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"Brésil": "bresil", "Åland Islands": "aland-islands", "Côte d’Ivoire": "cote-divoire", "São Tomé & Príncipe": "sao-tome-principe",
		"Färöer": "faroer", " -- ": "", "Hong Kong (RAE)": "hong-kong-rae",
	} {
		if got := Slug(text); got != want {
			t.Errorf("Slug(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPath(t *testing.T) {
	for got, want := range map[string]string{
		Channel.Path(i18n.PT, "a/b?c.br"): "/canal/a%2Fb%3Fc.br", Channel.Path(i18n.FR, "Aurora.br"): "/fr/chaine/Aurora.br",
		EmbedPath(i18n.PT, "a/b.br"): "/embed/a%2Fb.br", EmbedPath(i18n.DE, "x"): "/de/embed/x", EmbedTemplate(i18n.FR): "/fr/embed/{id}", OfflinePath(i18n.PT): "/offline", OfflinePath(i18n.ES): "/es/offline",
		Home.Template(i18n.PT): "/", Home.Template(i18n.DE): "/de", Channel.Template(i18n.DE): "/de/sender/{id}", Country.Template(i18n.PT): "/{id}",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestLocaleOf(t *testing.T) {
	for path, want := range map[string]string{"/": "", "/en": "en", "/en/x": "en", "/english": "", "/de/": "de", "/pt": "", "": ""} {
		if l, ok := LocaleOf(path); ok != (want != "") || ok && l.Tag() != want {
			t.Errorf("LocaleOf(%q) = %s, %t", path, l, ok)
		}
	}
}

// TestNowhere checks that the error page has a name, and that its path is
// that of the home page.
func TestNowhere(t *testing.T) {
	for _, l := range i18n.Locales {
		if Nowhere.Path(l, "x") != Home.Path(l, "") {
			t.Errorf("%s: nowhere is at %s", l, Nowhere.Path(l, "x"))
		}
	}
	if Nowhere.String() != "error" || Nowhere.Named() {
		t.Errorf("nowhere is %s, named %t", Nowhere, Nowhere.Named())
	}
}

// TestPersonal lists the pages that search engines do not index, so that a
// new page is considered.
func TestPersonal(t *testing.T) {
	personal := map[string]bool{"library": true, "favorites": true, "history": true, "purchases": true, "moderation": true, "operator": true, "error": true}
	for _, name := range []string{
		"signin", "account", "security", "sessions", "keys", "organizations", "organization", "invitation", "devices", "device", "privacy",
	} {
		personal[name] = true
	}
	for _, p := range append([]Page{Nowhere}, Pages...) {
		if p.Personal() != personal[p.String()] {
			t.Errorf("%s is personal: %t", p, p.Personal())
		}
	}
}
