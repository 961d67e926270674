// Package playlist knows how an HLS playlist is rewritten so that it plays
// through the hop: which of its references lead to other playlists, which lead
// to media, and what only breaks because a hop stands between.
//
// It changes references and nothing else. Tags, known and unknown, attributes,
// comments and their order come out as they went in; line ends become LF, and
// a byte order mark and blank lines go.
package playlist

import (
	"time"

	"miramundo.dev/shared/fault"
)

// Faults of a playlist.
var (
	ErrOrigin = fault.New(fault.Unprocessable, "playlist_origem") // what the origin sent is no playlist that can be passed on
	ErrLimit  = fault.New(fault.Unprocessable, "playlist_limite") // more bytes or references than are passed on
)

// Bounds of a playlist.
const (
	MaxInput      = 512 << 10 // bytes that come in
	MaxOutput     = 4 << 20   // bytes that go out
	MaxReferences = 128       // that lead to other playlists
	MaxDepth      = 4         // playlists below each other, the stream's own included
)

// A Var is a variable that EXT-X-DEFINE gave a value.
type Var struct{ Name, Value string }

// A Reference leads to another playlist.
type Reference struct {
	URL    []byte // absolute, http or https; valid during the call only
	Report bool   // of an EXT-X-RENDITION-REPORT, which must be written relative
	Vars   []Var  // that the other playlist may import; nil in nearly all
}

// Options say what a playlist is rewritten with.
type Options struct {
	Base string // URL of the playlist after redirects, http or https
	Vars []Var  // that it may import

	// Route appends to dst what stands for a reference, or fails.
	Route func(dst []byte, r Reference) ([]byte, error)

	// MaxBlock is the longest time for which a request for the playlist may
	// be held back. A playlist that needs longer is passed on as one that
	// cannot block. Zero means that none may.
	MaxBlock time.Duration
}

// Info is what rewriting learned of a playlist.
type Info struct {
	Multivariant bool // a master playlist, of variants
	Media        bool // a media playlist, of segments; Multivariant and Media are never both true
	MediaHTTP    bool // refers to media, keys or maps by plain HTTP
	References   int  // that were routed

	Target     time.Duration // EXT-X-TARGETDURATION; 0 when absent
	PartTarget time.Duration // of EXT-X-PART-INF; 0 when absent
	CanBlock   bool          // may be asked for with delivery directives, and waits
	CanSkip    bool          // may be asked for its changes alone
	End        bool          // has EXT-X-ENDLIST: it will not change
	VOD        bool          // EXT-X-PLAYLIST-TYPE:VOD

	// NextMSN is the media sequence number of the segment that is not whole
	// yet, and NextPart the number of its parts that are there.
	NextMSN  int64
	NextPart int
}
