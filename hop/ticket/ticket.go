// Package ticket knows how the hop refers to a playlist within a playlist
// without trusting who asks: by a short signed text that is bound to a stream
// and to its origin without carrying them.
//
// The same reference at about the same time gives the same ticket, so that
// players can compare addresses and caches can share answers.
package ticket

import (
	"miramundo.dev/hop/playlist"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
)

// Faults of tickets.
var (
	ErrTicket = fault.New(fault.NotFound, "ticket_invalid")       // forged, altered, expired, or of another stream or origin
	ErrKey    = fault.New(fault.Unavailable, "playlist_config")   // there is no key to sign with
	ErrLong   = fault.New(fault.Unprocessable, "playlist_limite") // the reference does not fit in MaxLength, or is too deep
)

// MaxLength is the longest ticket, in characters.
const MaxLength = 6000

// A Binding is what a ticket is valid for.
type Binding struct {
	Stream catalog.StreamID
	Origin string // the stream's URL in the catalog
}

// A Ticket is a reference to a playlist below the stream's own.
type Ticket struct {
	URL   string         // absolute, http or https
	Depth int            // 1 for a playlist that the stream's own names, and so on
	Vars  []playlist.Var // that it may import
}
