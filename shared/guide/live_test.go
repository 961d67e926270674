package guide

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
)

// shownOf returns a Live that shows grids.
func shownOf(t testing.TB, grids map[string]Grid) *Live {
	t.Helper()
	l := &Live{changed: make(chan struct{}, 1)}
	c := Change{grids: grids}
	for n, part := range c.parts() {
		if err := l.show(n, encodeShard(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.show(notesShard, nil); err != nil {
		t.Fatal(err)
	}
	return l
}

// eveGrids returns sampleGrids and E.br, whose only programme began yesterday.
func eveGrids(t testing.TB) map[string]Grid {
	grids := sampleGrids(t)
	grids["E.br"] = gridOf(t, "one", described(programmes("-2:00-1:00 Eve")))
	return grids
}

func wireOf(title, start, stop string) *catalog.Programme {
	return &catalog.Programme{Title: title, Start: at(start).Format(time.RFC3339), Stop: at(stop).Format(time.RFC3339)}
}

func TestNow(t *testing.T) {
	l := shownOf(t, eveGrids(t))
	night, news, late := wireOf("Night", "-1:00", "1:00"), wireOf("News", "1:00", "2:00"), wireOf("Late", "23:00", "25:00")
	eve := wireOf("Eve", "-2:00", "1:00")
	second, last := wireOf("News", "3:00", "4:00"), wireOf("Última", "47:30", "49:00")
	eve.Category, night.Category, second.Category, last.Category = "Kind of E", "Kind of N", "Kind of N", "Kind of Ú"
	for _, test := range []struct {
		channel, at string
		day         string
		on, next    *catalog.Programme
	}{
		{"A.br", "0:00", "2026-11-22", night, news},
		{"A.br", "0:59", "2026-11-22", night, news},
		{"A.br", "1:00", "2026-11-22", news, second},
		{"A.br", "2:00", "2026-11-22", nil, second},
		{"A.br", "3:30", "2026-11-22", second, late},
		{"A.br", "24:30", "2026-11-23", late, last},
		{"A.br", "47:59", "2026-11-23", last, nil},
		{"A.br", "48:30", "2026-11-24", last, nil}, // it began yesterday
		{"E.br", "0:30", "2026-11-22", eve, nil},
	} {
		got := l.Now(test.channel, at(test.at))
		want := &catalog.GuideNow{Day: test.day, Site: catalog.TextOrNil("one.example"), Now: test.on, After: test.next}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s at %s (-want +got):\n%s", test.channel, test.at, diff)
		}
	}
	for channel, when := range map[string]string{"A.br": "49:00", "B.br": "24:00", "C.br": "23:59", "D.br": "0:00", "": "0:00"} {
		if got := l.Now(channel, at(when)); got != nil {
			t.Errorf("%s at %s: %+v", channel, when, got)
		}
	}
	if got := l.Now("A.br", at("-0:30")); got != nil {
		t.Errorf("yesterday: %+v", got)
	}
	got := l.Detail("A.br", at("1:30"))
	if got.Now.Desc != "About News" || got.After.Desc != "About News" || l.Detail("A.br", at("49:00")) != nil {
		t.Errorf("in detail: %+v", got)
	}
}

func TestDay(t *testing.T) {
	l := shownOf(t, eveGrids(t))
	titles := func(channel, day, now string) (titles []string, err error) {
		d, err := l.Day(channel, at(day), at(now))
		if err != nil {
			return nil, err
		}
		for _, p := range d.Programmes {
			titles = append(titles, p.Title)
			if p.Desc != "About "+p.Title && channel != "B.br" {
				t.Errorf("%q is described as %q", p.Title, p.Desc)
			}
		}
		if d.ChannelID != channel || d.Day != dayName(at(day)) || d.Site == nil {
			t.Errorf("%+v", d)
		}
		return titles, nil
	}
	for _, test := range []struct {
		channel, day string
		want         []string // nil for no guide
	}{
		{"A.br", "12:00", []string{"Night", "News", "News", "Late"}},
		{"A.br", "24:00", []string{"Late", "Última"}},
		{"A.br", "48:00", nil}, // though a programme runs into it
		{"E.br", "0:00", []string{"Eve"}},
		{"E.br", "24:00", nil},
		{"A.br", "-1:00", nil},
		{"B.br", "0:00", []string{"News"}},
		{"B.br", "24:00", nil},
		{"C.br", "0:00", nil},
		{"D.br", "0:00", nil},
	} {
		got, err := titles(test.channel, test.day, "3:30")
		if diff := cmp.Diff(test.want, got); diff != "" || (err != nil) != (test.want == nil) || err != nil && !errors.Is(err, ErrNoGuide) {
			t.Errorf("%s on the day of %s: %v (-want +got):\n%s", test.channel, test.day, err, diff)
		}
	}
	d, err := l.Day("A.br", at("24:00"), at("3:30"))
	if err != nil || d.Now.Title != "News" || d.After.Title != "Late" || d.Now.Desc == "" {
		t.Errorf("what is on, asked with tomorrow's grid: %+v, %v", d, err)
	}
	if d, err = l.Day("A.br", at("48:30"), at("48:30")); err != nil || d.Now == nil || d.Now.Title != "Última" || len(d.Programmes) != 1 {
		t.Errorf("after midnight, while a programme of yesterday is on: %+v, %v", d, err)
	}
	if _, err = l.Day("A.br", at("49:00"), at("49:00")); !errors.Is(err, ErrNoGuide) {
		t.Errorf("after its end: %v", err)
	}
}

func TestProgrammes(t *testing.T) {
	l := shownOf(t, eveGrids(t))
	for _, test := range []struct {
		channel, at string
		want        []string
	}{
		{"A.br", "1:30", []string{"1:00-2:00 News", "3:00-4:00 News", "23:00-25:00 Late", "47:30-49:00 Última"}},
		{"A.br", "25:00", []string{"47:30-49:00 Última"}},
		{"A.br", "48:10", []string{"47:30-49:00 Última"}},
		{"A.br", "49:00", nil},
		{"B.br", "12:00", nil},
		{"C.br", "12:00", []string{"30:00-31:00 " + strings.Repeat("long ", 39) + "long"}},
		{"D.br", "1:30", nil},
	} {
		got := l.Programmes(test.channel, at(test.at))
		if diff := cmp.Diff(test.want, written(got)); diff != "" {
			t.Errorf("%s at %s (-want +got):\n%s", test.channel, test.at, diff)
		}
	}
	for when, want := range map[string][]string{
		"0:00": {"A.br", "B.br", "C.br", "E.br"}, "24:00": {"A.br", "C.br"}, "48:00": {"A.br"}, "49:00": nil, "-0:30": {"A.br", "B.br", "E.br"},
	} {
		if diff := cmp.Diff(want, slices.Sorted(l.Channels(at(when)))); diff != "" {
			t.Errorf("channels at %s (-want +got):\n%s", when, diff)
		}
	}
}

func TestNil(t *testing.T) {
	var l *Live
	if _, err := l.Day("A.br", today, today); !errors.Is(err, ErrNoGuide) {
		t.Errorf("a day: %v", err)
	}
	hits := slices.Collect(l.Find("news", today))
	if l.Now("A.br", today) != nil || l.Detail("A.br", today) != nil || l.Programmes("A.br", today) != nil || l.Sources() != nil ||
		l.Changed() != nil || len(hits) > 0 || slices.Collect(l.Channels(today)) != nil {
		t.Error("a nil Live has programmes")
	}
}

func TestFindTitles(t *testing.T) {
	l := shownOf(t, eveGrids(t))
	for _, test := range []struct {
		q, at string
		want  []string
	}{
		{"news", "1:30", []string{"A.br 1:00", "A.br 3:00", "B.br 5:00"}},
		{"NÉWS", "3:30", []string{"A.br 3:00", "B.br 5:00"}},
		{"ne", "5:30", []string{"B.br 5:00"}},
		{"news", "6:00", nil},
		{"ultim", "1:30", []string{"A.br 47:30"}},
		{"ultima", "30:00", []string{"A.br 47:30"}},
		{"ultima", "48:10", []string{"A.br 47:30"}}, // it began yesterday
		{"ultima", "49:00", nil},                    // the guide is out of date
		{"long lo l", "1:30", []string{"C.br 30:00"}},
		{"long x", "1:30", nil},
		{"ong", "1:30", nil},
		{"", "1:30", nil},
		{"—!", "1:30", nil},
		{"l", "24:30", []string{"A.br 23:00", "C.br 30:00"}},
	} {
		var got []string
		for h := range l.Find(test.q, at(test.at)) {
			got = append(got, h.Channel+" "+strings.Split(written([]Programme{h.Programme})[0], "-")[0])
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q at %s (-want +got):\n%s", test.q, test.at, diff)
		}
	}
	for range l.Find("news", at("1:30")) {
		break // who stops gets no more
	}
}

// randomGrids returns the guides of n channels, of which many titles return.
func randomGrids(t testing.TB, rnd *rand.Rand, n, perDay, desc int) map[string]Grid {
	grids := map[string]Grid{}
	for i := range n {
		var ps []Programme
		start := today.Add(-time.Duration(rnd.IntN(60)) * time.Minute)
		for start.Before(today.Add(2 * day)) {
			length := time.Duration(float64(24*60/perDay)*(0.5+rnd.Float64())) * time.Minute
			p := Programme{Start: start, Stop: start.Add(length), Title: prose(rnd, 12+rnd.IntN(24)), Desc: prose(rnd, desc), Category: fmt.Sprint("Kind ", rnd.IntN(30))}
			ps = append(ps, p)
			start = p.Stop
		}
		grids[fmt.Sprintf("Channel%d.br", i)] = gridOf(t, fmt.Sprint("source", i%5), ps)
	}
	return grids
}

// TestFindNaive compares searches with a slow one over the same programmes.
func TestFindNaive(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	grids := randomGrids(t, rnd, 40, 12, 0)
	l := shownOf(t, grids)
	titles := []string{}
	for _, id := range slices.Sorted(maps.Keys(grids)) {
		for _, p := range grids[id].ps {
			titles = append(titles, p.Title)
		}
	}
	for range 100 {
		words := strings.Fields(titles[rnd.IntN(len(titles))])
		q := words[rnd.IntN(len(words))]
		if rnd.IntN(2) == 0 {
			q = words[0] + " " + q
		}
		q = q[:1+rnd.IntN(len(q))]
		now := today.Add(time.Duration(rnd.IntN(48*60)) * time.Minute)
		var got []string
		var last Hit
		for h := range l.Find(q, now) {
			got = append(got, h.Channel+h.Start.String())
			onAir := func(h Hit) int { return flag(h.Start.After(now)) }
			if len(got) > 1 && (onAir(last) > onAir(h) || onAir(last) == onAir(h) && last.Start.After(h.Start)) {
				t.Fatalf("%q: %v before %v", q, last, h)
			}
			last = h
		}
		slices.Sort(got)
		if diff := cmp.Diff(naive(grids, q, now), got); diff != "" {
			t.Fatalf("%q at %v (-want +got):\n%s", q, now, diff)
		}
	}
}

func naive(grids map[string]Grid, q string, now time.Time) (found []string) {
	for id, g := range grids {
		for _, p := range g.ps {
			words := strings.Fields(fold.Words(p.Title) + " " + fold.Joined(p.Title))
			all := true
			for w := range strings.FieldsSeq(fold.Words(q)) {
				all = all && slices.ContainsFunc(words, func(of string) bool { return strings.HasPrefix(of, w) })
			}
			if all && p.Stop.After(now) {
				found = append(found, id+p.Start.String())
			}
		}
	}
	slices.Sort(found)
	return found
}

// TestMidnight has Changed tell of a new day.
func TestMidnight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l := &Live{changed: make(chan struct{}, 1)}
		go l.notify(ctx, nil)
		before := time.Now()
		<-l.Changed()
		if now := time.Now(); dateOf(now) != dateOf(before)+1 || now.Sub(midnight(dateOf(now))) > time.Second {
			t.Errorf("told at %v, from %v", now, before)
		}
		<-l.Changed()
		if passed := time.Since(before); passed > 2*day {
			t.Errorf("told again after %v", passed)
		}
	})
}

