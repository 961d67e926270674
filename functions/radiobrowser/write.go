package radiobrowser

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/i18n"
)

// A station is a station as radio-browser shows it.
type station struct {
	ChangeUUID     string   `json:"changeuuid" description:"Same as stationuuid: changes are not told apart."`
	StationUUID    string   `json:"stationuuid" description:"Id of the station, a UUID; the channel id of this catalog is the same with rb. before it."`
	ServerUUID     *string  `json:"serveruuid" description:"Always null."`
	Name           string   `json:"name" description:"Name of the station."`
	URL            string   `json:"url" format:"uri" description:"Address that plays the station: that of the hop, or the provider's own for plain HTTP."`
	URLResolved    string   `json:"url_resolved" format:"uri" description:"Address of the stream at its provider."`
	Homepage       string   `json:"homepage" description:"Website of the station; empty when not known."`
	Favicon        string   `json:"favicon" description:"Address of its logo; empty when it has none."`
	Tags           string   `json:"tags" description:"Tags with commas between them."`
	Country        string   `json:"country" description:"English name of the country."`
	CountryCode    string   `json:"countrycode" description:"ISO 3166-1 alpha-2; empty when not known."`
	Subdivision    *string  `json:"iso_3166_2" description:"Code of the state or province; null when not known."`
	State          string   `json:"state" description:"Name of the state or province; empty when not known."`
	Language       string   `json:"language" description:"English names of the languages in lower case, with commas between them."`
	LanguageCodes  string   `json:"languagecodes" description:"Codes of the languages (ISO 639-1, or 639-3 for those without one), with commas between them."`
	Votes          int      `json:"votes" description:"Votes that the source counted."`
	ChangeTime     string   `json:"lastchangetime" description:"Time of the release of the catalog, in UTC."`
	ChangeTimeISO  string   `json:"lastchangetime_iso8601" format:"date-time" description:"The same, in ISO 8601."`
	Codec          string   `json:"codec" description:"Codec, such as MP3; empty when not known."`
	Bitrate        int      `json:"bitrate" description:"Bitrate in kbit/s; 0 when not known."`
	HLS            int      `json:"hls" minimum:"0" maximum:"1" description:"1 for a stream in HLS."`
	LastCheckOK    int      `json:"lastcheckok" minimum:"0" maximum:"1" description:"1 when the last check found the station usable."`
	CheckTime      string   `json:"lastchecktime" description:"Time of the last check, in UTC."`
	CheckTimeISO   string   `json:"lastchecktime_iso8601" format:"date-time" description:"The same, in ISO 8601."`
	CheckOKTime    string   `json:"lastcheckoktime" description:"Time of the last check when that found it usable; empty otherwise."`
	CheckOKTimeISO *string  `json:"lastcheckoktime_iso8601" format:"date-time" description:"The same, in ISO 8601; null for empty."`
	LocalTime      string   `json:"lastlocalchecktime" description:"Same as lastchecktime."`
	LocalTimeISO   string   `json:"lastlocalchecktime_iso8601" format:"date-time" description:"The same, in ISO 8601."`
	ClickTime      string   `json:"clicktimestamp" description:"Always empty: times of clicks are not known."`
	ClickTimeISO   *string  `json:"clicktimestamp_iso8601" description:"Always null."`
	ClickCount     int      `json:"clickcount" description:"Clicks in 24 hours that the source counted."`
	ClickTrend     int      `json:"clicktrend" description:"Always 0."`
	SSLError       int      `json:"ssl_error" minimum:"0" maximum:"1" description:"Always 0."`
	Lat            *float64 `json:"geo_lat" description:"Latitude in degrees; null when not known."`
	Lon            *float64 `json:"geo_long" description:"Longitude in degrees; null when not known."`
	Distance       *float64 `json:"geo_distance" description:"Distance in metres from the place that was asked for; null without one."`
	Extended       bool     `json:"has_extended_info" description:"Always false."`
}

// A stationList is a list of stations in a format.
type stationList struct{ api.Content }

// Schema returns the shape of a list in JSON.
func (stationList) Schema() any { return []station{} }

// takeTime is how long a request waits for the lists of others: few are written at a time,
// since each may take tens of megabytes.
const takeTime = 3 * time.Second

var errBusy = errors.New("other lists of stations are being written")

