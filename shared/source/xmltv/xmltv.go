// Package xmltv parses guides in XMLTV format, as a stream and in bounded
// memory.
//
// The format is the XMLTV project's DTD, with the variations found in
// practice: only files that cannot be parsed to their end are refused.
// Document type declarations are skipped, so no entity that a file declares
// is expanded and nothing outside of the file is fetched.
package xmltv

import (
	"fmt"
	"io"
	"time"

	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/xmltv/markup"
	"miramundo.dev/shared/source/xmltv/packing"
)

// A Channel is a channel as described by a guide.
type Channel struct {
	ID    string
	Names []string // display names, in the order of the file, at most MaxNames
	Icon  string   // address of its logo; empty when there is none
}

// A Programme is one entry of a guide.
type Programme struct {
	Channel  string    // the id of a channel, which the file need not describe, or only later
	Start    time.Time // UTC
	Stop     time.Time // UTC; zero when the file does not say, or says more than MaxLength. It may be before Start
	Title    string    // at most MaxTitle characters, cut as Desc is
	Desc     string    // at most MaxDesc characters, whole words, with an ellipsis where it was cut
	Category string    // at most MaxTitle characters
	Language string    // of the title, as the file writes it; empty when it does not say
}

// Limits of stored texts, in characters.
const (
	MaxDesc  = 300 // of a description
	MaxTitle = 200 // of a title, a category, a name of a channel
	MaxID    = 200 // of the id of a channel; what has a longer one makes no sense
)

// Bounds of a file. Those of single elements cut them or leave them out, the
// others end the reading.
const (
	MaxBytes      = 2 << 30         // of the file, unpacked, unless Options say otherwise
	MaxDepth      = markup.MaxDepth // elements within each other
	MaxText       = markup.MaxPart  // bytes of the text of an element; what follows is left out
	MaxTag        = markup.MaxTag   // bytes of one tag, or of the declaration of the document type
	MaxNames      = 20              // names of a channel
	MaxChannels   = 500_000         // channels
	MaxProgrammes = 20_000_000      // programmes
)

// MaxLength is the longest duration that is believed. A longer programme is
// treated as having no stop time.
const MaxLength = 48 * time.Hour

// What is wrong with a guide as a whole, besides [source.ErrEmpty],
// [source.ErrForm] and [source.ErrTruncated].
var (
	ErrTooLarge = packing.ErrTooLarge
	ErrEncoding = packing.ErrEncoding
	ErrPacking  = packing.ErrPacking
	ErrDeep     = markup.ErrDeep
	ErrTag      = markup.ErrTag
	ErrTooMany  = fmt.Errorf("the guide holds more than %d channels or %d programmes", MaxChannels, MaxProgrammes)
)

// Options control how a file is read.
type Options struct {
	Location *time.Location // of times without a zone; nil is UTC, as the DTD says
	Language string         // of the texts to prefer where there are several, as ISO 639-1; empty takes the first
	MaxBytes int64          // of the file, packed or unpacked; 0 is 2 GiB

	// Check, if not nil, is called before each read of unpacked text, at most
	// 64 KiB; its error ends reading. It bounds the time that a file takes, since
	// a few packed bytes may hold hours of text.
	Check func() error

	// From and To leave out programmes that do not overlap [From, To); a zero
	// is no bound. A programme without a stop time may last for MaxLength.
	From, To time.Time

	// Wants reports whether programmes of a channel are wanted; nil wants
	// all. It is called for each programme, and may keep the id.
	Wants func(channel string) bool
}

// Read parses a guide from r, plain or compressed with gzip or xz, and passes
// each channel and programme to the functions, in file order. The structs are
// overwritten afterwards; their strings may be kept. An error of a function
// ends reading.
//
// An element that makes no sense is skipped and counted: a channel without an
// id, or a programme without a channel, title or start time. Elements left
// out by Options count as read. A file that is not XMLTV, is truncated or is
// over the bounds is an error; what was passed on before must not be used,
// since it may be half a day.
func Read(r io.Reader, o Options, channel func(*Channel) error, programme func(*Programme) error) (source.Count, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = MaxBytes
	}
	text, err := packing.Open(r, o.MaxBytes)
	if err != nil {
		return source.Count{}, err
	}
	if o.Check != nil {
		text = &checked{text, o.Check}
	}
	g := newReader(text, o, channel, programme)
	err = g.document()
	return g.count, err
}

// A checked reader fails when check does.
type checked struct {
	r     io.Reader
	check func() error
}

// Read calls check and reads at most 64 KiB.
func (c *checked) Read(p []byte) (int, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	return c.r.Read(p[:min(len(p), packing.BufferSize)])
}
