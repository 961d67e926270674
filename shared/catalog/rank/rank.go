// Package rank knows which stream of a channel to try first.
//
// It is one function of values, so that the detail record, the feeds and the
// player of the pages choose alike: [Order]. What decides comes in this order,
// each rule among those that the rules before it hold equal:
//
//  1. What the operator blocked is left out.
//  2. The outlook, by what probes measured: good, not known, doubtful, bad.
//  3. What was seen to open without headers, or never tried, comes before what
//     was seen to need them: pages cannot send them.
//  4. What the register thinks usable comes before what it does not.
//  5. The label: none, then "Not 24/7", then "Geo-blocked", which is no
//     drawback to a caller at home.
//  6. The kind: HLS and audio, which most players open, then DASH, then TS and
//     FLV, then the video platform, then what browsers cannot open.
//  7. What needs no headers before what does: the hop can send them for the
//     playlist, and nobody for the segments.
//  8. HTTPS before HTTP, which a secure page may not load.
//  9. The sharper picture, as measured or else as declared.
//  10. The better score, then the later measurement.
//
// Streams that all rules hold equal stay in the order in which they came.
package rank

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
)

// A Candidate is a stream with what is known of it at the moment.
type Candidate struct {
	Stream  *catalog.StreamRecord
	Health  *catalog.StreamHealth // nil when it was never measured
	Closed  bool                  // as measured, its media opens only with headers that pages cannot send
	Blocked bool                  // by the operator
	At      int                   // for whoever orders, to tell which it was
}

// A Caller is who would play the stream, as far as that matters.
type Caller struct {
	Country string    // ISO 3166-1 alpha-2; empty when not known
	Now     time.Time // by which measurements age; zero when they do not
}

// Stale is the age after which a measurement says nothing any more. Those that
// find nothing new are rewritten every seven days.
const Stale = 8 * 24 * time.Hour

// goodScore is the least moving average of a stream that can be counted on.
const goodScore = 50

// Order returns the streams of the channel r that may be played, best first.
// It reuses list. It is stable, and depends on nothing but its arguments.
func Order(r *catalog.Record, list []Candidate, c Caller) []Candidate {
	list = slices.DeleteFunc(list, func(s Candidate) bool { return s.Blocked })
	if len(list) < 2 {
		return list
	}
	j := judge{atHome: AtHome(r, c.Country), now: c.Now}
	var few [16]ranked
	all := few[:0]
	for _, s := range list {
		all = append(all, ranked{s, j.merits(&s)})
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return compare(&a.merits, &b.merits) })
	for i := range all {
		list[i] = all[i].Candidate
	}
	return list
}

// Best returns the first that [Order] would, and leaves list as it is. It
// reports false when all are blocked.
func Best(r *catalog.Record, list []Candidate, c Caller) (Candidate, bool) {
	j := judge{atHome: AtHome(r, c.Country), now: c.Now}
	var best Candidate
	var most merits
	found := false
	for _, s := range list {
		if s.Blocked {
			continue
		}
		if m := j.merits(&s); !found || compare(&m, &most) < 0 {
			best, most, found = s, m, true
		}
	}
	return best, found
}

// AtHome reports whether a caller of the country is where the channel r is
// meant to be seen: in its country, or in a country, state or city of its
// broadcast area, or anywhere when that is the world. Of other regions, such
// as "r/LATAM", the catalog does not keep the countries.
func AtHome(r *catalog.Record, country string) bool {
	if country == "" {
		return false
	}
	return r.Country == country || slices.ContainsFunc(r.BroadcastArea, func(area string) bool { return covers(area, country) })
}

// covers reports whether an area such as "c/BR", "s/BR-SP" or "ct/BRSAO" is of
// the country, or the world.
func covers(area, country string) bool {
	kind, code, _ := strings.Cut(area, "/")
	switch kind {
	case "c":
		return catalog.CountryCode(code) == country
	case "s":
		of, _, _ := strings.Cut(code, "-")
		return catalog.CountryCode(of) == country
	case "ct":
		return len(code) == 5 && catalog.CountryCode(code[:2]) == country
	case "r":
		return code == "INT" || code == "WW"
	}
	return false
}

// A ranked is a candidate with what it is ordered by.
type ranked struct {
	Candidate
	merits
}

