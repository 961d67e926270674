package snapshot

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
)

// Packing visits the records in the order of their folded names, so that a
// record's position is its place in a list sorted by name and searches need not
// sort. Texts that repeat (hosts, languages, networks) are interned as values;
// combinations of values are interned as lists and as rows of groups. Numbers
// are given in the order of first use, which depends on nothing but the register:
// the same register gives the same columns, and so the same version.

// MaxRecords is the greatest number of records of a snapshot.
const MaxRecords = 1<<24 - 1

// Pack lays a register out in columns. It fails when ids are empty or not
// unique, or when the register exceeds the limits of columns; the error joins
// at most ten problems. Reg is not changed.
//
// It normalizes values that a register should not hold: invalid UTF-8 is
// replaced, a station without radio data gets empty data, and the radio data of
// a TV channel are dropped, as are negative counts, bitrates that are not
// positive, empty codecs and impossible coordinates. Categories that only
// records have are added to the vocabulary. Of the channels that are gone, those
// whose id is empty, invalid, repeated or that of a record are left out.
func Pack(reg *catalog.Register) (*Columns, error) {
	if len(reg.Records) > MaxRecords {
		return nil, fmt.Errorf("snapshot: %d records, at most %d", len(reg.Records), MaxRecords)
	}
	p := newPacker(reg)
	order := nameOrder(reg.Records)
	for n, i := range order {
		p.record(uint32(n), &reg.Records[i])
	}
	p.gone(reg.Gone)
	p.vocabulary(reg)
	p.words()
	p.c.Version = p.c.version()
	return p.c, p.check()
}

// A packer fills in columns record by record.
type packer struct {
	c                                                            *Columns
	values                                                       map[string]uint32 // positions in c.Values
	lists                                                        *interner
	topics, tongues, houses, pasts, feeds, states, sounds, trait *interner       // by group
	tokens, others                                               wordLists       // of names and alternative names, and of all names
	ids                                                          map[string]bool // of records, to find repeats
	streams                                                      map[uint64]bool // ids of streams, likewise
	key                                                          []byte          // of a name, reused
	errs                                                         []error
}

func newPacker(reg *catalog.Register) *packer {
	c := &Columns{BuiltAt: reg.BuiltAt.UTC(), Sources: slices.Clone(reg.Sources)}
	p := &packer{
		c: c, values: map[string]uint32{}, lists: newInterner(),
		topics: newInterner(), tongues: newInterner(), houses: newInterner(), pasts: newInterner(), feeds: newInterner(),
		states: newInterner(), sounds: newInterner(), trait: newInterner(),
		tokens: wordLists{}, others: wordLists{}, ids: map[string]bool{}, streams: map[uint64]bool{},
	}
	p.value("")
	p.list(nil)
	for table, width := range c.widths() {
		table.Width = width
	}
	return p
}

// widths returns the width of each table.
func (c *Columns) widths() map[*Table]int {
	return map[*Table]int{
		&c.Topics: TopicWidth, &c.Tongues: TongueWidth, &c.Houses: HouseWidth, &c.Pasts: PastWidth, &c.Feeds: FeedWidth,
		&c.States: StateWidth, &c.Sounds: SoundWidth, &c.Streams.Traits: TraitSize, &c.Gone.Facts: GoneWidth,
	}
}

// nameOrder returns the positions of records by folded name, then id.
func nameOrder(records []catalog.Record) []int {
	names := make([]string, len(records))
	order := make([]int, len(records))
	for i := range records {
		names[i], order[i] = fold.Words(records[i].Name), i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(names[a], names[b]), strings.Compare(records[a].ID, records[b].ID))
	})
	return order
}

// record appends r as record number doc.
func (p *packer) record(doc uint32, r *catalog.Record) {
	if r.ID == "" || !utf8.ValidString(r.ID) || p.ids[r.ID] {
		p.errs = append(p.errs, fmt.Errorf("snapshot: the id %q of %q is empty, invalid or not unique", r.ID, r.Name))
	}
	p.ids[r.ID] = true
	d := &p.c.Docs
	d.IDs.Add(r.ID)
	d.Names.Add(valid(r.Name))
	d.Slugs.Add(slug(valid(r.Name)))
	d.Websites.Add(valid(r.Website))
	for _, name := range r.AltNames {
		d.AltNames.Items.Add(valid(name))
	}
	d.AltNames.Ends = append(d.AltNames.Ends, uint32(d.AltNames.Items.Len()))
	d.GuideSites = append(d.GuideSites, count(r.GuideSites))
	d.Topic = append(d.Topic, p.topics.row(&p.c.Topics, p.value(r.Country), p.list(r.Categories)))
	d.Tongue = append(d.Tongue, p.tongues.row(&p.c.Tongues, p.list(r.Languages)))
	d.House = append(d.House, p.houses.row(&p.c.Houses, p.value(r.Network), p.list(r.Owners)))
	d.Past = append(d.Past, p.pasts.row(&p.c.Pasts, p.value(r.Launched), p.value(r.ReplacedBy), p.list(feedNames(r))))
	d.Feed = append(d.Feed, p.feeds.row(&p.c.Feeds, p.value(r.FeedName), p.value(r.FeedFormat), p.list(r.Timezones), p.list(r.BroadcastArea)))
	d.State = append(d.State, p.states.row(&p.c.States, uint32(min(r.Kind, catalog.Station)), p.value(r.Quality), flag(r.HasGuide), p.value(r.GuideSite),
		p.value(r.GuideLang), p.value(r.Subdivision), p.value(r.City), p.value(r.Origin)))
	host, path := splitURL(valid(r.LogoSource))
	d.LogoHost = append(d.LogoHost, p.value(host))
	d.LogoPath.Add(path)
	if r.Kind != catalog.TV {
		p.station(r.Radio)
	}
	for i := range r.Streams {
		p.stream(&r.Streams[i])
	}
	p.c.Streams.Ends = append(p.c.Streams.Ends, uint32(len(p.c.Streams.IDs)))
	p.index(doc, r)
}

