package guide

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"miramundo.dev/shared/source"
)

// Guides contradict themselves: programmes overlap, repeat, lack an end or run
// for a week. Fix makes the programmes of a channel a sequence without overlaps,
// so that all code after it can search them by time. It works on a list sorted by
// start, in which the start of the next programme is the latest end of the one
// before.

// Bounds of the programmes that Fix returns.
const (
	maxTitle    = 200            // characters of a title
	maxCategory = 60             // characters of a category
	maxLength   = 24 * time.Hour // of a programme; a longer one is cut
	openLength  = time.Hour      // of the last programme when it has no end
)

// A Window is the time that a guide covers: today and tomorrow, in UTC.
type Window struct {
	From, To time.Time
}

// WindowOf returns the window at a time.
func WindowOf(now time.Time) Window {
	from := now.UTC().Truncate(day)
	return Window{From: from, To: from.Add(2 * day)}
}

const day = 24 * time.Hour

// Fix returns the programmes of a channel that are on within w, in order and
// without overlaps, and the number of those that start within w and were left
// out. It overwrites ps.
//
// Where two programmes overlap, the earlier one is cut. Of several with the same
// start, the first with a title and an end is kept, or else the first with a
// title. A programme without an end lasts until the next starts, or for an hour
// when it is the last. Programmes without a title, or that end before they start,
// are left out, and longer ones are cut to a day. Of each UTC day the first
// [MaxDay] are kept. A programme that crosses a bound of w is kept whole, and one
// that crosses midnight counts for both days.
func Fix(ps []Programme, w Window) (fixed []Programme, skipped int) {
	n := starting(ps, w)
	ps = clean(ps, w)
	slices.SortStableFunc(ps, byStart)
	ps = slices.CompactFunc(ps, func(a, b Programme) bool { return a.Start.Equal(b.Start) })
	stop(ps)
	ps = slices.DeleteFunc(ps, func(p Programme) bool {
		return p.Title == "" || !p.Start.Before(w.To) || !p.Stop.After(w.From)
	})
	ps = limit(ps, w)
	return ps, n - starting(ps, w)
}

// starting returns how many programmes start within w.
func starting(ps []Programme, w Window) (n int) {
	for i := range ps {
		n += flag(!ps[i].Start.Before(w.From) && ps[i].Start.Before(w.To))
	}
	return n
}

// clean returns the programmes that may matter for w: texts bounded and
// cleaned, times in whole seconds in UTC, without programmes that end before
// they start.
func clean(ps []Programme, w Window) []Programme {
	from, to := w.From.Add(-maxLength), w.To.Add(maxLength)
	kept := ps[:0]
	for _, p := range ps {
		p.Start, p.Stop = p.Start.UTC().Truncate(time.Second), p.Stop.UTC().Truncate(time.Second)
		if p.Start.Before(from) || p.Start.After(to) || p.ends() && !p.Start.Before(p.Stop) {
			continue
		}
		p.Title, p.Desc, p.Category = text(p.Title, maxTitle), text(p.Desc, MaxDesc), text(p.Category, maxCategory)
		kept = append(kept, p)
	}
	return kept
}

// ends reports whether p has an end.
func (p *Programme) ends() bool { return !p.Stop.IsZero() }

// byStart orders programmes by start; of those with the same start the one to
// keep comes first.
func byStart(a, b Programme) int {
	return cmp.Or(a.Start.Compare(b.Start), flag(a.Title == "")-flag(b.Title == ""), flag(!a.ends())-flag(!b.ends()))
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stop ends each programme at the latest when the next one starts.
func stop(ps []Programme) {
	for i := range ps {
		p := &ps[i]
		last := i == len(ps)-1
		if !p.ends() {
			p.Stop = p.Start.Add(openLength)
			if !last {
				p.Stop = ps[i+1].Start
			}
		}
		p.Stop = earlier(p.Stop, p.Start.Add(maxLength))
		if !last {
			p.Stop = earlier(p.Stop, ps[i+1].Start)
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// limit keeps the first MaxDay programmes of each day of w.
func limit(ps []Programme, w Window) []Programme {
	var counts [2]int
	tomorrow := w.From.Add(day)
	return slices.DeleteFunc(ps, func(p Programme) bool {
		in := [2]bool{p.Start.Before(tomorrow), p.Stop.After(tomorrow)}
		for d := range in {
			if in[d] && counts[d] == MaxDay {
				return true
			}
		}
		for d := range in {
			counts[d] += flag(in[d])
		}
		return false
	})
}

// text returns s as plain text of at most n characters. A longer text is cut and
// ends in an ellipsis.
func text(s string, n int) string {
	s = strings.TrimSpace(source.Plain(strings.ToValidUTF8(s, "�")))
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	at := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return strings.TrimSpace(s[:at]) + "…"
}
