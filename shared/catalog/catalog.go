// Package catalog knows what a channel, a station and a stream are: as the
// register keeps them and as the interface shows them.
//
// The packages below it make the register from the sources (build), turn it
// into an index that answers searches (index), and publish, load and swap it
// (release).
package catalog

import (
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
)

// Faults of the catalog.
var (
	ErrNoChannel = fault.New(fault.NotFound, "channel_not_found")
	ErrNoStream  = fault.New(fault.NotFound, "stream_not_found")
	ErrNotLoaded = fault.New(fault.Unavailable, "catalog_unavailable") // no snapshot is loaded yet
)

// StaleAfter is the age of the catalog from which it is stale: it no longer says
// who is online, and health says so.
const StaleAfter = 48 * time.Hour

// A Kind is what a record is: a TV channel or a radio station.
type Kind uint8

// The kinds of records.
const (
	TV Kind = iota
	Station
)

// String returns k as the interface writes it.
func (k Kind) String() string {
	if k == Station {
		return "radio"
	}
	return "tv"
}

// MarshalText returns k as the interface writes it.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// The kinds of streams.
const (
	StreamHLS      = "hls"
	StreamDASH     = "dash"
	StreamTS       = "ts"
	StreamFLV      = "flv"
	StreamAudio    = "audio"
	StreamYouTube  = "youtube"
	StreamExternal = "externo" // RTMP, RTSP and their like
)

// A StreamID names a stream for as long as its channel, feed and source stay
// the same. It is written as "s_" and 13 letters and digits.
type StreamID uint64

var streamEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

const streamPrefix = "s_"

// String returns id as the interface writes it.
func (id StreamID) String() string { return string(id.Append(nil)) }

// Append adds id, as the interface writes it, to dst.
func (id StreamID) Append(dst []byte) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(id))
	return streamEncoding.AppendEncode(append(dst, streamPrefix...), b[:])
}

// ParseStreamID reads what String wrote. It reports false for anything else.
func ParseStreamID(s string) (StreamID, bool) {
	rest, ok := strings.CutPrefix(s, streamPrefix)
	if !ok || len(rest) != 13 {
		return 0, false
	}
	var b [10]byte
	n, err := streamEncoding.Decode(b[:], []byte(rest))
	if err != nil || n != 8 {
		return 0, false
	}
	id := StreamID(binary.BigEndian.Uint64(b[:8]))
	return id, id.String() == s
}

// CountryCode returns a country code as the catalog has it: in upper case, and
// GB for the United Kingdom, which one of the sources calls UK. It does not
// say whether there is such a country.
func CountryCode(s string) string {
	s = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A' // not ToUpper, which makes I of letters that are none of ISO's
		}
		return r
	}, strings.TrimSpace(s))
	if s == "UK" {
		return "GB"
	}
	return s
}
