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

// A Live is what measurements know of all streams, as readers see it, in
// memory. Its methods may be called concurrently.
type Live struct {
	follower *overlay.Follower
	shards   [Shards]atomic.Pointer[leaf]
}

// A leaf is a shard as it is read: immutable, and parallel in its columns.
type leaf struct {
	ids []catalog.StreamID // ascending
	of  []catalog.Measurement
}

// Follow returns what the database of set keeps, and follows it until ctx is done.
func Follow(ctx context.Context, set *overlay.Set) *Live {
	l := &Live{}
	l.follower = overlay.Follow(ctx, set, shownKind, l.show)
	return l
}

func (l *Live) show(n int, data []byte) error {
	rows, err := unpackShown(data)
	if err != nil {
		return err
	}
	l.shards[n].Store(newLeaf(rows))
	return nil
}

// newLeaf gives each column of all rows one piece of memory.
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

// All yields every measurement. Whoever has one must not change it.
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

// Look returns the measurement of a stream, which must not be changed; false
// when there is none.
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

// scores are the integers that scores point to.
var scores = func() (list [101]int) {
	for i := range list {
		list[i] = i
	}
	return list
}()

// resolutions are the heights that are usual.
var resolutions = func() map[int]*string {
	m := map[int]*string{}
	for _, h := range []int{144, 240, 288, 360, 404, 432, 480, 540, 544, 576, 600, 608, 640, 720, 900, 960, 1080, 1440, 2160, 4320} {
		m[h] = lines(h)
	}
	return m
}()

// resolution returns a height as the interface writes it; nil when it is not
// known.
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
