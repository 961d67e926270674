package radiobrowser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/radiobrowser"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/social"
)

// A plays is a bus that notes the plays that are published, or fails.
type plays struct {
	bus.Bus
	channels []string
	fails    bool
}

func (p *plays) Publish(_ context.Context, topic string, events ...bus.Event) error {
	if p.fails {
		return errors.New("no bus")
	}
	for _, e := range events {
		play, err := social.PlayOf(e)
		if err != nil || topic != social.Plays {
			return errors.Join(errors.New("not a play"), err)
		}
		p.channels = append(p.channels, play.Channel)
	}
	return nil
}

// served returns a server of a catalog on a bus.
func served(t testing.TB, of index.Viewer, b bus.Bus) http.Handler {
	t.Helper()
	s := radiobrowser.New(radiobrowser.Options{
		Catalog: of, Bus: b, People: identity.NewPeople(keyring.Random()), Log: slog.New(slog.DiscardHandler), Base: "https://mira.example",
		Now: func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) },
	})
	return request.Handler(request.Options{}, s, radiobrowser.Endpoints)
}

// hostile is a name that breaks lines, elements, fields and lists.
const hostile = "\"Odd\", <b>&\r\n#EXTINF:-1,File1=x \x01"

// stations returns a catalog of stations: one with a hostile name, one that is blocked and
// one that only a player of its own opens.
func stations(t testing.TB, blocked ...string) *indextest.Catalog {
	t.Helper()
	one := func(n, name, address, kind string, id int) catalog.Record {
		return catalog.Record{
			ID: catalog.StationPrefix + "00000000-0000-4000-8000-00000000000" + n, Kind: catalog.Station, Name: name, Country: "PT", Origin: "radio-browser",
			Radio:   &catalog.Radio{Tags: []string{"fado", "folk"}, Votes: id},
			Streams: []catalog.StreamRecord{{ID: catalog.StreamID(id), URL: address, Kind: kind, Origin: "radio-browser", Playable: true}},
		}
	}
	ix, err := index.Build(&catalog.Register{BuiltAt: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Records: []catalog.Record{
		one("1", hostile, "https://h.example/a?x=1&y=\"", catalog.StreamAudio, 1),
		one("2", "Plain", "http://h.example/b", catalog.StreamAudio, 2),
		one("3", "External", "rtmp://h.example/c", catalog.StreamExternal, 3),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return &indextest.Catalog{Shown: index.NewView(ix, index.Overlay{BlockedChannels: blocked}, links)}
}

func call(h http.Handler, path string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

// TestHostileNames checks that no name changes the shape of a list.
func TestHostileNames(t *testing.T) {
	h := served(t, stations(t), nil)
	for path, want := range map[string]string{
		"/m3u/stations/byname/odd": "#EXTM3U\r\n#RADIOBROWSERUUID:00000000-0000-4000-8000-000000000001\r\n#EXTINF:-1,\"Odd\", <b>&  #EXTINF:-1,File1=x  \r\n" + links.Stream(1) + "\r\n\r\n",
		"/pls/stations/byname/odd": "[playlist]\r\nNumberOfEntries=1\r\nFile1=" + links.Stream(1) + "\r\nTitle1=\"Odd\", <b>&  #EXTINF:-1,File1=x  \r\nLength1=-1\r\nVersion=2\r\n",
	} {
		if _, got := call(h, path); got != want {
			t.Errorf("%s: %s", path, cmp.Diff(want, got))
		}
	}
	for path, parts := range map[string][]string{
		"/xml/stations/byname/odd":  {`name="&#34;Odd&#34;, &lt;b&gt;&amp;&#xD;&#xA;#EXTINF:-1,File1=x ` + "\uFFFD" + `"`, `url_resolved="https://h.example/a?x=1&amp;y=&#34;"`},
		"/csv/stations/byname/odd":  {`"""Odd"", <b>&`},
		"/xspf/stations/byname/odd": {`&lt;b&gt;`},
		"/json/stations/byname/odd": {`"name":"\"Odd\", \u003cb\u003e\u0026\r\n#EXTINF:-1,File1=x \u0001"`},
	} {
		_, got := call(h, path)
		for _, part := range parts {
			if !strings.Contains(got, part) {
				t.Errorf("%s lacks %s:\n%s", path, part, got)
			}
		}
	}
}

// TestAddresses checks which address plays a station, and that one that players cannot
// open is not listed.
func TestAddresses(t *testing.T) {
	_, got := call(served(t, stations(t), nil), "/json/stations?order=votes")
	for _, part := range []string{
		`"url":"` + links.Stream(1) + `","url_resolved":"https://h.example/a?x=1\u0026y=\""`,
		`"url":"http://h.example/b","url_resolved":"http://h.example/b"`, // to which the hop does not redirect
	} {
		if !strings.Contains(got, part) {
			t.Errorf("the list lacks %s:\n%s", part, got)
		}
	}
	if strings.Contains(got, "External") {
		t.Errorf("the list has a station that players cannot open:\n%s", got)
	}
}

// TestBlocked checks that a blocked station is in no answer, also when it is blocked after
// the first one.
func TestBlocked(t *testing.T) {
	c := stations(t)
	h := served(t, c, new(plays))
	const plain = "00000000-0000-4000-8000-000000000002"
	paths := []string{
		"/json/stations", "/json/stations/byuuid/" + plain, "/json/stations/byuuid?uuids=" + plain, "/json/stations/topvote", "/json/stations/topclick/5",
		"/json/stations/search?name=plain", "/json/stations/byurl?url=http://h.example/b", "/m3u/stations", "/json/url/" + plain,
	}
	for _, path := range paths {
		if code, got := call(h, path); code != http.StatusOK || !strings.Contains(got, "Plain") {
			t.Errorf("%s: %d %s", path, code, got)
		}
	}
	_, stats := call(h, "/json/stats")
	if _, got := call(h, "/json/tags"); got != `[{"name":"fado","stationcount":2},{"name":"folk","stationcount":2}]` {
		t.Errorf("before the block: %s", got)
	}
	c.Shown = c.Shown.WithOverlay(index.Overlay{BlockedChannels: []string{catalog.StationPrefix + plain}})
	if _, got := call(h, "/json/stats"); got == stats {
		t.Errorf("the blocked station is in the numbers: %s", got)
	}
	for _, path := range paths {
		if _, got := call(h, path); strings.Contains(got, "Plain") {
			t.Errorf("%s shows the blocked station: %s", path, got)
		}
	}
	if code, _ := call(h, "/json/url/"+plain); code != http.StatusNotFound {
		t.Errorf("the blocked station plays: %d", code)
	}
	if _, got := call(h, "/json/tags"); got != `[{"name":"fado","stationcount":1},{"name":"folk","stationcount":1}]` {
		t.Errorf("the blocked station is counted: %s", got)
	}
}

// TestClicks checks that a click counts once a person, station and day, and again when the
// bus did not take it.
func TestClicks(t *testing.T) {
	b := &plays{fails: true}
	h := served(t, stations(t), b)
	click := func(n string) {
		t.Helper()
		if code, got := call(h, "/json/url/00000000-0000-4000-8000-00000000000"+n); code != http.StatusOK || !strings.Contains(got, `"ok":true`) {
			t.Errorf("%d %s", code, got)
		}
	}
	click("1")
	b.fails = false
	click("1")
	click("1")
	click("2")
	want := []string{catalog.StationPrefix + "00000000-0000-4000-8000-000000000001", catalog.StationPrefix + "00000000-0000-4000-8000-000000000002"}
	if diff := cmp.Diff(want, b.channels); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{"/json/url/00000000-0000-4000-8000-000000000003", "/json/url/x", "/csv/url/00000000-0000-4000-8000-000000000001"} {
		if code, got := call(h, path); code != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, code, got)
		}
	}
	if len(b.channels) != 2 {
		t.Errorf("a station that does not play counts: %q", b.channels)
	}
}

// TestFormats checks that other formats and lists are not found, and that the folders of
// the formats are those that the site knows.
func TestFormats(t *testing.T) {
	h := served(t, stations(t), nil)
	for _, path := range []string{"/ttl/stations", "/m3u/tags", "/json/stations/deleted", "/json/add", "/csv/stats", "/html/stats", "/json/vote/x"} {
		if code, _ := call(h, path); code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, code)
		}
	}
	var folders []string
	for _, path := range radiobrowser.Endpoints[0].Paths() {
		folders = append(folders, strings.TrimSuffix(path, "stations"))
	}
	if diff := cmp.Diff(site.RadioBrowserFolders, folders); diff != "" {
		t.Error(diff)
	}
}

