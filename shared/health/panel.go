package health

import (
	"cmp"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// A Reader is the caller that a panel is made for.
type Reader struct {
	Place  social.Place
	Locale i18n.Locale
}

// PanelOf returns the panel of a channel for r, without its links. It does
// not modify counts.
func PanelOf(channel string, counts social.Counts, r Reader) *Panel {
	c := &counts
	world, regions := worldOf(c), regionsOf(c)
	p := &Panel{
		ChannelID: channel,
		Plays:     int(max(c.Plays, 0)), Fails: int(max(c.Fails, 0)),
		Favorites: int(max(c.Favorites, 0)), Comments: int(max(c.Comments, 0)),
		Health:   world.health(),
		LastOKAt: timeOrNil(c.LastOKAt), LastFailAt: timeOrNil(c.LastFailAt), LastFailCode: catalog.TextOrNil(c.Heard.FailCode),
		MinReports:   MinReports,
		Reasons:      r.reasons(c),
		Environments: r.environments(c), YourEnvironment: r.environment(r.Place, r.country(r.Place.Country), c.Environments[r.Place.Key()], environmentOf(c, r.Place)),
		Regions: make([]Region, len(regions)), Geo: r.geo(world, regions),
		Latency: r.latency(c), YourCountry: yours(c, regions, r.Place.Country),
		ForYou: forYou(c, r.Place),
		Codes:  slices.Clone(social.Codes),
	}
	for i, s := range regions {
		p.Regions[i] = s.region()
	}
	return p
}

func (r Reader) reasons(c *social.Counts) []FailureReason {
	list := make([]FailureReason, 0, len(c.Reasons))
	for code, why := range c.Reasons {
		list = append(list, FailureReason{
			Code: code, Count: int(why.Count), LastAt: timeOrNil(why.LastAt),
			Label: r.Locale.T("health.reason."+code+".label", nil),
			Hint:  r.Locale.T("health.reason."+code+".hint", nil),
		})
	}
	slices.SortFunc(list, func(a, b FailureReason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), latest(a.LastAt, b.LastAt), cmp.Compare(a.Code, b.Code))
	})
	return list
}

func (r Reader) environments(c *social.Counts) []Environment {
	list := make([]Environment, 0, len(c.Environments))
	names := map[string]string{} // of countries, which are few
	for key, e := range c.Environments {
		p := social.PlaceOf(key)
		if names[p.Country] == "" {
			names[p.Country] = r.country(p.Country)
		}
		list = append(list, r.environment(p, names[p.Country], e, environmentOf(c, p)))
	}
	slices.SortFunc(list, func(a, b Environment) int {
		return cmp.Or(cmp.Compare(b.Plays+b.Fails, a.Plays+a.Fails), latest(a.LastAt, b.LastAt),
			cmp.Compare(a.Country, b.Country), cmp.Compare(a.Browser, b.Browser), cmp.Compare(a.OS, b.OS))
	})
	return list
}

// environment returns the environment e at p, with its voices. Its country has a name.
func (r Reader) environment(p social.Place, country string, e social.Environment, voices tally) Environment {
	return Environment{
		Browser: p.Browser, OS: p.OS, Country: p.Country, Label: r.label(p, country),
		Plays: int(max(e.Plays, 0)), Fails: int(max(e.Fails, 0)), Health: voices.health(),
		LastFailCode: catalog.TextOrNil(e.LastFailCode), LastAt: timeOrNil(e.LastAt),
	}
}

// label returns the name of a place, such as "Chrome · Windows · Brazil".
func (r Reader) label(p social.Place, country string) string {
	const between = " · "
	return r.nameOr(p.Browser, "health.other_browser") + between + r.nameOr(p.OS, "health.other_system") + between + country
}

// nameOr returns name, or a text when it is unknown.
func (r Reader) nameOr(name, other string) string {
	if name == social.Other {
		return r.Locale.T(other, nil)
	}
	return name
}

// country returns the name of a country, or its code.
func (r Reader) country(code string) string {
	if code == social.Unknown {
		return r.Locale.T("health.unknown_country", nil)
	}
	if name, ok := i18n.CountryName(code, r.Locale); ok {
		return name
	}
	return code
}

func (r Reader) latency(c *social.Counts) []CountryLatency {
	list := make([]CountryLatency, 0, len(c.Latency))
	for country, w := range c.Latency {
		if ms, ok := meanOf(w); ok {
			list = append(list, CountryLatency{
				Country: country, Samples: int(w.Samples), AvgMS: ms, Grade: Grade(ms),
				GradeLabel: r.Locale.T("health.latency."+Grade(ms), nil), LastAt: timeOrNil(w.LastAt),
			})
		}
	}
	slices.SortFunc(list, func(a, b CountryLatency) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Country, b.Country))
	})
	return list
}

// latest orders later times first, and nil last.
func latest(a, b *store.Time) int {
	var none store.Time
	return cmp.Or(b, &none).Compare(cmp.Or(a, &none).Time)
}

func timeOrNil(t store.Time) *store.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
