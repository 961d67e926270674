package media

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

const svg = `<svg xmlns="http://www.w3.org/2000/svg"/>`

// hiddenLogo is the id of a logo that the server is to deny.
const hiddenLogo = "of_a_blocked_channel"

func TestFlags(t *testing.T) {
	h, _ := serve(t)
	for _, test := range []struct {
		path   string
		status int
	}{
		{"/flags/br.svg", 200},
		{"/flags/BR.svg", 200},
		{"/flags/zz.svg", 404},
		{"/flags/br", 404},
		{"/flags/br.png", 404},
		{"/flags/README.md", 404},
		{"/flags/..%2Fmedia.go", 404},
		{"/flags/%C3%A9%C3%A9.svg", 404},
	} {
		w := get(h, test.path, nil)
		if w.Code != test.status {
			t.Errorf("%s answers %d, want %d", test.path, w.Code, test.status)
		}
	}
}

// TestFlagHeaders checks that a flag is kept for ever, and harmless when it is
// opened as a page.
func TestFlagHeaders(t *testing.T) {
	h, _ := serve(t)
	w := get(h, "/flags/br.svg", nil)
	got := map[string]string{}
	for _, name := range []string{"Content-Type", "Cache-Control", "X-Content-Type-Options", "Content-Security-Policy", "Access-Control-Allow-Origin"} {
		got[name] = w.Header().Get(name)
	}
	want := map[string]string{
		"Content-Type":                "image/svg+xml",
		"Cache-Control":               "public, max-age=86400",
		"X-Content-Type-Options":      "nosniff",
		"Content-Security-Policy":     "default-src 'none'; style-src 'unsafe-inline'; sandbox",
		"Access-Control-Allow-Origin": "*",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if w.Body.String() != svg {
		t.Errorf("body %q", w.Body)
	}
	again := get(h, "/flags/br.svg", http.Header{"If-None-Match": {w.Header().Get("ETag")}})
	if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("the same flag again answers %d with %d bytes", again.Code, again.Body.Len())
	}
	if missing := get(h, "/flags/zz.svg", nil); missing.Header().Get("Cache-Control") != "no-store" {
		t.Error("that there is no flag is kept for ever")
	}
}

func TestLogos(t *testing.T) {
	h, db := serve(t)
	im := logo.Image{Type: "image/webp", Data: []byte("RIFF\x00WEBP"), Hash: "5e1f"}
	if err := logo.Put(t.Context(), db, "abc", im); err != nil {
		t.Fatal(err)
	}
	w := get(h, "/logos/abc", nil)
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/webp" || !bytes.Equal(w.Body.Bytes(), im.Data) {
		t.Errorf("answers %d %s %q", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	if again := get(h, "/logos/abc", http.Header{"If-None-Match": {w.Header().Get("ETag")}}); again.Code != http.StatusNotModified {
		t.Errorf("the same logo again answers %d", again.Code)
	}
	for _, id := range []string{"none", "a%2Fb", "..%2Fabc", "a%20b"} {
		if w := get(h, "/logos/"+id, nil); w.Code != 404 || !strings.Contains(w.Body.String(), `"error":"not_found"`) {
			t.Errorf("%s answers %d %s", id, w.Code, w.Body)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if w := get(h, "/logos/abc", nil); w.Code != http.StatusServiceUnavailable {
		t.Errorf("without a database it answers %d, want 503", w.Code)
	}
	if w := get(h, "/flags/br.svg", nil); w.Code != 200 {
		t.Errorf("without a database flags answer %d", w.Code)
	}
}

// TestHiddenLogo checks that the logo of a blocked channel is denied while it is
// kept, and that nobody keeps that answer.
func TestHiddenLogo(t *testing.T) {
	h, db := serve(t)
	if err := logo.Put(t.Context(), db, hiddenLogo, logo.Image{Type: "image/png", Data: []byte{1}, Hash: "01"}); err != nil {
		t.Fatal(err)
	}
	w := get(h, "/logos/"+hiddenLogo, nil)
	if w.Code != http.StatusNotFound || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("answers %d, Cache-Control %q", w.Code, w.Header().Get("Cache-Control"))
	}
}

// TestLogoHeaders checks what keeps a logo for ever in caches, and that HEAD
// tells the same without it.
func TestLogoHeaders(t *testing.T) {
	h, db := serve(t)
	im := logo.Image{Type: "image/png", Data: []byte("12345"), Hash: "ab"}
	if err := logo.Put(t.Context(), db, "abc", im); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"Content-Type": "image/png", "Content-Length": "5", "Cache-Control": "public, max-age=31536000, immutable",
		"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "cross-origin", "ETag": `W/"ab"`,
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
	}
	for method, size := range map[string]int{"GET": 5, "HEAD": 0} {
		w := serveOne(h, httptest.NewRequest(method, "/logos/abc", nil))
		got := map[string]string{}
		for name := range want {
			got[name] = w.Header().Get(name)
		}
		if diff := cmp.Diff(want, got); diff != "" || w.Body.Len() != size {
			t.Errorf("%s: %d bytes, (-want +got):\n%s", method, w.Body.Len(), diff)
		}
	}
}

// TestEmbeddedFlags checks what the build took from the package of flags: the
// countries of the catalog, also those whose codes are traps, as pictures.
func TestEmbeddedFlags(t *testing.T) {
	if _, err := os.Stat("flags/br.svg"); err != nil && os.Getenv("CI") == "" {
		t.Skip("no flags: make generate takes them from npm")
	}
	s := New(nil, "")
	for _, code := range strings.Fields("ar br cn de fr gb gr in jp kr mx pt ru tw ua us xk za") {
		im, err := s.flag(t.Context(), flagIn{File: code + ".svg"})
		if err != nil {
			t.Errorf("no flag of %s", code)
		} else if err := wellFormed(im.Data); err != nil {
			t.Errorf("the flag of %s: %v", code, err)
		}
	}
	if names, err := fs.Glob(s.flags, "flags/*.svg"); err != nil || len(names) < 240 {
		t.Errorf("%d flags, want those of all countries", len(names))
	}
}

func wellFormed(data []byte) error {
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// serve serves one flag, and the logos of a new database.
func serve(t testing.TB) (http.Handler, store.DB) {
	t.Helper()
	flags := fstest.MapFS{"flags/br.svg": {Data: []byte(svg)}, "flags/README.md": {Data: []byte("no flag")}}
	db, err := embedded.Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := New(db, "https://hop.example").Hide(func(id string) bool { return id == hiddenLogo })
	s.flags = flags
	return request.Handler(request.Options{}, s, Endpoints), db
}

func get(h http.Handler, path string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	if header != nil {
		r.Header = header
	}
	return serveOne(h, r)
}

func serveOne(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
