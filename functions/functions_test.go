package functions

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/bus"
	queue "miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// noon is when every test of this package takes place.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const (
	operatorToken = "operator-token-of-the-tests"
	guestSecret   = "a key of guests for the tests alone"
	accountSecret = "a key of accounts for the tests alone"
)

// testConfig has the operator's token under each name that endpoints ask for.
var testConfig = func() config.Config {
	vars := map[string]string{
		"BASE_URL": apitest.Origin, "HOP_URL": "https://hop.example", "LEGACY_URL": "https://legacy.example",
		"BUILD": "abc1234", "EDGE_COUNTRY_HEADER": "X-Client-Region", "GUEST_KEYS": "main:" + guestSecret,
		"ACCOUNT_KEYS": "main:" + accountSecret, "CONTACT_EMAIL": "operator@mira.example",
		"MCP_REGISTRY_KEY": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
	}
	for _, name := range OperatorTokens() {
		vars[name] = operatorToken
	}
	c, err := config.Parse(vars)
	if err != nil {
		panic(err)
	}
	return c
}()

// deps returns every part of the service over db, with a catalog loaded from the
// place.
func deps(t testing.TB, db store.DB, place collect.Place) *compose.Parts {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	p, err := compose.Open(ctx, optionsOver(t, db, place), Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	if place.Folder != nil {
		loadCatalog(ctx, t, p)
	}
	return p
}

// optionsOver returns the options of parts over db, whose catalog comes from the
// place.
func optionsOver(t testing.TB, db store.DB, place collect.Place) compose.Options {
	c := testConfig
	c.MailFolder = t.TempDir()
	c.HumanVerifyURL, c.HumanSecret = humans(t), "a secret of the provider"
	return compose.Options{
		Config: c, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon },
		DB: db, Bus: openBus(t), Plan: &collect.Plan{IPTVOrg: place, Radio: place}, Retry: time.Millisecond, Schedules: Schedules(), Lazy: true,
	}
}

// humans returns the address of a provider of human verification. It accepts tokens that
// begin with "person", and fails for others.
func humans(t testing.TB) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.FormValue("response"), "person") {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = io.WriteString(w, `{"success":true,"hostname":"mira.example"}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// loadCatalog has p show what its sources give.
func loadCatalog(ctx context.Context, t testing.TB, p *compose.Parts) {
	t.Helper()
	if rep, err := p.Jobs.Run(ctx, reload.Name, job.Order{}); err != nil {
		t.Fatalf("reload: %v, %+v", err, rep)
	}
	if err := p.Catalog.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
}

// mux returns the handler of the main host.
func mux(t testing.TB, p *compose.Parts) http.Handler {
	t.Helper()
	h, err := Mux(p)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// handler returns the handler of one function.
func handler(t testing.TB, f Function, p *compose.Parts) http.Handler {
	t.Helper()
	h, err := f.Handler(p)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// reloadOf returns the job that loads the catalog from the sources of a plan.
func reloadOf(d *compose.Parts, plan collect.Plan) job.Job {
	return reload.NewJob(reload.Options{
		Plan: plan, Archive: d.Archive, Now: d.Now,
		Collect: collect.Options{Cache: collect.Documents(d.DB), Now: d.Now},
	})
}

// fixture is a small catalog that has one of everything.
var fixture = collect.Place{Folder: os.DirFS("testdata/catalog"), Name: "fixture"}

func openEmbedded(t testing.TB) store.DB {
	t.Helper()
	f, err := sqlite.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.On(f, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// openBus returns a bus with the topics that processes declare, to which nobody
// listens.
func openBus(t testing.TB) bus.Bus {
	t.Helper()
	f, err := sqlite.Open(filepath.Join(t.TempDir(), "events"))
	if err != nil {
		t.Fatal(err)
	}
	topics := bus.Topology{}
	for _, p := range processes() {
		for _, topic := range p.Publishes {
			topics[topic] = []string{topic}
		}
	}
	b, err := queue.On(f, topics, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// descriptions are the paths of the OpenAPI documents, and of their golden files.
var descriptions = []string{api.DescriptionPath, api.OperatorDescriptionPath}

// documents returns the OpenAPI documents of the service: of the public API and of the
// operator's endpoints. They are computed from the table and testConfig alone, so one
// request for each serves every test.
func documents(t testing.TB) [][]byte {
	t.Helper()
	openapiTexts.Do(func() {
		h := mux(t, deps(t, openEmbedded(t), collect.Place{}))
		var all [][]byte
		for _, path := range descriptions {
			res, body := apitest.Do(t, h, "GET", path, "")
			if res.StatusCode != http.StatusOK {
				t.Fatalf("GET %s: %s %s", path, res.Status, body)
			}
			all = append(all, []byte(body))
		}
		openapiTexts.all = all
	})
	if openapiTexts.all == nil {
		t.Fatal("the OpenAPI documents could not be computed, as an earlier test shows")
	}
	return openapiTexts.all
}

// openapiTexts are the documents that documents returns.
var openapiTexts struct {
	sync.Once
	all [][]byte
}

// TestTable shows the whole API in one file, so that a change to it is seen in
// review.
func TestTable(t *testing.T) {
	golden(t, "testdata/table.golden", api.Golden(Table()))
}

// TestOpenAPI shows the whole description in one file, for the same reason and
// for the linters.
func TestOpenAPI(t *testing.T) {
	for i, text := range documents(t) {
		golden(t, "testdata"+descriptions[i], string(text))
	}
}

// TestAPI runs the scripts, checks every answer against the description, and
// fails when an endpoint was not called. The calls are the examples of the
// description.
func TestAPI(t *testing.T) {
	db := openEmbedded(t)
	keepGuide(t, db)
	keepLogo(t, db)
	p := deps(t, db, fixture)
	h := mux(t, p)
	v := apitest.Validating(t, mannerly(t, h), documents(t)...)
	v.Record("list_moderation_acts", "preview_texts")
	apitest.Run(t, withMails(v, p.Config.MailFolder), "testdata/api/*.txt", signIn(db))
	for _, pattern := range v.Uncalled(Table()) {
		t.Errorf("no script calls %s", pattern)
	}
	keepExamples(t, v.Examples())
}

// TestApart checks that what stands on a host of its own is served there, and
// is no part of the main host.
func TestApart(t *testing.T) {
	d := deps(t, openEmbedded(t), collect.Place{})
	f, ok := Find("legacy")
	if !ok || !f.Apart {
		t.Fatalf("the function legacy is %+v, %v", f.Name, ok)
	}
	h, apart := mux(t, d), handler(t, f, d)
	if res, body := apitest.Do(t, apart, "GET", "/?stream=s_1", ""); res.StatusCode != http.StatusOK || !strings.Contains(body, d.Config.BaseURL+"/api/legacy/") {
		t.Errorf("on its own host the page is %d %.300s", res.StatusCode, body)
	}
	for _, path := range []string{"/", "/?stream=s_1", "/assets/player.js"} {
		if res, body := apitest.Do(t, h, "GET", path, ""); res.StatusCode == http.StatusOK || strings.Contains(body, "/api/legacy/") {
			t.Errorf("on the main host %s answers %d", path, res.StatusCode)
		}
		if res, _ := apitest.Do(t, apart, "GET", "/api"+path, ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("on its host /api%s answers %d", path, res.StatusCode)
		}
	}
	if index := string(documents(t)[0]); strings.Contains(index, "/assets/") {
		t.Error("the description of the API has the page's files")
	}
	if _, ok := Find("none"); ok {
		t.Error("found a function that there is not")
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (go test -update rewrites it) (-want +got):\n%s", file, d)
	}
}
