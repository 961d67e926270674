package channel

import (
	"sync"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
)

// An airing is a channel's guide of today.
type airing struct {
	V         *page.View  // the view of the page, for texts and icons
	Now, Next *programme  // nil in a gap of the guide, and after its end
	Percent   int         // how much of the current programme has passed, from 0 to 100
	Day       []programme // the programmes of today and of the hours ahead, in order of time
	Zone      string      // name of the time zone of the times
	Site      string      // the source of the guide; empty when unknown
}

// A programme is an entry of a guide with its times as the page shows them.
type programme struct {
	*catalog.Programme
	From, To string // times of day, such as 20:15
	On       bool   // the programme is on now
}

// Folds reports whether the day has so many programmes that it is folded away.
func (a *airing) Folds() bool { return len(a.Day) > 8 }

// airing returns today's guide of c, or nil when no guide has programmes of c today. The day
// and its times are in the time zone of the channel, because every visitor gets the same
// page; the script converts them to the visitor's zone.
func (s *Server) airing(v *page.View, c *catalog.ChannelFull) *airing {
	now := s.Now()
	day, err := s.Guides.Day(c.ID, now, now)
	if err != nil {
		return nil // there is no guide for today
	}
	zone := zoneOf(&c.Channel)
	a := &airing{V: v, Zone: zone.String(), Now: programmeOf(day.Now, zone), Next: programmeOf(day.After, zone)}
	if day.Site != nil {
		a.Site = part.Truncated(*day.Site, 60)
	}
	if day.Now != nil {
		a.Percent = part.Percent(day.Now, now)
	}
	from, to := today(now.In(zone))
	ps := s.Guides.Between(c.ID, from, to)
	for i := range ps {
		p := programmeOf(ps[i].Wire(), zone)
		p.On = day.Now != nil && p.Start == day.Now.Start
		a.Day = append(a.Day, *p)
	}
	return a
}

// ahead is how much of what comes the list of today has at least. Without it, the list would
// end soon in the evening, when most people look.
const ahead = 6 * time.Hour

// today returns the day that a time is on in its zone, until some hours after it at least.
func today(now time.Time) (from, to time.Time) {
	year, month, day := now.Date()
	from = time.Date(year, month, day, 0, 0, 0, 0, now.Location())
	to = time.Date(year, month, day+1, 0, 0, 0, 0, now.Location())
	if least := now.Add(ahead); to.Before(least) {
		to = least
	}
	return from, to
}

// programmeOf returns p with its times in a zone; nil for nil.
func programmeOf(p *catalog.Programme, zone *time.Location) *programme {
	if p == nil {
		return nil
	}
	return &programme{Programme: p, From: clock(p.Start, zone), To: clock(p.Stop, zone)}
}

// clock returns the time of day of an RFC 3339 time; empty for any other text.
func clock(moment string, zone *time.Location) string {
	t, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return ""
	}
	return t.In(zone).Format("15:04")
}

// zones caches time zones by name, because loading one reads a file. Only existing
// zones are cached, of which there are about 600.
var zones sync.Map

// zoneOf returns the first time zone of a channel; UTC when it has none or an
// unknown one. "Local" would be the zone of the server, and is treated as unknown.
func zoneOf(c *catalog.Channel) *time.Location {
	if len(c.Timezones) == 0 {
		return time.UTC
	}
	name := c.Timezones[0]
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return time.UTC
	}
	zones.Store(name, zone)
	return zone
}
