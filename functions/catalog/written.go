package catalog

import (
	"bytes"
	"context"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"miramundo.dev/shared/feed"
)

// A writtenGuide is the guide of a whole list as it was written.
type writtenGuide struct {
	archive feed.File // in gzip
	size    int64     // in bytes, unpacked
	state   string    // of what it was written from
}

// guideMemory is what the guides that are kept take together, in bytes. One of 2,000
// channels takes about a megabyte.
const guideMemory = 16 << 20

// guideOverhead is about what a kept guide takes besides its key and its bytes.
const guideOverhead = 500

// writtenGuides keeps the guides of whole lists between requests, one for each key: that
// of another state is written anew in its place. Its methods may be called concurrently.
type writtenGuides struct {
	kept    *otter.Cache[string, writtenGuide]
	writing singleflight.Group
}

func newWrittenGuides() *writtenGuides {
	return &writtenGuides{kept: otter.Must(&otter.Options[string, writtenGuide]{
		MaximumWeight: guideMemory,
		Weigher: func(key string, w writtenGuide) uint32 {
			return uint32(guideOverhead + len(key) + len(w.state) + len(w.archive.Data))
		},
	})}
}

// get returns the guide of a key in a state. Where it is not kept, write writes it, once
// for all callers that ask for it meanwhile. That the first of them leaves does not end it.
func (g *writtenGuides) get(ctx context.Context, key, state string, write func(context.Context) (writtenGuide, error)) (writtenGuide, error) {
	if w, ok := g.kept.GetIfPresent(key); ok && w.state == state {
		return w, nil
	}
	result, err, _ := g.writing.Do(state+"\x00"+key, func() (any, error) {
		w, err := write(context.WithoutCancel(ctx))
		if err != nil {
			return writtenGuide{}, err
		}
		w.state, w.archive.Data = state, bytes.Clone(w.archive.Data) // the buffer that it was written in may be twice as large
		g.kept.Set(key, w)
		return w, nil
	})
	return result.(writtenGuide), err
}
