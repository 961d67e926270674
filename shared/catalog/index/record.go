package index

import (
	"encoding/json"
	"iter"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// Register returns the register that the index was made of, as
// [snapshot.Pack] normalised it, its records in the order of their names.
func (ix *Index) Register() *catalog.Register {
	reg := &catalog.Register{
		BuiltAt: ix.builtAt, Sources: slices.Clone(ix.sources),
		Categories: slices.Clone(ix.categories), Languages: slices.Clone(ix.terms.languages), Countries: slices.Clone(ix.terms.countries),
		Subdivisions: ix.terms.subdivisionList(), Cities: ix.terms.cityList(),
		ChannelAliases: ix.channelTo.all(), StreamAliases: ix.streamTo.all(),
		Records: make([]catalog.Record, 0, ix.n),
	}
	for _, r := range ix.Records() {
		reg.Records = append(reg.Records, r)
	}
	return reg
}

// Records yields every record with its number, in the order of names.
func (ix *Index) Records() iter.Seq2[int, catalog.Record] {
	return func(yield func(int, catalog.Record) bool) {
		for i := range ix.n {
			if !yield(i, ix.Record(i)) {
				return
			}
		}
	}
}

// Record returns record i, 0 <= i < Len, as the register had it.
func (ix *Index) Record(i int) catalog.Record {
	doc := uint32(i)
	row, t := &ix.rows[doc], ix.texts(doc)
	topic, house, past := ix.topics.Row(row.topic), ix.houses.Row(row.house), ix.pasts.Row(row.past)
	feed, state := ix.feeds.Row(row.feed), ix.states.Row(row.state)
	r := catalog.Record{
		ID:            jsontext.Text(t.part[ownID]),
		Kind:          catalog.Kind(state[snapshot.StateKind]),
		Name:          jsontext.Text(t.part[ownName]),
		AltNames:      elements(t.part[ownAltNames]),
		FeedNames:     ix.list(past[snapshot.PastFeedNameList]),
		Country:       ix.text(topic[snapshot.TopicCountry]),
		Categories:    ix.list(topic[snapshot.TopicCategoryList]),
		Languages:     ix.list(ix.tongues.Row(row.tongue)[snapshot.TongueList]),
		Network:       ix.text(house[snapshot.HouseNetwork]),
		Owners:        ix.list(house[snapshot.HouseOwnerList]),
		Launched:      ix.text(past[snapshot.PastLaunched]),
		ReplacedBy:    ix.text(past[snapshot.PastReplacedBy]),
		FeedName:      ix.text(feed[snapshot.FeedName]),
		FeedFormat:    ix.text(feed[snapshot.FeedFormat]),
		Timezones:     ix.list(feed[snapshot.FeedZoneList]),
		BroadcastArea: ix.list(feed[snapshot.FeedAreaList]),
		Quality:       ix.text(state[snapshot.StateQuality]),
		HasGuide:      state[snapshot.StateGuide] != 0,
		GuideSite:     ix.text(state[snapshot.StateGuideSite]),
		GuideLang:     ix.text(state[snapshot.StateGuideLang]),
		Subdivision:   ix.text(state[snapshot.StateSubdivision]),
		City:          ix.text(state[snapshot.StateCity]),
		Origin:        ix.text(state[snapshot.StateOrigin]),
		LogoSource:    ix.text(ix.logos.host[doc]) + string(ix.logos.path.At(doc)),
	}
	if site := t.part[ownWebsite]; site[0] == '"' {
		r.Website = jsontext.Text(site[1 : len(site)-1])
	}
	if r.Kind == catalog.Station {
		r.Radio = ix.radioOf(row.station, &t)
	}
	start, end := ix.streams.of(doc)
	for k := start; k < end; k++ {
		r.Streams = append(r.Streams, ix.stream(k))
	}
	return r
}

func (ix *Index) radioOf(station uint32, t *texts) *catalog.Radio {
	s := &ix.stations
	sound := ix.sounds.Row(s.sound[station])
	r := &catalog.Radio{
		Tags: append([]string{}, ix.list(s.tagList[station])...), Votes: int(s.votes[station]), Clicks: int(s.clicks[station]),
		Codec: catalog.TextOrNil(ix.text(sound[snapshot.SoundCodec])),
	}
	if n := int(sound[snapshot.SoundBitrate]); n > 0 {
		r.Bitrate = &n
	}
	if place := t.part[ownPlace]; len(place) > 0 {
		r.Geo = new(catalog.Geo)
		if json.Unmarshal(place, r.Geo) != nil {
			r.Geo = nil // never: appendPlace wrote it
		}
	}
	return r
}

// list returns a list of values as the register had it.
func (ix *Index) list(list uint32) []string {
	var out []string
	for _, value := range ix.lists.At(list) {
		out = append(out, ix.text(value))
	}
	return out
}

// elements returns the strings of the elements of an array.
func elements(array []byte) []string {
	var out []string
	for len(array) > 1 {
		var text []byte
		text, array = nextElement(array)
		out = append(out, jsontext.Text(text))
	}
	return out
}
