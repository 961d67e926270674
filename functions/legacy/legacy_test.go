package legacy

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/i18n"
)

func serve() http.Handler {
	return request.Handler(request.Options{}, New("https://base.example"), Endpoints)
}

func get(h http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestParameters checks what the page understands of a query.
func TestParameters(t *testing.T) {
	h := serve()
	for _, test := range []struct {
		name, query, accept string
		lang, theme, stream string
	}{
		{"nothing", "", "", "pt-BR", "", ""},
		{"all", "stream=s_1&lang=de&theme=dark", "", "de", "dark", "s_1"},
		{"the other theme", "theme=light", "", "pt-BR", "light", ""},
		{"the caller's language", "", "fr-CA,fr;q=0.9", "fr", "", ""},
		{"the parameter before the caller's language", "lang=es", "fr", "es", "", ""},
		{"a region", "lang=pt-BR", "", "pt-BR", "", ""},
		{"an unknown language", "lang=xx", "en", "en", "", ""},
		{"an unknown theme", "theme=blue", "", "pt-BR", "", ""},
		{"a theme that breaks out", `theme=dark"><script>`, "", "pt-BR", "", ""},
		{"repeated", "lang=en&lang=de&theme=dark&theme=light&stream=a&stream=b", "", "en", "dark", "a"},
		{"long", "lang=" + strings.Repeat("x", 9000) + "&theme=" + strings.Repeat("y", 9000), "", "pt-BR", "", ""},
		{"a long stream", "stream=" + strings.Repeat("x", 5000), "", "pt-BR", "", ""},
		{"a stream that breaks out", "stream=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "", "pt-BR", "", "&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"a stream of an address", "stream=javascript:alert(1)", "", "pt-BR", "", "javascript:alert(1)"},
		{"not UTF-8", "stream=a%FFb&lang=%FF&theme=%FE", "", "pt-BR", "", "ab"},
		{"controls", "stream=a%00%0Ab", "", "pt-BR", "", "a\ufffd\nb"},
		{"no query", "%zz&;&=", "", "pt-BR", "", ""},
	} {
		w := get(h, "/?"+test.query, "Accept-Language", test.accept)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Fatalf("%s: answers %d %s", test.name, w.Code, w.Header().Get("Content-Type"))
		}
		body := w.Body.String()
		if got := attribute(body, "html", "lang"); got != test.lang {
			t.Errorf("%s: language %q, want %q", test.name, got, test.lang)
		}
		if got := attribute(body, "html", "data-theme"); got != test.theme {
			t.Errorf("%s: theme %q, want %q", test.name, got, test.theme)
		}
		if got := attribute(body, "body", "data-stream"); got != test.stream {
			t.Errorf("%s: stream %q, want %q", test.name, got, test.stream)
		}
		if strings.Contains(body, "alert(1)</script>") || strings.Contains(body, `href="javascript:`) {
			t.Errorf("%s: the query is part of the page", test.name)
		}
	}
}

// attribute returns the text of an attribute of the first such tag.
func attribute(body, tag, name string) string {
	m := regexp.MustCompile(`<` + tag + `(?:\s[^>]*?)?\s` + name + `="([^"]*)"`).FindStringSubmatch(body)
	if m == nil {
		return ""
	}
	return m[1]
}

