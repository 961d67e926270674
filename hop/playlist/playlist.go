// Package playlist rewrites HLS playlists so that they play through the hop.
//
// References to other playlists become references to the hop; references to
// media become absolute and lead to the origin, so media never passes through
// the hop. Tags that cannot work with a hop in between are dropped or
// weakened: content steering, variable definitions, and blocking for longer
// than the hop waits.
//
// A reference to a playlist that the hop cannot fetch is left out with its tag,
// and with the variant that the tag is for. A playlist whose variants are all
// left out is refused.
//
// Everything else comes out unchanged: tags, known and unknown, attributes,
// comments and their order. Line ends become LF, and a byte order mark and
// blank lines are dropped.
package playlist

import (
	"time"

	"miramundo.dev/shared/fault"
)

// Faults of a playlist.
var (
	ErrOrigin = fault.New(fault.Unprocessable, "playlist_origem") // the origin's response is not a playlist, or not one that can be rewritten
	ErrLimit  = fault.New(fault.Unprocessable, "playlist_limite") // the playlist is over the bounds of this package
)

// Bounds of a playlist.
const (
	MaxInput      = 512 << 10 // bytes of the origin's playlist
	MaxOutput     = 4 << 20   // bytes of the rewritten playlist
	MaxReferences = 128       // references to other playlists
	MaxDepth      = 4         // levels of playlists, the stream's own included
)

// A Var is a variable defined by EXT-X-DEFINE.
type Var struct{ Name, Value string }

// A Reference leads to another playlist.
type Reference struct {
	URL    []byte // absolute, http or https; valid during the call only
	Report bool   // it is in an EXT-X-RENDITION-REPORT, which must be written relative
	Vars   []Var  // variables that the other playlist may import; usually nil
}

// Options are the inputs of a rewrite besides the playlist.
type Options struct {
	Base string // URL of the playlist after redirects, http or https
	Vars []Var  // variables that it may import

	// Route appends to dst the text that replaces a reference to another
	// playlist. An error of kind fault.Unprocessable leaves the reference out;
	// any other ends the rewrite.
	Route func(dst []byte, r Reference) ([]byte, error)

	// Host returns the host to write, perhaps with a port, for the host of a
	// reference. Its error leaves a reference to a playlist out, and ends the
	// rewrite otherwise. Nil keeps all hosts. It is not asked for the host of
	// Base.
	Host func(host string) (string, error)

	// MaxBlock is the longest time for which the hop holds a request for the
	// playlist. A playlist that needs longer is rewritten as one that does
	// not support blocking. Zero turns blocking off.
	MaxBlock time.Duration
}

// Info is what a rewrite learns about a playlist.
type Info struct {
	Multivariant bool // a master playlist, of variants
	Media        bool // a media playlist, of segments; Multivariant and Media are never both true
	MediaHTTP    bool // media, keys or maps are referred to by plain HTTP
	References   int  // number of references to other playlists
	LeftOut      int  // number of those that were left out

	Target     time.Duration // EXT-X-TARGETDURATION; 0 when absent
	PartTarget time.Duration // of EXT-X-PART-INF; 0 when absent
	CanBlock   bool          // supports blocking reload within MaxBlock
	CanSkip    bool          // supports delta updates
	End        bool          // has EXT-X-ENDLIST: it will not change
	VOD        bool          // EXT-X-PLAYLIST-TYPE:VOD

	// NextMSN is the media sequence number of the segment that is not
	// complete yet, and NextPart the number of its parts that are published.
	NextMSN  int64
	NextPart int
}
