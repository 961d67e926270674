package web

import (
	"sync"
	"time"

	"miramundo.dev/shared/catalog"
)

// An airing is what a channel shows now, next and all day.
type airing struct {
	V         *view // whose page it is on
	Now, Next *programme
	Percent   int // of what is on now that has passed
	Day       []programme
	Zone      string // which the times are in, for people
	Site      string // where the guide comes from; empty when not known
}

// A programme is an entry of a guide with its times as the page writes them.
type programme struct {
	*catalog.Programme
	From, To string
	On       bool
}

// Folds reports whether the day is folded away: it is long.
func (a *airing) Folds() bool { return len(a.Day) > 8 }

// airing returns what c shows today; nil without a guide of the day. The times
// are those of the channel: where the one who looks is, only the script knows.
func (s *Server) airing(v *view, c *catalog.ChannelFull) *airing {
	now := s.Now()
	day, err := s.Guides.Day(c.ID, now, now)
	if err != nil {
		return nil // no guide covers today
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

// clock returns the hour of a moment as the wire has it.
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

// zones are those that channels name, by name. There are as many as the world
// has: names that are none are not kept.
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