// TestHeaders checks what keeps the page apart.
func TestHeaders(t *testing.T) {
	h := serve()
	got := get(h, "/?stream=s_1", "Origin", "https://evil.example").Header()
	want := http.Header{
		"Cache-Control":                {"no-cache"},
		"Content-Type":                 {"text/html; charset=utf-8"},
		"Vary":                         {"Accept-Encoding, Accept-Language"},
		"X-Content-Type-Options":       {"nosniff"},
		"Referrer-Policy":              {"no-referrer"},
		"X-Robots-Tag":                 {"noindex"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
		"Permissions-Policy":           {"camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()"},
		"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; worker-src 'self'; " +
			"connect-src http: https:; media-src http: https: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	}
	for _, name := range []string{"X-Request-Id", "Content-Length", "Etag"} {
		got.Del(name)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if body := get(h, "/").Body.String(); regexp.MustCompile(`(?i)\son\w+=|style=|<script(?: [^>]*)?>[^{<]|javascript:`).MatchString(body) {
		t.Errorf("the page has inline code or style:\n%s", body)
	}
}

// TestTexts checks that the page and its script say everything in every
// language.
func TestTexts(t *testing.T) {
	code, err := os.ReadFile("assets/player.js")
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`say\("([a-z_]+)"|texts\.([a-z]+)|texts\["([a-z_.]+)"\]|Failure\("([a-z_]+)"\)|return "([a-z_]+)"|return .*\? "([a-z_]+)" : "([a-z_]+)"`)
	found := 0
	for _, m := range said.FindAllStringSubmatch(string(code), -1) {
		for _, key := range m[1:] {
			if key == "" {
				continue
			}
			found++
			if !slices.Contains(scriptTexts, key) && !slices.Contains(scriptTexts, "fail."+key) {
				t.Errorf("the script shows %q, whose text the page lacks", key)
			}
		}
	}
	if found < len(scriptTexts) {
		t.Errorf("found %d texts in the script, which has %d or more", found, len(scriptTexts))
	}
	for _, key := range scriptTexts {
		if !i18n.Has("legacy." + key) {
			t.Errorf("no text legacy.%s", key)
		}
	}
	h := serve()
	titles := map[string]bool{}
	for _, l := range i18n.Locales {
		body := get(h, "/?lang="+l.Tag()).Body.String()
		if m := regexp.MustCompile(`legacy\.[a-z_.]+`).FindString(body); m != "" {
			t.Errorf("%s: the page shows the key %s", l, m)
		}
		titles[l.T("legacy.title", nil)] = true
		for _, key := range []string{"title", "note", "retry", "theme_dark"} {
			if !strings.Contains(body, ">"+html.EscapeString(l.T("legacy."+key, nil))) {
				t.Errorf("%s: the page lacks the text %s", l, key)
			}
		}
	}
	if len(titles) != len(i18n.Locales) {
		t.Errorf("%d titles in %d languages", len(titles), len(i18n.Locales))
	}
}

// TestLinks checks that a change of language or theme keeps the rest.
func TestLinks(t *testing.T) {
	body := get(serve(), "/?stream=a%26lang=x&theme=dark&lang=en").Body.String()
	found := 0
	for _, m := range regexp.MustCompile(`href="(/\?[^"]*)"`).FindAllStringSubmatch(body, -1) {
		u, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
		if err != nil {
			t.Fatal(err)
		}
		found++
		if q := u.Query(); q.Get("stream") != "a&lang=x" || q.Get("theme") == "" || q.Get("lang") == "" {
			t.Errorf("link %s", u)
		}
	}
	if want := len(i18n.Locales) + len(themes); found != want {
		t.Errorf("%d links, want %d", found, want)
	}
	if n := strings.Count(body, "aria-current"); n != 2 {
		t.Errorf("%d choices are marked, want a language and a theme", n)
	}
}

// TestAssets checks the files of the page: by hashed names, kept for ever, and
// nothing else.
func TestAssets(t *testing.T) {
	h := serve()
	body := get(h, "/").Body.String()
	types := map[string]string{}
	for _, m := range regexp.MustCompile(`"(/assets/([a-z.]+?)\.[0-9a-f]{16}(\.[a-z]+))"`).FindAllStringSubmatch(body, -1) {
		w := get(h, m[1], "Accept-Encoding", "br")
		types[m[2]+m[3]] = w.Header().Get("Content-Type")
		if w.Code != 200 || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s answers %d %v", m[1], w.Code, w.Header())
		}
		if again := get(h, m[1], "If-None-Match", w.Header().Get("Etag")); again.Code != http.StatusNotModified {
			t.Errorf("%s again answers %d", m[1], again.Code)
		}
	}
	want := map[string]string{
		"icon.svg": "image/svg+xml", "style.css": "text/css; charset=utf-8", "player.js": "text/javascript; charset=utf-8",
	}
	if built() {
		for _, name := range []string{"hls.min.js", "hls.worker.js", "mpegts.js"} {
			want[name] = "text/javascript; charset=utf-8"
		}
		want["licences.txt"] = "text/plain; charset=utf-8"
	}
	if d := cmp.Diff(want, types); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	for _, path := range []string{"/assets/", "/assets/player.js", "/assets/README.md", "/assets/player.0000000000000000.js", "/assets/..%2Fpage.html", "/page.html", "/favicon.ico"} {
		if w := get(h, path); w.Code != http.StatusNotFound || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s answers %d, %s", path, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	if w := get(h, "/", "Cookie", "a=b"); w.Header().Get("Set-Cookie") != "" {
		t.Error("the page sets a cookie")
	}
}

// built reports whether `make generate` has brought the players.
func built() bool {
	_, err := os.Stat("players/hls.min.js")
	return err == nil
}

// TestPlayers checks what the build took from npm.
func TestPlayers(t *testing.T) {
	if !built() && os.Getenv("CI") == "" {
		t.Skip("no players: make generate takes them from npm")
	}
	text, err := os.ReadFile("players/licences.txt")
	for _, name := range []string{"hls.js", "mpegts.js", "es6-promise", "events", "Apache License", "Permission is hereby granted"} {
		if err != nil || !strings.Contains(string(text), name) {
			t.Errorf("the licences lack %q: %v", name, err)
		}
	}
}

// FuzzPage checks that no query gets a page to run what it says.
func FuzzPage(f *testing.F) {
	for _, s := range []string{"s_1", `"><script>x</script>`, "'-->", "</script>", "javascript:1", "\x00", "\xff", "{{.}}"} {
		f.Add(s, s, s)
	}
	s := New("https://base.example")
	empty := strings.Count(get(serve(), "/").Body.String(), "<")
	f.Fuzz(func(t *testing.T, stream, lang, theme string) {
		q := url.Values{"stream": {stream}, "lang": {lang}, "theme": {theme}}
		w := httptest.NewRecorder()
		if err := (page{s, ""}).Reply(w, httptest.NewRequest("GET", "/?"+q.Encode(), nil)); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(w.Body.String(), "<"); n != empty {
			t.Errorf("the page has %d tags with %v, and %d without", n, q, empty)
		}
	})
}

// BenchmarkPage writes the page.
func BenchmarkPage(b *testing.B) {
	h := serve()
	b.ReportAllocs()
	for b.Loop() {
		get(h, "/?stream=s_0000000000002&lang=de&theme=dark")
	}
}
