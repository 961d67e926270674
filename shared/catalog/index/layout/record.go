package layout

import (
	"encoding/json"
	"iter"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// Register returns the register that the index was made of, as
// [snapshot.Pack] normalised it, its records in the order of their names.
func (ix *Index) Register() *catalog.Register {
	reg := &catalog.Register{
		BuiltAt: ix.builtAt, Sources: slices.Clone(ix.sources),
		Categories: slices.Clone(ix.Categories), Languages: slices.Clone(ix.Vocabulary.Languages), Countries: slices.Clone(ix.Vocabulary.Countries),
		Subdivisions: ix.Vocabulary.SubdivisionList(), Cities: ix.Vocabulary.CityList(),
		ChannelAliases: ix.channelTo.all(), StreamAliases: ix.streamTo.all(), Gone: ix.GoneList(),
		Records: make([]catalog.Record, 0, ix.N),
	}
	for _, r := range ix.Records() {
		reg.Records = append(reg.Records, r)
	}
	return reg
}

// Records yields every record with its number, in the order of names.
func (ix *Index) Records() iter.Seq2[int, catalog.Record] {
	return func(yield func(int, catalog.Record) bool) {
		for i := range ix.N {
			if !yield(i, ix.Record(i)) {
				return
			}
		}
	}
}

// Record returns record i, 0 <= i < Len, as the register had it.
func (ix *Index) Record(i int) catalog.Record {
	doc := uint32(i)
	row, t := &ix.Rows[doc], ix.Texts(doc)
	topic, house, past := ix.Topics.Row(row.Topic), ix.Houses.Row(row.House), ix.Pasts.Row(row.Past)
	feed, state := ix.Feeds.Row(row.Feed), ix.States.Row(row.State)
	r := catalog.Record{
		ID:            jsontext.Text(t.Part[recordtext.ID]),
		Kind:          catalog.Kind(state[snapshot.StateKind]),
		Name:          jsontext.Text(t.Part[recordtext.Name]),
		AltNames:      elements(t.Part[recordtext.AltNames]),
		FeedNames:     ix.feedNames(past[snapshot.PastFeedNameList]),
		Country:       ix.Text(topic[snapshot.TopicCountry]),
		Categories:    ix.list(topic[snapshot.TopicCategoryList]),
		Languages:     ix.LanguagesOf(row.Tongue),
		Network:       ix.Text(house[snapshot.HouseNetwork]),
		Owners:        ix.list(house[snapshot.HouseOwnerList]),
		Launched:      ix.Text(past[snapshot.PastLaunched]),
		ReplacedBy:    ix.Text(past[snapshot.PastReplacedBy]),
		FeedName:      ix.Text(feed[snapshot.FeedName]),
		FeedFormat:    ix.Text(feed[snapshot.FeedFormat]),
		Timezones:     ix.list(feed[snapshot.FeedZoneList]),
		BroadcastArea: ix.list(feed[snapshot.FeedAreaList]),
		Quality:       ix.Text(state[snapshot.StateQuality]),
		HasGuide:      state[snapshot.StateGuide] != 0,
		GuideSites:    int(ix.GuideSites[doc]),
		GuideSite:     ix.Text(state[snapshot.StateGuideSite]),
		GuideLang:     ix.Text(state[snapshot.StateGuideLang]),
		Subdivision:   ix.Text(state[snapshot.StateSubdivision]),
		City:          ix.Text(state[snapshot.StateCity]),
		Origin:        ix.Text(state[snapshot.StateOrigin]),
		LogoSource:    ix.Text(ix.logos.host[doc]) + string(ix.logos.path.At(doc)),
	}
	if site := t.Part[recordtext.Website]; site[0] == '"' {
		r.Website = jsontext.Text(site[1 : len(site)-1])
	}
	if r.Kind == catalog.Station {
		r.Radio = ix.radioOf(row.Station, &t)
	}
	start, end := ix.Streams.Of(doc)
	for k := start; k < end; k++ {
		r.Streams = append(r.Streams, ix.Stream(k))
	}
	return r
}

// AreaOf returns the country of a record and its broadcast area, in which callers are
// at home.
func (ix *Index) AreaOf(doc uint32) (country string, area []string) {
	row := &ix.Rows[doc]
	return ix.Text(ix.Topics.Row(row.Topic)[snapshot.TopicCountry]), ix.list(ix.Feeds.Row(row.Feed)[snapshot.FeedAreaList])
}

// LanguagesOf returns the languages of a group of records, ISO 639-3.
func (ix *Index) LanguagesOf(tongue uint32) []string {
	return ix.list(ix.Tongues.Row(tongue)[snapshot.TongueList])
}

func (ix *Index) radioOf(station uint32, t *recordtext.Texts) *catalog.Radio {
	s := &ix.Stations
	sound := ix.Sounds.Row(s.Sound[station])
	r := &catalog.Radio{
		Tags: append([]string{}, ix.list(s.TagList[station])...), Votes: int(s.Votes[station]), Clicks: int(s.Clicks[station]),
		Codec: catalog.TextOrNil(ix.Text(sound[snapshot.SoundCodec])),
	}
	if n := int(sound[snapshot.SoundBitrate]); n > 0 {
		r.Bitrate = &n
	}
	if place := t.Part[recordtext.Place]; len(place) > 0 {
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
	for _, value := range ix.Lists.At(list) {
		out = append(out, ix.Text(value))
	}
	return out
}

// feedNames returns the names of feeds that a list holds in pairs.
func (ix *Index) feedNames(list uint32) (names []catalog.FeedName) {
	for pair := range slices.Chunk(ix.Lists.At(list), 2) {
		names = append(names, catalog.FeedName{Feed: ix.Text(pair[0]), Name: ix.Text(pair[len(pair)-1])})
	}
	return names
}

// elements returns the strings of the elements of an array.
func elements(array []byte) []string {
	var out []string
	for len(array) > 1 {
		var text []byte
		text, array = NextElement(array)
		out = append(out, jsontext.Text(text))
	}
	return out
}

// NextElement parts the elements of an array of strings after the first.
func NextElement(elements []byte) (text, rest []byte) {
	end := 1
	for elements[end] != '"' {
		if elements[end] == '\\' {
			end++
		}
		end++
	}
	return elements[1:end], elements[min(len(elements), end+2):]
}
