package match

import (
	"fmt"
	"hash"
	"regexp"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
)

// A Directory is what the register of iptv-org says of channels besides the
// catalog: their feeds, where these are broadcast, and under which ids and names
// sites list them in their guides. A nil Directory says nothing.
type Directory struct {
	feeds   map[string][]source.Feed // by channel
	regions map[string][]string      // countries
	guides  []source.Guide
}

// NewDirectory returns the directory of the feeds, regions and guides in ds.
func NewDirectory(ds *source.Dataset) *Directory {
	d := &Directory{feeds: map[string][]source.Feed{}, regions: map[string][]string{}, guides: ds.Guides}
	for _, f := range ds.Feeds {
		d.feeds[f.Channel] = append(d.feeds[f.Channel], f)
	}
	for _, r := range ds.Regions {
		for _, country := range r.Countries {
			d.regions[r.Code] = append(d.regions[r.Code], catalog.CountryCode(country))
		}
	}
	return d
}

// feedsOf returns the feeds of a channel.
func (d *Directory) feedsOf(channel string) []source.Feed {
	if d == nil {
		return nil
	}
	return d.feeds[channel]
}

// listed returns the rows of the sites' lists.
func (d *Directory) listed() []source.Guide {
	if d == nil {
		return nil
	}
	return d.guides
}

// everywhere stands for all countries in the broadcast areas of a channel.
const everywhere = "*"

// countries returns the countries in which a feed is broadcast, or everywhere.
func (d *Directory) countries(f *source.Feed) (in []string) {
	for _, area := range f.BroadcastArea {
		kind, code, _ := strings.Cut(area, "/")
		switch {
		case kind == "r" && (code == "INT" || code == "WW"):
			in = append(in, everywhere)
		case kind == "r":
			in = append(in, d.regions[code]...)
		case (kind == "c" || kind == "s" || kind == "ct") && len(code) >= 2:
			in = append(in, catalog.CountryCode(code[:2]))
		}
	}
	return in
}

// write writes all that d says to h.
func (d *Directory) write(h hash.Hash) {
	for _, g := range d.listed() {
		_, _ = fmt.Fprintf(h, "%q %q %q %q %q\n", g.Site, g.SiteID, g.SiteName, g.Channel, g.Feed)
	}
}

// A kinship says how the programmes of a feed relate to those of its channel, which
// are those of the main feed. A lower one is nearer.
type kinship int

const (
	same    kinship = iota // the main feed, or it in another quality
	sibling                // mostly the same at the same time, such as in another region
	foreign                // in another language
	shifted                // at another time: a guide of it is wrong for the channel
)

// kinshipOf returns the kinship of a feed with the main one.
func kinshipOf(feed, main *source.Feed, zones *zones) kinship {
	switch {
	case feed.ID == main.ID || keyOf(feed.Name, "").plain == keyOf(main.Name, "").plain:
		return same
	case isShift(feed.ID) != isShift(main.ID):
		return shifted
	case len(feed.Languages) > 0 && len(main.Languages) > 0 && disjoint(feed.Languages, main.Languages):
		return foreign
	case zones.differ(feed.Timezones, main.Timezones):
		return shifted
	}
	return sibling
}

func disjoint(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

var shiftID = regexp.MustCompile(`Plus\d{1,2}(HD)?$`)

// isShift reports whether the id of a feed is that of a timeshift, such as "UKPlus1".
func isShift(id string) bool { return shiftID.MatchString(id) }

// zones holds the offsets of time zones, in winter and in summer.
type zones map[string][2]int

// offsets returns the offsets of a zone; false when it is not known.
func (z zones) offsets(name string) ([2]int, bool) {
	o, ok := z[name]
	if ok {
		return o, true
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return o, false
	}
	for i, month := range []time.Month{time.January, time.July} {
		_, o[i] = time.Date(2026, month, 15, 0, 0, 0, 0, zone).Zone()
	}
	z[name] = o
	return o, true
}

// differ reports whether no zone of a list has the time of one of another; an
// empty list differs from none.
func (z *zones) differ(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for _, one := range a {
		for _, other := range b {
			x, known := z.offsets(one)
			y, too := z.offsets(other)
			if !known || !too || x == y {
				return false
			}
		}
	}
	return true
}

// siteCountry returns the country whose channels a row lists: that of the site's
// domain, or else that of an id such as "ar#espn" or "Plex/mx#5e20".
func siteCountry(g *source.Guide) string {
	at := strings.LastIndexByte(g.Site, '.')
	if at > 0 && len(g.Site)-at == 3 && !anywhere[g.Site[at+1:]] && !anywhere[g.Site] {
		return countryMark(strings.ToUpper(g.Site[at+1:]))
	}
	if code := idCountry.FindStringSubmatch(g.SiteID); code != nil {
		return countryMark(strings.ToUpper(code[1]))
	}
	return ""
}

var idCountry = regexp.MustCompile(`^(?:[A-Za-z]+/)?([A-Za-z]{2})[#/]`)

// anywhere are the domains of countries under which sites of any country are, and
// a site that lists channels of many countries.
var anywhere = map[string]bool{
	"ai": true, "am": true, "cc": true, "eu": true, "fm": true, "gg": true, "io": true, "la": true, "me": true, "nu": true,
	"sx": true, "tc": true, "to": true, "tv": true, "vc": true, "ws": true, "i.mjh.nz": true,
}
