package show

import (
	"iter"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
	"miramundo.dev/shared/i18n"
)

// A Station is what a release says of a radio station. Names are in English. Lists are
// joined with commas, as directories of stations write them, and shared between stations.
type Station struct {
	Doc           uint32 // number of its record
	ID            string // catalog id
	Name          string
	Country       string // ISO 3166-1 alpha-2; empty when not known, as the others are
	CountryName   string
	Subdivision   string // catalog code, which is that of ISO 3166-2
	State         string // name of the subdivision
	Languages     string // names, in lower case
	LanguageCodes string // ISO 639-3
	Website       string
	Tags          string // in lower case
	Votes, Clicks int
	Codec         string
	Bitrate       int // kbit/s; 0 when not known
	Geo           *catalog.Geo
	Openable      bool // has a stream that players open by its address
}

// Stations yields the radio stations of the release in the order of names, and of their
// records: those that are blocked too.
func (v *View) Stations() iter.Seq[Station] {
	return func(yield func(Station) bool) {
		joined := joined{ix: v.ix, lists: map[uint32]string{}, tongues: map[uint32][2]string{}, states: map[uint32][2]string{}, countries: map[uint32][2]string{}}
		for doc := range uint32(v.ix.N) {
			state := v.ix.States.Row(v.ix.Rows[doc].State)
			if catalog.Kind(state[snapshot.StateKind]) != catalog.Station {
				continue
			}
			if !yield(joined.station(v, doc, state)) {
				return
			}
		}
	}
}

// joined are the texts that stations share, by the groups of records that have them.
type joined struct {
	ix                         *layout.Index
	lists                      map[uint32]string
	tongues, states, countries map[uint32][2]string
}

func (j *joined) station(v *View, doc uint32, state []uint32) Station {
	ix := j.ix
	row, t := &ix.Rows[doc], ix.Texts(doc)
	s := Station{Doc: doc, ID: jsontext.Text(t.Part[recordtext.ID]), Name: jsontext.Text(t.Part[recordtext.Name])}
	country := j.pair(j.countries, ix.Topics.Row(row.Topic)[snapshot.TopicCountry], func(value uint32) (string, string) {
		name, _ := i18n.CountryName(ix.Text(value), i18n.EN)
		return ix.Text(value), name
	})
	s.Country, s.CountryName = country[0], country[1]
	place := j.pair(j.states, state[snapshot.StateSubdivision], func(value uint32) (string, string) {
		name, _ := v.PlaceName(ix.Text(value))
		return ix.Text(value), name
	})
	s.Subdivision, s.State = place[0], place[1]
	spoken := j.pair(j.tongues, row.Tongue, func(group uint32) (string, string) {
		codes := ix.LanguagesOf(group)
		return strings.ToLower(strings.Join(v.languageLabels(codes, int(i18n.EN)), ",")), strings.Join(codes, ",")
	})
	s.Languages, s.LanguageCodes = spoken[0], spoken[1]
	if site := t.Part[recordtext.Website]; site[0] == '"' {
		s.Website = jsontext.Text(site[1 : len(site)-1])
	}
	if at, _, ok := v.Place(doc); ok {
		s.Geo = &at
	}
	own := &ix.Stations
	s.Votes, s.Clicks = int(own.Votes[row.Station]), int(own.Clicks[row.Station])
	sound := ix.Sounds.Row(own.Sound[row.Station])
	s.Codec, s.Bitrate = ix.Text(sound[snapshot.SoundCodec]), int(sound[snapshot.SoundBitrate])
	s.Tags = j.list(own.TagList[row.Station])
	start, end := ix.Streams.Of(doc)
	for i := start; i < end; i++ {
		kind := ix.Stream(i).Kind
		s.Openable = s.Openable || kind != catalog.StreamExternal && kind != catalog.StreamYouTube
	}
	return s
}

// pair returns what of returns for a group, from the map when it was asked before.
func (j *joined) pair(known map[uint32][2]string, group uint32, of func(uint32) (string, string)) [2]string {
	p, ok := known[group]
	if !ok {
		p[0], p[1] = of(group)
		known[group] = p
	}
	return p
}

// list returns the values of a list.
func (j *joined) list(list uint32) string {
	text, ok := j.lists[list]
	if !ok {
		values := j.ix.Lists.At(list)
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = j.ix.Text(value)
		}
		text = strings.Join(texts, ",")
		j.lists[list] = text
	}
	return text
}

// A Reception is how a channel is received now.
type Reception struct {
	Playable  bool
	Logo      string                // URL; empty for a channel without a logo
	Stream    *catalog.StreamRecord // the best one; nil when it has none that a list can give
	CheckedAt string                // of the last check, in UTC (RFC 3339); empty before the first
}

// Reception returns how the channel of a record is received, for a caller of no known
// country. It reports false when the record is blocked.
func (v *View) Reception(doc uint32) (Reception, bool) {
	if v.now.IsRemoved(doc) {
		return Reception{}, false
	}
	e := Entries{view: v}
	r := Reception{Playable: v.now.Playable.Has(doc), Stream: e.stream(doc, "")}
	if logo := v.logos.of(doc); logo != nil {
		r.Logo = v.logos.base + string(logo)
	}
	if h := v.now.HealthOf(doc); h != nil && h.CheckedAt != nil {
		r.CheckedAt = *h.CheckedAt
	}
	return r, true
}

// IsPlayable reports whether the last check of the channel of a record found a usable stream.
func (v *View) IsPlayable(doc uint32) bool { return v.now.Playable.Has(doc) }

// Number returns the number of the record of a channel, by its id or by one that it once
// had. It reports false when no such channel is shown.
func (v *View) Number(id string) (uint32, bool) { return v.now.Shown(id) }

// IsBlocked reports whether the operator has blocked the channel of a record.
func (v *View) IsBlocked(doc uint32) bool { return v.now.IsRemoved(doc) }