func (p *packer) station(radio *catalog.Radio) {
	if radio == nil {
		radio = &catalog.Radio{}
	}
	s := &p.c.Stations
	s.TagList = append(s.TagList, p.list(radio.Tags))
	s.Votes = append(s.Votes, count(radio.Votes))
	s.Clicks = append(s.Clicks, count(radio.Clicks))
	var codec string
	var bitrate int
	if radio.Codec != nil {
		codec = *radio.Codec
	}
	if radio.Bitrate != nil {
		bitrate = *radio.Bitrate
	}
	s.Sound = append(s.Sound, p.sounds.row(&p.c.Sounds, p.value(codec), count(bitrate), p.value(Rate(bitrate))))
	s.Places.Add(place(radio.Geo))
}

func (p *packer) stream(r *catalog.StreamRecord) {
	if p.streams[uint64(r.ID)] {
		p.errs = append(p.errs, fmt.Errorf("snapshot: the stream id %v is not unique", r.ID))
	}
	p.streams[uint64(r.ID)] = true
	s := &p.c.Streams
	host, path := splitURL(valid(r.URL))
	s.IDs = append(s.IDs, uint64(r.ID))
	s.Host = append(s.Host, p.value(host))
	s.Path.Add(path)
	s.Title = append(s.Title, p.value(r.Title))
	s.Trait = append(s.Trait, p.trait.row(&s.Traits, p.value(r.Kind), p.value(r.Quality), p.value(r.Label), p.value(r.Origin),
		flag(r.Playable), p.value(r.Feed), p.value(r.Referrer), p.value(r.UserAgent)))
}

// feedNames returns the names of the feeds of r as a list of pairs: the id of a
// feed, then its name.
func feedNames(r *catalog.Record) []string {
	pairs := make([]string, 0, 2*len(r.FeedNames))
	for _, n := range r.FeedNames {
		pairs = append(pairs, n.Feed, n.Name)
	}
	return pairs
}

// index adds r to the words of its names, and notes the hash of each name, once
// for names that are the same.
func (p *packer) index(doc uint32, r *catalog.Record) {
	d := &p.c.Docs
	first := len(d.NameHashes)
	for name := range Names(r) {
		text := valid(name.Text)
		spoken := fold.Words(fold.Spoken(text))
		switch name.Class {
		case OwnName, OtherName:
			p.tokens.add(fold.Words(text), doc)
			p.tokens.add(fold.Joined(text), doc)
		default:
			p.others.add(fold.Joined(text), doc)
		}
		p.others.add(spoken, doc)
		p.others.add(apart(spoken), doc)
		p.key = AppendKey(p.key[:0], spoken)
		if h := Hash(p.key); len(p.key) > 0 && !slices.Contains(d.NameHashes[first:], h) {
			d.NameHashes = append(d.NameHashes, h)
			d.NameClasses = append(d.NameClasses, uint32(name.Class))
		}
	}
	d.NameEnds = append(d.NameEnds, uint32(len(d.NameHashes)))
}

