// Package recordtext packs the texts that a record does not share with others, and
// reads them.
package recordtext

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// The texts of a record, those that it does not share, stand in one run of bytes,
// so that writing an item reads few places of memory. The run begins with the
// length of each part, one byte each or, when one is 128 or longer,
// all as varints. The parts follow in the order of the constants below, already
// escaped, and between the first three stands what stands between them in an item
// of JSON: from the id to the alternative names one copy suffices.

// The parts of the texts of a record.
const (
	ID       = iota // escaped
	Name            // escaped
	AltNames        // elements of an array
	Website         // a string or null
	Slug            // the words of the name, joined by hyphens
	slugEnd         // a hyphen and the country
	Tags            // elements of an array
	Place           // an object, or empty
	partCount
)

// What stands between the first parts.
const (
	afterID   = `","name":"`
	afterName = `","alt_names":[`
)

// Texts are the texts of a record.
type Texts struct {
	Part [partCount][]byte
	Head []byte // from the id to the alternative names, as they stand in an item
	Slug []byte // with its end
}

const longLength = 0x8080808080808080 // the bits of lengths that take more than a byte

// Parse returns the texts that begin b.
func Parse(b []byte) (t Texts) {
	if lengths := binary.LittleEndian.Uint64(b); lengths&longLength == 0 {
		var n [partCount]int
		for i := range n {
			n[i] = int(lengths >> (8 * i) & 0x7f)
		}
		t.cut(b[partCount:], &n)
		return t
	}
	var n [partCount]int
	for i := range n {
		length, size := binary.Uvarint(b)
		n[i], b = int(length), b[size:]
	}
	t.cut(b, &n)
	return t
}

// ParseID returns the id of the texts that begin b: the first part, which stands
// in a known place when no part is long.
func ParseID(b []byte) []byte {
	if lengths := binary.LittleEndian.Uint64(b); lengths&longLength == 0 {
		return b[partCount:][:lengths&0x7f]
	}
	return Parse(b).Part[ID]
}

// cut parts b, in which texts with n bytes begin.
func (t *Texts) cut(b []byte, n *[partCount]int) {
	name := n[ID] + len(afterID)
	alt := name + n[Name] + len(afterName)
	site := alt + n[AltNames]
	slug := site + n[Website]
	end := slug + n[Slug]
	tags := end + n[slugEnd]
	place := tags + n[Tags]
	t.Part[ID] = b[:n[ID]]
	t.Part[Name] = b[name:][:n[Name]]
	t.Part[AltNames] = b[alt:site]
	t.Part[Website] = b[site:slug]
	t.Part[Slug] = b[slug:end]
	t.Part[Tags] = b[tags:place]
	t.Part[Place] = b[place:][:n[Place]]
	t.Head, t.Slug = b[:site], b[slug:tags]
}

// A Range is a run of records, with the stations among them. The ends are exclusive.
type Range struct {
	From, To               uint32
	FromStation, ToStation uint32
}

// A Writer gathers the texts of records.
type Writer struct {
	c       *snapshot.Columns
	escaped *snapshot.Texts // the values
	of      Range
	Out     []byte // which the caller may give room
	lengths [partCount]int
	from    int // where the part being written began

	slugEnds snapshot.Texts // by row of Topics: a hyphen and the country

	// Strings that JSON escapes, by column: they are looked for in whole columns.
	ids, names, websites specials
}

// specials are the positions, ascending, of the strings of a column that do not
// stand for themselves in JSON.
type specials []uint32

func newSpecials(t *snapshot.Texts, of Range) specials {
	var list specials
	const run = 64 // strings that are looked at together
	for i := of.From; i < of.To; i += run {
		end := min(i+run, of.To)
		if jsontext.Plain(t.Span(i, end)) {
			continue
		}
		for k := i; k < end; k++ {
			if !jsontext.Plain(t.At(k)) {
				list = append(list, k)
			}
		}
	}
	return list
}

// append adds string i of t, escaped. It is to be called for ascending i.
func (s *specials) append(dst []byte, t *snapshot.Texts, i uint32) []byte {
	if len(*s) == 0 || (*s)[0] != i {
		return append(dst, t.At(i)...)
	}
	*s = (*s)[1:]
	return jsontext.Append(dst, t.At(i))
}

