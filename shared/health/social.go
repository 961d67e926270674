package health

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/social"
)

// Social returns the counters of a channel as the interface shows them to a
// caller at p. It does not modify c.
func Social(c social.Counts, p social.Place) catalog.Social {
	reports, voices := c.In(p.Country)
	return socialOf(&c, reports, voices, p)
}

// SocialOf is Social in time that does not depend on the number of
// environments.
func SocialOf(s *social.Shown, p social.Place) catalog.Social {
	reports, voices := s.In(p.Country)
	return socialOf(&s.Counts, reports, voices, p)
}

func socialOf(c *social.Counts, reports, voices social.Tally, p social.Place) catalog.Social {
	s := catalog.Social{
		Plays: int(max(c.Plays, 0)), Fails: int(max(c.Fails, 0)),
		Favorites: int(max(c.Favorites, 0)), Comments: int(max(c.Comments, 0)),
		LastFailCode: catalog.TextOrNil(c.Heard.FailCode), Health: worldOf(c).health(),
	}
	if e, ok := c.Environments[p.Key()]; ok {
		s.YourPlays, s.YourFails, s.YourFailCode = int(max(e.Plays, 0)), int(max(e.Fails, 0)), catalog.TextOrNil(e.LastFailCode)
	}
	s.YourCountryOK, s.YourCountryFail = int(max(reports.Plays, 0)), int(max(reports.Fails, 0))
	if country := tallyOf(voices); country.measured() {
		works := country.works()
		s.YourGeoOK = &works
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
