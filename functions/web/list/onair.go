package list

import (
	"slices"
	"strings"
	"sync"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/site"
)

// onAir counts the channels of each country that have a programme now, once a minute.
type onAir struct {
	mu     sync.Mutex
	minute int64
	counts map[string]int // by ISO 3166-1 alpha-2
}

// countries returns the countries where something is on now, by name, after a choice of
// all, and the chosen country even when nothing is on there.
func (o *onAir) countries(v *page.View, s *Server, snapshot *index.View, chosen string) []airingCountry {
	counts := o.count(s, snapshot)
	var list []airingCountry
	for code, n := range counts {
		list = append(list, airingCountry{code, v.CountryName(code), v.Locale.Number(n)})
	}
	if chosen != "" && counts[chosen] == 0 && v.Country(chosen) != "" {
		list = append(list, airingCountry{Code: chosen, Name: v.CountryName(chosen)})
	}
	slices.SortFunc(list, func(a, b airingCountry) int { return strings.Compare(site.Slug(a.Name), site.Slug(b.Name)) })
	return append([]airingCountry{{Name: v.T("schedule.any")}}, list...)
}

func (o *onAir) count(s *Server, snapshot *index.View) map[string]int {
	now := s.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	if minute := now.Unix() / 60; o.counts == nil || o.minute != minute {
		counts := map[string]int{}
		for id := range s.Guides.Channels(now) {
			c, ok := snapshot.Summary(id)
			if ok && c.Country != "" && c.Kind != catalog.Station && c.Playable && s.Guides.OnAir(id, now) {
				counts[c.Country]++
			}
		}
		o.minute, o.counts = minute, counts
	}
	return o.counts
}
