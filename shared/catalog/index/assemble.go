package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/lexicon"
	"miramundo.dev/shared/catalog/snapshot"
)

// assemble makes an index of columns that hold together.
func assemble(c *snapshot.Columns) (*Index, error) {
	ix := &Index{
		version: c.Version, builtAt: c.BuiltAt, sources: c.Sources,
		n: c.Docs.Len(), values: escape(&c.Values), lists: c.Lists,
		logos:     logoColumns{c.Docs.LogoHost, c.Docs.LogoPath},
		stations:  stationColumns{c.Stations.TagList, c.Stations.Votes, c.Stations.Clicks, c.Stations.Sound},
		streams:   newStreams(&c.Streams),
		terms:     vocabulary{c.LanguageList(), c.CountryList(), c.Subdivisions, c.Cities},
		channelTo: newAliases(&c.ChannelAliases), streamTo: newAliases(&c.StreamAliases),
	}
	if err := ix.setCategories(c); err != nil {
		return nil, err
	}
	ix.setGroups(c)
	ix.setRows(c)
	ix.setOtherNames(&c.Docs)
	ix.setFlags()
	ix.setMasks()
	ix.setClasses(&c.Docs)
	ix.words = lexicon.New(c.Words, ix.n)
	ix.byVotes = newOrder(ix.n, ix.voteRank)
	return ix, nil
}

// escape returns t as its strings stand in JSON.
func escape(t *snapshot.Texts) snapshot.Texts {
	out := snapshot.Texts{Bytes: make([]byte, 0, len(t.Bytes)), Ends: make([]uint32, 0, t.Len())}
	for i := range uint32(t.Len()) {
		out.Bytes = jsontext.Append(out.Bytes, t.At(i))
		out.Ends = append(out.Ends, uint32(len(out.Bytes)))
	}
	return out
}

// value returns the number of a value that a filter may name.
func (ix *Index) value(s string) (uint32, bool) {
	var buf [128]byte
	return ix.byValue.find(jsontext.Append(buf[:0], s), ix.values.At)
}

// id returns the escaped id of a record: the first of its texts, which stands
// in a known place when none is long.
func (ix *Index) id(doc uint32) []byte {
	b := ix.own[ix.rows[doc].own:]
	if lengths := binary.LittleEndian.Uint64(b); lengths&longLength == 0 {
		return b[ownCount:][:lengths&0x7f]
	}
	return ix.texts(doc).part[ownID]
}

// find returns the record with an id, whether or not it is shown.
func (ix *Index) find(id string) (uint32, bool) {
	var buf [128]byte
	return ix.ids.find(jsontext.Append(buf[:0], id), ix.id)
}

// setCategories numbers the categories, by id.
func (ix *Index) setCategories(c *snapshot.Columns) error {
	ix.categories = c.CategoryList()
	if n := len(ix.categories); n > maxCategories {
		return fmt.Errorf("index: %d categories, at most %d", n, maxCategories)
	}
	slices.SortFunc(ix.categories, func(a, b catalog.Category) int { return strings.Compare(a.ID, b.ID) })
	ix.counted = countedCategories(ix.categories)
	return nil
}

// category returns the number of a category.
func (ix *Index) category(id string) (int, bool) {
	return slices.BinarySearchFunc(ix.categories, id, func(k catalog.Category, id string) int { return strings.Compare(k.ID, id) })
}

// setRows gathers what leads from a record to what is known of it.
func (ix *Index) setRows(c *snapshot.Columns) {
	d := &c.Docs
	ix.rows = make([]row, ix.n)
	ix.ids = newTable(ix.n)
	o := newOwner(c, &ix.values)
	station := uint32(0)
	for doc := range uint32(ix.n) {
		r := row{uint32(len(o.out)), d.Topic[doc], d.Tongue[doc], d.House[doc], d.Past[doc], d.Feed[doc], d.State[doc], 0}
		isStation := c.States.Row(r.state)[snapshot.StateKind] != 0
		if isStation {
			r.station = station
			station++
		}
		id := o.add(doc, r.topic, r.station, isStation)
		ix.rows[doc], ix.own = r, o.out
		ix.ids.put(id, doc, ix.id)
	}
	if spare := cap(o.out) - len(o.out); spare > len(o.out)/16 {
		ix.own = bytes.Clone(o.out)
	}
}

// setOtherNames notes whose the alternative names are.
func (ix *Index) setOtherNames(d *snapshot.Docs) {
	ix.otherNames = make([]uint64, 0, len(d.AltHashes))
	for doc := range uint32(ix.n) {
		for i, end := d.AltNames.Span(doc); i < end; i++ {
			ix.otherNames = append(ix.otherNames, uint64(d.AltHashes[i])<<32|uint64(doc))
		}
	}
	slices.Sort(ix.otherNames)
}

// setFlags notes the kind of each record, whether it has a guide and whether
// the register thinks it playable.
func (ix *Index) setFlags() {
	guide := docset.NewBits(ix.n)
	ix.radio, ix.playable = docset.NewBits(ix.n), docset.NewBits(ix.n)
	for doc := range uint32(ix.n) {
		state := ix.states.Row(ix.rows[doc].state)
		if state[snapshot.StateKind] != 0 {
			ix.radio.Add(doc)
		}
		if state[snapshot.StateGuide] != 0 {
			guide.Add(doc)
		}
		start, end := ix.streams.of(doc)
		for i := start; i < end; i++ {
			if ix.streams.traitsOf(i)[snapshot.TraitPlayable] != 0 {
				ix.playable.Add(doc)
				break
			}
		}
	}
	ix.guide = docset.Rank(guide)
}

