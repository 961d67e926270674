package channel

import (
	"net/url"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/index"
)

// A fact is a property of a channel with one or several values.
type fact struct {
	Key    string // key of the text that names the property
	Values []link // at least one; a value without a page of its own has an empty path
	Date   bool   // the value is a day
}

// maxValues is how many values of one fact are shown. Some records list hundreds of
// alternative names.
const maxValues = 24

// facts collects the facts of a channel in the order in which the page shows them.
type facts []fact

// addText adds a fact whose values are texts, unless all of them are empty.
func (f *facts) addText(key string, values ...string) {
	var links []link
	for _, value := range values {
		if value != "" {
			links = append(links, link{Text: part.Truncated(value, 200)})
		}
	}
	f.add(key, links)
}

// add adds a fact, unless it has no values.
func (f *facts) add(key string, links []link) {
	if len(links) > 0 {
		*f = append(*f, fact{Key: key, Values: links[:min(len(links), maxValues)]})
	}
}

// factsOf returns the facts of a channel that its heading does not show. The last
// one is the source of the record, which every channel has.
func factsOf(v *page.View, snapshot *index.View, c *catalog.Channel) []fact {
	var f facts
	f.addText("alt_names", c.AltNames...)
	f.add("languages", languagesOf(v, c))
	f.addText("network", text(c.Network))
	f.addText("owners", c.Owners...)
	f.addText("launched", text(c.Launched))
	if n := len(f); n > 0 && f[n-1].Key == "launched" {
		f[n-1].Date = true
	}
	f.add("area", areaOf(v, snapshot, c))
	f.add("place", placeOf(snapshot, c))
	f.addText("timezones", c.Timezones...)
	if c.Radio != nil {
		f.radio(v, c)
	}
	f.add("origin", []link{{originNames[c.Origin], v.Path("about") + "#" + url.PathEscape(c.Origin)}})
	if last := &f[len(f)-1].Values[0]; last.Text == "" {
		last.Text = part.Truncated(c.Origin, 60)
	}
	return f
}

// originNames are the names of the sources, by id.
var originNames = map[string]string{"iptv-org": "iptv-org", "radio-browser": "Radio Browser"}

// radio adds the facts that only stations have.
func (f *facts) radio(v *page.View, c *catalog.Channel) {
	r := c.Radio
	var sound []string
	if r.Codec != nil {
		sound = append(sound, *r.Codec)
	}
	if r.Bitrate != nil {
		sound = append(sound, v.T("channel.bitrate", "n", v.Locale.Number(*r.Bitrate)))
	}
	f.addText("sound", strings.Join(sound, " · "))
	var genres, tags []link
	for _, g := range r.Genres {
		genres = append(genres, link{g.Name, listURL(v, c, "genre", g.ID)})
	}
	f.add("genres", genres)
	for _, tag := range r.Tags {
		if genre.OfTag(tag).Len() > 0 {
			continue // a genre above says it in the reader's language
		}
		tags = append(tags, link{part.Truncated(tag, 60), listURL(v, c, "tag", tag)})
	}
	f.add("tags", tags)
	if r.Votes > 0 {
		f.addText("votes", v.Locale.Number(r.Votes))
	}
}

// text returns the text that s points to; empty for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// listURL returns the URL of the list of the channels of c's kind for which a
// parameter of the search has a value.
func listURL(v *page.View, c *catalog.Channel, param, value string) string {
	q := url.Values{param: {value}}
	if isRadio(c) {
		q.Set("kind", c.Kind)
	}
	return v.Path("home") + "?" + q.Encode()
}

// languagesOf returns the languages of a channel, with links to their lists.
func languagesOf(v *page.View, c *catalog.Channel) (links []link) {
	for i, code := range c.Languages {
		links = append(links, link{c.LanguageLabels[i], listURL(v, c, "language", code)})
	}
	return links
}

// worldwide are the codes of areas that cover the world.
var worldwide = map[string]bool{"r/INT": true, "r/WW": true}

// areaOf returns the names of the places where a channel is broadcast. The prefix of
// a code is the kind of the place: c for a country, s for a subdivision, ct for a
// city, r for a region. Regions other than the world are left out, as their names
// are not in the catalog.
func areaOf(v *page.View, snapshot *index.View, c *catalog.Channel) (links []link) {
	for _, code := range c.BroadcastArea {
		kind, name, _ := strings.Cut(code, "/")
		switch {
		case worldwide[code]:
			links = append(links, link{Text: v.T("channel.worldwide")})
		case kind == "c":
			code := catalog.CountryCode(name)
			links = append(links, link{v.CountryName(code), v.Country(code)})
		case kind == "s" || kind == "ct":
			links = append(links, place(snapshot, name)...)
		}
	}
	return links
}

// placeOf returns the names of the channel's city and state, unless they are part
// of its broadcast area, which areaOf returns.
func placeOf(snapshot *index.View, c *catalog.Channel) (links []link) {
	area := strings.Join(c.BroadcastArea, " ")
	if c.City != nil && !strings.Contains(area, *c.City) {
		links = append(links, place(snapshot, *c.City)...)
	}
	if c.Subdivision != nil && !strings.Contains(area, *c.Subdivision) {
		links = append(links, place(snapshot, *c.Subdivision)...)
	}
	return links
}

// place returns the name of a state, a province or a city by its code; nil for an
// unknown code.
func place(snapshot *index.View, code string) []link {
	name, ok := snapshot.PlaceName(code)
	if !ok {
		return nil
	}
	return []link{{Text: part.Truncated(name, 80)}}
}
