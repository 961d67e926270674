package changes_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/changes"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/dump"
	"miramundo.dev/shared/catalog/history"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

var links = catalog.LinkBase{Base: "https://m.example", Hop: "https://hop.example", Legacy: "https://legacy.example"}

// A service is the function over a catalog that the test publishes.
type service struct {
	t    *testing.T
	db   store.DB
	now  time.Time
	view *index.View
	http.Handler
}

func start(t *testing.T) *service {
	s := &service{t: t, db: wiretest.OpenDB(t), now: wiretest.Epoch()}
	s.Handler = request.Handler(request.Options{}, changes.New(changes.Options{DB: s.db, Catalog: s, Links: links, Now: s.clock}), changes.Endpoints)
	return s
}

func (s *service) clock() time.Time { return s.now }

// View implements [index.Viewer].
func (s *service) View() (*index.View, error) {
	if s.view == nil {
		return nil, catalog.ErrNotLoaded
	}
	return s.view, nil
}

// Refresh implements [dump.Catalog].
func (s *service) Refresh(context.Context) error { return nil }

// publish makes a register the current release, which is an hour later, records what
// changed and makes a dump.
func (s *service) publish(reg catalog.Register, o index.Overlay) {
	s.t.Helper()
	s.now = s.now.Add(time.Hour)
	ix, err := index.Build(&reg)
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := ix.Encode()
	if err != nil {
		s.t.Fatal(err)
	}
	archive := &release.Archive{DB: s.db, Now: s.clock}
	r := release.Release{Version: ix.Version(), Channels: ix.Len(), Playable: 1}
	if _, err := archive.Publish(s.t.Context(), r, data, release.Pointer{}, release.Override{Force: true}); err != nil {
		s.t.Fatal(err)
	}
	s.view = index.NewView(ix, o, links)
	jobs := job.NewRunner(s.db, slog.New(slog.DiscardHandler), s.clock,
		history.NewJob(history.Options{DB: s.db, Archive: archive, Now: s.clock}), dump.NewJob(dump.Options{DB: s.db, Catalog: s, Now: s.clock}))
	for _, name := range jobs.Names() {
		if _, err := jobs.Run(context.Background(), name, job.Order{}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// two publishes a release, and one that differs in every way, in which E.br is blocked.
func (s *service) two() {
	s.t.Helper()
	s.publish(catalog.Register{Records: []catalog.Record{{ID: "A.br", Name: "A"}, {ID: "B.br", Name: "B", Country: "BR"}, {ID: "C.br", Name: "C"}}}, index.Overlay{})
	s.publish(catalog.Register{
		Records: []catalog.Record{
			{ID: "A.br", Name: "A", Website: "https://a.example"}, {ID: "D.br", Name: "<b>&D"}, {ID: "E.br", Name: "E"},
			{ID: "rb.1", Kind: catalog.Station, Name: "R", Radio: &catalog.Radio{}}, {ID: "C2.br", Name: "C"},
		},
		ChannelAliases: map[string]string{"C.br": "C2.br"},
	}, index.Overlay{BlockedChannels: []string{"E.br"}})
}

// TestChanges reads the changes whole, in parts and by kind.
func TestChanges(t *testing.T) {
	s := start(t)
	if answer, body := apitest.Do(t, s, "GET", "/api/changes", ""); answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "catalog_unavailable") {
		t.Errorf("without a catalog: %d %s", answer.StatusCode, body)
	}
	s.two()
	s.now = s.now.Add(time.Minute)
	const gone, renamed = "gone B.br null vanished -", "renamed C2.br C.br/C null https://m.example/api/channels/C2.br"
	const added, station, changed = "added D.br null null https://m.example/api/channels/D.br", "added rb.1 null null https://m.example/api/channels/rb.1",
		"changed A.br null null https://m.example/api/channels/A.br website"
	for _, test := range []struct {
		query          string
		items          []string
		cursor         string
		more, complete bool
	}{
		{"", []string{gone, renamed, added, station, changed}, "2.0", false, true},
		{"?limit=2", []string{gone, renamed}, "1.2", true, true},
		{"?limit=2&since=1.2", []string{added, station}, "1.5", true, true},
		{"?kind=radio", []string{station}, "2.0", false, true},
		{"?since=2.0", []string{}, "2.0", false, true},
		{"?since=1969-01-01T00:00:00Z&limit=1", []string{gone}, "1.1", true, false},
	} {
		_, body := apitest.Do(t, s, "GET", "/api/changes"+test.query, "")
		got := parse(t, body)
		if diff := cmp.Diff(test.items, got.lines()); diff != "" || got.Cursor != test.cursor || got.More != test.more || got.Complete != test.complete {
			t.Errorf("%s: cursor %s, more %t, complete %t (-want +got):\n%s", test.query, got.Cursor, got.More, got.Complete, diff)
		}
		for i, item := range got.Items[:max(0, len(got.Items)-1)] {
			_, body := apitest.Do(t, s, "GET", "/api/changes?kind=all&since="+item.Cursor, "")
			if next := parse(t, body); test.query == "" && next.lines()[0] != got.lines()[i+1] {
				t.Errorf("after %s comes %s", item.Cursor, next.lines()[0])
			}
		}
	}
}

// TestBlocked blocks a channel that is added, changes, replaces another and leaves the
// catalog: no answer names it, also after it has left.
func TestBlocked(t *testing.T) {
	s := start(t)
	hide := index.Overlay{BlockedChannels: []string{"Secret.br"}}
	one, secret := catalog.Record{ID: "A.br", Name: "A"}, catalog.Record{ID: "Secret.br", Name: "Secret"}
	s.publish(catalog.Register{Records: []catalog.Record{one, {ID: "G.br", Name: "G"}}}, index.Overlay{})
	s.publish(catalog.Register{
		Records: []catalog.Record{one, secret}, Gone: []catalog.Gone{{ID: "G.br", Name: "G", Reason: catalog.GoneClosed, ReplacedBy: "Secret.br"}},
	}, hide)
	check := func(when string) {
		t.Helper()
		s.now = s.now.Add(time.Minute)
		for _, address := range []string{"/api/changes", "/api/changes.atom"} {
			if _, body := apitest.Do(t, s, "GET", address, ""); strings.Contains(body, "Secret") || !strings.Contains(body, "G.br") {
				t.Errorf("%s: %s: %s", address, when, body)
			}
		}
	}
	check("while it is in the catalog")
	s.publish(catalog.Register{Records: []catalog.Record{one}}, hide)
	check("after it has left")
}

// TestKeptSince asks for the changes since the time from which on all are kept, which is
// shown in whole seconds: the answer is complete.
func TestKeptSince(t *testing.T) {
	s := start(t)
	s.now = s.now.Add(300 * time.Millisecond)
	s.two()
	s.now = s.now.Add(time.Minute)
	_, body := apitest.Do(t, s, "GET", "/api/changes", "")
	since := parse(t, body).KeptSince
	_, body = apitest.Do(t, s, "GET", "/api/changes?since="+since, "")
	if got := parse(t, body); !got.Complete || len(got.Items) != 5 {
		t.Errorf("since %s: %s", since, body)
	}
}

// A page is what the test reads of an answer.
type page struct {
	Items []struct {
		Op, ID, Cursor, At string
		Was                *struct{ ID, Name string }
		Fields             []string
		Reason, API        *string
	}
	Cursor         string
	KeptSince      string `json:"kept_since"`
	More, Complete bool
}

func parse(t *testing.T, body string) (p page) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return p
}

// lines returns each change in a line.
func (p page) lines() []string {
	all := []string{}
	for _, c := range p.Items {
		line := []string{c.Op, c.ID, "null", "null", "-"}
		if c.Was != nil {
			line[2] = c.Was.ID + "/" + c.Was.Name
		}
		if c.Reason != nil {
			line[3] = *c.Reason
		}
		if c.API != nil {
			line[4] = *c.API
		}
		all = append(all, strings.Join(append(line, c.Fields...), " "))
	}
	return all
}

// TestFeed parses the feed, which names hostile texts as they are.
func TestFeed(t *testing.T) {
	s := start(t)
	s.two()
	answer, body := apitest.Do(t, s, "GET", "/api/changes.atom?lang=de", "")
	var f struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		Lang    string   `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
		Updated string   `xml:"updated"`
		Entries []struct {
			ID    string `xml:"id"`
			Title string `xml:"title"`
			Link  struct {
				Href string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(body), &f); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range f.Entries {
		got = append(got, e.Title+" "+e.ID+" "+e.Link.Href)
	}
	const api = "https://m.example/api/changes"
	want := []string{
		"Geändert: A " + api + "?since=1.6 https://m.example/c/A.br", "Neu: R " + api + "?since=1.5 https://m.example/c/rb.1",
		"Neu: <b>&D " + api + "?since=1.3 https://m.example/c/D.br", "Umbenannt: C → C " + api + "?since=1.2 https://m.example/c/C2.br",
		"Entfernt: B " + api + "?since=1.1 " + api,
	}
	if diff := cmp.Diff(want, got); diff != "" || f.Lang != "de" || f.Updated != "1970-01-01T02:00:00Z" {
		t.Errorf("the feed in %s of %s (-want +got):\n%s", f.Lang, f.Updated, diff)
	}
	tag := answer.Header.Get("Etag")
	if again, _ := apitest.Do(t, s, "GET", "/api/changes.atom?lang=de", "", "If-None-Match", tag); tag == "" || again.StatusCode != http.StatusNotModified {
		t.Errorf("the same again is %d", again.StatusCode)
	}
}

// TestDumps downloads files whole and in part.
func TestDumps(t *testing.T) {
	s := start(t)
	s.two()
	_, body := apitest.Do(t, s, "GET", "/api/dumps", "")
	var list struct {
		Items []struct {
			ID    string
			Files []struct {
				Name, URL string
				Rows      *int
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Items) != 2 {
		t.Fatalf("%v: %s", err, body)
	}
	var got []string
	for _, f := range list.Items[0].Files {
		rows := "-"
		if f.Rows != nil {
			rows = strconv.Itoa(*f.Rows)
		}
		got = append(got, f.Name+" "+rows)
	}
	if diff := cmp.Diff([]string{"catalog.ndjson.gz 4", "channels.csv.gz 4", "streams.csv.gz 0", "catalog.sqlite.gz 4", "SHA256SUMS -"}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	address := strings.TrimPrefix(list.Items[0].Files[0].URL, "https://m.example")
	whole, data := apitest.Do(t, s, "GET", address, "")
	tag := whole.Header.Get("Etag")
	for _, test := range []struct {
		header, value string
		status        int
		body          string
	}{
		{"Range", "bytes=0-9", http.StatusPartialContent, data[:10]},
		{"Range", "bytes=10-", http.StatusPartialContent, data[10:]},
		{"Range", "bytes=99999999-", http.StatusRequestedRangeNotSatisfiable, "invalid range: failed to overlap\n"},
		{"If-None-Match", tag, http.StatusNotModified, ""},
		{"Accept-Encoding", "gzip", http.StatusOK, data},
	} {
		answer, part := apitest.Do(t, s, "GET", address, "", test.header, test.value)
		if answer.StatusCode != test.status || part != test.body {
			t.Errorf("%s %s: %d with %d bytes", test.header, test.value, answer.StatusCode, len(part))
		}
	}
	if whole.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" || whole.Header.Get("Content-Disposition") != `attachment; filename="catalog.ndjson.gz"` {
		t.Errorf("the headers are %v", whole.Header)
	}
}