// setMasks notes the categories of each record.
func (ix *Index) setMasks() {
	known := map[uint64]uint32{}
	ofTopic := make([]uint32, ix.topics.Len())
	for i := range ofTopic {
		mask := uint64(0)
		for _, v := range ix.lists.At(ix.topics.Row(uint32(i))[snapshot.TopicCategoryList]) {
			if bit, ok := ix.category(ix.text(v)); ok {
				mask |= 1 << bit
			}
		}
		id, ok := known[mask]
		if !ok {
			id = uint32(len(ix.masks))
			known[mask] = id
			ix.masks = append(ix.masks, mask)
		}
		ofTopic[i] = id
	}
	ix.maskOf, ix.categorised = make([]uint32, ix.n), docset.NewBits(ix.n)
	for doc := range uint32(ix.n) {
		mask := ofTopic[ix.rows[doc].topic]
		ix.maskOf[doc] = mask
		if ix.masks[mask] != 0 {
			ix.categorised.Add(doc)
		}
	}
}

// setClasses notes which records have each value that a filter may name.
func (ix *Index) setClasses(d *snapshot.Docs) {
	m := &classifier{n: ix.n, starts: make([]uint32, ix.values.Len()), last: make([]uint32, ix.values.Len())}
	m.pairs = make([]pair, 0, 2*ix.n)
	for _, id := range filter.IDs(filter.ByValue) {
		m.pairs = ix.pairs(m.pairs[:0], d, id)
		ix.classes[id] = m.class()
	}
	ix.nameValues()
}

// nameValues makes the values of all classes known by their texts.
func (ix *Index) nameValues() {
	n := 0
	for k := range ix.classes {
		n += len(ix.classes[k].values)
	}
	ix.byValue = newTable(n)
	for k := range ix.classes {
		for _, v := range ix.classes[k].values {
			ix.byValue.put(ix.values.At(v), v, ix.values.At)
		}
	}
}

// pairs adds the values by which a filter finds records, by record.
func (ix *Index) pairs(dst []pair, d *snapshot.Docs, id filter.ID) []pair {
	switch id {
	case filter.Country:
		return cells(dst, d.Topic, &ix.topics, snapshot.TopicCountry)
	case filter.Category:
		return ix.listed(dst, d.Topic, &ix.topics, snapshot.TopicCategoryList)
	case filter.Language:
		return ix.listed(dst, d.Tongue, &ix.tongues, snapshot.TongueList)
	case filter.Network:
		return cells(dst, d.House, &ix.houses, snapshot.HouseNetwork)
	case filter.Subdivision:
		return cells(dst, d.State, &ix.states, snapshot.StateSubdivision)
	case filter.City:
		return cells(dst, d.State, &ix.states, snapshot.StateCity)
	}
	for doc := range uint32(ix.n) {
		if id == filter.Quality {
			dst = ix.qualities(dst, doc, nil)
		} else if id == filter.Tag && ix.radio.Has(doc) {
			dst = ix.members(dst, doc, ix.stations.tagList[ix.rows[doc].station])
		}
	}
	return dst
}

// column returns one column of t.
func column(t *snapshot.Table, at int) []uint32 {
	out := make([]uint32, t.Len())
	for i := range out {
		out[i] = t.Row(uint32(i))[at]
	}
	return out
}

// cells adds the value that each record has in a column of its group.
func cells(dst []pair, groups []uint32, t *snapshot.Table, at int) []pair {
	values := column(t, at)
	for doc, group := range groups {
		if v := values[group]; v != 0 {
			dst = append(dst, pair{v, uint32(doc)})
		}
	}
	return dst
}

// listed adds the values of the list that each record has in a column of its
// group.
func (ix *Index) listed(dst []pair, groups []uint32, t *snapshot.Table, at int) []pair {
	lists := column(t, at)
	for doc, group := range groups {
		if list := lists[group]; list != 0 {
			dst = ix.members(dst, uint32(doc), list)
		}
	}
	return dst
}

func (ix *Index) members(dst []pair, doc, list uint32) []pair {
	for _, v := range ix.lists.At(list) {
		dst = append(dst, pair{v, doc})
	}
	return dst
}

// qualities adds the qualities of record doc: those of its streams that are
// not blocked, and of a station its codec and bitrate too.
func (ix *Index) qualities(dst []pair, doc uint32, blocked docset.Bits) []pair {
	start, end := ix.streams.of(doc)
	for i := start; i < end; i++ {
		if blocked == nil || !blocked.Has(i) {
			dst = append(dst, pair{ix.streams.traitsOf(i)[snapshot.TraitQuality], doc})
		}
	}
	if !ix.radio.Has(doc) {
		return dst
	}
	sound := ix.sounds.Row(ix.stations.sound[ix.rows[doc].station])
	return append(dst, pair{sound[snapshot.SoundCodec], doc}, pair{sound[snapshot.SoundRate], doc})
}

// voteRank returns the votes of a record; TV channels have none.
func (ix *Index) voteRank(doc uint32) uint32 {
	if !ix.radio.Has(doc) {
		return 0
	}
	return ix.stations.votes[ix.rows[doc].station]
}
