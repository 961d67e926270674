package web

import (
	"net/url"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// A fact is something that is known of a channel: what it is, by the key of its
// text, and one or several values.
type fact struct {
	Key    string
	Values []link // whose path may be empty
	Date   bool   // the value is a day
}

// maxValues bounds the values of one fact that are shown.
const maxValues = 24

// facts collects what is known.
type facts []fact

// say adds a fact, unless nothing is known of it.
func (f *facts) say(key string, values ...string) {
	var links []link
	for _, value := range values {
		if value != "" {
			links = append(links, link{Text: clipped(value, 200)})
		}
	}
	f.lead(key, links)
}

func (f *facts) lead(key string, links []link) {
	if len(links) > 0 {
		*f = append(*f, fact{Key: key, Values: links[:min(len(links), maxValues)]})
	}
}

// factsOf lists what is known of a channel besides what its heading shows.
func factsOf(v *view, at *index.View, c *catalog.Channel) []fact {
	var f facts
	f.say("alt_names", c.AltNames...)
	f.lead("languages", languagesOf(v, c))
	f.say("network", text(c.Network))
	f.say("owners", c.Owners...)
	f.say("launched", text(c.Launched))
	if n := len(f); n > 0 && f[n-1].Key == "launched" {
		f[n-1].Date = true
	}
	f.lead("area", areaOf(v, at, c))
	f.lead("place", placeOf(at, c))
	f.say("timezones", c.Timezones...)
	if c.Radio != nil {
		f.radio(v, c)
	}
	f.lead("origin", []link{{originNames[c.Origin], v.Path("about") + "#" + url.PathEscape(c.Origin)}})
	if last := &f[len(f)-1].Values[0]; last.Text == "" {
		last.Text = clipped(c.Origin, 60)
	}
	return f
}

// originNames are the sources as they call themselves, by their ids.
var originNames = map[string]string{"iptv-org": "iptv-org", "radio-browser": "Radio Browser"}

// radio adds what only stations have.
func (f *facts) radio(v *view, c *catalog.Channel) {
	r := c.Radio
	var sound []string
	if r.Codec != nil {
		sound = append(sound, *r.Codec)
	}
	if r.Bitrate != nil {
		sound = append(sound, v.T("channel.bitrate", "n", v.Locale.Number(*r.Bitrate)))
	}
	f.say("sound", strings.Join(sound, " · "))
	var tags []link
	for _, tag := range r.Tags {
		tags = append(tags, link{clipped(tag, 60), v.listing(c, "tag", tag)})
	}
	f.lead("tags", tags)
	if r.Votes > 0 {
		f.say("votes", v.Locale.Number(r.Votes))
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// listing returns the path of the list of those of the kind of c that have a
// value.
func (v *view) listing(c *catalog.Channel, param, value string) string {
	q := url.Values{param: {value}}
	if isRadio(c) {
		q.Set("kind", c.Kind)
	}
	return v.Path("home") + "?" + q.Encode()
}

func languagesOf(v *view, c *catalog.Channel) (links []link) {
	for i, code := range c.Languages {
		links = append(links, link{c.LanguageLabels[i], v.listing(c, "language", code)})
	}
	return links
}

// worldwide are the codes of areas that are everywhere.
var worldwide = map[string]bool{"r/INT": true, "r/WW": true}

// areaOf names where a channel is broadcast, as far as there are names.
func areaOf(v *view, at *index.View, c *catalog.Channel) (links []link) {
	for _, code := range c.BroadcastArea {
		kind, name, _ := strings.Cut(code, "/")
		switch {
		case worldwide[code]:
			links = append(links, link{Text: v.T("channel.worldwide")})
		case kind == "c":
			code := catalog.CountryCode(name)
			links = append(links, link{v.CountryName(code), v.Country(code)})
		case kind == "s" || kind == "ct":
			links = append(links, place(at, name)...)
		}
	}
	return links
}

// placeOf names the city and the state of a channel that its area does not
// name.
func placeOf(at *index.View, c *catalog.Channel) (links []link) {
	area := strings.Join(c.BroadcastArea, " ")
	if c.City != nil && !strings.Contains(area, *c.City) {
		links = append(links, place(at, *c.City)...)
	}
	if c.Subdivision != nil && !strings.Contains(area, *c.Subdivision) {
		links = append(links, place(at, *c.Subdivision)...)
	}
	return links
}

// place returns the name of a state, a province or a city, if it has one.
func place(at *index.View, code string) []link {
	name, ok := at.PlaceName(code)
	if !ok {
		return nil
	}
	return []link{{Text: clipped(name, 80)}}
}
