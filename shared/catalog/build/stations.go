package build

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/catalog/build/region"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/source"
)

const (
	originRadioBrowser = "radio-browser"
	stationPrefix      = catalog.StationPrefix
	maxTags            = 60   // of one station: 99.99 % have fewer, the rest list their playlists
	maxLanguages       = 30   // of one station
	maxTag             = 64   // bytes
	maxBitrate         = 2000 // kbit/s; larger values are mistakes
)

var (
	uuidForm        = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	subdivisionForm = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3}$`)
)

// station returns the record of row with its one stream. It reports false for a
// row without a valid uuid, a name or a usable address.
func station(row *source.Station, regions *region.Index) (catalog.Record, bool) {
	uuid := strings.ToLower(row.UUID)
	name := clean.Text(row.Name, clean.MaxName)
	s, ok := stationStream(row)
	if !ok || name == "" || !uuidForm.MatchString(uuid) {
		return catalog.Record{}, false
	}
	r := catalog.Record{
		ID:         stationPrefix + uuid,
		Kind:       catalog.Station,
		Name:       name,
		Country:    clean.Country(row.CountryCode),
		Languages:  languages(row),
		Website:    clean.WebURL(row.Homepage),
		Origin:     cmp.Or(row.Origin, originRadioBrowser),
		LogoSource: clean.WebURL(row.Favicon),
		Radio: &catalog.Radio{
			Tags: tags(row.Tags), Votes: max(0, row.Votes), Clicks: max(0, row.Clicks),
			Codec: codec(row.Codec), Bitrate: bitrate(row.Bitrate), Geo: place(row),
		},
		Streams: []catalog.StreamRecord{s},
	}
	r.Subdivision = subdivision(row, r.Country, regions)
	return r, true
}

// subdivision returns the subdivision of row in country: by its code or, when
// it has none that is valid there, by what it says in words.
func subdivision(row *source.Station, country string, regions *region.Index) string {
	code := strings.ToUpper(strings.TrimSpace(row.Subdivision))
	if subdivisionForm.MatchString(code) && strings.HasPrefix(code, country+"-") {
		return code
	}
	return regions.Find(country, clean.Text(row.State, clean.MaxName))
}

// stationStream returns the stream of row. The row's url is the lasting
// address; url_resolved may carry a token that has expired, so that it is taken
// only when url is a playlist that a player would have to open first.
func stationStream(row *source.Station) (catalog.StreamRecord, bool) {
	address := strings.TrimSpace(row.URL)
	if resolved := strings.TrimSpace(row.URLResolved); address == "" || listURL(address) && resolved != "" {
		address = resolved
	}
	other := catalog.StreamAudio
	if row.HLS {
		other = catalog.StreamHLS
	}
	kind, ok := streamKind(address, other)
	if !ok {
		return catalog.StreamRecord{}, false
	}
	return catalog.StreamRecord{
		URL: address, Kind: kind, Label: streamLabel(row), Origin: cmp.Or(row.Origin, originRadioBrowser),
		Playable: row.LastCheckOK && kind != catalog.StreamExternal,
	}, true
}

// listURL reports whether raw is, by its suffix, a playlist of addresses.
func listURL(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".pls", ".m3u", ".asx", ".wax", ".xspf":
		return true
	}
	return false
}

// streamLabel returns a label that distinguishes the streams of one station,
// such as "MP3 128 kbps".
func streamLabel(row *source.Station) string {
	c, b := codec(row.Codec), bitrate(row.Bitrate)
	switch {
	case c != nil && b != nil:
		return fmt.Sprintf("%s %d kbps", *c, *b)
	case c != nil:
		return *c
	case b != nil:
		return fmt.Sprintf("%d kbps", *b)
	}
	return ""
}

// codec returns a codec in upper case, or nil when it is not known.
func codec(s string) *string {
	s = strings.ToUpper(clean.Text(s, 32))
	if s == "" || s == "UNKNOWN" {
		return nil
	}
	return &s
}

// bitrate returns n in kbit/s, or nil when it is not plausible. Some stations
// give bit/s: a number from 8000 on is taken as such.
func bitrate(n int) *int {
	if n >= 8000 {
		n /= 1000
	}
	if n <= 0 || n > maxBitrate {
		return nil
	}
	return &n
}

// place returns the position of a station, or nil when it is unknown. The point
// 0,0 in the Atlantic counts as unknown: it is the source's default.
func place(row *source.Station) *catalog.Geo {
	if row.Latitude == nil || row.Longitude == nil {
		return nil
	}
	g := catalog.Geo{Lat: *row.Latitude, Lon: *row.Longitude}
	if !(g.Lat >= -90 && g.Lat <= 90 && g.Lon >= -180 && g.Lon <= 180) || g == (catalog.Geo{}) {
		return nil
	}
	return &g
}

// tags returns the tags in lower case, without repeats and overlong tags.
func tags(list []string) []string {
	lower := make([]string, 0, len(list))
	for _, t := range list {
		if t = strings.ToLower(t); len(t) <= maxTag {
			lower = append(lower, t)
		}
	}
	out := clean.Texts(lower, maxTag)
	return append([]string{}, out[:min(len(out), maxTags)]...) // never null on the wire
}

// languages returns ISO 639-3 codes: from the codes of row or, when it has no
// valid code, from what it says in words.
func languages(row *source.Station) []string {
	var out []string
	add := func(code string) {
		if !slices.Contains(out, code) && len(out) < maxLanguages {
			out = append(out, code)
		}
	}
	for _, s := range row.LanguageCodes {
		if code, ok := i18n.LanguageCode(s); ok {
			add(code)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, list := range [][]string{row.Languages, row.LanguageCodes} {
		for _, s := range list {
			for _, code := range i18n.LanguagesIn(s) {
				add(code)
			}
		}
	}
	return out
}