// TestNoCatalog checks that nothing is answered before the first release.
func TestNoCatalog(t *testing.T) {
	h := served(t, &indextest.Catalog{}, nil)
	for _, path := range []string{"/json/stations", "/json/stations/search", "/json/stations/byuuid/x", "/json/stations/byurl", "/json/stations/topvote", "/json/tags", "/json/stats", "/json/url/x"} {
		if code, _ := call(h, path); code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d, want 503", path, code)
		}
	}
}

// TestOrders checks the order of each kind, both ways.
func TestOrders(t *testing.T) {
	h := served(t, stations(t), nil)
	for order, want := range map[string][2]string{ // the name that is first, and the one that is first in reverse
		"name": {"Odd", "Plain"}, "votes": {"Odd", "Plain"}, "url": {"Odd", "Odd"}, "bitrate": {"Odd", "Odd"}, "lastcheckok": {"Odd", "Odd"},
	} {
		for i, reverse := range []string{"false", "true"} {
			_, got := call(h, "/json/stations?limit=1&order="+order+"&reverse="+reverse)
			if !strings.Contains(got, want[i]) {
				t.Errorf("%s, reverse %s: %s, want %s", order, reverse, got, want[i])
			}
		}
	}
	if code, got := call(h, "/json/stations?order=random"); code != http.StatusOK || strings.Count(got, "stationuuid") != 2 {
		t.Errorf("random: %d %s", code, got)
	}
}

