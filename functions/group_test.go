package functions

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
)

// TestTogether groups functions, and refuses groups that no process can serve.
func TestTogether(t *testing.T) {
	for _, test := range []struct {
		names []string
		err   string
	}{
		{[]string{"facets"}, ""},
		{[]string{"facets", "media", "web"}, ""},
		{[]string{"aggregate", "jobs"}, ""},
		{[]string{""}, `"" is not a function`},
		{[]string{"facets", "nothing"}, `"nothing" is not a function`},
		{[]string{"facets", "media", "facets"}, "facets is named twice"},
		{[]string{"facets", "jobs"}, "cannot be served together"},
	} {
		g, err := Together(test.names...)
		if test.err == "" && (err != nil || !slices.Equal(g.names(), test.names)) {
			t.Errorf("%q: %q, %v", test.names, g.names(), err)
		}
		if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%q: error %v, want %q", test.names, err, test.err)
		}
	}
}

// TestGroupDeclares checks that a group needs what its functions need, and that a group of
// one is that function.
func TestGroupDeclares(t *testing.T) {
	alone, err := Together("vitrine")
	if err != nil {
		t.Fatal(err)
	}
	one, _ := Find("vitrine")
	if diff := cmp.Diff(one.Requirement(), alone.Requirement()); diff != "" {
		t.Errorf("a group of one (-function +group):\n%s", diff)
	}
	g, err := Together("describe", "vitrine", "favorites")
	if err != nil {
		t.Fatal(err)
	}
	p := g.Declared()
	want := compose.Process{
		Name: "describe,vitrine,favorites", Needs: needs(compose.Catalog, compose.Documents, compose.Events, compose.Overlays, compose.Social, compose.Usage),
		Secrets:   []string{"ACCOUNT_KEYS", "GUEST_KEYS", "METRICS_TOKEN", "PEOPLE_KEYS"},
		Settings:  []string{"BUDGET_FACTOR", "CONTACT_EMAIL", "HOP_FREE_MINUTES", "MCP_REGISTRY_KEY", "PAYMENT_TO"},
		Publishes: []string{"favorites", "usage"},
	}
	jobs := len(p.Schedules)
	p.Schedules = nil
	if diff := cmp.Diff(want, p); diff != "" || jobs != 1 {
		t.Errorf("%d jobs (-want +got):\n%s", jobs, diff)
	}
	if got := g.Requirement().Process; got != "the process of the functions describe, vitrine, favorites" {
		t.Errorf("errors name %q", got)
	}
}

// TestGroupServes calls each function of a group, and one that is not in it.
func TestGroupServes(t *testing.T) {
	g, err := Together("describe", "facets")
	if err != nil {
		t.Fatal(err)
	}
	h, err := g.Handler(deps(t, openEmbedded(t), fixture))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/api/": http.StatusOK, "/api/countries": http.StatusOK, "/api/channels": http.StatusNotFound} {
		if answer, body := apitest.Do(t, h, "GET", path, ""); answer.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", path, answer.StatusCode, body, want)
		}
	}
}
