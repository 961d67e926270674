package prior_test

import (
	"fmt"
	"testing"

	"miramundo.dev/shared/catalog/prior"
)

// counts are how much of a fact there may be, in ascending order.
var counts = []int{0, 1, 2, 3, 5, 10, 40, 100, 576, 1080, 2160, 1 << 12, 1 << 17, 1 << 40, 1 << 62}

// A fact is a field of prior.Facts that can be set to a count.
type fact struct {
	name string
	set  func(*prior.Facts, int)
}

var facts = []fact{
	{"guides", func(f *prior.Facts, n int) { f.GuideSites = n }},
	{"votes", func(f *prior.Facts, n int) { f.Votes = n }},
	{"clicks", func(f *prior.Facts, n int) { f.Clicks = n }},
	{"streams", func(f *prior.Facts, n int) { f.Streams = n }},
	{"lines", func(f *prior.Facts, n int) { f.Lines = min(n, 1<<20) }},
	{"alt_names", func(f *prior.Facts, n int) { f.AltNames = min(n, 1<<20) }},
	{"area", func(f *prior.Facts, n int) { f.Area = prior.Area(min(n, int(prior.International))) }},
	{"network", func(f *prior.Facts, n int) { f.Network = n > 0 }},
	{"website", func(f *prior.Facts, n int) { f.Website = n > 0 }},
	{"logo", func(f *prior.Facts, n int) { f.Logo = n > 0 }},
	{"country", func(f *prior.Facts, n int) { f.Country = n > 0 }},
	{"language", func(f *prior.Facts, n int) { f.Language = n > 0 }},
}

// full returns facts of which there is n of everything.
func full(radio bool, n int) prior.Facts {
	f := prior.Facts{Radio: radio}
	for _, x := range facts {
		x.set(&f, n)
	}
	return f
}

// TestMonotonic checks that more of any fact never lowers a rating, that most
// facts raise it, and that each is explained.
func TestMonotonic(t *testing.T) {
	for _, radio := range []bool{false, true} {
		named := map[string]bool{}
		for _, p := range prior.Explain(&prior.Facts{Radio: radio}) {
			named[p.Name] = true
		}
		for _, x := range facts {
			last, first := -1, 0
			for i, n := range counts {
				f := prior.Facts{Radio: radio}
				x.set(&f, n)
				got := prior.Of(&f)
				if got < last {
					t.Errorf("radio %t: %s %d is rated %d, less of it %d", radio, x.name, n, got, last)
				}
				if last = got; i == 0 {
					first = got
				}
			}
			if raised := last > first; raised != named[x.name] {
				t.Errorf("radio %t: %s raises the rating from %d to %d; it is explained: %t", radio, x.name, first, last, named[x.name])
			}
		}
	}
}

// TestBounds checks the ends of the scale.
func TestBounds(t *testing.T) {
	for _, radio := range []bool{false, true} {
		for _, n := range []int{0, -1, -1 << 40} {
			f := prior.Facts{Radio: radio, GuideSites: n, Votes: n, Clicks: n}
			if got := prior.Of(&f); got != 0 {
				t.Errorf("radio %t: %d of everything is rated %d", radio, n, got)
			}
		}
		f := full(radio, 1<<40)
		if got := prior.Of(&f); got != prior.Most {
			t.Errorf("radio %t: everything is rated %d, want %d", radio, got, prior.Most)
		}
	}
}

// TestExplain checks that the parts add up to the rating.
func TestExplain(t *testing.T) {
	for _, radio := range []bool{false, true} {
		for _, n := range counts {
			f := full(radio, n)
			sum := 0
			for _, p := range prior.Explain(&f) {
				if p.Points < 0 {
					t.Errorf("radio %t: %+v", radio, p)
				}
				sum += p.Points
			}
			if got := prior.Of(&f); min(sum, prior.Most) != got {
				t.Errorf("radio %t: the parts of %d each add up to %d, the rating is %d", radio, n, sum, got)
			}
		}
	}
}

