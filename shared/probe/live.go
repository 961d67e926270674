package probe

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"sync/atomic"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/overlay"
)

// Readers keep the measurements of all streams in memory, one immutable leaf for
// each shard, which is replaced as a whole when the shard changes. A lookup is an
// atomic load and a binary search: it takes no lock and allocates nothing. Values
// that repeat, such as scores and the usual resolutions, are shared by pointers.

// A Live holds the measurements of all streams, as readers see them, in memory.
// Its methods may be called concurrently.
type Live struct {
	follower *overlay.Follower
	shards   [Shards]atomic.Pointer[leaf] // nil until a shard was read
}

// A leaf is a decoded shard: immutable, with columns of equal length.
type leaf struct {
	ids []catalog.StreamID // ascending
	of  []catalog.Measurement
}

// Follow returns the measurements in the database of set, and follows their
// changes until ctx is done. It returns at once; until a shard was read, its
// streams have no measurement.
func Follow(ctx context.Context, set *overlay.Set) *Live {
	l := &Live{}
	l.follower = overlay.Follow(ctx, set, shownKind, l.show)
	return l
}

// show replaces shard n by data. After an error the earlier one stays.
func (l *Live) show(n int, data []byte) error {
	rows, err := unpackShown(data)
	if err != nil {
		return err
	}
	l.shards[n].Store(newLeaf(rows))
	return nil
}

// newLeaf returns the leaf of rows. Each column is a single allocation.
func newLeaf(rows []row[Shown]) *leaf {
	f := &leaf{ids: make([]catalog.StreamID, len(rows)), of: make([]catalog.Measurement, len(rows))}
	for i := range rows {
		f.ids[i], f.of[i] = rows[i].id, rows[i].of.measurement()
	}
	return f
}

// Changed returns a channel that holds one token when something has changed
// since a token was last taken.
func (l *Live) Changed() <-chan struct{} { return l.follower.Changed() }

// All yields every measurement, in no particular order. They must not be changed.
// A shard that changes meanwhile is yielded in its earlier or its later form.
func (l *Live) All() iter.Seq2[catalog.StreamID, *catalog.Measurement] {
	return func(yield func(catalog.StreamID, *catalog.Measurement) bool) {
		for n := range l.shards {
			f := l.shards[n].Load()
			for i := range f.len() {
				if !yield(f.ids[i], &f.of[i]) {
					return
				}
			}
		}
	}
}

func (f *leaf) len() int {
	if f == nil {
		return 0
	}
	return len(f.ids)
}

// Look returns the measurement of a stream, which must not be changed, and
// whether there is one.
func (l *Live) Look(id catalog.StreamID) (*catalog.Measurement, bool) {
	f := l.shards[ShardOf(id)].Load()
	if f == nil {
		return nil, false
	}
	i, ok := slices.BinarySearch(f.ids, id)
	if !ok {
		return nil, false
	}
	return &f.of[i], true
}

// scores are the integers from 0 to 100, for measurements to point to.
var scores = func() (list [101]int) {
	for i := range list {
		list[i] = i
	}
	return list
}()

// resolutions are the names of the usual heights of pictures.
var resolutions = func() map[int]*string {
	m := map[int]*string{}
	for _, h := range []int{144, 240, 288, 360, 404, 432, 480, 540, 544, 576, 600, 608, 640, 720, 900, 960, 1080, 1440, 2160, 4320} {
		m[h] = lines(h)
	}
	return m
}()

// resolution returns a height as the interface writes it, such as "1080p", or
// nil when it is unknown.
func resolution(height int) *string {
	if height == 0 {
		return nil
	}
	if s := resolutions[height]; s != nil {
		return s
	}
	return lines(height)
}

func lines(height int) *string {
	s := strconv.Itoa(height) + "p"
	return &s
}