// write returns the stations of rows in a format, with the distances from a place; nil for
// no distances.
func (s *Server) write(v *index.View, t *table, rows []int32, format string, from *catalog.Geo) (stationList, error) {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-time.After(takeTime):
		return stationList{}, fault.ErrUnavailable.Because(errBusy)
	}
	built := stamp(v.BuiltAt())
	list := make([]station, 0, len(rows))
	for _, i := range rows {
		if one, ok := shown(v, &t.stations[i], built); ok {
			if g := t.stations[i].Geo; from != nil && g != nil {
				d := from.Metres(*g)
				one.Distance = &d
			}
			list = append(list, one)
		}
	}
	c, err := encode(list, format)
	return stationList{c}, err
}

// shown returns a station as v shows it; false when it is blocked or has no address that a
// player could open.
func shown(v *index.View, r *row, built moment) (station, bool) {
	now, ok := v.Reception(r.Doc)
	if !ok || now.Stream == nil {
		return station{}, false
	}
	checked := built
	if at, err := time.Parse(time.RFC3339, now.CheckedAt); err == nil {
		checked = stamp(at)
	}
	uuid := strings.TrimPrefix(r.ID, catalog.StationPrefix)
	one := station{
		ChangeUUID: uuid, StationUUID: uuid, Name: r.Name, URL: v.Links().Play(now.Stream), URLResolved: now.Stream.URL,
		Homepage: r.Website, Favicon: now.Logo, Tags: r.Tags, Country: r.CountryName, CountryCode: r.Country,
		Subdivision: catalog.TextOrNil(r.Subdivision), State: r.State, Language: r.Languages, LanguageCodes: shortCodes(r.LanguageCodes),
		Votes: r.Votes, ChangeTime: built.plain, ChangeTimeISO: built.iso, Codec: r.Codec, Bitrate: r.Bitrate,
		HLS: flag(now.Stream.Kind == catalog.StreamHLS), LastCheckOK: flag(now.Playable),
		CheckTime: checked.plain, CheckTimeISO: checked.iso, LocalTime: checked.plain, LocalTimeISO: checked.iso, ClickCount: r.Clicks,
	}
	if now.Playable {
		one.CheckOKTime, one.CheckOKTimeISO = checked.plain, &checked.iso
	}
	if r.Geo != nil {
		one.Lat, one.Lon = &r.Geo.Lat, &r.Geo.Lon
	}
	return one, one.URL != ""
}

// A moment is a time in the two forms that radio-browser has, both in UTC.
type moment struct{ plain, iso string }

func stamp(at time.Time) moment {
	return moment{at.UTC().Format(time.DateTime), at.UTC().Format(time.RFC3339)}
}

// shortCodes returns codes of ISO 639-3, with commas between them, as those of ISO 639-1
// where they have one.
func shortCodes(codes string) string {
	if codes == "" {
		return ""
	}
	list := strings.Split(codes, ",")
	for i, code := range list {
		list[i] = i18n.ShortCode(code)
	}
	return strings.Join(list, ",")
}

// encode returns stations in a format.
func encode(list []station, format string) (api.Content, error) {
	switch format {
	case "xml":
		return elements("station", list, (*station).pairs), nil
	case "csv":
		return inCSV(list, (*station).pairs)
	case "m3u", "pls", "xspf":
		return playlist(list, format), nil
	}
	return inJSON(list)
}

// inJSON returns a value in JSON.
func inJSON(v any) (api.Content, error) {
	data, err := json.Marshal(v)
	return tagged(feed.JSONType, data), err
}

// tagged returns an answer with a version of its bytes.
func tagged(mediaType string, data []byte) api.Content {
	sum := sha256.Sum256(data)
	return api.Content{Type: mediaType, Data: data, Tag: hex.EncodeToString(sum[:8])}
}

// A pair is a field of a format without numbers or null: its name, and its value as text.
type pair struct{ name, value string }

