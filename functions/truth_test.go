package functions

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// A truth is what the files of a catalog folder say, read here with as little
// code as possible and none of the loader's.
type truth struct {
	channels, playable, stations, playableStations map[string]bool
	byCountry, byCategory, playableByCountry       map[string]int
	stationsByCountry                              map[string]int
	streams                                        map[string]map[string]bool // of each channel: feed and address
}

func readTruth(t *testing.T, dir string) *truth {
	t.Helper()
	tr := &truth{
		channels: map[string]bool{}, playable: map[string]bool{}, stations: map[string]bool{}, playableStations: map[string]bool{},
		byCountry: map[string]int{}, byCategory: map[string]int{}, playableByCountry: map[string]int{},
		stationsByCountry: map[string]int{}, streams: map[string]map[string]bool{},
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

// address is how two URLs are told apart: not by the case of the host, nor by
// a port that goes without saying.
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
	Homepage string
	Country  string `json:"countrycode"`
	Votes    int
	OK       int `json:"lastcheckok"`
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
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.OK != b.OK {
			return a.OK > b.OK
		}
		if a.Votes != b.Votes {
			return a.Votes > b.Votes
		}
		return a.UUID < b.UUID
	})
	addresses, selves := map[string]string{}, map[string]string{}
	variants := map[string]int{}
	for _, s := range all {
		tr.addStation(s, addresses, selves, variants)
	}
}

var (
	webAddress = regexp.MustCompile(`^https?://[^\s"<>\\/?#@]+([/?#][^\s"<>\\]*)?$`)
	listFile   = regexp.MustCompile(`(?i)\.(pls|m3u|asx|wax|xspf)$`)
)

func (tr *truth) addStation(s station, addresses, selves map[string]string, variants map[string]int) {
	s.URL, s.Resolved = strings.TrimSpace(s.URL), strings.TrimSpace(s.Resolved)
	if u, err := url.Parse(s.URL); s.Resolved != "" && (s.URL == "" || err == nil && listFile.MatchString(u.Path)) {
		s.URL = s.Resolved
	}
	name := strings.Join(strings.Fields(s.Name), " ")
	u, err := url.Parse(s.URL)
	if name == "" || err != nil || u.Host == "" || u.User != nil || u.Hostname() == "" || len(s.URL) > 4096 || !openable(s.URL) {
		return
	}
	country := strings.ToUpper(strings.TrimSpace(s.Country))
	id := "rb." + s.UUID
	addr := address(s.URL)
	if addresses[addr] != "" {
		return
	}
	self := ""
	if h, err := url.Parse(strings.TrimSpace(s.Homepage)); err == nil && webAddress.MatchString(strings.TrimSpace(s.Homepage)) {
		self = strings.ToLower(name) + " " + country + " " + strings.TrimPrefix(strings.ToLower(h.Hostname()), "www.")
	}
	if first := selves[self]; self != "" && first != "" && variants[first] < 10 {
		variants[first]++
		addresses[addr] = first
		return
	}
	addresses[addr], variants[id] = id, 1
	if self != "" {
		selves[self] = id
	}
	tr.stations[id] = true
	tr.stationsByCountry[country]++
	if s.OK == 1 {
		tr.playableStations[id] = true
	}
}

// openable reports whether the scheme is one that the catalog lists.
func openable(raw string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(raw), ":")
	return !strings.ContainsAny(raw, " \t\"<>\\") && strings.Contains(" http https rtmp rtmps rtsp rtsps mms mmsh mmst srt udp rtp ", " "+scheme+" ")
}
