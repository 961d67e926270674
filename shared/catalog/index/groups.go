package index

import (
	"bytes"
	"encoding/json"
	"strconv"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/snapshot"
)

const null = "null"

// groups are what records share, both as values and as the members of JSON
// that show them. A member begins with its comma.
type groups struct {
	topics, houses, pasts, feeds, states, sounds snapshot.Table

	topicText                                           snapshot.Texts // by topic and locale
	houseText, pastText, feedText, stateText, soundText snapshot.Texts

	originOf []uint32 // by state: position in originNames
}

// A vocabulary holds what codes stand for.
type vocabulary struct {
	languages, countries []catalog.Term
	subdivisions         []catalog.Subdivision
	cities               []catalog.City
}

// A renderer writes the members of groups.
type renderer struct {
	values     *snapshot.Texts // escaped
	lists      *snapshot.Lists
	categories map[uint32]*catalog.Labels // by value
	languages  map[uint32]*catalog.Labels
	locale     int
}

// setGroups renders the groups of c.
func (ix *Index) setGroups(c *snapshot.Columns) {
	ix.groups = groups{topics: c.Topics, houses: c.Houses, pasts: c.Pasts, feeds: c.Feeds, states: c.States, sounds: c.Sounds}
	r := &renderer{values: &ix.values, lists: &ix.lists, categories: map[uint32]*catalog.Labels{}, languages: map[uint32]*catalog.Labels{}}
	for i := range ix.categories {
		if v, ok := ix.value(ix.categories[i].ID); ok {
			r.categories[v] = &ix.categories[i].Name
		}
	}
	for i := range ix.terms.languages {
		if v, ok := ix.value(ix.terms.languages[i].Code); ok {
			r.languages[v] = &ix.terms.languages[i].Name
		}
	}
	for i := range uint32(ix.topics.Len()) {
		for r.locale = range locales {
			ix.topicText.Bytes = r.topic(ix.topicText.Bytes, ix.topics.Row(i))
			ix.topicText.Ends = append(ix.topicText.Ends, uint32(len(ix.topicText.Bytes)))
		}
	}
	render(&ix.houseText, &ix.houses, r.house)
	render(&ix.pastText, &ix.pasts, r.past)
	render(&ix.feedText, &ix.feeds, r.feed)
	render(&ix.stateText, &ix.states, r.state)
	render(&ix.soundText, &ix.sounds, r.sound)
	for i := range uint32(ix.states.Len()) {
		ix.originOf = append(ix.originOf, ix.origin(ix.states.Row(i)[snapshot.StateOrigin]))
	}
}

// origin returns the position of an origin in originNames.
func (ix *Index) origin(value uint32) uint32 {
	for i, v := range ix.originNames {
		if v == value {
			return uint32(i)
		}
	}
	ix.originNames = append(ix.originNames, value)
	return uint32(len(ix.originNames) - 1)
}

func render(dst *snapshot.Texts, t *snapshot.Table, one func(dst []byte, cells []uint32) []byte) {
	dst.Ends = make([]uint32, 0, t.Len())
	for i := range uint32(t.Len()) {
		dst.Bytes = one(dst.Bytes, t.Row(i))
		dst.Ends = append(dst.Ends, uint32(len(dst.Bytes)))
	}
	dst.Bytes = bytes.Clone(dst.Bytes) // no more than is used
}

// topic writes from alt_names' end to website.
func (r *renderer) topic(dst []byte, cells []uint32) []byte {
	dst = append(dst, ']')
	dst = r.text(dst, `,"country":`, cells[snapshot.TopicCountry])
	dst = r.list(dst, `,"categories":[`, cells[snapshot.TopicCategoryList])
	dst = r.labels(dst, `,"category_labels":[`, cells[snapshot.TopicCategoryList], r.categories)
	dst = r.list(dst, `,"languages":[`, cells[snapshot.TopicLanguageList])
	dst = r.labels(dst, `,"language_labels":[`, cells[snapshot.TopicLanguageList], r.languages)
	return append(dst, `,"logo_url":null,"website":`...)
}

