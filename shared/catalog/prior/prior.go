// Package prior rates how well known a channel or station is, before anybody
// searches for it.
//
// No source says how famous a channel is, so the prior adds up what does say
// something. For TV that is mainly in how many programme guides a channel is
// listed: guides list what their readers watch. For radio it is the votes and
// clicks of listeners. What the register holds of an entry (network, website, logo,
// other names, area of broadcast, streams) counts for less: somebody took the trouble
// to write it down. All counts are damped by their logarithm, so that ten times the
// votes is one step more at every size.
//
// The weights below were set by hand, in the order of how much each fact says, and
// adjusted while the judged searches of the benchmark ("-part found") were read. They
// were not fitted: a few hundred searches cannot settle twenty numbers, and most of
// those searches are decided by names. Take them for an order of importance. A
// rating is the same for the same facts; what is measured and counted between
// releases is added by [Live].
package prior

import "math/bits"

// Most is the greatest rating of an entry by its facts alone.
const Most = 1000

// Facts are what the register says of an entry.
type Facts struct {
	Radio bool

	GuideSites int // guides that list it; of TV
	Votes      int // of radio
	Clicks     int // of radio, in a day

	Streams  int
	Lines    int // of the best picture, such as 1080; of TV
	AltNames int
	Area     Area // of TV
	Network  bool
	Website  bool
	Logo     bool
	Country  bool
	Language bool
}

// An Area is how far a channel is meant to be received.
type Area uint8

// The areas of broadcast.
const (
	Unknown Area = iota
	Local        // a city, or a part of a country
	National
	International // several countries
)

// A Part is one reason for a rating.
type Part struct {
	Name   string `json:"name"`   // of the fact, such as "votes"
	Value  int    `json:"value"`  // of the fact: a count, or 1 for something that is there
	Points int    `json:"points"` // what it adds to the rating
}

// Of returns the rating of an entry, from 0 to [Most].
func Of(f *Facts) int {
	sum := 0
	table := f.table()
	for i := range table {
		w := &table[i]
		sum += w.pointsFor(f.value(w.fact))
	}
	return min(sum, Most)
}

// Explain returns the reasons for the rating of an entry. Their points add up
// to it, where that is below [Most].
func Explain(f *Facts) []Part {
	table := f.table()
	parts := make([]Part, len(table))
	for i := range table {
		w := &table[i]
		n := f.value(w.fact)
		parts[i] = Part{Name: w.name, Value: n, Points: w.pointsFor(n)}
	}
	return parts
}

// A fact is a field of Facts that adds to a rating.
type fact uint8

const (
	guides fact = iota
	votes
	clicks
	streams
	lines
	altNames
	area
	network
	website
	logo
	country
	language
)

// A weight says what a fact adds to a rating.
type weight struct {
	fact   fact
	name   string
	points int // for full or more
	full   int // the count that earns all points
	damped bool
}

var tv = []weight{
	{guides, "guides", 480, 40, true},
	{streams, "streams", 100, 8, true},
	{lines, "lines", 40, 1080, false},
	{altNames, "alt_names", 90, 4, false},
	{area, "area", 80, int(International), false},
	{network, "network", 50, 1, false},
	{website, "website", 80, 1, false},
	{logo, "logo", 60, 1, false},
	{country, "country", 10, 1, false},
	{language, "language", 10, 1, false},
}

var radio = []weight{
	{votes, "votes", 640, 1 << 17, true},
	{clicks, "clicks", 250, 1 << 11, true},
	{streams, "streams", 20, 4, true},
	{altNames, "alt_names", 20, 4, false},
	{website, "website", 20, 1, false},
	{logo, "logo", 20, 1, false},
	{country, "country", 15, 1, false},
	{language, "language", 15, 1, false},
}

func (f *Facts) table() []weight {
	if f.Radio {
		return radio
	}
	return tv
}

func (f *Facts) value(of fact) int {
	switch of {
	case guides:
		return max(f.GuideSites, 0)
	case votes:
		return max(f.Votes, 0)
	case clicks:
		return max(f.Clicks, 0)
	case streams:
		return f.Streams
	case lines:
		return f.Lines
	case altNames:
		return f.AltNames
	case area:
		return int(f.Area)
	case network:
		return number(f.Network)
	case website:
		return number(f.Website)
	case logo:
		return number(f.Logo)
	case country:
		return number(f.Country)
	}
	return number(f.Language)
}

// pointsFor returns what a count of the fact adds.
func (w *weight) pointsFor(n int) int {
	if n == 0 || n >= w.full {
		return w.points * min(n, 1) // without a division, as for most facts of most entries
	}
	if w.damped {
		return w.points * steps(n) / steps(w.full)
	}
	return w.points * n / w.full
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// steps returns 16 times the logarithm of n+1 to the base of 2, by linear
// interpolation between the powers of 2.
func steps(n int) int {
	n = min(n, 1<<40) + 1
	whole := bits.Len(uint(n)) - 1
	part := 0
	if whole >= 4 {
		part = n>>(whole-4) - 16
	} else {
		part = n<<(4-whole) - 16
	}
	return 16*whole + part
}

// Offline is what [Live] takes from the rating of an entry none of whose
// streams answered when they were last probed: it then ranks behind most that
// were not probed.
const Offline = 400

// MostOfUse is the most that plays add to a rating, and the most that favorites add:
// a tenth of the scale each.
//
// That limit protects the order from somebody who wants a channel to be seen. The
// counts are of networks and not of guest tokens, of which one network gets thousands
// (see package health), but a network can be rented too. With a thousand of them a
// channel moves past those that are rated up to a tenth better, and an unknown one
// never before a well known one. The damping is for the honest case: the first plays
// say most.
const MostOfUse = Most / 10

// How many plays and favorites earn all of [MostOfUse].
const (
	fullPlays     = 1<<10 - 1
	fullFavorites = 1<<8 - 1
)

// Live returns the rating of an entry with what was measured and counted since
// the release: its measured score, from 0 to 100 and negative for none,
// whether all its streams are measured as offline, and the plays and favorites of our visitors. It
// is never negative, and may exceed [Most].
func Live(rating, score int, offline bool, plays, favorites int) int {
	if score >= 0 {
		rating += (min(score, 100) - 50) * 6 / 10
	}
	if offline {
		rating -= Offline
	}
	rating += ofUse(plays, fullPlays) + ofUse(favorites, fullFavorites)
	return max(rating, 0)
}

// ofUse returns the points for a count of which full earns all.
func ofUse(count, full int) int {
	return MostOfUse * min(steps(max(count, 0)), steps(full)) / steps(full)
}
