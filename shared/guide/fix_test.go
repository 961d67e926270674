package guide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// today is a day of the tests, at midnight.
var today = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// at returns a moment by its hours and minutes since midnight of today, such
// as "20:30", "-1:15" or "24:00".
func at(s string) time.Time {
	var h, m int
	if _, err := fmt.Sscanf(s, "%d:%d", &h, &m); err != nil {
		panic(err)
	}
	if strings.HasPrefix(s, "-") {
		m = -m
	}
	return today.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute)
}

// programmes reads programmes written as "20:30-21:00 Title", an end left out where
// there is none.
func programmes(lines ...string) (ps []Programme) {
	for _, l := range lines {
		times, title, _ := strings.Cut(l, " ")
		cut := strings.LastIndexByte(times, '-')
		if cut > 0 && times[cut-1] == '-' { // before an end that is negative
			cut--
		}
		p := Programme{Start: at(times[:cut]), Title: title}
		if end := times[cut+1:]; end != "" {
			p.Stop = at(end)
		}
		ps = append(ps, p)
	}
	return ps
}

func written(ps []Programme) (lines []string) {
	hm := func(t time.Time) string {
		d := t.Sub(today)
		if d < 0 {
			return fmt.Sprintf("-%d:%02d", int(-d.Hours()), int(-d.Minutes())%60)
		}
		return fmt.Sprintf("%d:%02d", int(d.Hours()), int(d.Minutes())%60)
	}
	for _, p := range ps {
		lines = append(lines, fmt.Sprintf("%s-%s %s", hm(p.Start), hm(p.Stop), p.Title))
	}
	return lines
}