func (r *renderer) house(dst []byte, cells []uint32) []byte {
	dst = r.text(dst, `,"network":`, cells[snapshot.HouseNetwork])
	return r.list(dst, `,"owners":[`, cells[snapshot.HouseOwnerList])
}

func (r *renderer) past(dst []byte, cells []uint32) []byte {
	dst = r.text(dst, `,"launched":`, cells[snapshot.PastLaunched])
	return r.text(dst, `,"replaced_by":`, cells[snapshot.PastReplacedBy])
}

func (r *renderer) feed(dst []byte, cells []uint32) []byte {
	dst = r.text(dst, `,"feed_name":`, cells[snapshot.FeedName])
	dst = r.text(dst, `,"feed_format":`, cells[snapshot.FeedFormat])
	dst = r.list(dst, `,"timezones":[`, cells[snapshot.FeedZoneList])
	return r.list(dst, `,"broadcast_area":[`, cells[snapshot.FeedAreaList])
}

func (r *renderer) state(dst []byte, cells []uint32) []byte {
	if q := cells[snapshot.StateQuality]; q != 0 {
		dst = r.text(dst, `,"quality":`, q)
	}
	dst = append(dst, `,"has_guide":`...)
	dst = strconv.AppendBool(dst, cells[snapshot.StateGuide] != 0)
	dst = r.text(dst, `,"guide_site":`, cells[snapshot.StateGuideSite])
	dst = r.text(dst, `,"guide_lang":`, cells[snapshot.StateGuideLang])
	dst = r.text(dst, `,"subdivision":`, cells[snapshot.StateSubdivision])
	dst = r.text(dst, `,"city":`, cells[snapshot.StateCity])
	dst = append(dst, `,"kind":"`...)
	dst = append(dst, catalog.Kind(cells[snapshot.StateKind]).String()...)
	return append(dst, '"')
}

func (r *renderer) sound(dst []byte, cells []uint32) []byte {
	dst = r.text(dst, `,"codec":`, cells[snapshot.SoundCodec])
	dst = append(dst, `,"bitrate":`...)
	if n := cells[snapshot.SoundBitrate]; n != 0 {
		dst = strconv.AppendUint(dst, uint64(n), 10)
	} else {
		dst = append(dst, null...)
	}
	return append(dst, `,"geo":`...)
}

// text writes a member that is a string or null.
func (r *renderer) text(dst []byte, member string, value uint32) []byte {
	dst = append(dst, member...)
	if value == 0 {
		return append(dst, null...)
	}
	dst = append(dst, '"')
	dst = append(dst, r.values.At(value)...)
	return append(dst, '"')
}

// list writes a member that is an array of strings.
func (r *renderer) list(dst []byte, member string, list uint32) []byte {
	dst = append(dst, member...)
	for i, value := range r.lists.At(list) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, r.values.At(value)...)
		dst = append(dst, '"')
	}
	return append(dst, ']')
}

// labels writes a member that is the names of codes; a code without a name
// stands for itself.
func (r *renderer) labels(dst []byte, member string, list uint32, names map[uint32]*catalog.Labels) []byte {
	dst = append(dst, member...)
	for i, value := range r.lists.At(list) {
		if i > 0 {
			dst = append(dst, ',')
		}
		if l := names[value]; l != nil && l[r.locale] != "" {
			dst = appendJSON(dst, l[r.locale])
			continue
		}
		dst = append(dst, '"')
		dst = append(dst, r.values.At(value)...)
		dst = append(dst, '"')
	}
	return append(dst, ']')
}

// appendJSON adds v as encoding/json writes it without HTML escaping.
func appendJSON(dst []byte, v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return append(dst, null...) // never: the wire structs always encode
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
