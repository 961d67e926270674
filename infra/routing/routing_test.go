package routing

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	r := Routing{Default: "web", Rules: []Rule{
		{Process: "room", Templates: []string{"/rooms/*/ws"}},
		{Process: "facets", Methods: []string{"GET", "HEAD"}, Paths: []string{"/api/lists"}},
		{Process: "library", Paths: []string{"/api/lists", "/api/items/new"}, Templates: []string{"/api/items/*"}},
		{Process: "describe", Prefixes: []string{"/api/"}},
	}}
	for request, want := range map[[2]string]string{
		{"GET", "/rooms/a/ws"}:     "room",
		{"POST", "/rooms/a/ws"}:    "room",
		{"GET", "/rooms//ws"}:      "web",
		{"GET", "/rooms/a/ws/"}:    "web",
		{"HEAD", "/api/lists"}:     "facets",
		{"OPTIONS", "/api/lists"}:  "library",
		{"DELETE", "/api/items/a"}: "library",
		{"GET", "/api/items/a/b"}:  "describe",
		{"GET", "/api/lists/"}:     "describe",
		{"GET", "/api"}:            "web",
		{"GET", "/"}:               "web",
	} {
		if got := r.Find(request[0], request[1]); got != want {
			t.Errorf("%v leads to %s, want %s", request, got, want)
		}
	}
	if diff := cmp.Diff([]string{"web", "room", "facets", "library", "describe"}, r.Processes()); diff != "" {
		t.Errorf("processes (-want +got):\n%s", diff)
	}
}

func TestRead(t *testing.T) {
	if r, err := Read("../routes.json"); err != nil || r.Find("GET", "/api/channels") != "catalog" || r.Find("GET", "/en") != "web" {
		t.Errorf("the rules of the deployment are %+v, %v", r, err)
	}
	for name, text := range map[string]string{"not JSON": "rules", "no default": `{"rules":[]}`} {
		path := filepath.Join(t.TempDir(), "routes.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil {
			t.Errorf("%s: there is no error", name)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a file that does not exist has rules")
	}
}
