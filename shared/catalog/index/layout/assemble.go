package layout

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index/layout/posting"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/lexicon"
	"miramundo.dev/shared/catalog/prior"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/catalog/snapshot"
)

// assemble makes an index of columns that hold together. It takes them apart.
func assemble(c *snapshot.Columns) (*Index, error) {
	ix := &Index{
		version: c.Version, builtAt: c.BuiltAt, sources: c.Sources,
		N: c.Docs.Len(), Values: escape(&c.Values), Lists: c.Lists,
		logos:      logoColumns{c.Docs.LogoHost, c.Docs.LogoPath},
		Stations:   StationColumns{c.Stations.TagList, c.Stations.Votes, c.Stations.Clicks, c.Stations.Sound},
		Streams:    newStreams(&c.Streams),
		Groups:     Groups{c.Topics, c.Tongues, c.Houses, c.Pasts, c.Feeds, c.States, c.Sounds},
		Vocabulary: Vocabulary{c.LanguageList(), c.CountryList(), c.Subdivisions, c.Cities},
		channelTo:  newAliases(&c.ChannelAliases), streamTo: newAliases(&c.StreamAliases),
	}
	if err := ix.setCategories(c); err != nil {
		return nil, err
	}
	ix.setRows(c)
	ix.setFlags()
	var facts, all sync.WaitGroup // of what the rest does not need
	facts.Go(func() {
		ix.setRatings(&c.Docs)
		ix.setNameHashes(&c.Docs)
	})
	ix.setTexts(c)
	facts.Wait()
	ix.forgetTexts(c)
	ix.setGenreValues()
	all.Go(func() {
		ix.ids = posting.TableOf(ix.N, ix.EscapedID)
		ix.gone = newGoneTable(&c.Gone)
	})
	ix.setCategorySets()
	ix.setPostings(&c.Docs)
	ix.Words, ix.Others = lexicon.New(c.Words, ix.N), lexicon.New(c.Others, ix.N)
	ix.ByVotes = posting.ByRank(ix.N, 32, ix.voteRank)
	all.Wait()
	ix.meanings = sync.OnceValue(ix.understand)
	ix.places = sync.OnceValue(ix.findPlaces)
	return ix, nil
}

// escape returns t as its strings stand in JSON, with room for the ids of genres.
func escape(t *snapshot.Texts) snapshot.Texts {
	texts, size := genreRoom()
	out := snapshot.Texts{Bytes: make([]byte, 0, len(t.Bytes)+size), Ends: make([]uint32, 0, t.Len()+texts)}
	for i := range uint32(t.Len()) {
		out.Bytes = jsontext.Append(out.Bytes, t.At(i))
		out.Ends = append(out.Ends, uint32(len(out.Bytes)))
	}
	return out
}

// ValueNumber returns the number of a value that a filter may name.
func (ix *Index) ValueNumber(s string) (uint32, bool) {
	var buf [128]byte
	return ix.valueNumbers.Find(jsontext.Append(buf[:0], s), ix.Values.At)
}

// EscapedID returns the id of a record, escaped.
func (ix *Index) EscapedID(doc uint32) []byte {
	return recordtext.ParseID(ix.texts[ix.Rows[doc].texts:])
}

// Texts returns the texts of a record.
func (ix *Index) Texts(doc uint32) recordtext.Texts {
	return recordtext.Parse(ix.texts[ix.Rows[doc].texts:])
}

// Find returns the record with an id, whether or not it is shown.
func (ix *Index) Find(id string) (uint32, bool) {
	var buf [128]byte
	return ix.ids.Find(jsontext.Append(buf[:0], id), ix.EscapedID)
}

// setCategories numbers the categories, by id.
func (ix *Index) setCategories(c *snapshot.Columns) error {
	ix.Categories = c.CategoryList()
	if n := len(ix.Categories); n > MaxCategories {
		return fmt.Errorf("index: %d categories, at most %d", n, MaxCategories)
	}
	slices.SortFunc(ix.Categories, func(a, b catalog.Category) int { return strings.Compare(a.ID, b.ID) })
	return nil
}

// Category returns the number of a category.
func (ix *Index) Category(id string) (int, bool) {
	return slices.BinarySearchFunc(ix.Categories, id, func(k catalog.Category, id string) int { return strings.Compare(k.ID, id) })
}

// setRows gathers what leads from a record to what is known of it, but for its texts.
func (ix *Index) setRows(c *snapshot.Columns) {
	d := &c.Docs
	ix.Rows = make([]Row, ix.N)
	station := uint32(0)
	for doc := range ix.Rows {
		r := Row{0, d.Topic[doc], d.Tongue[doc], d.House[doc], d.Past[doc], d.Feed[doc], d.State[doc], station}
		if c.States.Row(r.State)[snapshot.StateKind] == 0 {
			r.Station = 0
		} else {
			station++
		}
		ix.Rows[doc] = r
	}
}