// TestValues checks the orders, the parts and the pages of a list of values.
func TestValues(t *testing.T) {
	var records []catalog.Record
	for i, tags := range [][]string{{"fado", "folk"}, {"fado"}, {"fado", "jazz"}, {"jazz"}, {"tango"}} {
		records = append(records, catalog.Record{
			ID: fmt.Sprintf("%s00000000-0000-4000-8000-00000000000%d", catalog.StationPrefix, i), Kind: catalog.Station, Name: fmt.Sprint("Station ", i), Country: "PT",
			Origin: "radio-browser", Radio: &catalog.Radio{Tags: tags},
			Streams: []catalog.StreamRecord{{ID: catalog.StreamID(i + 1), URL: "https://h.example/a", Kind: catalog.StreamAudio, Origin: "radio-browser", Playable: true}},
		})
	}
	ix, err := index.Build(&catalog.Register{BuiltAt: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Records: records})
	if err != nil {
		t.Fatal(err)
	}
	h := served(t, &indextest.Catalog{Shown: index.NewView(ix, index.Overlay{}, links)}, nil)
	for _, test := range []struct{ path, want string }{
		{"/json/tags", "fado 3, folk 1, jazz 2, tango 1"},
		{"/json/tags?reverse=true", "tango 1, jazz 2, folk 1, fado 3"},
		{"/json/tags?order=stationcount", "folk 1, tango 1, jazz 2, fado 3"},
		{"/json/tags?order=stationcount&reverse=true", "fado 3, jazz 2, tango 1, folk 1"},
		{"/json/tags?order=stationcount&reverse=true&offset=1&limit=2", "jazz 2, tango 1"},
		{"/json/tags?offset=3&limit=2", "tango 1"},
		{"/json/tags?offset=4", ""},
		{"/json/tags?limit=0", ""},
		{"/json/tags/F", "fado 3, folk 1"},
		{"/json/tags/f?offset=1", "folk 1"},
		{"/json/tags/f?reverse=true&limit=1", "folk 1"},
		{"/json/tags/none", ""},
	} {
		_, got := call(h, test.path)
		var values []struct {
			Name  string
			Count int `json:"stationcount"`
		}
		if err := json.Unmarshal([]byte(got), &values); err != nil {
			t.Fatalf("%s: %v: %s", test.path, err, got)
		}
		var list []string
		for _, v := range values {
			list = append(list, fmt.Sprint(v.Name, " ", v.Count))
		}
		if diff := cmp.Diff(test.want, strings.Join(list, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
	}
}

// TestBlockLifted checks that a station whose stream was blocked when the service began is
// shown when the block is lifted.
func TestBlockLifted(t *testing.T) {
	c := stations(t)
	c.Shown = c.Shown.WithOverlay(index.Overlay{BlockedStreams: []catalog.StreamID{2}})
	h := served(t, c, nil)
	if _, got := call(h, "/json/stations"); strings.Count(got, "stationuuid") != 1 || strings.Contains(got, "Plain") {
		t.Errorf("while it is blocked: %s", got)
	}
	c.Shown = c.Shown.WithOverlay(index.Overlay{})
	if _, got := call(h, "/json/stations"); strings.Count(got, "stationuuid") != 2 || !strings.Contains(got, "Plain") {
		t.Errorf("when it is lifted: %s", got)
	}
}
