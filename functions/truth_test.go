package functions

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/source/collect"
)

// A truth is the content of the files of a catalog folder, read here with as little
// code as possible and without the loader.
type truth struct {
	channels, playable                       map[string]bool
	byCountry, byCategory, playableByCountry map[string]int
	stations                                 []station                  // entries that can be listed; several may be one station
	entriesByCountry                         map[string]int             // of stations
	streams                                  map[string]map[string]bool // of each channel: feed and address
}

func readTruth(t *testing.T, dir string) *truth {
	t.Helper()
	tr := &truth{
		channels: map[string]bool{}, playable: map[string]bool{},
		byCountry: map[string]int{}, byCategory: map[string]int{}, playableByCountry: map[string]int{},
		entriesByCountry: map[string]int{}, streams: map[string]map[string]bool{},
	}
	tr.readChannels(t, dir)
	tr.readStations(t, filepath.Join(dir, "radio-browser", "stations.json.gz"))
	return tr
}

func rows(t *testing.T, file string) []map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, name := range all[0] {
			m[name] = row[i]
		}
		out = append(out, m)
	}
	return out
}

const today = "2026-11-22" // closing dates are compared with the test's clock

func (tr *truth) readChannels(t *testing.T, dir string) {
	blocked := map[string]bool{}
	for _, row := range rows(t, filepath.Join(dir, "database/data/blocklist.csv")) {
		blocked[row["channel"]] = true
	}
	shown := map[string]map[string]string{}
	for _, row := range rows(t, filepath.Join(dir, "database/data/channels.csv")) {
		if row["is_nsfw"] == "TRUE" || blocked[row["id"]] || row["closed"] != "" && row["closed"] <= today {
			continue
		}
		shown[row["id"]] = row
	}
	tr.readStreams(t, dir, shown)
	for id, row := range shown {
		country := row["country"]
		if country == "UK" {
			country = "GB"
		}
		tr.channels[id] = true
		tr.byCountry[country]++
		if tr.playable[id] {
			tr.playableByCountry[country]++
		}
		for _, c := range strings.Split(row["categories"], ";") {
			tr.byCategory[c]++
		}
	}
}

var tvgID = regexp.MustCompile(`tvg-id="([^"@]*)@?([^"]*)"`)

func (tr *truth) readStreams(t *testing.T, dir string, shown map[string]map[string]string) {
	files, err := filepath.Glob(filepath.Join(dir, "iptv/streams/*.m3u"))
	if err != nil || len(files) == 0 {
		t.Fatal("no playlists", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var id, feed string
		for _, line := range strings.Split(strings.ReplaceAll(string(data), "\r", ""), "\n") {
			if strings.HasPrefix(line, "#EXTINF") {
				id, feed = "", ""
				if m := tvgID.FindStringSubmatch(line); m != nil {
					id, feed = m[1], m[2]
				}
			}
			if strings.HasPrefix(line, "#") || line == "" || shown[id] == nil {
				continue
			}
			if tr.streams[id] == nil {
				tr.streams[id] = map[string]bool{}
			}
			tr.streams[id][feed+" "+address(line)] = true
			if strings.HasPrefix(line, "http") {
				tr.playable[id] = true
			}
		}
	}
}

// address returns the form in which two URLs are compared: without the case of the
// host and the default port.
func address(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return s
	}
	u.Host = strings.ToLower(u.Host)
	u.Host = strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	u.Fragment = ""
	return u.String()
}

type station struct {
	UUID     string `json:"stationuuid"`
	Name     string
	URL      string
	Resolved string `json:"url_resolved"`
	Country  string `json:"countrycode"`
	Host     string `json:"-"` // of URL
}

func (tr *truth) readStations(t *testing.T, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []station
	if err := json.NewDecoder(zr).Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		tr.addStation(s)
	}
}

var listFile = regexp.MustCompile(`(?i)\.(pls|m3u|asx|wax|xspf)$`)

func (tr *truth) addStation(s station) {
	s.URL, s.Resolved = strings.TrimSpace(s.URL), strings.TrimSpace(s.Resolved)
	if u, err := url.Parse(s.URL); s.Resolved != "" && (s.URL == "" || err == nil && listFile.MatchString(u.Path)) {
		s.URL = s.Resolved
	}
	u, err := url.Parse(s.URL)
	if strings.TrimSpace(s.Name) == "" || err != nil || u.User != nil || u.Hostname() == "" || len(s.URL) > 4096 || !openable(s.URL) {
		return
	}
	s.Host = strings.ToLower(u.Hostname())
	tr.stations = append(tr.stations, s)
	tr.entriesByCountry[strings.ToUpper(strings.TrimSpace(s.Country))]++
}

// openable reports whether the scheme is one that the catalog lists.
func openable(raw string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(raw), ":")
	return !strings.ContainsAny(raw, " \t\"<>\\") && strings.Contains(" http https rtmp rtmps rtsp rtsps mms mmsh mmst srt udp rtp ", " "+scheme+" ")
}