// leastPart is how many records a processor is given at least, in parts of the work that
// several processors share.
const leastPart = 4096

// setTexts writes the texts of the records, in as many parts as there are processors.
func (ix *Index) setTexts(c *snapshot.Columns) {
	parts := ix.parts(c)
	writers := make([]*recordtext.Writer, len(parts))
	all := 0
	for i, part := range parts {
		writers[i] = recordtext.NewWriter(c, &ix.Values, part)
		room := writers[i].Room()
		if i > 0 {
			writers[i].Out = make([]byte, 0, room)
		}
		all += room
	}
	writers[0].Out = make([]byte, 0, all) // the others follow there
	var work sync.WaitGroup
	for i, part := range parts {
		work.Go(func() { ix.writeTexts(c, writers[i], part) })
	}
	work.Wait()
	texts := writers[0].Out
	for i, part := range parts[1:] {
		for doc := part.From; doc < part.To; doc++ {
			ix.Rows[doc].texts += uint32(len(texts))
		}
		texts = append(texts, writers[i+1].Out...)
	}
	if ix.texts = texts; cap(texts)-len(texts) > len(texts)/16 {
		ix.texts = bytes.Clone(texts)
	}
}

// forgetTexts drops the columns that texts, ratings and hashes of names are made of. Those of
// a large snapshot are collected at once: what follows then takes their memory instead of
// new memory, which makes loading a million channels 6 % faster and its peak a sixth lower.
func (ix *Index) forgetTexts(c *snapshot.Columns) {
	d := &c.Docs
	d.IDs, d.Names, d.Slugs, d.Websites, d.AltNames = snapshot.Texts{}, snapshot.Texts{}, snapshot.Texts{}, snapshot.Texts{}, snapshot.TextLists{}
	d.GuideSites, d.NameEnds, d.NameHashes, d.NameClasses = nil, nil, nil, nil
	c.Stations.Places, c.Values = snapshot.Texts{}, snapshot.Texts{}
	const large = 4 << 20 // bytes
	if len(ix.texts) > large {
		runtime.GC()
	}
}

// parts divides the records into one run for each processor.
func (ix *Index) parts(c *snapshot.Columns) []recordtext.Range {
	parts := make([]recordtext.Range, max(1, min(runtime.GOMAXPROCS(0), ix.N/leastPart)))
	doc, station := uint32(0), uint32(0)
	for i := range parts {
		part := recordtext.Range{From: doc, To: uint32(ix.N * (i + 1) / len(parts)), FromStation: station}
		for ; doc < part.To; doc++ {
			if ix.isStation(c, doc) {
				station++
			}
		}
		part.ToStation = station
		parts[i] = part
	}
	return parts
}

func (ix *Index) isStation(c *snapshot.Columns, doc uint32) bool {
	return c.States.Row(ix.Rows[doc].State)[snapshot.StateKind] != 0
}

// writeTexts writes the texts of some records, and notes where each begins among them.
func (ix *Index) writeTexts(c *snapshot.Columns, w *recordtext.Writer, of recordtext.Range) {
	for doc := of.From; doc < of.To; doc++ {
		r := &ix.Rows[doc]
		r.texts = uint32(len(w.Out))
		w.Add(doc, r.Topic, r.Station, ix.isStation(c, doc))
	}
}

// setNameHashes notes whose each name is.
func (ix *Index) setNameHashes(d *snapshot.Docs) {
	ix.NameHashes = make([]uint64, len(d.NameHashes))
	at := uint32(0)
	for doc, end := range d.NameEnds {
		for ; at < end; at++ {
			ix.NameHashes[at] = uint64(d.NameHashes[at])<<32 | uint64(d.NameClasses[at])<<docBits | uint64(doc)
		}
	}
	posting.SortBits(ix.NameHashes, docBits, 64)
}

// docBits is how many bits the number of a record takes; see
// [snapshot.MaxRecords].
const docBits = 24

// Named yields the records one of whose names may have a key, with the class of
// the name. Another name has the same hash now and then: callers compare.
func (ix *Index) Named(key []byte) iter.Seq2[uint32, snapshot.NameClass] {
	return func(yield func(uint32, snapshot.NameClass) bool) {
		hash := uint64(snapshot.Hash(key))
		at, _ := slices.BinarySearch(ix.NameHashes, hash<<32)
		for ; at < len(ix.NameHashes) && ix.NameHashes[at]>>32 == hash; at++ {
			entry := uint32(ix.NameHashes[at])
			if !yield(entry&(1<<docBits-1), snapshot.NameClass(entry>>docBits)) {
				return
			}
		}
	}
}

