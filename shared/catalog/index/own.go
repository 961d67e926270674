package index

import (
	"encoding/binary"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// The texts that a record has to itself stand together, after their lengths:
// a page is then read from few places of memory.
const (
	ownID       = iota // escaped
	ownName            // escaped
	ownAltNames        // elements of an array
	ownWebsite         // a string or null
	ownSlug            // the words of the name, joined by hyphens
	ownSlugEnd         // a hyphen and the country
	ownTags            // elements of an array
	ownPlace           // an object, or empty
	ownCount
)

// texts are the own texts of a record.
type texts [ownCount][]byte

const longLength = 0x8080808080808080 // the bits of lengths that take more than a byte

// texts returns what record doc has to itself.
func (ix *Index) texts(doc uint32) (t texts) {
	b := ix.own[ix.rows[doc].own:]
	if len(b) >= 8 {
		if lengths := binary.LittleEndian.Uint64(b); lengths&longLength == 0 {
			b = b[8:]
			for i := range t {
				n := lengths & 0x7f
				lengths >>= 8
				t[i], b = b[:n:n], b[n:]
			}
			return t
		}
	}
	return longTexts(b)
}

func longTexts(b []byte) (t texts) {
	var lengths [ownCount]uint64
	for i := range lengths {
		n, size := binary.Uvarint(b)
		lengths[i], b = n, b[size:]
	}
	for i, n := range lengths {
		t[i], b = b[:n:n], b[n:]
	}
	return t
}

// An owner gathers the own texts of records.
type owner struct {
	c       *snapshot.Columns
	escaped *snapshot.Texts // the values
	out     []byte
	parts   [ownCount][]byte
	buf     []byte
}

// add appends the texts of record doc.
func (o *owner) add(doc uint32, topic, station uint32, isStation bool) {
	d := &o.c.Docs
	for i := range o.parts {
		o.parts[i] = o.parts[i][:0]
	}
	p := &o.parts
	p[ownID] = jsontext.Append(p[ownID], d.IDs.At(doc))
	p[ownName] = jsontext.Append(p[ownName], d.Names.At(doc))
	start, end := d.AltNames.Span(doc)
	for i := start; i < end; i++ {
		p[ownAltNames] = element(p[ownAltNames], d.AltNames.Items.At(i), false)
	}
	if site := d.Websites.At(doc); len(site) > 0 {
		p[ownWebsite] = jsontext.Quote(p[ownWebsite], site)
	} else {
		p[ownWebsite] = append(p[ownWebsite], null...)
	}
	o.slug(d.Names.At(doc), o.c.Topics.Row(topic)[snapshot.TopicCountry])
	if isStation {
		for _, tag := range o.c.Lists.At(o.c.Stations.TagList[station]) {
			p[ownTags] = element(p[ownTags], o.escaped.At(tag), true)
		}
		p[ownPlace] = appendPlace(p[ownPlace], o.c.Stations.Places.At(station))
	}
	for _, part := range o.parts {
		o.out = binary.AppendUvarint(o.out, uint64(len(part)))
	}
	for _, part := range o.parts {
		o.out = append(o.out, part...)
	}
}

func (o *owner) slug(name []byte, country uint32) {
	p := &o.parts
	p[ownSlug] = hyphenated(fold.AppendWords(p[ownSlug], string(name)))
	if len(p[ownSlug]) > 0 && country != 0 {
		p[ownSlugEnd] = append(p[ownSlugEnd], '-')
		p[ownSlugEnd] = hyphenated(fold.AppendWords(p[ownSlugEnd], string(o.c.Values.At(country))))
	}
}

// hyphenated puts hyphens between folded words. Their order stays the same:
// both hyphen and space are below all letters and digits.
func hyphenated(words []byte) []byte {
	for i, c := range words {
		if c == ' ' {
			words[i] = '-'
		}
	}
	return words
}

// element adds one string to the elements of an array.
func element(dst, s []byte, escaped bool) []byte {
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	if escaped {
		return append(append(append(dst, '"'), s...), '"')
	}
	return jsontext.Quote(dst, s)
}

// appendPlace adds the place "latitude,longitude" as an object. Those that are
// not on earth add nothing.
func appendPlace(dst, place []byte) []byte {
	g, ok := parsePlace(string(place))
	if !ok {
		return dst
	}
	return appendJSON(dst, g)
}

func parsePlace(s string) (catalog.Geo, bool) {
	lat, lon, ok := strings.Cut(s, ",")
	if !ok {
		return catalog.Geo{}, false
	}
	a, errA := strconv.ParseFloat(lat, 64)
	b, errB := strconv.ParseFloat(lon, 64)
	ok = errA == nil && errB == nil && a >= -90 && a <= 90 && b >= -180 && b <= 180
	return catalog.Geo{Lat: a, Lon: b}, ok
}
