package functions

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
)

// wildcards are the variable parts of paths.
var wildcards = regexp.MustCompile(`\{[^}]*\}`)

// TestElsewhere checks that each function alone answers requests with a method or a slash that
// no function has as all of them together do: the load balancer leads a path to one
// function, whatever the method.
func TestElsewhere(t *testing.T) {
	p := deps(t, openEmbedded(t), fixture)
	whole := mux(t, p)
	for _, f := range together() {
		alone, err := f.Handler(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range Table() {
			path := wildcards.ReplaceAllString(e.Paths()[0], "a")
			for _, request := range [][2]string{{"OPTIONS", path}, {"BREW", path}, {e.Method, path + "/"}} {
				if want, got := outline(whole, request), outline(alone, request); want != got {
					t.Errorf("%s answers %v with %s, all with %s", f.Name, request, got, want)
				}
			}
		}
	}
}

// outline returns what is compared of the answer to a request.
func outline(h http.Handler, request [2]string) string {
	r := httptest.NewRequest(request[0], request[1], nil)
	r.Header.Set("Access-Control-Request-Method", "GET")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return fmt.Sprint(w.Code, " ", w.Header()["Allow"], w.Header()["Location"], w.Header()["Access-Control-Allow-Methods"])
}

// TestScriptsApart runs the scripts of the API over functions of which each has parts of
// its own, as processes have: what one function writes, the others see. It leaves out
// those of keys and of organizations, which check that credentials end at once: other
// processes notice within the five seconds for which they keep them.
func TestScriptsApart(t *testing.T) {
	left, err := filepath.Glob("testdata/api/[ko]*.txt")
	if diff := cmp.Diff([]string{"testdata/api/keys.txt", "testdata/api/organizations.txt"}, left); err != nil || diff != "" {
		t.Fatalf("the scripts that are left out (-want +got):\n%s", diff)
	}
	db := openEmbedded(t)
	keepGuide(t, db)
	keepLogo(t, db)
	shared := deps(t, db, fixture) // loads the catalog
	routes := http.NewServeMux()
	for _, f := range together() {
		p := ownParts(t, f, shared)
		h, err := f.Handler(p)
		if err != nil {
			t.Fatal(err)
		}
		h = caughtUp(t, p, h)
		for _, e := range f.Endpoints {
			for _, pattern := range patterns(e) {
				routes.Handle(pattern, h)
			}
		}
		if f.Name == "web" {
			routes.Handle("/", h)
		}
	}
	apitest.Run(t, withMails(routes, shared.Config.MailFolder), "testdata/api/[^ko]*.txt", signIn(db))
}

// caughtUp has parts read what others have changed before each request, as they do by
// themselves within seconds. The clock of the tests stands still.
func caughtUp(t *testing.T, p *compose.Parts, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.Catalog != nil {
			if err := p.Catalog.Refresh(r.Context()); err != nil {
				t.Error(err)
			}
		}
		h.ServeHTTP(w, r)
	})
}

// ownParts returns the parts that the process of a function opens, on the documents and
// events of others.
func ownParts(t *testing.T, f Function, others *compose.Parts) *compose.Parts {
	t.Helper()
	o := optionsOver(t, others.DB, fixture)
	o.Bus, o.Config.MailFolder = others.Bus, others.Config.MailFolder
	p, err := compose.Open(t.Context(), o, f.Declared())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	if p.Catalog != nil {
		if err := p.Catalog.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return p
}
