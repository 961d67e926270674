package gather

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/match"
	"miramundo.dev/shared/guide/pin"
	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/source/xmltv"
)

var listings = []match.Listing{
	{ID: "BBCOne.uk", Names: []string{"BBC One"}, Country: "GB", Feed: "London"},
	{ID: "NewsA.us", Names: []string{"News Now"}, Country: "US"},
	{ID: "NewsB.us", Names: []string{"News Now"}, Country: "US"},
	{ID: "Planeta.br", Names: []string{"Planeta Azul"}, Country: "BR"},
	{ID: "Vida.br", Names: []string{"Vida"}, Country: "BR"},
}

var today = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// collected reads a file written as elements of channels ("C id name") and of
// programmes ("P id title"), each of the latter an hour after the one before of
// its channel, and returns the titles of each channel of the catalog.
func collected(t *testing.T, c *Collector, elements ...string) (map[string]int, Found, error) {
	t.Helper()
	var b strings.Builder
	b.WriteString("<tv>")
	hours := map[string]int{}
	for _, e := range elements {
		f := strings.SplitN(e, " ", 3)
		if f[0] == "C" {
			fmt.Fprintf(&b, "<channel id=%q><display-name>%s</display-name></channel>", f[1], f[2])
			continue
		}
		start := today.Add(time.Duration(hours[f[1]]) * time.Hour)
		if f[2] == "night" { // it began yesterday
			start = today.Add(-time.Hour / 2)
		}
		hours[f[1]]++
		fmt.Fprintf(&b, "<programme start=%q channel=%q><title>%s</title><desc>%s</desc></programme>",
			start.Format("20060102150405 -0700"), f[1], f[2], strings.Repeat("d", 200))
	}
	b.WriteString("</tv>")
	if _, err := xmltv.Read(strings.NewReader(b.String()), c.Reading(), c.Channel, c.Programme); err != nil {
		return nil, c.found, err
	}
	grids, found := c.Grids()
	counts := map[string]int{}
	for channel, g := range grids {
		counts[channel] = g.Len()
	}
	return counts, found, nil
}

func newCollector(most int64) *Collector {
	return NewCollector(Options{
		Source: setting.Source{Name: "s", Zone: time.UTC}, Matcher: match.New(slices.Values(listings), nil, nil),
		Pins: pin.Set{"p4": "Vida.br", "p5": "", "p6": "Gone.br"}, Window: guide.WindowOf(today), Memory: most, Sample: 200,
	})
}

