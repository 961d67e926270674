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
// so that all code after it can search them by time. It goes through them by start
// with a stack of those that are not over yet: the one that started last is on,
// and when it ends, the one below it resumes. So a film that the news interrupt
// is listed twice, before and after the news.

// Bounds of the programmes that Fix returns.
const (
	maxTitle    = 200            // characters of a title
	maxCategory = 60             // characters of a category
	maxLength   = 24 * time.Hour // of a programme; a longer one is cut
	openLength  = time.Hour      // of the last programme when it has no end
	leastRest   = time.Minute    // of an interrupted programme that resumes; a shorter rest is left out
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
// Where two programmes overlap, the earlier one is cut; when it ends after the
// later one it resumes then, unless less than a minute of it is left. Of several
// with the same start, the first with a title and an end is kept, or else the first with a
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
	end(ps)
	fixed = slices.DeleteFunc(sequence(ps), func(p Programme) bool {
		return p.Title == "" || !p.Start.Before(w.To) || !p.Stop.After(w.From)
	})
	fixed = limit(fixed, w)
	return fixed, n - starting(firsts(fixed, ps), w)
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

// end gives an end to each programme without one, and cuts those that are too
// long.
func end(ps []Programme) {
	for i := range ps {
		p := &ps[i]
		if !p.ends() {
			p.Stop = p.Start.Add(openLength)
			if i < len(ps)-1 {
				p.Stop = ps[i+1].Start
			}
		}
		p.Stop = earlier(p.Stop, p.Start.Add(maxLength))
	}
}

// sequence returns what is on of ps, whose starts rise: at each moment the
// programme that started last among those that are not over.
func sequence(ps []Programme) []Programme {
	on := make([]Programme, 0, len(ps))
	var open []Programme // that started, the last one on top
	var at time.Time     // up to which on is complete
	advance := func(to time.Time) {
		for len(open) > 0 && at.Before(to) {
			p := open[len(open)-1]
			if !p.Stop.After(at) {
				open = open[:len(open)-1]
				continue
			}
			resumes := at.After(p.Start)
			p.Start, p.Stop, at = at, earlier(p.Stop, to), earlier(p.Stop, to)
			if !resumes || p.Stop.Sub(p.Start) >= leastRest {
				on = append(on, p)
			}
		}
		at = to
	}
	for _, p := range ps {
		advance(p.Start)
		open = append(open, p)
	}
	if n := len(ps); n > 0 {
		advance(ps[n-1].Start.Add(maxLength))
	}
	return on
}

// firsts returns the programmes of fixed that start as one of ps does, which
// leaves out those that resume. The starts of ps rise.
func firsts(fixed, ps []Programme) []Programme {
	var kept []Programme
	for _, p := range fixed {
		if _, ok := slices.BinarySearchFunc(ps, p.Start, func(p Programme, t time.Time) int { return p.Start.Compare(t) }); ok {
			kept = append(kept, p)
		}
	}
	return kept
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
