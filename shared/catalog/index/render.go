package index

import (
	"strconv"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/jsontext"
)

// A tail is the end of the items of one origin: whole, as it is while nothing
// was measured or reported, and the parts of it.
type tail struct{ all, origin []byte }

// The members of the end of an item.
const (
	memberSocial = `,"social":`
	memberAPI    = `,"api":"`
)

func (v *View) setTails() {
	zeros := appendJSON(nil, catalog.Social{})
	api := v.apiPrefix()
	for _, value := range v.ix.originNames {
		t := tail{origin: append(append(append([]byte(`,"origem":"`), v.ix.values.At(value)...), `","health_ext":`...), []byte(nil)...)}
		t.all = append(append([]byte(nil), t.origin...), null+memberSocial...)
		t.all = append(append(t.all, zeros...), api...)
		v.tails = append(v.tails, t)
	}
	v.zeros, v.api = zeros, api
}

// apiPrefix returns the member api up to the id.
func (v *View) apiPrefix() []byte {
	return jsontext.Append([]byte(memberAPI), v.links.Channel(""))
}

// Search adds to dst the page that answers q, a catalog.Page as encoding/json
// writes it without HTML escaping. Locale is the position in catalog.Labels of
// the language of labels.
func (v *View) Search(q Query, locale int, dst []byte) []byte {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	locale = within(locale)
	res := v.run(s, &q)
	v.page(s, &q, &res, q.limit())
	dst = append(dst, `{"items":[`...)
	for i, doc := range s.page {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = v.appendItem(dst, doc, locale, q.Crowd)
	}
	dst = append(dst, `],"total":`...)
	dst = strconv.AppendInt(dst, int64(res.total), 10)
	dst = v.appendPosition(dst, &q, res.total)
	dst = append(dst, `,"facets":{"categories":`...)
	dst = v.appendCounts(dst, s, &q, &res, locale)
	dst = append(dst, `},"filters":`...)
	return append(q.AppendJSON(dst), '}')
}

func (v *View) appendPosition(dst []byte, q *Query, total int) []byte {
	limit, offset := q.limit(), max(q.Offset, 0)
	dst = append(dst, `,"limit":`...)
	dst = strconv.AppendInt(dst, int64(limit), 10)
	dst = append(dst, `,"offset":`...)
	dst = strconv.AppendInt(dst, int64(offset), 10)
	dst = append(dst, `,"next_offset":`...)
	if limit > 0 && offset < total-limit {
		dst = strconv.AppendInt(dst, int64(offset+limit), 10)
		dst = append(dst, `,"next":`...)
		dst = append(dst, v.list[:len(v.list)-1]...)
		dst = append(append(dst, '?'), q.More...)
		dst = append(dst, "offset="...)
		dst = append(strconv.AppendInt(dst, int64(offset+limit), 10), '"')
	} else {
		dst = append(dst, `null,"next":null`...)
	}
	dst = append(dst, `,"api":`...)
	return append(dst, v.list...)
}

func (v *View) appendCounts(dst []byte, s *scratch, q *Query, res *result, locale int) []byte {
	if res.whole != nil {
		return append(dst, res.whole.facets[locale]...)
	}
	counts := v.count(s, q, res)
	return v.ix.appendFacets(dst, &counts, locale)
}

// count counts the categories of what q matched.
func (v *View) count(s *scratch, q *Query, res *result) (none counts) {
	switch {
	case res.whole != nil:
		return res.whole.counts
	case !v.counted[q.kind()]:
		return none
	}
	s.counts = v.ix.counter(s.counts)
	v.ix.countList(s.counts, res.list)
	v.ix.countBits(s.counts, res.bits)
	return v.ix.counts(s.counts)
}

// appendItem adds record doc as a catalog.Channel.
func (v *View) appendItem(dst []byte, doc uint32, locale int, c Crowd) []byte {
	ix := v.ix
	r, t := &ix.rows[doc], ix.texts(doc)
	dst = append(dst, `{"id":"`...)
	dst = append(dst, t.head...)
	dst = append(dst, ix.topicText.At(r.topic*uint32(locales)+uint32(locale))...)
	dst = append(dst, ix.tongueText.At(r.tongue*uint32(locales)+uint32(locale))...)
	dst = v.appendLogo(dst, doc)
	dst = append(dst, t.part[ownWebsite]...)
	if v.playable.Has(doc) {
		dst = append(dst, `,"playable_hint":true,"slug":"`...)
	} else {
		dst = append(dst, `,"playable_hint":false,"slug":"`...)
	}
	if len(t.slug) == 0 {
		dst = append(dst[:len(dst)-1], null...)
		dst = append(dst, ix.houseText.At(r.house)[1:]...)
	} else {
		dst = append(dst, t.slug...)
		dst = append(dst, ix.houseText.At(r.house)...)
	}
	dst = append(dst, ix.pastText.At(r.past)...)
	dst = append(dst, ix.feedText.At(r.feed)...)
	dst = v.appendState(dst, doc, r.state)
	if ix.radio.Has(doc) {
		dst = ix.appendRadio(dst, r.station, &t)
	}
	dst = v.appendTail(dst, doc, r.state, t.part[ownID], c)
	return append(appendPathID(dst, t.part[ownID]), `"}`...)
}

func (ix *Index) appendRadio(dst []byte, station uint32, t *texts) []byte {
	dst = append(dst, `,"radio":{"tags":[`...)
	dst = append(dst, t.part[ownTags]...)
	dst = append(dst, `],"votes":`...)
	dst = strconv.AppendUint(dst, uint64(ix.stations.votes[station]), 10)
	dst = append(dst, `,"clicks":`...)
	dst = strconv.AppendUint(dst, uint64(ix.stations.clicks[station]), 10)
	dst = append(dst, ix.soundText.At(ix.stations.sound[station])...)
	if len(t.part[ownPlace]) == 0 {
		return append(dst, null+"}"...)
	}
	return append(append(dst, t.part[ownPlace]...), '}')
}

// appendTail adds from origem to the id in api.
func (v *View) appendTail(dst []byte, doc, state uint32, id []byte, c Crowd) []byte {
	t := &v.tails[v.ix.originOf[state]]
	if v.latest == nil && c == nil {
		return append(dst, t.all...)
	}
	counters, any := crowdOf(c, id)
	if v.latest == nil && !any {
		return append(dst, t.all...)
	}
	dst = append(dst, t.origin...)
	dst = v.appendHealth(dst, doc)
	dst = append(dst, memberSocial...)
	if any {
		dst = appendSocial(dst, &counters)
	} else {
		dst = append(dst, v.zeros...)
	}
	return append(dst, v.api...)
}

// appendPathID adds an id as a segment of a path. Most ids stand for
// themselves.
func appendPathID(dst, escaped []byte) []byte {
	for _, c := range escaped {
		if asIs[c] {
			continue
		}
		return append(dst, catalog.LinkBase{}.Channel(jsontext.Text(escaped))[len(catalog.LinkBase{}.Channel("")):]...)
	}
	return append(dst, escaped...)
}

// asIs holds the bytes that no part of a URL escapes.
var asIs = func() (t [256]bool) {
	for c := range t {
		t[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_'
	}
	return t
}()

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
