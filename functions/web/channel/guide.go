package channel

import (
	"sync"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
)

// An airing is the guide of a channel: now, next and the whole day.
type airing struct {
	V         *page.View // of the page
	Now, Next *programme
	Percent   int // of the current programme that has passed
	Day       []programme
	Zone      string // of the times
	Site      string // the source of the guide; empty when unknown
}

// A programme is an entry of a guide with its times as the page shows them.
type programme struct {
	*catalog.Programme
	From, To string
	On       bool // now
}

// Folds reports whether the day is so long that it is folded away.
func (a *airing) Folds() bool { return len(a.Day) > 8 }

// airing returns the guide of c for today; nil when there is none. The times are in
// the channel's time zone; the script converts them to the visitor's.
func (s *Server) airing(v *page.View, c *catalog.ChannelFull) *airing {
	now := s.Now()
	day, err := s.Guides.Day(c.ID, now, now)
	if err != nil {
		return nil // there is no guide for today
	}
	zone := zoneOf(&c.Channel)
	a := &airing{V: v, Zone: zone.String(), Now: programmeOf(day.Now, zone), Next: programmeOf(day.After, zone)}
	if day.Site != nil {
		a.Site = clipped(*day.Site, 60)
	}
	if day.Now != nil {
		a.Percent = percentOf(day.Now, now)
	}
	for i := range day.Programmes {
		p := programmeOf(&day.Programmes[i], zone)
		p.On = day.Now != nil && p.Start == day.Now.Start
		a.Day = append(a.Day, *p)
	}
	return a
}

// programmeOf returns p as the page shows it; nil for nil.
func programmeOf(p *catalog.Programme, zone *time.Location) *programme {
	if p == nil {
		return nil
	}
	return &programme{Programme: p, From: clock(p.Start, zone), To: clock(p.Stop, zone)}
}

// clock returns the time of day of an RFC 3339 time; empty when it is none.
func clock(moment string, zone *time.Location) string {
	t, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return ""
	}
	return t.In(zone).Format("15:04")
}

// percentOf returns how much of p has passed, in percent.
func percentOf(p *catalog.Programme, now time.Time) int {
	start, err := time.Parse(time.RFC3339, p.Start)
	stop, fault := time.Parse(time.RFC3339, p.Stop)
	if err != nil || fault != nil || !start.Before(stop) {
		return 0
	}
	return int(min(max(100*now.Sub(start)/stop.Sub(start), 0), 100))
}

// zones are the time zones of channels, by name. Only names of real zones are
// kept, so there are few.
var zones sync.Map

// zoneOf returns the first time zone of a channel; UTC when it has none.
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