// NewWriter returns a writer of some records of c, whose values are escaped.
func NewWriter(c *snapshot.Columns, escaped *snapshot.Texts, of Range) *Writer {
	o := &Writer{c: c, escaped: escaped, of: of, slugEnds: slugEndings(c)}
	o.ids, o.names, o.websites = newSpecials(&c.Docs.IDs, of), newSpecials(&c.Docs.Names, of), newSpecials(&c.Docs.Websites, of)
	return o
}

// slugEndings returns what ends the slugs of the records of each row of Topics.
func slugEndings(c *snapshot.Columns) (ends snapshot.Texts) {
	for topic := range uint32(c.Topics.Len()) {
		if country := c.Topics.Row(topic)[snapshot.TopicCountry]; country != 0 {
			ends.Bytes = append(ends.Bytes, '-')
			from := len(ends.Bytes)
			ends.Bytes = fold.AppendWords(ends.Bytes, c.Values.At(country))
			Hyphenate(ends.Bytes[from:])
		}
		ends.Ends = append(ends.Ends, uint32(len(ends.Bytes)))
	}
	return ends
}

// Room returns how many bytes the texts of the records take, or a few more.
func (o *Writer) Room() int {
	of, d, s := o.of, &o.c.Docs, &o.c.Stations
	if of.From == of.To {
		return 0
	}
	from, _ := d.AltNames.Span(of.From)
	_, to := d.AltNames.Span(of.To - 1)
	n := len(d.IDs.Span(of.From, of.To)) + len(d.Websites.Span(of.From, of.To)) + len(d.AltNames.Items.Span(from, to)) +
		2*len(d.Names.Span(of.From, of.To)) + len(s.Places.Span(of.FromStation, of.ToStation))
	n += int(of.To-of.From)*(partCount+len(afterID)+len(afterName)+len("null")+len("-br")) + int(to-from)*len(`"",`)
	for i := of.FromStation; i < of.ToStation; i++ {
		for _, tag := range o.c.Lists.At(s.TagList[i]) {
			n += len(`"",`) + len(o.escaped.At(tag))
		}
		if len(s.Places.At(i)) > 0 {
			n += len(`{"lat":,"lon":}`)
		}
	}
	return n
}

// Add appends the texts of record doc, after their lengths. The records of the range are
// to be added in their order.
func (o *Writer) Add(doc uint32, topic, station uint32, isStation bool) {
	d := &o.c.Docs
	start := len(o.Out)
	o.lengths = [partCount]int{}
	o.Out = append(o.Out, 0, 0, 0, 0, 0, 0, 0, 0) // for lengths of one byte
	o.begin("")
	o.Out = o.ids.append(o.Out, &d.IDs, doc)
	o.end(ID)
	o.begin(afterID)
	o.Out = o.names.append(o.Out, &d.Names, doc)
	o.end(Name)
	o.begin(afterName)
	from, to := d.AltNames.Span(doc)
	for i := from; i < to; i++ {
		o.Out = element(o.Out, d.AltNames.Items.At(i), i == from)
	}
	o.end(AltNames)
	if len(d.Websites.At(doc)) > 0 {
		o.Out = append(o.websites.append(append(o.Out, '"'), &d.Websites, doc), '"')
	} else {
		o.Out = append(o.Out, "null"...)
	}
	o.end(Website)
	o.slug(doc, topic)
	if isStation {
		o.station(station)
	}
	o.finish(start)
}

// begin starts a part after what stands before it in an item.
func (o *Writer) begin(before string) {
	o.Out = append(o.Out, before...)
	o.from = len(o.Out)
}

// end notes the length of a part; the next may begin.
func (o *Writer) end(part int) {
	o.lengths[part] = len(o.Out) - o.from
	o.from = len(o.Out)
}

