package rank

import (
	"slices"

	"miramundo.dev/shared/catalog"
)

// FeedFirst moves the best stream of a feed to the front of streams, which are in the
// order of [Order], and keeps the others in that order. A feed without a stream
// changes nothing.
func FeedFirst(streams []catalog.Stream, feed string) {
	at := slices.IndexFunc(streams, func(s catalog.Stream) bool { return s.Feed != nil && *s.Feed == feed })
	if at <= 0 {
		return
	}
	first := streams[at]
	copy(streams[1:at+1], streams[:at])
	streams[0] = first
}