// TestDamped checks that ten times the votes is about one step more at every size.
func TestDamped(t *testing.T) {
	rate := func(votes int) int { return prior.Of(&prior.Facts{Radio: true, Votes: votes}) }
	step := rate(100) - rate(10)
	for votes := 100; votes < 10_000; votes *= 10 {
		if got := rate(10*votes) - rate(votes); got < step*8/10 || got > step*14/10 {
			t.Errorf("from %d to %d votes the rating rises by %d, from 10 to 100 by %d", votes, 10*votes, got, step)
		}
	}
}

// TestLive checks what is measured and counted since the release.
func TestLive(t *testing.T) {
	for _, test := range []struct {
		name                           string
		rating, score                  int
		offline                        bool
		plays, favorites, least, above int
	}{
		{"nothing", 500, -1, false, 0, 0, 500, 500},
		{"negative counts", 500, -1, false, -5, -5, 500, 500},
		{"works always", 500, 100, false, 0, 0, 501, 550},
		{"works seldom", 500, 0, false, 0, 0, 450, 499},
		{"a score out of bounds", 500, 1 << 30, false, 0, 0, 501, 550},
		{"offline", 500, 50, true, 0, 0, 500 - prior.Offline, 500 - prior.Offline},
		{"offline and unknown", 0, 0, true, 0, 0, 0, 0},
		{"offline, whatever is played", 100, 0, true, 1 << 40, 1 << 40, 0, 0},
		{"one play", 500, -1, false, 1, 0, 501, 510},
		{"one favorite", 500, -1, false, 0, 1, 501, 515},
		{"everything", prior.Most, 100, false, 1 << 40, 1 << 40, prior.Most + 2*prior.MostOfUse, prior.Most + 2*prior.MostOfUse + 50},
	} {
		got := prior.Live(test.rating, test.score, test.offline, test.plays, test.favorites)
		if got < test.least || got > test.above {
			t.Errorf("%s: rated %d, want %d to %d", test.name, got, test.least, test.above)
		}
	}
	for _, score := range []int{-1, 0, 30, 100} {
		for _, offline := range []bool{false, true} {
			for rating := 0; rating <= prior.Most; rating += 100 {
				if got := prior.Live(rating, score, offline, 0, 0); got < 0 {
					t.Errorf("Live(%d, %d, %t) is %d", rating, score, offline, got)
				}
			}
		}
	}
}

// TestBooster checks that no number of plays or favorites adds more than a tenth of
// the scale, and that a single person, who counts once a day, adds less in a month.
func TestBooster(t *testing.T) {
	added := func(plays, favorites int) int { return prior.Live(300, -1, false, plays, favorites) - 300 }
	last := [2]int{}
	for _, n := range counts {
		got := [2]int{added(n, 0), added(0, n)}
		for i, of := range []string{"plays", "favorites"} {
			if got[i] < last[i] || got[i] > prior.Most/10 {
				t.Errorf("%s add %d, fewer %d, at most %d", fmt.Sprint(n, " ", of), got[i], last[i], prior.Most/10)
			}
		}
		if both := added(n, n); both != got[0]+got[1] {
			t.Errorf("%d plays and favorites add %d, want %d", n, both, got[0]+got[1])
		}
		last = got
	}
	if got := added(30, 1); got > prior.Most*7/100 {
		t.Errorf("a person who plays a channel on 30 days and has it as a favorite adds %d", got)
	}
	famous := prior.Facts{GuideSites: 12, Streams: 2, Lines: 1080, Network: true, Website: true, Logo: true, Area: prior.National}
	unknown := prior.Facts{Streams: 1}
	if boosted := prior.Live(prior.Of(&unknown), 100, false, 1<<40, 1<<40); boosted >= prior.Of(&famous) {
		t.Errorf("an unknown channel with invented listeners is rated %d, a famous one %d", boosted, prior.Of(&famous))
	}
}