func (o *Writer) slug(doc, topic uint32) {
	d := &o.c.Docs
	start := len(o.Out)
	var latin bool
	if o.Out, latin = fold.AppendLatin(o.Out, d.Names.At(doc), '-'); !latin {
		o.Out = jsontext.Append(o.Out, d.Slugs.At(doc))
		Hyphenate(o.Out[start:])
	}
	o.end(Slug)
	if o.lengths[Slug] > 0 {
		o.Out = append(o.Out, o.slugEnds.At(topic)...)
	}
	o.end(slugEnd)
}

func (o *Writer) station(i uint32) {
	for k, tag := range o.c.Lists.At(o.c.Stations.TagList[i]) {
		if k > 0 {
			o.Out = append(o.Out, ',')
		}
		o.Out = append(append(append(o.Out, '"'), o.escaped.At(tag)...), '"')
	}
	o.end(Tags)
	o.Out = appendPlace(o.Out, o.c.Stations.Places.At(i))
	o.end(Place)
}

// finish writes the lengths of the parts of the texts that begin at start.
func (o *Writer) finish(start int) {
	short := 0
	for i, n := range o.lengths {
		o.Out[start+i] = byte(n)
		short |= n
	}
	if short < 0x80 {
		return
	}
	var buf [partCount * binary.MaxVarintLen32]byte
	head := buf[:0]
	for _, n := range o.lengths {
		head = binary.AppendUvarint(head, uint64(n))
	}
	if len(head) > partCount { // a long text: make room
		o.Out = slices.Insert(o.Out, start, head[partCount:]...)
	}
	copy(o.Out[start:], head)
}

// Hyphenate puts hyphens between folded words. Their order stays the same:
// both hyphen and space are below all letters and digits.
func Hyphenate(words []byte) []byte {
	for i, c := range words {
		if c == ' ' {
			words[i] = '-'
		}
	}
	return words
}

// Unhyphenate undoes hyphenated.
func Unhyphenate(words []byte) []byte {
	for i, c := range words {
		if c == '-' {
			words[i] = ' '
		}
	}
	return words
}

// element adds one string to the elements of an array.
func element(dst, s []byte, first bool) []byte {
	if !first {
		dst = append(dst, ',')
	}
	return jsontext.Quote(dst, s)
}

// appendPlace adds the place "latitude,longitude" as an object. What is not two
// numbers of degrees adds nothing.
func appendPlace(dst, place []byte) []byte {
	lat, lon, ok := bytes.Cut(place, []byte(","))
	if !ok {
		return dst
	}
	start := len(dst)
	for _, m := range []struct {
		member string
		number []byte
		most   float64
	}{{`{"lat":`, lat, 90}, {`,"lon":`, lon, 180}} {
		if dst, ok = appendDegrees(append(dst, m.member...), m.number, m.most); !ok {
			return dst[:start]
		}
	}
	return append(dst, '}')
}

// appendDegrees adds a number as encoding/json writes it. It reports false for
// one beyond most.
func appendDegrees(dst, number []byte, most float64) ([]byte, bool) {
	if plainDegrees(number, most) {
		return append(dst, number...), true
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || !(math.Abs(f) <= most) {
		return dst, false
	}
	return jsontext.AppendValue(dst, f), true
}

// plainDegrees reports whether number is a number of JSON from 1e-6 up to most, without
// most, or 0. A snapshot has the fewest digits that give the number back, as encoding/json
// writes it. Numbers that are very small, very long or at the end of the range are left to
// it.
func plainDegrees(number []byte, most float64) bool {
	number = bytes.TrimPrefix(number, []byte("-"))
	whole, part, pointed := bytes.Cut(number, []byte("."))
	if len(whole) == 0 || len(whole) > 3 || len(whole) > 1 && whole[0] == '0' || pointed && len(part) == 0 || len(part) > 17 {
		return false
	}
	degrees, small := 0, true
	for _, c := range whole {
		degrees = 10*degrees + int(c-'0')
		small = small && c == '0'
		if c < '0' || c > '9' {
			return false
		}
	}
	for i, c := range part {
		small = small && (c == '0' || i >= 6)
		if c < '0' || c > '9' {
			return false
		}
	}
	return degrees < int(most) && (!small || !pointed) && (!pointed || part[len(part)-1] != '0')
}
