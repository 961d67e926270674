package aggregate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// How the keys of what was counted are kept. A key is known again for as long
// as its report is kept, so that nothing that may still come is counted twice.
const (
	day      = 24 * time.Hour
	keepDays = 31
	// inline is how many keys of a day lie beside the counts; more of them lie
	// in documents of their own, which only a batch of that day reads.
	inline   = 256
	maxSpill = 40_000 // keys in one of those documents, in less than half of its room
)

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// A spill is a document of marks.
type spill struct {
	Marks    []byte     `json:"marks"`
	ExpireAt store.Time `json:"expire_at"`
}

// A ledger is what one transaction knows of a channel.
type ledger struct {
	kept   social.Counted
	spills map[string][]spill // by day, of the days that its facts are of
	fresh  map[string][]byte  // marks that it adds, by day
}

func path(channel string) store.Path { return social.CountsPath(channel) }

func spillPath(channel, day string, n int) store.Path {
	return path(channel).Join("seen", fmt.Sprintf("%s-%d", day, n))
}

// read reads all that is needed to count facts of a channel.
func read(tx store.Tx, channel string, facts []social.Fact) (*ledger, error) {
	l := &ledger{spills: map[string][]spill{}, fresh: map[string][]byte{}}
	if err := tx.Get(path(channel), &l.kept); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	l.kept.Channel = channel
	if l.kept.Seen == nil {
		l.kept.Seen = map[string]social.Seen{}
	}
	for _, f := range facts {
		if err := l.readDay(tx, social.AboutOf(f).Day()); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// readDay reads the marks of a day that lie apart, once.
func (l *ledger) readDay(tx store.Tx, day string) error {
	if _, done := l.spills[day]; done {
		return nil
	}
	l.spills[day] = make([]spill, l.kept.Seen[day].Spilled)
	paths := make([]store.Path, len(l.spills[day]))
	for n := range paths {
		paths[n] = spillPath(l.kept.Channel, day, n)
	}
	if len(paths) == 0 {
		return nil
	}
	docs, err := tx.GetAll(paths)
	if err != nil {
		return err
	}
	for n, doc := range docs {
		if doc.Decode == nil {
			return fmt.Errorf("the keys at %s are gone", doc.Path)
		}
		if err := doc.Decode(&l.spills[day][n]); err != nil {
			return err
		}
	}
	return nil
}

// count counts the facts that are new, and tells whether any is.
func (l *ledger) count(facts []social.Fact) bool {
	seen := l.seen(facts)
	for _, f := range facts {
		about := social.AboutOf(f)
		m := about.Mark()
		if seen[m] {
			continue
		}
		seen[m] = true
		d := about.Day()
		l.fresh[d] = append(l.fresh[d], m[:]...)
		l.kept.Apply(f)
	}
	return len(l.fresh) > 0
}

// seen returns which of the facts were counted before.
func (l *ledger) seen(facts []social.Fact) map[social.Mark]bool {
	seen := make(map[social.Mark]bool, len(facts))
	for _, f := range facts {
		seen[social.AboutOf(f).Mark()] = false
	}
	for d, spills := range l.spills {
		note(seen, l.kept.Seen[d].Marks)
		for _, s := range spills {
			note(seen, s.Marks)
		}
	}
	return seen
}

// note notes those of the marks that are asked for.
func note(seen map[social.Mark]bool, marks []byte) {
	for m := range slices.Chunk(marks, len(social.Mark{})) {
		if _, asked := seen[social.Mark(m)]; asked {
			seen[social.Mark(m)] = true
		}
	}
}

// write keeps what was counted. It forgets the keys of days that are over.
func (l *ledger) write(tx store.Tx, now time.Time) error {
	oldest := dayOf(now.Add(-(keepDays + 1) * day))
	maps.DeleteFunc(l.kept.Seen, func(d string, _ social.Seen) bool { return d < oldest })
	for d, marks := range l.fresh {
		s := l.kept.Seen[d]
		s.Marks = append(s.Marks, marks...)
		if len(s.Marks) > inline*len(social.Mark{}) {
			if err := l.spill(tx, d, &s); err != nil {
				return err
			}
		}
		l.kept.Seen[d] = s
	}
	l.kept.Revision++
	l.kept.ChangedAt = store.At(now)
	return tx.Set(path(l.kept.Channel), l.kept)
}

// spill moves the marks of s, of a day, to the last document of that day that
// has room.
func (l *ledger) spill(tx store.Tx, d string, s *social.Seen) error {
	over, err := time.Parse(time.DateOnly, d)
	if err != nil {
		return err
	}
	last := spill{ExpireAt: store.At(over.Add((keepDays + 2) * day))}
	n := s.Spilled - 1
	if n >= 0 && len(l.spills[d][n].Marks) < maxSpill*len(social.Mark{}) {
		last = l.spills[d][n]
	} else {
		n, s.Spilled = s.Spilled, s.Spilled+1
	}
	last.Marks = append(last.Marks, s.Marks...)
	s.Marks = nil
	return tx.Set(spillPath(l.kept.Channel, d, n), last)
}
