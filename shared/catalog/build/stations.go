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
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/source"
)

// The radio register is filled in by anyone, and the same station is often
// listed several times: with another address, another bitrate, or once again.
// Stations are therefore sorted best first and merged in one pass: an entry
// that matches an earlier one joins it, and its id becomes an alias. The order
// is total (health, votes, uuid), so that two builds of the same rows merge
// alike.

const (
	originRadioBrowser = "radio-browser"
	stationPrefix      = "rb." // before the source's uuid
	maxTags            = 30    // of one station; also the most languages
	maxTag             = 64    // bytes
	maxVariants        = 10    // streams of one station
	maxBitrate         = 2000  // kbit/s; larger values are mistakes
)

var (
	uuidForm        = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	subdivisionForm = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3}$`)
)

// mergeStations returns the radio stations, with duplicates merged into one,
// and the aliases of the ids that were merged.
//
// Two entries are the same station when they have the same stream address, or
// the same name, country and host of the home page. The entry that its source
// last found working, with the most votes, represents them; the streams of the
// others become further streams of it, up to maxVariants.
func mergeStations(rows []source.Station, rep *Report) (records []catalog.Record, merged map[string]string) {
	order := make([]*source.Station, 0, len(rows))
	for i := range rows {
		order = append(order, &rows[i])
	}
	slices.SortFunc(order, func(a, b *source.Station) int {
		return cmp.Or(cmp.Compare(boolRank(a.LastCheckOK), boolRank(b.LastCheckOK)), cmp.Compare(b.Votes, a.Votes), cmp.Compare(a.UUID, b.UUID))
	})
	merged = map[string]string{}
	byAddress, byIdentity, ids := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, row := range order {
		r, ok := station(row)
		if !ok || ids[r.ID] {
			rep.leaveOut("station_" + reasonInvalid)
			continue
		}
		ids[r.ID] = true
		address, identity := clean.Normal(r.Streams[0].URL), identity(&r)
		if i, ok := byAddress[address]; ok {
			merged[r.ID] = records[i].ID
			continue
		}
		if i, ok := byIdentity[identity]; ok && identity != "" && len(records[i].Streams) < maxVariants {
			merged[r.ID] = records[i].ID
			records[i].Streams = append(records[i].Streams, r.Streams[0])
			byAddress[address] = i
			continue
		}
		byAddress[address], byIdentity[identity] = len(records), len(records)
		records = append(records, r)
	}
	rep.LeftOut["station_"+reasonDuplicate] = len(merged)
	return records, merged
}

// identity returns a key that two entries of one station share whatever their
// stream: name, country and host of the home page. It is empty for a station
// without a home page, since a name alone is too weak.
func identity(r *catalog.Record) string {
	u, err := url.Parse(r.Website)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	return strings.ToLower(r.Name) + "\n" + r.Country + "\n" + host
}

// station returns the record of row with its one stream. It reports false for a
// row without a valid uuid, a name or a usable address.
func station(row *source.Station) (catalog.Record, bool) {
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
	if sub := strings.ToUpper(strings.TrimSpace(row.Subdivision)); subdivisionForm.MatchString(sub) {
		r.Subdivision = sub
	}
	return r, true
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
// valid code, from the names.
func languages(row *source.Station) []string {
	var out []string
	for _, list := range [][]string{row.LanguageCodes, row.Languages} {
		for _, s := range list {
			if code, ok := i18n.LanguageCode(strings.ToLower(strings.TrimSpace(s))); ok && !slices.Contains(out, code) && len(out) < maxTags {
				out = append(out, code)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}