// large returns the shards of the guide of the benchmarks, and how many
// programmes it has: 5,000 channels, two days, 40 programmes a day with
// descriptions, their titles all different.
func large(b *testing.B) (data [shards][]byte, programmes int) {
	c := Change{grids: randomGrids(b, rand.New(rand.NewPCG(5, 6)), 5000, 40, 180)}
	for i, part := range c.parts() {
		data[i] = encodeShard(part)
		for _, g := range part {
			programmes += g.Len()
		}
	}
	return data, programmes
}

func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

func BenchmarkLive(b *testing.B) {
	data, n := large(b)
	total, biggest := 0, 0
	for i := range data {
		total, biggest = total+len(data[i]), max(biggest, len(data[i]))
	}
	before := heap()
	l := &Live{}
	for i := range data {
		if err := l.show(i, data[i]); err != nil {
			b.Fatal(err)
		}
	}
	used := heap() - before
	b.Run("show", func(b *testing.B) {
		for b.Loop() {
			for i := range data {
				l.show(i, data[i])
			}
		}
		b.ReportMetric(used, "MiB_heap")
		b.ReportMetric(float64(total)/(1<<20), "MiB_kept")
		b.ReportMetric(float64(biggest)/(1<<10), "KiB_largest")
		b.ReportMetric(float64(n), "programmes")
	})
	now := at("12:00")
	b.Run("now", func(b *testing.B) {
		for b.Loop() {
			l.Now("Channel77.br", now)
		}
	})
	b.Run("detail", func(b *testing.B) {
		for b.Loop() {
			l.Detail("Channel77.br", now)
		}
	})
	b.Run("day", func(b *testing.B) {
		for b.Loop() {
			l.Day("Channel77.br", now, now)
		}
	})
	for _, q := range []string{"lota", "be lo ma", "lotamari con", "b", "zzz"} {
		b.Run("find/"+q, func(b *testing.B) {
			hits := 0
			for b.Loop() {
				hits = 0
				for range l.Find(q, now) {
					hits++
				}
			}
			b.ReportMetric(float64(hits), "hits")
		})
	}
	runtime.KeepAlive(data)
}