// merits are what a stream is ordered by, each the less the better.
type merits struct {
	outlook, closed, playable, label, kind, headers, scheme uint8
	picture, score                                          int
	age                                                     time.Duration
}

func compare(a, b *merits) int {
	return cmp.Or(
		cmp.Compare(a.outlook, b.outlook),
		cmp.Compare(a.closed, b.closed),
		cmp.Compare(a.playable, b.playable),
		cmp.Compare(a.label, b.label),
		cmp.Compare(a.kind, b.kind),
		cmp.Compare(a.headers, b.headers),
		cmp.Compare(a.scheme, b.scheme),
		cmp.Compare(a.picture, b.picture),
		cmp.Compare(a.score, b.score),
		cmp.Compare(a.age, b.age),
	)
}

// A judge knows of the caller what the merits of streams depend on.
type judge struct {
	atHome bool
	now    time.Time
}

func (j judge) merits(s *Candidate) merits {
	h, age := j.measured(s.Health)
	m := merits{
		outlook:  j.outlook(h),
		closed:   unless(h == nil || !s.Closed),
		playable: unless(s.Stream.Playable),
		label:    j.label(s.Stream.Label),
		kind:     kindRank(s.Stream.Kind),
		headers:  unless(s.Stream.Referrer == "" && s.Stream.UserAgent == ""),
		scheme:   unless(secure(s.Stream.URL)),
		picture:  -Lines(s.Stream.Quality),
		age:      age,
	}
	if h == nil {
		return m
	}
	if h.Resolution != nil && Lines(*h.Resolution) > 0 {
		m.picture = -Lines(*h.Resolution)
	}
	if h.Score != nil {
		m.score = -*h.Score
	}
	return m
}

// measured returns a measurement that still says something, and its age; nil
// when there is none. One without a time does not age, and one from the future,
// by a clock that runs ahead, is new.
func (j judge) measured(h *catalog.StreamHealth) (*catalog.StreamHealth, time.Duration) {
	if h == nil {
		return nil, Stale
	}
	if j.now.IsZero() || h.CheckedAt == nil {
		return h, 0
	}
	at, err := time.Parse(time.RFC3339, *h.CheckedAt)
	if err != nil {
		return h, 0
	}
	age := max(j.now.Sub(at), 0)
	if age > Stale {
		return nil, Stale
	}
	return h, age
}

// The outlooks.
const (
	good uint8 = iota
	unknown
	doubtful
	bad
)

// outlook tells what to expect. A stream that was refused to the prober as
// geo-blocked may well play for a caller at home.
func (j judge) outlook(h *catalog.StreamHealth) uint8 {
	if h == nil {
		return unknown
	}
	switch h.Status {
	case "online":
		if h.Score != nil && *h.Score < goodScore {
			return doubtful
		}
		return good
	case "blocked":
		if j.atHome {
			return unknown
		}
		return doubtful
	case "offline", "timeout", "error":
		return bad
	}
	return unknown
}

func (j judge) label(label string) uint8 {
	switch {
	case strings.Contains(label, "Geo") && !j.atHome:
		return 2
	case strings.Contains(label, "24/7"):
		return 1
	}
	return 0
}

func kindRank(kind string) uint8 {
	switch kind {
	case catalog.StreamHLS, catalog.StreamAudio:
		return 0
	case catalog.StreamDASH:
		return 1
	case catalog.StreamTS, catalog.StreamFLV:
		return 2
	case catalog.StreamYouTube:
		return 3
	}
	return 4
}

func unless(good bool) uint8 {
	if good {
		return 0
	}
	return 1
}

// secure reports whether a URL is of HTTPS, in whatever case it says so.
func secure(raw string) bool {
	const scheme = "https:"
	return len(raw) > len(scheme) && strings.EqualFold(raw[:len(scheme)], scheme)
}

// maxLines is more than any picture has.
const maxLines = 100_000

// Lines returns the number of picture lines that a quality such as "1080p" or
// a resolution such as "1920x1080" declares; 0 when it declares none.
func Lines(quality string) int {
	if _, height, ok := strings.Cut(quality, "x"); ok {
		quality = height
	}
	n, err := strconv.Atoi(strings.TrimRight(quality, "pi"))
	if err != nil || n < 0 || n > maxLines {
		return 0
	}
	return n
}
