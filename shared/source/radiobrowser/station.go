package radiobrowser

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"miramundo.dev/shared/source"
)

// A station is a record as servers and dumps of several years write it.
type station struct {
	UUID          string `json:"stationuuid"`
	Name          string `json:"name"`
	URL           string `json:"url"`
	URLResolved   string `json:"url_resolved"`
	Homepage      string `json:"homepage"`
	Favicon       string `json:"favicon"`
	Tags          string `json:"tags"`
	CountryCode   string `json:"countrycode"`
	Subdivision   string `json:"iso_3166_2"`
	State         string `json:"state"`
	Languages     string `json:"language"`
	LanguageCodes string `json:"languagecodes"`
	Votes         number `json:"votes"`
	Clicks        number `json:"clickcount"`
	Codec         string `json:"codec"`
	Bitrate       number `json:"bitrate"`
	HLS           number `json:"hls"`
	LastCheckOK   number `json:"lastcheckok"`
	Latitude      number `json:"geo_lat"`
	Longitude     number `json:"geo_long"`
}

// clean cleans the texts, and reports whether the record has an id and an
// address and is within bounds.
func (s *station) clean() bool {
	if s.UUID == "" || s.URL == "" && s.URLResolved == "" {
		return false
	}
	for _, text := range []*string{
		&s.UUID, &s.Name, &s.URL, &s.URLResolved, &s.Homepage, &s.Favicon, &s.Tags, &s.CountryCode,
		&s.Subdivision, &s.State, &s.Languages, &s.LanguageCodes, &s.Codec,
	} {
		if len(*text) > source.MaxField {
			return false
		}
		*text = source.Plain(*text)
	}
	return true
}

func (s *station) station() source.Station {
	return source.Station{
		UUID:          s.UUID,
		Name:          s.Name,
		URL:           s.URL,
		URLResolved:   s.URLResolved,
		Homepage:      s.Homepage,
		Favicon:       s.Favicon,
		Tags:          list(s.Tags),
		CountryCode:   s.CountryCode,
		Subdivision:   s.Subdivision,
		State:         s.State,
		Languages:     list(s.Languages),
		LanguageCodes: list(s.LanguageCodes),
		Votes:         s.Votes.integer(),
		Clicks:        s.Clicks.integer(),
		Codec:         s.Codec,
		Bitrate:       s.Bitrate.integer(),
		HLS:           s.HLS.integer() != 0,
		LastCheckOK:   s.LastCheckOK.integer() != 0,
		Latitude:      s.Latitude.coordinate(90),
		Longitude:     s.Longitude.coordinate(180),
	}
}

// list splits text at commas and drops empty values.
func list(text string) []string {
	if text == "" {
		return nil
	}
	values := make([]string, 0, 1+strings.Count(text, ","))
	for value := range strings.SplitSeq(text, ",") {
		if value = strings.TrimSpace(value); value != "" {
			values = append(values, value)
		}
	}
	return values
}

// A number may be written as a number, as text, or as true or false.
type number struct {
	value float64
	known bool
}

var errNumber = errors.New("not a number")

func (n *number) UnmarshalJSON(data []byte) error {
	data = bytes.Trim(data, `"`)
	switch string(data) {
	case "null", "":
		return nil
	case "true":
		*n = number{1, true}
		return nil
	case "false":
		*n = number{0, true}
		return nil
	}
	value, err := strconv.ParseFloat(string(data), 64)
	if err != nil {
		return errNumber
	}
	*n = number{value, true}
	return nil
}

// integer returns n as an integer, or 0 when it is missing or out of range.
func (n number) integer() int {
	if n.value < math.MinInt32 || n.value > math.MaxInt32 || n.value != n.value {
		return 0
	}
	return int(n.value)
}

// coordinate returns n as a coordinate of at most limit degrees, or nil.
func (n number) coordinate(limit float64) *float64 {
	if !n.known || n.value != n.value || math.Abs(n.value) > limit {
		return nil
	}
	return &n.value
}

var _ json.Unmarshaler = (*number)(nil)
