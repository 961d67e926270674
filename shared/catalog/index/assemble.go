package index

import (
	"bytes"
	"fmt"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// assemble makes an index of columns that hold together.
func assemble(c *snapshot.Columns) (*Index, error) {
	ix := &Index{
		version: c.Version, builtAt: c.BuiltAt, sources: c.Sources,
		n: c.Docs.Len(), values: escape(&c.Values), lists: c.Lists,
		logos:     logoColumns{c.Docs.LogoHost, own(c.Docs.LogoPath)},
		stations:  stationColumns{c.Stations.TagList, c.Stations.Votes, c.Stations.Clicks, c.Stations.Sound},
		streams:   newStreams(&c.Streams),
		terms:     vocabulary{c.LanguageList(), c.CountryList(), c.SubdivisionList(), c.CityList()},
		channelTo: snapshot.Aliases(&c.ChannelAliases), streamTo: snapshot.Aliases(&c.StreamAliases),
	}
	ix.byValue = newTable(ix.values.Len(), ix.values.At)
	if err := ix.setCategories(c); err != nil {
		return nil, err
	}
	ix.setGroups(c)
	ix.setRows(c)
	ix.ids = newTable(ix.n, ix.id)
	ix.setFlags()
	ix.setClasses()
	words := c.Words
	words.Tokens = own(words.Tokens)
	ix.words = newLexicon(words, ix.n)
	ix.byVotes = newOrder(ix.n, ix.voteRank)
	return ix, nil
}

// own returns a copy of t that does not keep what it was read from alive.
func own(t snapshot.Texts) snapshot.Texts {
	return snapshot.Texts{Bytes: bytes.Clone(t.Bytes), Ends: t.Ends}
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

// value returns the number of a value, which some record has or once had.
func (ix *Index) value(s string) (uint32, bool) {
	if s == "" {
		return 0, false
	}
	var buf [128]byte
	return ix.byValue.find(jsontext.Append(buf[:0], s), ix.values.At)
}

// id returns the escaped id of a record.
func (ix *Index) id(doc uint32) []byte { return ix.texts(doc)[ownID] }

// find returns the record with an id, whether or not it is shown.
func (ix *Index) find(id string) (uint32, bool) {
	var buf [128]byte
	return ix.ids.find(jsontext.Append(buf[:0], id), ix.id)
}

// setCategories numbers the categories: those of the vocabulary and those that
// only records have, by id.
func (ix *Index) setCategories(c *snapshot.Columns) error {
	list := c.CategoryList()
	known := map[string]bool{}
	for _, k := range list {
		known[k.ID] = true
	}
	for i := range uint32(c.Topics.Len()) {
		for _, value := range c.Lists.At(c.Topics.Row(i)[snapshot.TopicCategoryList]) {
			if id := string(c.Values.At(value)); !known[id] {
				known[id] = true
				list = append(list, catalog.Category{ID: id, Name: catalog.Labels{id, id, id, id, id}})
			}
		}
	}
	if len(list) > maxCategories {
		return fmt.Errorf("index: %d categories, at most %d", len(list), maxCategories)
	}
	slices.SortFunc(list, func(a, b catalog.Category) int { return bytes.Compare([]byte(a.ID), []byte(b.ID)) })
	ix.categories = list
	ix.counted = countedCategories(list)
	return nil
}

// setRows gathers what leads from a record to what is known of it.
func (ix *Index) setRows(c *snapshot.Columns) {
	ix.rows = make([]row, ix.n)
	o := &owner{c: c, escaped: &ix.values}
	o.out = make([]byte, 0, len(c.Docs.IDs.Bytes)+2*len(c.Docs.Names.Bytes)+len(c.Docs.Websites.Bytes)+len(c.Docs.AltNames.Items.Bytes)+24*ix.n)
	station := uint32(0)
	for doc := range uint32(ix.n) {
		d := &c.Docs
		r := row{uint32(len(o.out)), d.Topic[doc], d.House[doc], d.Past[doc], d.Feed[doc], d.State[doc], 0}
		isStation := c.States.Row(r.state)[snapshot.StateKind] != 0
		if isStation {
			r.station = station
			station++
		}
		o.add(doc, r.topic, r.station, isStation)
		ix.rows[doc] = r
	}
	ix.own = bytes.Clone(o.out)
}

// setFlags notes the kind of each record, whether it has a guide and whether
// the register thinks it playable.
func (ix *Index) setFlags() {
	guide := docset.NewBits(ix.n)
	ix.otherNames = docset.NewBits(ix.n)
	ix.radio, ix.playable = docset.NewBits(ix.n), docset.NewBits(ix.n)
	for doc := range uint32(ix.n) {
		state := ix.states.Row(ix.rows[doc].state)
		if state[snapshot.StateKind] != 0 {
			ix.radio.Add(doc)
		}
		if state[snapshot.StateGuide] != 0 {
			guide.Add(doc)
		}
		if len(ix.texts(doc)[ownAltNames]) > 0 {
			ix.otherNames.Add(doc)
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

// setClasses notes which records have each value that a filter may name.
func (ix *Index) setClasses() {
	bitOf := map[uint32]int{}
	for i, k := range ix.categories {
		if v, ok := ix.value(k.ID); ok {
			bitOf[v] = i
		}
	}
	ix.masks = make([]uint64, ix.n)
	maskOf := make([]uint64, ix.topics.Len())
	for i := range maskOf {
		for _, v := range ix.lists.At(ix.topics.Row(uint32(i))[snapshot.TopicCategoryList]) {
			if bit, ok := bitOf[v]; ok {
				maskOf[i] |= 1 << bit
			}
		}
	}
	for doc := range ix.masks {
		ix.masks[doc] = maskOf[ix.rows[doc].topic]
	}
	var pairs []pair
	for k := range ix.classes {
		pairs = pairs[:0]
		for doc := range uint32(ix.n) {
			pairs = ix.pairs(pairs, k, doc)
		}
		ix.classes[k] = newClass(pairs, ix.n, ix.values.Len())
	}
}

// pairs adds the values of a class that record doc has.
func (ix *Index) pairs(dst []pair, class int, doc uint32) []pair {
	r := &ix.rows[doc]
	one := func(v uint32) []pair { return append(dst, pair{v, doc}) }
	many := func(list uint32) []pair {
		for _, v := range ix.lists.At(list) {
			dst = append(dst, pair{v, doc})
		}
		return dst
	}
	switch class {
	case classCountry:
		return one(ix.topics.Row(r.topic)[snapshot.TopicCountry])
	case classCategory:
		return many(ix.topics.Row(r.topic)[snapshot.TopicCategoryList])
	case classLanguage:
		return many(ix.topics.Row(r.topic)[snapshot.TopicLanguageList])
	case classNetwork:
		return one(ix.houses.Row(r.house)[snapshot.HouseNetwork])
	case classSubdivision:
		return one(ix.states.Row(r.state)[snapshot.StateSubdivision])
	case classCity:
		return one(ix.states.Row(r.state)[snapshot.StateCity])
	case classTag:
		if ix.radio.Has(doc) {
			return many(ix.stations.tagList[r.station])
		}
		return dst
	}
	return ix.qualities(dst, doc, nil)
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
