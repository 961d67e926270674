// Package ticket signs references to playlists, so that the hop fetches only
// addresses that it wrote itself.
//
// A rewritten playlist refers to another playlist by the hop's URL and a
// ticket: a short text with the other playlist's URL, signed and bound to the
// stream and its origin. The same reference gives the same ticket for hours,
// so that players can compare URLs and caches can share responses.
package ticket

import (
	"miramundo.dev/hop/playlist"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
)

// Faults of tickets.
var (
	ErrTicket = fault.New(fault.NotFound, "ticket_invalid")       // the ticket is forged, altered or expired, or is for another stream or origin
	ErrKey    = fault.New(fault.Unavailable, "playlist_config")   // the signer has no key
	ErrLong   = fault.New(fault.Unprocessable, "playlist_limite") // the ticket would exceed MaxLength, or the reference is too deep
)

// MaxLength is the longest ticket, in characters.
const MaxLength = 6000

// A Binding is what a ticket is valid for. It is signed, but not part of the
// text.
type Binding struct {
	Stream catalog.StreamID
	Origin string // the stream's URL in the catalog
}

// A Ticket is a reference to a playlist below the stream's own.
type Ticket struct {
	URL   string         // absolute, http or https
	Depth int            // 1 for a playlist that the stream's own playlist refers to, and so on
	Vars  []playlist.Var // variables that the playlist may import
}