func TestFix(t *testing.T) {
	for _, test := range []struct {
		name     string
		in, want []string
		skipped  int
	}{
		{"nothing", nil, nil, 0},
		{"as it should be", []string{"8:00-9:00 A", "9:00-10:30 B"}, []string{"8:00-9:00 A", "9:00-10:30 B"}, 0},
		{"out of order", []string{"9:00-10:00 B", "8:00-9:00 A"}, []string{"8:00-9:00 A", "9:00-10:00 B"}, 0},
		{"a gap stays", []string{"8:00-9:00 A", "9:30-10:00 B"}, []string{"8:00-9:00 A", "9:30-10:00 B"}, 0},
		{"twice the same", []string{"8:00-9:00 A", "8:00-9:00 A", "9:00-10:00 B"}, []string{"8:00-9:00 A", "9:00-10:00 B"}, 1},
		{"two at once", []string{"8:00-9:00 A", "8:00-8:30 B"}, []string{"8:00-9:00 A"}, 1},
		{"two at once, one of which ends", []string{"8:00- A", "8:00-8:30 B"}, []string{"8:00-8:30 B"}, 1},
		{"two at once, one of which has a title", []string{"8:00-8:30 ", "8:00- A"}, []string{"8:00-9:00 A"}, 1},
		{"overlap", []string{"8:00-9:15 A", "9:00-10:00 B"}, []string{"8:00-9:00 A", "9:00-10:00 B"}, 0},
		{"one within another", []string{"0:00-24:00 A", "9:00-10:00 B"}, []string{"0:00-9:00 A", "9:00-10:00 B", "10:00-24:00 A"}, 0},
		{
			"several within another", []string{"8:00-12:00 A", "9:00-9:30 B", "9:30-10:00 C", "11:00-11:30 D"},
			[]string{"8:00-9:00 A", "9:00-9:30 B", "9:30-10:00 C", "10:00-11:00 A", "11:00-11:30 D", "11:30-12:00 A"}, 0,
		},
		{
			"one within one within another", []string{"8:00-12:00 A", "9:00-11:00 B", "9:30-10:00 C"},
			[]string{"8:00-9:00 A", "9:00-9:30 B", "9:30-10:00 C", "10:00-11:00 B", "11:00-12:00 A"}, 0,
		},
		{"one within and over its end", []string{"8:00-10:00 A", "9:00-11:00 B", "9:30-9:40 C"}, []string{"8:00-9:00 A", "9:00-9:30 B", "9:30-9:40 C", "9:40-11:00 B"}, 0},
		{"one within another up to its end", []string{"8:00-10:00 A", "9:00-10:00 B"}, []string{"8:00-9:00 A", "9:00-10:00 B"}, 0},
		{"one within another, without an end", []string{"8:00-12:00 A", "9:00- B"}, []string{"8:00-9:00 A", "9:00-10:00 B", "10:00-12:00 A"}, 0},
		{"one without a title within another", []string{"8:00-10:00 A", "8:30-9:00 "}, []string{"8:00-8:30 A", "9:00-10:00 A"}, 1},
		{"one from yesterday resumes today", []string{"-1:00-3:00 A", "0:00-1:00 B"}, []string{"0:00-1:00 B", "1:00-3:00 A"}, 0},
		{"no stops", []string{"8:00- A", "9:30- B"}, []string{"8:00-9:30 A", "9:30-10:30 B"}, 0},
		{"no stop before a gap", []string{"8:00- A", "9:30-10:00 B"}, []string{"8:00-9:30 A", "9:30-10:00 B"}, 0},
		{"no stop, the next without a title", []string{"8:00- A", "9:00-10:00 ", "10:00-11:00 B"}, []string{"8:00-9:00 A", "10:00-11:00 B"}, 1},
		{"backwards", []string{"8:00-7:00 A", "9:00-10:00 B"}, []string{"9:00-10:00 B"}, 1},
		{"no time", []string{"8:00-8:00 A", "9:00-10:00 B"}, []string{"9:00-10:00 B"}, 1},
		{"longer than a day", []string{"8:00-40:00 A"}, []string{"8:00-32:00 A"}, 0},
		{"no stop and far from the next", []string{"8:00- A", "40:00-41:00 B"}, []string{"8:00-32:00 A", "40:00-41:00 B"}, 0},
		{"over midnights", []string{"-1:00-1:00 A", "23:00-25:00 B", "47:00-49:00 C"}, []string{"-1:00-1:00 A", "23:00-25:00 B", "47:00-49:00 C"}, 0},
		{"beyond", []string{"-2:00--1:00 A", "-1:00-0:00 B", "0:00-1:00 C", "48:00-49:00 D"}, []string{"0:00-1:00 C"}, 0},
		{"what follows says when the last stops", []string{"47:00- A", "49:00-50:00 B"}, []string{"47:00-49:00 A"}, 0},
		{"what was before ends before", []string{"-3:00- A", "-2:00-2:00 B"}, []string{"-2:00-2:00 B"}, 0},
		{"long ago, without an end", []string{"-30:00- A"}, nil, 0},
		{"no title", []string{"8:00-9:00  ", "9:00-10:00 B"}, []string{"9:00-10:00 B"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, skipped := Fix(programmes(test.in...), WindowOf(today.Add(13*time.Hour)))
			if diff := cmp.Diff(test.want, written(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if skipped != test.skipped {
				t.Errorf("skipped %d, want %d", skipped, test.skipped)
			}
		})
	}
}

func TestFixTexts(t *testing.T) {
	ps := []Programme{{
		Start: at("8:00").Add(400 * time.Millisecond).In(time.FixedZone("", 3600)), Stop: at("9:00"),
		Title: " A\x00\n\u2028B\xff ", Desc: strings.Repeat("é", 299) + "ab", Category: strings.Repeat("x", 61),
	}}
	got, _ := Fix(ps, WindowOf(today))
	want := []Programme{{
		Start: at("8:00"), Stop: at("9:00"), Title: "A   B�",
		Desc: strings.Repeat("é", 299) + "…", Category: strings.Repeat("x", 59) + "…",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFixLimit gives a channel a programme every minute, and one over midnight.
func TestFixLimit(t *testing.T) {
	var ps []Programme
	for m := range 2 * 24 * 60 {
		start := today.Add(time.Duration(m) * time.Minute)
		ps = append(ps, Programme{Start: start, Stop: start.Add(time.Minute), Title: fmt.Sprint(m)})
	}
	got, skipped := Fix(ps, WindowOf(today))
	if len(got) != 2*MaxDay || skipped != len(ps)-2*MaxDay {
		t.Fatalf("%d programmes, %d skipped", len(got), skipped)
	}
	if got[MaxDay-1].Title != "199" || got[MaxDay].Title != "1440" {
		t.Errorf("kept %q and then %q", got[MaxDay-1].Title, got[MaxDay].Title)
	}
}

// checkFixed fails unless ps is what Fix promises.
func checkFixed(t *testing.T, ps []Programme, w Window) {
	t.Helper()
	days := map[int64]int{}
	for i, p := range ps {
		switch {
		case !p.Start.Before(p.Stop) || p.Stop.Sub(p.Start) > maxLength:
			t.Fatalf("from %v to %v", p.Start, p.Stop)
		case i > 0 && p.Start.Before(ps[i-1].Stop):
			t.Fatalf("from %v to %v, the next from %v", ps[i-1].Start, ps[i-1].Stop, p.Start)
		case !p.Start.Before(w.To) || !p.Stop.After(w.From):
			t.Fatalf("from %v to %v is not within %v", p.Start, p.Stop, w)
		case p.Title == "" || utf8.RuneCountInString(p.Title) > maxTitle || utf8.RuneCountInString(p.Desc) > MaxDesc:
			t.Fatalf("texts %q, %q", p.Title, p.Desc)
		case p.Start.Location() != time.UTC || p.Stop.Nanosecond() != 0:
			t.Fatalf("times %v, %v", p.Start, p.Stop)
		}
		for d := dateOf(p.Start); midnight(d).Before(p.Stop); d++ {
			days[d]++
		}
	}
	if n := max(days[dateOf(w.From)], days[dateOf(w.From)+1]); n > MaxDay {
		t.Fatalf("%d programmes on a day", n)
	}
	again, skipped := Fix(slices.Clone(ps), w)
	if diff := cmp.Diff(ps, again); diff != "" || skipped != 0 {
		t.Fatalf("a second time it skips %d (-first +second):\n%s", skipped, diff)
	}
}

func randomProgrammes(rnd *rand.Rand, n int) []Programme {
	ps := make([]Programme, n)
	for i := range ps {
		p := &ps[i]
		p.Start = today.Add(time.Duration(rnd.IntN(100*60)-26*60) * time.Minute)
		if rnd.IntN(5) > 0 {
			p.Stop = p.Start.Add(time.Duration(rnd.IntN(200)-10) * time.Minute)
		}
		if rnd.IntN(50) == 0 {
			p.Stop = p.Start.Add(40 * time.Hour)
		}
		p.Title = strings.Repeat("t", rnd.IntN(4))
		p.Desc = strings.Repeat("d", rnd.IntN(400))
	}
	return ps
}

func TestFixHolds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	w := WindowOf(today)
	for range 60 {
		ps, _ := Fix(randomProgrammes(rnd, rnd.IntN(600)), w)
		checkFixed(t, ps, w)
	}
}

func FuzzFix(f *testing.F) {
	f.Add(int64(0), int64(3600), "A", int64(1800), int64(0), "B", "desc")
	f.Add(int64(-100), int64(1<<40), "", int64(90000), int64(-5), "\x00", "\xff")
	f.Add(int64(86399), int64(86401), " ", int64(86400), int64(86400), strings.Repeat("é", 300), strings.Repeat("漢", 400))
	f.Fuzz(func(t *testing.T, a, b int64, title string, c, d int64, other, desc string) {
		sec := func(s int64) time.Time {
			if s == 0 {
				return time.Time{}
			}
			return today.Add(time.Duration(s%(1<<20)) * time.Second)
		}
		w := WindowOf(today)
		ps, _ := Fix([]Programme{
			{Start: sec(a), Stop: sec(b), Title: title, Desc: desc}, {Start: sec(c), Stop: sec(d), Title: other, Category: desc},
			{Start: sec(b), Title: other}, {Start: sec(d), Stop: sec(a), Title: title},
		}, w)
		checkFixed(t, ps, w)
	})
}
