package functions

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/companion"
)

// TestCompanions has five guests keep two channels that have nothing else in common, runs
// the job, and finds that in the API, by MCP and on the page.
func TestCompanions(t *testing.T) {
	const one, other = "Sakura.jp", "Novosti.ru"
	db := openEmbedded(t)
	for n := range 5 {
		owner := identity.Owner(fmt.Sprint("g_", n))
		l := library.Library{Owner: owner, Categories: []library.Category{{ID: "cat_1", Groups: []library.Group{{ID: "grp_1", Items: []library.Item{{Channel: one}, {Channel: other}}}}}}}
		if err := db.Set(t.Context(), library.Path(owner), l); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{one, other} {
		c := social.Counted{Channel: id, Counts: social.Counts{Heard: social.Heard{Plays: 9}}}
		c.Revision = 1
		if err := social.ShowCounts(t.Context(), db, social.ShardOf(id), []social.Counted{c}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := deps(t, db, fixture).Jobs.Run(t.Context(), companion.Job, job.Order{}); err != nil {
		t.Fatal(err)
	}
	h := mux(t, deps(t, db, fixture))
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_similar_channels","arguments":{"id":"` + one + `","lang":"en"}}}`
	for _, ask := range [][]string{
		{"GET", "/api/channels/" + one + "/similar?lang=en", ""},
		{"POST", "/mcp", call, "Content-Type", "application/json", "Accept", "application/json, text/event-stream"},
		{"GET", site.Channel.Path(i18n.EN, one), ""},
	} {
		res, body := apitest.Do(t, h, ask[0], ask[1], ask[2], ask[3:]...)
		if res.StatusCode != http.StatusOK || !strings.Contains(body, "Kept together by 5 people") || !strings.Contains(body, other) {
			t.Errorf("%s: %d %.600s", ask[1], res.StatusCode, body)
		}
	}
}
