package comment

import (
	"context"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/store"
)

// The comments on a channel are listed newest first. A page can be read in two ways: from
// the position of the comment before it, by as many reads as it has comments, or by the
// number of comments to skip. The database cannot skip without reading, but it can count:
// one read for 1,000 comments. So Skip searches for the time after which there are as
// many comments as are skipped, by about five counts however many those are.

// A Position is the place of a comment in the list of its channel. It stays valid when the
// comment is deleted.
type Position struct {
	At store.Time
	ID string
}

// Position returns the place of c.
func (c Comment) Position() Position { return Position{c.CreatedAt, c.ID} }

// String returns p in a form that ParsePosition reads, of letters, digits and an
// underscore.
func (p Position) String() string {
	return strconv.FormatInt(p.At.UnixMicro(), 36) + "_" + p.ID
}

// ParsePosition returns the position that String wrote, and whether text is one.
func ParsePosition(text string) (p Position, ok bool) {
	at, id, _ := strings.Cut(text, "_")
	micros, err := strconv.ParseInt(at, 36, 64)
	p = Position{store.At(time.UnixMicro(micros)), id}
	return p, err == nil && isID(id) && p.At.Year() < 10_000 && p.At.Year() > 0
}

// onChannel selects the comments on a channel, newest first.
func onChannel(channel string) store.Query {
	return store.Query{
		Collection: collection, OrderBy: "created_at", Desc: true,
		Where: []store.Filter{{Field: "channel", Op: store.Eq, Value: channel}},
	}
}

// Newest returns up to n comments on a channel, newest first, by as many reads.
func Newest(ctx context.Context, db store.DB, channel string, n int) ([]Comment, error) {
	q := onChannel(channel)
	q.Limit = n
	return list(ctx, db, q)
}

// After returns up to n comments on a channel that follow a position, newest first, by
// as many reads.
func After(ctx context.Context, db store.DB, channel string, p Position, n int) ([]Comment, error) {
	q := onChannel(channel)
	q.After, q.Limit = []any{p.At, p.ID}, n
	return list(ctx, db, q)
}

// Count returns the number of comments on a channel, by one read for each 1,000.
func Count(ctx context.Context, db store.DB, channel string) (int, error) {
	return db.Count(ctx, onChannel(channel))
}

// Bounds of a search by counting.
const (
	// slack is how many comments Skip may read and leave out.
	slack = 50
	// maxProbes is how often Skip counts. Halving the time of 10 years leads to a single
	// microsecond in 48 steps.
	maxProbes = 100
)

// Skip returns up to n comments on a channel, newest first, after skipping some of the
// total. It counts until at most slack comments are between a time and the first comment
// to return, and then reads those and the comments.
func Skip(ctx context.Context, db store.DB, channel string, skip, total, n int) ([]Comment, error) {
	newest, err := Newest(ctx, db, channel, 1)
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	oldest := onChannel(channel)
	oldest.Desc, oldest.Limit = false, 1
	last, err := list(ctx, db, oldest)
	if err != nil || len(last) == 0 {
		return nil, err
	}
	s := search{
		skip:  skip,
		newer: mark{newest[0].CreatedAt.UnixMicro(), 0},
		older: mark{last[0].CreatedAt.UnixMicro() - 1, total},
		count: func(at store.Time) (int, error) { return db.Count(ctx, newerThan(channel, at)) },
	}
	from, left, err := s.run()
	if err != nil {
		return nil, err
	}
	q := onChannel(channel)
	q.Where = append(q.Where, store.Filter{Field: "created_at", Op: store.LessEq, Value: from})
	q.Limit = left + n
	page, err := list(ctx, db, q)
	return page[min(left, len(page)):], err
}

// newerThan selects the comments on a channel that were posted after a time.
func newerThan(channel string, at store.Time) store.Query {
	q := onChannel(channel)
	q.Where = append(q.Where, store.Filter{Field: "created_at", Op: store.More, Value: at})
	return q
}

// A mark is a time, in microseconds, with the number of comments after it.
type mark struct {
	at    int64
	after int
}

// A search finds a time after which there are almost as many comments as are skipped.
type search struct {
	skip         int
	newer, older mark // the time is between them
	count        func(store.Time) (int, error)
}

// run returns a time, and how many comments up to it remain to be skipped: at most slack,
// unless as many have the same time. It tries the time at which the comment would have
// been posted if all came evenly and, as they come in bursts, every other time the middle.
func (s *search) run() (from store.Time, left int, err error) {
	for probe := range maxProbes {
		if s.skip-s.newer.after <= slack || s.newer.at-s.older.at <= 1 {
			break
		}
		at := s.middle()
		if probe%2 == 0 {
			at = s.even()
		}
		n, err := s.count(store.At(time.UnixMicro(at)))
		if err != nil {
			return from, 0, err
		}
		if n <= s.skip {
			s.newer = mark{at, n}
		} else {
			s.older = mark{at, n}
		}
	}
	return store.At(time.UnixMicro(s.newer.at)), s.skip - s.newer.after, nil
}

func (s *search) middle() int64 { return s.older.at + (s.newer.at-s.older.at)/2 }

// even returns the time that half of slack comments before the first one to return would
// have between the marks, if comments came evenly.
func (s *search) even() int64 {
	share := float64(s.skip-slack/2-s.newer.after) / float64(max(s.older.after-s.newer.after, 1))
	at := s.newer.at - int64(share*float64(s.newer.at-s.older.at))
	return min(max(at, s.older.at+1), s.newer.at-1)
}

// list returns the comments that a query finds.
func list(ctx context.Context, db store.DB, q store.Query) (list []Comment, err error) {
	for doc, err := range db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		c := Comment{ID: doc.ID}
		if err := doc.Decode(&c); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}