// setRatings rates how well each record is known.
func (ix *Index) setRatings(d *snapshot.Docs) {
	ix.GuideSites, ix.Ratings = make([]uint8, ix.N), make([]uint16, ix.N)
	lines, areas := make([]int, ix.States.Len()), make([]prior.Area, ix.Feeds.Len())
	for state := range lines {
		lines[state] = ix.linesOf(uint32(state))
	}
	for feed := range areas {
		areas[feed] = ix.areaOf(uint32(feed))
	}
	for doc := range uint32(ix.N) {
		ix.GuideSites[doc] = uint8(min(d.GuideSites[doc], math.MaxUint8))
		f := ix.countsOf(doc)
		first, end := d.AltNames.Span(doc)
		f.AltNames, f.Website = int(end-first), len(d.Websites.At(doc)) > 0
		if r := &ix.Rows[doc]; !f.Radio {
			f.Lines, f.Area = lines[r.State], areas[r.Feed]
		}
		ix.Ratings[doc] = uint16(prior.Of(&f))
	}
}

// FactsOf returns what a record is rated by.
func (ix *Index) FactsOf(doc uint32) prior.Facts {
	f, t := ix.countsOf(doc), ix.Texts(doc)
	site := t.Part[recordtext.Website]
	f.Website = len(site) > 0 && site[0] == '"'
	for rest := t.Part[recordtext.AltNames]; len(rest) > 1; f.AltNames++ {
		_, rest = NextElement(rest)
	}
	if r := &ix.Rows[doc]; !f.Radio {
		f.Lines, f.Area = ix.linesOf(r.State), ix.areaOf(r.Feed)
	}
	return f
}

// countsOf returns what a record is rated by, without what its texts and the texts of its
// groups say.
func (ix *Index) countsOf(doc uint32) prior.Facts {
	r := &ix.Rows[doc]
	start, end := ix.Streams.Of(doc)
	f := prior.Facts{
		Radio: ix.Radio.Has(doc), GuideSites: int(ix.GuideSites[doc]), Streams: int(end - start),
		Network:  ix.Houses.Row(r.House)[snapshot.HouseNetwork] != 0,
		Logo:     ix.logos.host[doc] != 0,
		Country:  ix.Topics.Row(r.Topic)[snapshot.TopicCountry] != 0,
		Language: ix.Tongues.Row(r.Tongue)[snapshot.TongueList] != 0,
	}
	if f.Radio {
		f.Votes, f.Clicks = int(ix.Stations.Votes[r.Station]), int(ix.Stations.Clicks[r.Station])
	}
	return f
}

// linesOf returns the lines of the best picture of the records of a state.
func (ix *Index) linesOf(state uint32) int {
	return rank.Lines(string(ix.Values.At(ix.States.Row(state)[snapshot.StateQuality])))
}

// areaOf returns how far the feeds of a group are meant to be received.
func (ix *Index) areaOf(feed uint32) (area prior.Area) {
	list := ix.Lists.At(ix.Feeds.Row(feed)[snapshot.FeedAreaList])
	countries := 0
	for _, v := range list {
		kind, _, _ := bytes.Cut(ix.Values.At(v), []byte("/"))
		switch string(kind) {
		case "r":
			return prior.International
		case "c":
			countries++
			area = prior.National
		default:
			area = max(area, prior.Local)
		}
	}
	if countries > 1 {
		return prior.International
	}
	return area
}

// setFlags notes the kind of each record, whether it has a guide and whether
// the register thinks it playable.
func (ix *Index) setFlags() {
	guide := docset.NewBits(ix.N)
	ix.Radio, ix.Playable = docset.NewBits(ix.N), docset.NewBits(ix.N)
	for doc := range uint32(ix.N) {
		state := ix.States.Row(ix.Rows[doc].State)
		if state[snapshot.StateKind] != 0 {
			ix.Radio.Add(doc)
		}
		if state[snapshot.StateGuide] != 0 {
			guide.Add(doc)
		}
		start, end := ix.Streams.Of(doc)
		for i := start; i < end; i++ {
			if ix.Streams.TraitsOf(i)[snapshot.TraitPlayable] != 0 {
				ix.Playable.Add(doc)
				break
			}
		}
	}
	ix.Guide = docset.Rank(guide)
}