func TestCollect(t *testing.T) {
	for _, test := range []struct {
		name     string
		elements []string
		want     map[string]int
		found    Found
	}{
		{"nothing", nil, map[string]int{}, Found{}},
		{
			"the better match has the say",
			[]string{"C BBCOne.uk@Wales Wales", "C 7 x", "C BBCOne.uk One", "P BBCOne.uk@Wales a", "P BBCOne.uk@Wales b", "P BBCOne.uk c"},
			map[string]int{"BBCOne.uk": 1},
			Found{Declared: 3, Matched: 2, Channels: 1, Programmes: 1, Unmatched: 1, Sample: []Unmatched{{ID: "7", Name: "x", Reason: match.NoneSuch}}},
		},
		{
			"of equal ones the first", []string{"C BBCOne.uk@Wales Wales", "C BBCOne.uk@East East", "P BBCOne.uk@East a", "P BBCOne.uk@Wales b", "P BBCOne.uk@Wales c"},
			map[string]int{"BBCOne.uk": 2}, Found{Declared: 2, Matched: 2, Channels: 1, Programmes: 2},
		},
		{
			"of those whose programmes start today, whatever the match", []string{"C BBCOne.uk One", "C BBCOne.uk@Wales Wales", "P BBCOne.uk night", "P BBCOne.uk@Wales a", "P BBCOne.uk@Wales b"},
			map[string]int{"BBCOne.uk": 2}, Found{Declared: 2, Matched: 2, Channels: 1, Programmes: 2},
		},
		{
			"of those that have programmes", []string{"C BBCOne.uk One", "C BBCOne.uk@Wales Wales", "P BBCOne.uk@Wales a"},
			map[string]int{"BBCOne.uk": 1}, Found{Declared: 2, Matched: 2, Channels: 1, Programmes: 1},
		},
		{
			"programmes first, by name", []string{"P 7 a", "P 7 b", "C 7 Planeta Azul"},
			map[string]int{"Planeta.br": 2}, Found{Declared: 1, Matched: 1, Channels: 1, Programmes: 2},
		},
		{
			"programmes of channels that are not described", []string{"P Vida.br a", "P 7 b", "P 8 c"},
			map[string]int{"Vida.br": 1}, Found{Channels: 1, Programmes: 1, Unmatched: 2, Sample: []Unmatched{{ID: "7", Reason: match.NoneSuch}, {ID: "8", Reason: match.NoneSuch}}},
		},
		{
			"a channel twice", []string{"C Vida.br a", "C Vida.br b", "P Vida.br a", "C Vida.br c", "P Vida.br b"},
			map[string]int{"Vida.br": 2}, Found{Declared: 1, Matched: 1, Channels: 1, Programmes: 2},
		},
		{
			"pinned, which goes before a match by id", []string{"C Vida.br Vida", "C p4 x", "P Vida.br a", "P p4 b", "P p4 c"},
			map[string]int{"Vida.br": 2}, Found{Declared: 2, Matched: 2, Channels: 1, Programmes: 2},
		},
		{
			"pinned without being declared, to nothing, and to a channel that has gone", []string{"P p4 a", "C p5 Planeta Azul", "C p6 Planeta Azul", "P p5 a", "P p6 a"},
			map[string]int{"Vida.br": 1}, Found{Declared: 2, Channels: 1, Programmes: 1, Unmatched: 2, Sample: []Unmatched{
				{ID: "p5", Name: "Planeta Azul", Reason: match.PinnedOff, Nearest: "Planeta.br", NearestName: "Planeta Azul"},
				{ID: "p6", Name: "Planeta Azul", Reason: "the channel that it is pinned to is not in the catalog", Nearest: "Planeta.br", NearestName: "Planeta Azul"},
			}},
		},
		{
			"programmes of none", []string{"C 7 News Now", "P 7 a", "P 7 b"},
			map[string]int{}, Found{Declared: 1, Unmatched: 1, Sample: []Unmatched{{
				ID: "7", Name: "News Now", Reason: "several channels of the catalog have its name", Nearest: "NewsA.us", NearestName: "News Now",
			}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			counts, found, err := collected(t, newCollector(1<<20), test.elements...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, counts); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.found, found); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestCollectSample names the first of many channels that are none.
func TestCollectSample(t *testing.T) {
	var elements []string
	for i := range 300 {
		elements = append(elements, fmt.Sprintf("C %d Nothing %d", i, i))
	}
	_, found, err := collected(t, newCollector(1<<20), elements...)
	if err != nil || found.Unmatched != 300 || len(found.Sample) != 200 || found.Sample[199].ID != "199" {
		t.Errorf("%d unmatched, %d in the sample, %v", found.Unmatched, len(found.Sample), err)
	}
}

// TestCollectBounds gives more than there is memory for: at first without
// descriptions, then without end, and of channels that nobody knows.
func TestCollectBounds(t *testing.T) {
	var known, unknown []string
	for i := range 40 {
		known = append(known, fmt.Sprint("P Vida.br ", i))
		unknown = append(unknown, fmt.Sprint("P ", i, " title"))
	}
	if counts, found, err := collected(t, newCollector(8000), known...); err != nil || !found.Lean || counts["Vida.br"] != 40 {
		t.Errorf("without descriptions: %v, %+v, %v", counts, found, err)
	}
	if _, _, err := collected(t, newCollector(4000), known...); !errors.Is(err, ErrTooMuch) {
		t.Errorf("too many: %v", err)
	}
	if _, _, err := collected(t, newCollector(8000), unknown...); !errors.Is(err, ErrTooMuch) {
		t.Errorf("too many of channels that are not described: %v", err)
	}
	described := slices.Clone(unknown)
	for i := range 40 {
		described = slices.Insert(described, i, fmt.Sprint("C ", i, " x"))
	}
	if _, found, err := collected(t, newCollector(8000), described...); err != nil || found.Lean {
		t.Errorf("of unmatched channels: %+v, %v", found, err)
	}
}

// TestCollectLongIDs gives channels that are none of the catalog's, of ids that
// take more memory than there is.
func TestCollectLongIDs(t *testing.T) {
	var declared, undeclared []string
	for i := range 50 {
		id := fmt.Sprint(strings.Repeat("x", 190), i)
		declared = append(declared, "C "+id+" x")
		undeclared = append(undeclared, "P "+id+" x")
	}
	for _, elements := range [][]string{declared, undeclared} {
		if _, found, err := collected(t, newCollector(18_000), elements...); !errors.Is(err, ErrTooMuch) {
			t.Errorf("%d declared: %v", found.Declared, err)
		}
	}
}

// TestCollectPinnedSpaces gives a channel whose id has spaces around it, which a
// pin does not have.
func TestCollectPinnedSpaces(t *testing.T) {
	c := newCollector(1 << 20)
	if err := c.Channel(&xmltv.Channel{ID: " p4 ", Names: []string{"Nothing"}}); err != nil || c.found.Matched != 1 {
		t.Errorf("%d channels match, want the pinned one; %v", c.found.Matched, err)
	}
}
