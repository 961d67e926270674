package show

import (
	"strconv"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/hint"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/index/search"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/i18n"
)

// An itemEnd is the end of the items of one origin: whole, as it is while nothing
// was measured or reported, and the parts of it.
type itemEnd struct{ unmeasured, origin []byte }

// The members of the end of an item.
const (
	memberSocial = `,"social":`
	memberAPI    = `,"api":"`
)

func (v *View) setItemEnds() {
	zeros := jsontext.AppendValue(nil, catalog.Social{})
	api := v.apiPrefix()
	for _, value := range v.fragments.origins {
		t := itemEnd{origin: append(append(append([]byte(`,"origem":"`), v.ix.Values.At(value)...), `","health_ext":`...), []byte(nil)...)}
		t.unmeasured = append(append([]byte(nil), t.origin...), null+memberSocial...)
		t.unmeasured = append(append(t.unmeasured, zeros...), api...)
		v.itemEnds = append(v.itemEnds, t)
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
func (v *View) Search(q search.Query, locale int, dst []byte) []byte {
	locale = layout.SupportedLocale(locale)
	page := v.Page(&q)
	defer page.Release()
	dst = append(dst, `{"items":[`...)
	for i, doc := range page.Docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = v.appendItem(dst, doc, locale, q.Crowd)
		dst = v.appendMatched(dst, &page, &q, doc)
		if q.Works != nil {
			dst = append(v.appendWorksIn(dst[:len(dst)-1], q.Works, doc), '}')
		}
		if q.Near != "" {
			dst = append(dst[:len(dst)-1], `,"distance_km":`...)
			dst = append(strconv.AppendFloat(dst, page.Distance(doc), 'f', -1, 64), '}')
		}
		if q.Explain {
			dst = append(dst[:len(dst)-1], `,"explain":`...)
			dst = append(jsontext.AppendValue(dst, page.Explain(&q, doc)), '}')
		}
	}
	dst = append(dst, `],"total":`...)
	dst = strconv.AppendInt(dst, int64(page.Total), 10)
	dst = v.appendPosition(dst, q.More, &page)
	dst = append(dst, `,"facets":{"categories":`...)
	dst = page.AppendCategories(dst, locale)
	dst = append(dst, `},"filters":`...)
	dst = v.appendHints(q.AppendJSON(dst), &page, &q, locale)
	return append(dst, '}')
}

// appendMatched adds to an item the feed by whose name a search by relevance found
// it, if any.
func (v *View) appendMatched(dst []byte, page *search.Page, q *search.Query, doc uint32) []byte {
	m := v.matched(page, q, doc)
	if m == nil {
		return dst
	}
	dst = append(dst[:len(dst)-1], `,"matched":`...)
	return append(jsontext.AppendValue(dst, m), '}')
}

// appendWorksIn adds how sure it is that record doc plays in a country, as a
// catalog.WorksIn.
func (v *View) appendWorksIn(dst []byte, w *search.Works, doc uint32) []byte {
	plays, fails := 0, 0
	if w.Reports != nil {
		plays, fails = w.Reports(v.ID(doc))
	}
	dst = jsontext.Quote(append(dst, `,"works_in":{"country":`...), w.Country)
	dst = jsontext.Quote(append(dst, `,"verdict":`...), string(w.Verdict(doc)))
	dst = appendInt(dst, `,"plays":`, plays)
	return append(appendInt(dst, `,"fails":`, fails), '}')
}

// appendHints adds the members of a search by relevance that say how it was
// understood and what else to try.
func (v *View) appendHints(dst []byte, page *search.Page, q *search.Query, locale int) []byte {
	if u := hint.Understood(page, q, v, i18n.Locale(locale)); u != nil {
		dst = jsontext.AppendValue(append(dst, `,"understood":`...), u)
	}
	if list := hint.Suggestions(v.Engine, v.now, page, q, v, i18n.Locale(locale)); len(list) > 0 {
		dst = jsontext.AppendValue(append(dst, `,"suggestions":`...), list)
	}
	return dst
}

// matched returns the feed by whose name the search q found record doc; nil when it
// found the channel by another name.
func (v *View) matched(page *search.Page, q *search.Query, doc uint32) *catalog.MatchedFeed {
	m := hint.Matched(page, q, doc)
	if m != nil {
		m.API = v.links.ChannelOfFeed(v.ID(doc), m.Feed)
	}
	return m
}

// appendPosition adds where the page is among all that match, and the address of
// the next.
func (v *View) appendPosition(dst []byte, more string, page *search.Page) []byte {
	dst = append(dst, `,"limit":`...)
	dst = strconv.AppendInt(dst, int64(page.Limit), 10)
	dst = append(dst, `,"offset":`...)
	dst = strconv.AppendInt(dst, int64(page.Offset), 10)
	dst = append(dst, `,"next_offset":`...)
	if next, ok := page.Next(); ok {
		dst = strconv.AppendInt(dst, int64(next), 10)
		dst = append(dst, `,"next":`...)
		dst = append(dst, v.list[:len(v.list)-1]...)
		dst = append(append(dst, '?'), more...)
		dst = append(dst, "offset="...)
		dst = append(strconv.AppendInt(dst, int64(next), 10), '"')
	} else {
		dst = append(dst, `null,"next":null`...)
	}
	dst = append(dst, `,"api":`...)
	return append(dst, v.list...)
}

// appendItem adds record doc as a catalog.Channel.
func (v *View) appendItem(dst []byte, doc uint32, locale int, c search.Crowd) []byte {
	ix := v.ix
	r, t := &ix.Rows[doc], ix.Texts(doc)
	dst = append(dst, `{"id":"`...)
	dst = append(dst, t.Head...)
	dst = append(dst, v.fragments.topicText.At(r.Topic*uint32(layout.Locales)+uint32(locale))...)
	dst = append(dst, v.fragments.tongueText.At(r.Tongue*uint32(layout.Locales)+uint32(locale))...)
	dst = v.appendLogo(dst, doc)
	dst = append(dst, t.Part[recordtext.Website]...)
	if v.now.Playable.Has(doc) {
		dst = append(dst, `,"playable_hint":true,"slug":"`...)
	} else {
		dst = append(dst, `,"playable_hint":false,"slug":"`...)
	}
	if len(t.Slug) == 0 {
		dst = append(dst[:len(dst)-1], null...)
		dst = append(dst, v.fragments.houseText.At(r.House)[1:]...)
	} else {
		dst = append(dst, t.Slug...)
		dst = append(dst, v.fragments.houseText.At(r.House)...)
	}
	dst = append(dst, v.fragments.pastText.At(r.Past)...)
	dst = append(dst, v.fragments.feedText.At(r.Feed)...)
	dst = v.appendState(dst, doc, r.State)
	if ix.Radio.Has(doc) {
		dst = v.appendRadio(dst, r.Station, &t, locale)
	}
	dst = v.appendTail(dst, doc, r.State, t.Part[recordtext.ID], c)
	return append(appendPathID(dst, t.Part[recordtext.ID]), `"}`...)
}

func (v *View) appendRadio(dst []byte, station uint32, t *recordtext.Texts, locale int) []byte {
	dst = append(dst, `,"radio":{"tags":[`...)
	dst = append(dst, t.Part[recordtext.Tags]...)
	dst = append(dst, `],"votes":`...)
	dst = strconv.AppendUint(dst, uint64(v.ix.Stations.Votes[station]), 10)
	dst = append(dst, `,"clicks":`...)
	dst = strconv.AppendUint(dst, uint64(v.ix.Stations.Clicks[station]), 10)
	dst = append(dst, v.fragments.soundText.At(v.ix.Stations.Sound[station])...)
	if len(t.Part[recordtext.Place]) == 0 {
		dst = append(dst, null...)
	} else {
		dst = append(dst, t.Part[recordtext.Place]...)
	}
	return append(v.appendGenres(dst, station, locale), '}')
}

// appendGenres adds the member genres of a station.
func (v *View) appendGenres(dst []byte, station uint32, locale int) []byte {
	dst = append(dst, `,"genres":[`...)
	first := true
	for number := range v.ix.Genres.Sets[v.ix.Genres.SetOf[station]].Numbers() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, v.fragments.genres[number][locale]...)
	}
	return append(dst, ']')
}

// appendTail adds from origem to the id in api.
func (v *View) appendTail(dst []byte, doc, state uint32, id []byte, c search.Crowd) []byte {
	t := &v.itemEnds[v.fragments.originOf[state]]
	if v.now.LastMeasured == nil && c == nil {
		return append(dst, t.unmeasured...)
	}
	counters, any := crowdOf(c, id)
	if v.now.LastMeasured == nil && !any {
		return append(dst, t.unmeasured...)
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
