package fact

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"miramundo.dev/shared/store"
)

// This file is how a fact is counted once. A document keeps a mark of each fact
// that it counts, by the day of the fact, and the counts and the marks change in
// one transaction. Up to 256 marks of a day lie in the document itself. More of
// them move to documents beside it, which only a batch of that day reads: most
// subjects have few facts in a day, and cost one read and one write for a batch.
// Marks are forgotten after a month, so older facts are refused. They are forgotten
// only when a document has those of more days than a month: a clock that is ahead
// alone makes it forget none.

const (
	day      = 24 * time.Hour
	keepDays = 31 // for which a mark is kept; what a fact belongs to is kept for 30
	inline   = 256
	maxSpill = 40_000 // marks in a document beside, in less than half of its room
)

// A Ledger is the part of a document that knows which facts are counted in it.
// Embed it by value; only [Counter] changes it.
type Ledger struct {
	// Revision goes up by one with every write.
	Revision int64 `json:"revision"`
	// ChangedAt is when the document was written, by the clock of the counter.
	ChangedAt store.Time `json:"changed_at,omitzero"`
	// Seen are the marks of the facts counted lately, by the day of the fact.
	Seen map[string]Seen `json:"seen,omitempty"`
}

// Seen are the marks of one day.
type Seen struct {
	Marks   []byte `json:"marks,omitempty"`   // 8 bytes for each fact
	Spilled int    `json:"spilled,omitempty"` // documents of marks beside this one
}

func (l *Ledger) ledger() *Ledger { return l }

// Has reports whether a fact is counted already. It returns false for a day with
// so many facts that their marks lie beside the document.
func (l *Ledger) Has(a About) bool {
	want := a.Mark()
	for mark := range slices.Chunk(l.Seen[a.Day()].Marks, len(want)) {
		if bytes.Equal(mark, want[:]) {
			return true
		}
	}
	return false
}

// An item is a fact with the kind that it is of.
type item[D Document] struct {
	Fact
	kind Kind[D]
}

// A spill is a document of marks.
type spill struct {
	Marks    []byte     `json:"marks"`
	ExpireAt store.Time `json:"expire_at"`
}

func spillPath(document store.Path, day string, n int) store.Path {
	return document.Join("seen", fmt.Sprintf("%s-%d", day, n))
}

// A page is what one transaction reads and writes of a subject.
type page[D Document] struct {
	path   store.Path
	doc    D
	spills map[string][]spill // by day, of the days of the facts
	fresh  map[string][]byte  // marks that are added, by day
}

// readPage reads all that is needed to count facts of a subject.
func (b Book[D]) readPage(tx store.Tx, subject string, facts []item[D]) (*page[D], error) {
	p := &page[D]{path: b.Path(subject), doc: b.New(subject), spills: map[string][]spill{}, fresh: map[string][]byte{}}
	if err := tx.Get(p.path, p.doc); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	for _, f := range facts {
		if err := p.readDay(tx, f.About().Day()); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// readDay reads the marks of a day that lie beside the document, once.
func (p *page[D]) readDay(tx store.Tx, day string) error {
	if _, done := p.spills[day]; done {
		return nil
	}
	p.spills[day] = make([]spill, p.doc.ledger().Seen[day].Spilled)
	paths := make([]store.Path, len(p.spills[day]))
	for n := range paths {
		paths[n] = spillPath(p.path, day, n)
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
			return fmt.Errorf("the marks at %s are missing", doc.Path)
		}
		if err := doc.Decode(&p.spills[day][n]); err != nil {
			return err
		}
	}
	return nil
}

// count applies the facts that are new, and reports whether any is.
func (p *page[D]) count(facts []item[D]) bool {
	seen := p.seen(facts)
	for _, f := range facts {
		about := f.About()
		mark := about.Mark()
		if seen[mark] {
			continue
		}
		seen[mark] = true
		p.fresh[about.Day()] = append(p.fresh[about.Day()], mark[:]...)
		f.kind.Apply(p.doc, f.Fact)
	}
	return len(p.fresh) > 0
}

// seen returns which of the facts were counted before.
func (p *page[D]) seen(facts []item[D]) map[Mark]bool {
	seen := make(map[Mark]bool, len(facts))
	for _, f := range facts {
		seen[f.About().Mark()] = false
	}
	for day, spills := range p.spills {
		findMarks(seen, p.doc.ledger().Seen[day].Marks)
		for _, s := range spills {
			findMarks(seen, s.Marks)
		}
	}
	return seen
}

// findMarks sets those of the marks in seen that are among marks.
func findMarks(seen map[Mark]bool, marks []byte) {
	for mark := range slices.Chunk(marks, len(Mark{})) {
		if _, asked := seen[Mark(mark)]; asked {
			seen[Mark(mark)] = true
		}
	}
}

// write stores what was counted, without the marks of days that are over.
func (p *page[D]) write(tx store.Tx, now time.Time) error {
	l := p.doc.ledger()
	if l.Seen == nil {
		l.Seen = map[string]Seen{}
	}
	for d, marks := range p.fresh {
		s := l.Seen[d]
		s.Marks = append(s.Marks, marks...)
		if len(s.Marks) > inline*len(Mark{}) {
			if err := p.spill(tx, d, &s); err != nil {
				return err
			}
		}
		l.Seen[d] = s
	}
	l.forget(now)
	l.Revision++
	l.ChangedAt = store.At(now)
	return tx.Set(p.path, p.doc)
}

// maxDays is how many days facts may be of at one time: those of the days for which
// marks are kept, today and tomorrow.
const maxDays = keepDays + 2

// forget drops the marks of the oldest days, those of more than maxDays.
func (l *Ledger) forget(now time.Time) {
	limit := dayOf(now.Add(-(keepDays + 1) * day))
	for _, d := range slices.Sorted(maps.Keys(l.Seen)) {
		if len(l.Seen) <= maxDays || d >= limit {
			return
		}
		delete(l.Seen, d)
	}
}

// spill moves the marks of s, of a day, to the last document of that day that
// has room.
func (p *page[D]) spill(tx store.Tx, d string, s *Seen) error {
	date, err := time.Parse(time.DateOnly, d)
	if err != nil {
		return err
	}
	last := spill{ExpireAt: store.At(date.Add((keepDays + 2) * day))}
	n := s.Spilled - 1
	if n >= 0 && len(p.spills[d][n].Marks) < maxSpill*len(Mark{}) {
		last = p.spills[d][n]
	} else {
		n, s.Spilled = s.Spilled, s.Spilled+1
	}
	last.Marks = append(last.Marks, s.Marks...)
	s.Marks = nil
	return tx.Set(spillPath(p.path, d, n), last)
}
