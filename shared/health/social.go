package health

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/social"
)

// Social returns the counters of a channel as the interface shows them to a
// caller at p. It does not modify c.
func Social(c social.Counts, p social.Place) catalog.Social { return socialOf(&c, c.In(p.Country), p) }

// SocialOf is Social in time that does not depend on the number of
// environments.
func SocialOf(s *social.Shown, p social.Place) catalog.Social {
	return socialOf(&s.Counts, s.In(p.Country), p)
}

func socialOf(c *social.Counts, reports social.Tally, p social.Place) catalog.Social {
	world := worldOf(c)
	s := catalog.Social{
		Plays: int(world.plays), Fails: int(world.fails),
		Favorites: int(max(c.Favorites, 0)), Comments: int(max(c.Comments, 0)),
		LastFailCode: catalog.TextOrNil(c.LastFailCode), Health: world.health(),
	}
	if e, ok := c.Environments[p.Key()]; ok {
		here := tallyOf(e.Plays, e.Fails)
		s.YourPlays, s.YourFails, s.YourFailCode = int(here.plays), int(here.fails), catalog.TextOrNil(e.LastFailCode)
	}
	country := tallyOf(reports.Plays, reports.Fails)
	s.YourCountryOK, s.YourCountryFail = int(country.plays), int(country.fails)
	if country.measured() {
		plays := country.plays > 0
		s.YourGeoOK = &plays
	}
	s.YourLatencyMS, s.YourLatencyGrade = latencyOf(c, p.Country)
	return s
}

// latencyOf returns the mean wait in a country and its grade, or nil.
func latencyOf(c *social.Counts, country string) (ms *int, grade *string) {
	mean, ok := meanOf(c.Latency[country])
	if !ok {
		return nil, nil
	}
	g := Grade(mean)
	return &mean, &g
}
