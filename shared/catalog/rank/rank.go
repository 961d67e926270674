// Package rank orders the streams of a channel by which to try first.
//
// It is one pure function, [Order], so that the detail record, the feeds and the
// player of the pages choose alike. These rules decide, each among the streams
// that the rules before it leave equal:
//
//  1. Streams that the operator blocked are left out.
//  2. The outlook, from measurements: good, unknown, doubtful, bad.
//  3. Streams that opened without headers, or were never tried, come before
//     those that opened only with headers: pages cannot send them.
//  4. Streams that the register marks playable come before the others.
//  5. The label: empty, then "Not 24/7", then "Geo-blocked", which counts as
//     empty for a caller at home.
//  6. The kind: HLS and audio, which most players open, then DASH, then TS and
//     FLV, then the video platform, then kinds that browsers cannot open.
//  7. Streams that require no headers come before those that do: the hop can
//     send headers for the playlist, but not for the segments.
//  8. HTTPS comes before HTTP, which a secure page may not load.
//  9. The larger picture, as measured or else as declared.
//  10. The better score, then the later measurement.
//
// Streams that are equal by all rules keep their order.
package rank

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
)

// A Candidate is a stream with its current measurement and block.
type Candidate struct {
	Stream  *catalog.StreamRecord
	Health  *catalog.StreamHealth // nil when it was never measured
	Closed  bool                  // as measured, its media opens only with headers that pages cannot send
	Blocked bool                  // by the operator
	At      int                   // position in the caller's list; not used for ordering
}

// A Caller is the caller that would play the stream, as far as the order depends
// on it.
type Caller struct {
	Country string    // ISO 3166-1 alpha-2; empty when unknown
	Now     time.Time // the time by which measurements age; zero when they do not
}

// Stale is the age after which a measurement no longer counts. A measurement
// that repeats the last is rewritten after seven days, the longest interval
// between the measurements of a stream.
const Stale = 8 * 24 * time.Hour

// goodScore is the least moving average, from 0 to 100, of a stream with a good
// outlook.
const goodScore = 50

// Order returns the streams of the channel r that may be played, best first.
// It reorders list and returns part of it. It is stable, and depends on nothing
// but its arguments.
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

// Best returns the first stream that [Order] would return, without sorting or
// changing list. It reports false when all streams are blocked.
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

// AtHome reports whether a caller in country is in the area that the channel r
// broadcasts to: in its country, or in a country, state or city of its broadcast
// area, or anywhere when that is the world. Other regions, such as "r/LATAM", do
// not count, since the catalog does not store their countries.
func AtHome(r *catalog.Record, country string) bool {
	return InArea(r.Country, r.BroadcastArea, country)
}

// InArea is AtHome for a channel of a country with a broadcast area.
func InArea(of string, areas []string, country string) bool {
	if country == "" {
		return false
	}
	return of == country || slices.ContainsFunc(areas, func(area string) bool { return covers(area, country) })
}

// covers reports whether an area such as "c/BR", "s/BR-SP" or "ct/BRSAO" is the
// country, lies in it, or is the world.
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

// A ranked is a candidate with its merits.
type ranked struct {
	Candidate
	merits
}

// merits are the sort keys of a stream, in the order of the rules. Smaller is
// better.
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

// A judge computes merits for one caller.
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

// measured returns h and its age, or nil when h is nil or stale. A measurement
// without a time does not age; one from the future, from a clock that runs
// ahead, has the age 0.
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

// The outlooks, best first.
const (
	good uint8 = iota
	unknown
	doubtful
	bad
)

// outlook returns the outlook of a measurement. A stream that refused the prober
// may be geo-blocked and still play for a caller at home, so that its outlook is
// unknown there.
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

// GeoBlocked reports whether a label, whose spelling is the source's, says that a stream
// plays in the broadcast area of its channel alone.
func GeoBlocked(label string) bool { return strings.Contains(label, "Geo") }

// label returns the rank of a label, whose spelling is the source's.
func (j judge) label(label string) uint8 {
	switch {
	case GeoBlocked(label) && !j.atHome:
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

// unless returns 0 for true and 1 for false, so that true sorts first.
func unless(good bool) uint8 {
	if good {
		return 0
	}
	return 1
}

// secure reports whether a URL has the scheme https, in upper or lower case.
func secure(raw string) bool {
	const scheme = "https:"
	return len(raw) > len(scheme) && strings.EqualFold(raw[:len(scheme)], scheme)
}

// maxLines is more lines than any picture has.
const maxLines = 100_000

// Lines returns the number of picture lines of a quality such as "1080p" or a
// resolution such as "1920x1080"; 0 when it has none.
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
