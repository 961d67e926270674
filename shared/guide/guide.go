// Package guide stores and serves the programmes of channels for today and tomorrow, in UTC.
//
// It keeps these documents, by package overlay:
//
//	overlays/guide/shards/0…63  the programmes of a part of the channels
//	overlays/guide/shards/64    a Note of each source
package guide

import (
	"time"

	"miramundo.dev/shared/fault"
)

// ErrNoGuide is returned for a channel without a guide for the day.
var ErrNoGuide = fault.New(fault.NotFound, "guide_not_found")

// Bounds of a guide.
const (
	MaxDay  = 200 // programmes of a channel and day
	MaxDesc = 300 // characters of a description
)

// A Programme is one entry of a guide. The programmes of a channel are in
// order and do not overlap.
type Programme struct {
	Start, Stop time.Time // UTC, to the second; Start is before Stop
	Title       string
	Desc        string // empty when there is none
	Category    string // likewise
}
