package list

import (
	"net/url"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
)

// Bounds of a search for programmes.
const (
	foundSize  = 40             // programmes that a page lists
	foundReach = 2000           // programmes that match by their titles, of which those of other channels are left out
	foundAhead = 24 * time.Hour // how far ahead they begin
)

// programmes returns the programmes of the next 24 hours whose titles have the words of a search:
// of TV channels that can be played, those that are on first, then by the hour.
func (s *Server) programmes(v *page.View, snapshot *index.View, in scheduleIn) (list []airing) {
	now, seen := s.Now(), 0
	for hit := range s.Guides.Find(in.Q, now) {
		if seen++; seen > foundReach || len(list) == foundSize || hit.Start.After(now.Add(foundAhead)) {
			break
		}
		c, ok := snapshot.Summary(hit.Channel)
		if ok && c.Kind != catalog.Station && c.Playable && (in.Country == "" || c.Country == in.Country) {
			list = append(list, foundOf(v, &c, &hit, now))
		}
	}
	return list
}

// foundOf returns the row of a programme.
func foundOf(v *page.View, c *index.Summary, hit *guide.Hit, now time.Time) airing {
	p := hit.Wire()
	file := catalog.ChannelsPath + "/" + url.PathEscape(c.ID) + "/guia.ics?" + url.Values{"start": {p.Start}, "lang": {v.Locale.Tag()}}.Encode()
	return airing{
		ID: c.ID, Path: v.Channel(c.ID), Name: part.Called(c.Name), Plate: part.NewPlate(v, c.Kind.String(), c.ID, c.Name, c.LogoURL),
		Now: p, From: hourOf(p.Start), To: hourOf(p.Stop), Percent: part.Percent(p, now), On: !hit.Start.After(now), Calendar: file,
	}
}