// pairs returns the fields of a station in their order.
func (s *station) pairs() []pair {
	return []pair{
		{"changeuuid", s.ChangeUUID}, {"stationuuid", s.StationUUID}, {"serveruuid", ""}, {"name", s.Name}, {"url", s.URL},
		{"url_resolved", s.URLResolved}, {"homepage", s.Homepage}, {"favicon", s.Favicon}, {"tags", s.Tags}, {"country", s.Country},
		{"countrycode", s.CountryCode}, {"iso_3166_2", textOf(s.Subdivision)}, {"state", s.State}, {"language", s.Language},
		{"languagecodes", s.LanguageCodes}, {"votes", strconv.Itoa(s.Votes)}, {"lastchangetime", s.ChangeTime},
		{"lastchangetime_iso8601", s.ChangeTimeISO}, {"codec", s.Codec}, {"bitrate", strconv.Itoa(s.Bitrate)}, {"hls", strconv.Itoa(s.HLS)},
		{"lastcheckok", strconv.Itoa(s.LastCheckOK)}, {"lastchecktime", s.CheckTime}, {"lastchecktime_iso8601", s.CheckTimeISO},
		{"lastcheckoktime", s.CheckOKTime}, {"lastcheckoktime_iso8601", textOf(s.CheckOKTimeISO)}, {"lastlocalchecktime", s.LocalTime},
		{"lastlocalchecktime_iso8601", s.LocalTimeISO}, {"clicktimestamp", s.ClickTime}, {"clicktimestamp_iso8601", textOf(s.ClickTimeISO)},
		{"clickcount", strconv.Itoa(s.ClickCount)}, {"clicktrend", strconv.Itoa(s.ClickTrend)}, {"ssl_error", strconv.Itoa(s.SSLError)},
		{"geo_lat", numberOf(s.Lat)}, {"geo_long", numberOf(s.Lon)}, {"geo_distance", numberOf(s.Distance)},
		{"has_extended_info", strconv.FormatBool(s.Extended)},
	}
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func numberOf(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'g', -1, 64)
}

// elements returns XML of one element for each item of a list, with its fields as
// attributes.
func elements[T any](name string, list []T, pairs func(*T) []pair) api.Content {
	var b bytes.Buffer
	b.WriteString(xml.Header + "<result>")
	for i := range list {
		b.WriteString("<" + name)
		for _, p := range pairs(&list[i]) {
			b.WriteString(" " + p.name + `="`)
			_ = xml.EscapeText(&b, []byte(p.value)) // to memory, which does not fail
			b.WriteByte('"')
		}
		b.WriteString("/>")
	}
	b.WriteString("</result>")
	return tagged(xmlType, b.Bytes())
}

// inCSV returns a list as CSV with a first line of names. An empty list has none.
func inCSV[T any](list []T, pairs func(*T) []pair) (api.Content, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for i := range list {
		of := pairs(&list[i])
		names, values := make([]string, len(of)), make([]string, len(of))
		for k, p := range of {
			names[k], values[k] = p.name, p.value
		}
		if i == 0 {
			_ = w.Write(names) // errors are kept until Flush
		}
		_ = w.Write(values)
	}
	w.Flush()
	return tagged(csvType, b.Bytes()), w.Error()
}

// playlist returns stations as a playlist. Programs find a station again by the line of
// its id in M3U.
func playlist(list []station, format string) api.Content {
	if format == "xspf" {
		return inXSPF(list)
	}
	var b strings.Builder
	if format == "m3u" {
		b.WriteString("#EXTM3U\r\n")
	} else {
		b.WriteString("[playlist]\r\nNumberOfEntries=" + strconv.Itoa(len(list)) + "\r\n")
	}
	for i := range list {
		s := &list[i]
		if format == "m3u" {
			b.WriteString("#RADIOBROWSERUUID:" + s.StationUUID + "\r\n#EXTINF:-1," + oneLine(s.Name) + "\r\n" + oneLine(s.URL) + "\r\n\r\n")
			continue
		}
		n := strconv.Itoa(i + 1)
		b.WriteString("File" + n + "=" + oneLine(s.URL) + "\r\nTitle" + n + "=" + oneLine(s.Name) + "\r\nLength" + n + "=-1\r\n")
	}
	kind := m3uType
	if format == "pls" {
		b.WriteString("Version=2\r\n")
		kind = plsType
	}
	c := tagged(kind, []byte(b.String()))
	c.File = "playlist." + format
	return c
}

// oneLine returns a text without the characters that end a line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, text)
}

func inXSPF(list []station) api.Content {
	l := feed.List{Name: "Miramundo", Level: feed.Search}
	for i := range list {
		l.Entries = append(l.Entries, feed.Entry{Channel: catalog.StationPrefix + list[i].StationUUID, Name: list[i].Name, URL: list[i].URL, Radio: true})
	}
	c := tagged(xspfType, l.XSPF())
	c.File = "playlist.xspf"
	return c
}