// apart returns the words of a text that letters and digits make up, such as
// "france24", parted where they meet; "" without such words.
func apart(words string) string {
	var out []byte
	for word := range strings.FieldsSeq(words) {
		at := 0
		for i := 1; i < len(word); i++ {
			if isDigit(word[i-1]) != isDigit(word[i]) && utf8.RuneStart(word[i]) {
				out = append(append(out, word[at:i]...), ' ')
				at = i
			}
		}
		if at > 0 {
			out = append(append(out, word[at:]...), ' ')
		}
	}
	return string(out)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// A wordLists holds, by word, the records that have it, ascending.
type wordLists map[string][]uint32

// add adds a record to the words of a text.
func (w wordLists) add(words string, doc uint32) {
	for word := range strings.FieldsSeq(words) {
		docs := w[word]
		if len(docs) == 0 || docs[len(docs)-1] != doc {
			w[word] = append(docs, doc)
		}
	}
}

// words appends the collected words, sorted: to the others only those that the
// record does not have in its own.
func (p *packer) words() {
	for word, docs := range p.others {
		own := p.tokens[word]
		docs = slices.DeleteFunc(docs, func(doc uint32) bool {
			_, has := slices.BinarySearch(own, doc)
			return has
		})
		if p.others[word] = docs; len(docs) == 0 {
			delete(p.others, word)
		}
	}
	p.tokens.put(&p.c.Words)
	p.others.put(&p.c.Others)
}

// put appends the words to dst, sorted.
func (w wordLists) put(dst *Words) {
	for _, token := range slices.Sorted(maps.Keys(w)) {
		dst.Tokens.Add(token)
		dst.Docs = append(dst.Docs, w[token]...)
		dst.Ends = append(dst.Ends, uint32(len(dst.Docs)))
	}
}

// value returns the position of s in the values, to which it adds a new one.
func (p *packer) value(s string) uint32 {
	id, ok := p.values[s]
	if !ok {
		id = uint32(len(p.values))
		p.values[s] = id
		p.c.Values.Add(valid(s))
	}
	return id
}

// list is value for lists. Lists of the same items in another order differ.
func (p *packer) list(items []string) uint32 {
	ids := make([]uint32, len(items))
	for i, s := range items {
		ids[i] = p.value(s)
	}
	id, fresh := p.lists.id(ids)
	if fresh {
		p.c.Lists.Items = append(p.c.Lists.Items, ids...)
		p.c.Lists.Ends = append(p.c.Lists.Ends, uint32(len(p.c.Lists.Items)))
	}
	return id
}

// check returns the problems found, at most ten.
func (p *packer) check() error {
	c := p.c
	for _, t := range []*Texts{&c.Values, &c.Docs.IDs, &c.Docs.Names, &c.Docs.Websites, &c.Docs.LogoPath, &c.Docs.AltNames.Items, &c.Streams.Path, &c.Words.Tokens, &c.Others.Tokens, &c.Gone.Names, &c.Gone.AltNames.Items} {
		if len(t.Bytes) > math.MaxInt32 {
			p.errs = append(p.errs, errors.New("snapshot: more than 2 GiB of text"))
		}
	}
	return errors.Join(p.errs[:min(len(p.errs), 10)]...)
}

// An interner numbers sequences of numbers in the order of their first use.
// Equal sequences have one number.
type interner struct {
	ids map[string]uint32
	key []byte // a sequence as bytes, reused
}

func newInterner() *interner { return &interner{ids: map[string]uint32{}} }

// id returns the number of cells, and whether it is new.
func (in *interner) id(cells []uint32) (id uint32, fresh bool) {
	in.key = in.key[:0]
	for _, c := range cells {
		in.key = binary.LittleEndian.AppendUint32(in.key, c)
	}
	if id, ok := in.ids[string(in.key)]; ok {
		return id, false
	}
	id = uint32(len(in.ids))
	in.ids[string(in.key)] = id
	return id, true
}

// row returns the row of t that holds cells, to which it adds a new one.
func (in *interner) row(t *Table, cells ...uint32) uint32 {
	id, fresh := in.id(cells)
	if fresh {
		t.Cells = append(t.Cells, cells...)
	}
	return id
}

// slug returns the folded words of a name that is slow to fold, and "" for one
// that readers can fold themselves.
func slug(name string) string {
	if _, fast := fold.AppendLatin(nil, name, ' '); fast {
		return ""
	}
	return fold.Words(name)
}

// Hash returns the CRC-32 of the key of a name. It is part of the format.
func Hash(key []byte) uint32 { return crc32.ChecksumIEEE(key) }

// valid returns s with invalid UTF-8 replaced by U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// count returns n within the range of a column.
func count(n int) uint32 { return uint32(min(max(n, 0), math.MaxInt32)) }

// Rate returns the quality of a station of n kbit/s, such as "128k", or "" when
// its bitrate is unknown.
func Rate(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n) + "k"
}

func place(g *catalog.Geo) string {
	if g == nil || !(math.Abs(g.Lat) <= 90 && math.Abs(g.Lon) <= 180) {
		return ""
	}
	return strconv.FormatFloat(g.Lat, 'g', -1, 64) + "," + strconv.FormatFloat(g.Lon, 'g', -1, 64)
}

// splitURL splits a URL before its path: many URLs share the part before it,
// which is interned. A text without a scheme is all path.
func splitURL(s string) (host, path string) {
	scheme := strings.Index(s, "://")
	if scheme < 0 {
		return "", s
	}
	at := strings.IndexAny(s[scheme+3:], "/?#")
	if at < 0 {
		return s, ""
	}
	return s[:scheme+3+at], s[scheme+3+at:]
}