// setCategorySets notes the categories of each record.
func (ix *Index) setCategorySets() {
	known := map[uint64]uint32{}
	ofTopic := make([]uint32, ix.Topics.Len())
	for i := range ofTopic {
		mask := uint64(0)
		for _, v := range ix.Lists.At(ix.Topics.Row(uint32(i))[snapshot.TopicCategoryList]) {
			if bit, ok := ix.Category(ix.Text(v)); ok {
				mask |= 1 << bit
			}
		}
		id, ok := known[mask]
		if !ok {
			id = uint32(len(ix.CategorySets))
			known[mask] = id
			ix.CategorySets = append(ix.CategorySets, mask)
		}
		ofTopic[i] = id
	}
	ix.CategorySetOf, ix.HasCategories = make([]uint32, ix.N), docset.NewBits(ix.N)
	for doc := range uint32(ix.N) {
		mask := ofTopic[ix.Rows[doc].Topic]
		ix.CategorySetOf[doc] = mask
		if ix.CategorySets[mask] != 0 {
			ix.HasCategories.Add(doc)
		}
	}
}

// setPostings notes which records have each value that a filter may name.
func (ix *Index) setPostings(d *snapshot.Docs) {
	m := posting.NewSorter(ix.N, ix.Values.Len())
	for _, id := range filter.IDs(filter.ByValue) {
		m.Postings = ix.pairs(m.Postings[:0], d, id)
		ix.Postings[id] = m.Sort()
	}
	ix.setValueNumbers()
}

// setValueNumbers makes the values of all classes known by their texts.
func (ix *Index) setValueNumbers() {
	n := 0
	for k := range ix.Postings {
		n += len(ix.Postings[k].Values)
	}
	ix.valueNumbers = posting.NewTable(n)
	for k := range ix.Postings {
		for _, v := range ix.Postings[k].Values {
			ix.valueNumbers.Put(v, ix.Values.At)
		}
	}
}

// pairs adds the values by which a filter finds records, by record.
func (ix *Index) pairs(dst []posting.Posting, d *snapshot.Docs, id filter.ID) []posting.Posting {
	switch id {
	case filter.Country:
		return cells(dst, d.Topic, &ix.Topics, snapshot.TopicCountry)
	case filter.Category:
		return ix.listed(dst, d.Topic, &ix.Topics, snapshot.TopicCategoryList)
	case filter.Language:
		return ix.listed(dst, d.Tongue, &ix.Tongues, snapshot.TongueList)
	case filter.Network:
		return cells(dst, d.House, &ix.Houses, snapshot.HouseNetwork)
	case filter.Subdivision:
		return cells(dst, d.State, &ix.States, snapshot.StateSubdivision)
	case filter.City:
		return cells(dst, d.State, &ix.States, snapshot.StateCity)
	case filter.Genre:
		return ix.genrePairs(dst)
	}
	for doc := range uint32(ix.N) {
		if id == filter.Quality {
			dst = ix.Qualities(dst, doc, nil)
		} else if id == filter.Tag && ix.Radio.Has(doc) {
			dst = ix.members(dst, doc, ix.Stations.TagList[ix.Rows[doc].Station])
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
func cells(dst []posting.Posting, groups []uint32, t *snapshot.Table, at int) []posting.Posting {
	values := column(t, at)
	for doc, group := range groups {
		if v := values[group]; v != 0 {
			dst = append(dst, posting.Posting{Value: v, Doc: uint32(doc)})
		}
	}
	return dst
}

// listed adds the values of the list that each record has in a column of its
// group.
func (ix *Index) listed(dst []posting.Posting, groups []uint32, t *snapshot.Table, at int) []posting.Posting {
	lists := column(t, at)
	for doc, group := range groups {
		if list := lists[group]; list != 0 {
			dst = ix.members(dst, uint32(doc), list)
		}
	}
	return dst
}

func (ix *Index) members(dst []posting.Posting, doc, list uint32) []posting.Posting {
	for _, v := range ix.Lists.At(list) {
		dst = append(dst, posting.Posting{Value: v, Doc: doc})
	}
	return dst
}

// Qualities adds the qualities of record doc: those of its streams that are
// not blocked, and of a station its codec and bitrate too.
func (ix *Index) Qualities(dst []posting.Posting, doc uint32, blocked docset.Bits) []posting.Posting {
	start, end := ix.Streams.Of(doc)
	for i := start; i < end; i++ {
		if blocked == nil || !blocked.Has(i) {
			dst = append(dst, posting.Posting{Value: ix.Streams.TraitsOf(i)[snapshot.TraitQuality], Doc: doc})
		}
	}
	if !ix.Radio.Has(doc) {
		return dst
	}
	sound := ix.Sounds.Row(ix.Stations.Sound[ix.Rows[doc].Station])
	return append(dst, posting.Posting{Value: sound[snapshot.SoundCodec], Doc: doc}, posting.Posting{Value: sound[snapshot.SoundRate], Doc: doc})
}

// voteRank returns the votes of a record; TV channels have none.
func (ix *Index) voteRank(doc uint32) uint32 {
	if !ix.Radio.Has(doc) {
		return 0
	}
	return ix.Stations.Votes[ix.Rows[doc].Station]
}