// TestRealCatalog loads the real sources once, and judges what the service makes of them.
func TestRealCatalog(t *testing.T) {
	const dir = "../../shared/data/catalog"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no ../shared/data")
	}
	if testing.Short() {
		t.Skip("the real sources take long with the race detector")
	}
	t.Parallel()
	p := deps(t, openEmbedded(t), collect.Folder(dir))
	t.Run("answers match the files", func(t *testing.T) { checkServed(t, mux(t, p), readTruth(t, dir)) })
	t.Run("records fit their schema", func(t *testing.T) { checkDescribed(t, p) })
}

// checkServed compares the answers of the service with the content of the files.
func checkServed(t *testing.T, h http.Handler, tr *truth) {
	for query, want := range map[string]int{
		"playable=0":          len(tr.channels),
		"":                    len(tr.playable),
		"kind=all&playable=0": len(tr.channels) + total(t, h, "kind=radio&playable=0"),
	} {
		if got := total(t, h, query); got != want {
			t.Errorf("%q finds %d, want %d", query, got, want)
		}
	}
	counts := func(param, more string, want map[string]int) {
		for value, n := range want {
			if got := total(t, h, param+"="+url.QueryEscape(value)+more); value != "" && got != n {
				t.Errorf("%s=%s%s finds %d, want %d", param, value, more, got, n)
			}
		}
	}
	counts("country", "&playable=0", tr.byCountry)
	counts("category", "&playable=0", tr.byCategory)
	checkCountries(t, h, tr)
	checkStreams(t, h, tr)
	checkStations(t, h, tr)
}

func get(t *testing.T, h http.Handler, path string, v any) {
	t.Helper()
	res, text := apitest.Do(t, h, "GET", path, "")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s %s", path, res.Status, text)
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
}

func total(t *testing.T, h http.Handler, query string) int {
	t.Helper()
	var page struct{ Total int }
	get(t, h, "/api/channels?limit=1&"+query, &page)
	return page.Total
}

// checkCountries compares the facet of countries with the playable channels.
func checkCountries(t *testing.T, h http.Handler, tr *truth) {
	var list struct {
		Items []struct {
			Code  string
			Count int
		}
	}
	get(t, h, "/api/countries", &list)
	got := map[string]int{}
	for _, c := range list.Items {
		got[c.Code] = c.Count
	}
	if d := cmp.Diff(tr.playableByCountry, got); d != "" {
		t.Errorf("countries (-files +served):\n%s", d)
	}
}

// checkStreams pages through every playable channel, and compares the streams
// of each with the playlists.
func checkStreams(t *testing.T, h http.Handler, tr *truth) {
	seen := map[string]bool{}
	for offset := 0; ; offset += 50 {
		var page struct{ Items []struct{ ID string } }
		get(t, h, fmt.Sprintf("/api/channels?playable=0&limit=50&offset=%d", offset), &page)
		if len(page.Items) == 0 {
			break
		}
		for _, c := range page.Items {
			if seen[c.ID] {
				t.Errorf("%s is on two pages", c.ID)
			}
			seen[c.ID] = true
			if want := len(tr.streams[c.ID]); want > 0 {
				var full struct{ Streams []struct{ ID string } }
				get(t, h, "/api/channels/"+url.PathEscape(c.ID), &full)
				if len(full.Streams) != want {
					t.Errorf("%s has %d streams, want %d", c.ID, len(full.Streams), want)
				}
			}
		}
	}
	if len(seen) != len(tr.channels) {
		t.Errorf("pages hold %d channels, want %d", len(seen), len(tr.channels))
	}
}

// checkStations compares the stations with the entries of the file. Entries of one
// station are merged by rules that are not repeated here, but whatever these are,
// each entry must lead to a station that has a stream of the same host, no country
// can have more stations than entries, and most entries are stations.
func checkStations(t *testing.T, h http.Handler, tr *truth) {
	if shown := total(t, h, "kind=radio&playable=0"); shown > len(tr.stations) || shown < len(tr.stations)*3/4 {
		t.Errorf("%d stations of %d entries", shown, len(tr.stations))
	}
	for country, entries := range tr.entriesByCountry {
		if got := total(t, h, "kind=radio&playable=0&country="+url.QueryEscape(country)); country != "" && got > entries+filled {
			t.Errorf("%d stations in %s, of %d entries", got, country, entries)
		}
	}
	for i := 0; i < len(tr.stations); i += 41 {
		s := tr.stations[i]
		var full struct {
			Streams []struct {
				Address *string `json:"provider_url"`
			}
		}
		get(t, h, "/api/channels/rb."+s.UUID, &full)
		found := false
		for _, stream := range full.Streams {
			found = found || stream.Address == nil || strings.Contains(strings.ToLower(*stream.Address), s.Host)
		}
		if !found {
			t.Errorf("entry %s (%s) leads to a station without a stream of %s", s.UUID, s.Name, s.Host)
		}
	}
}

// filled is how many stations of a country may have it from other entries, when
// their own names none.
const filled = 25
