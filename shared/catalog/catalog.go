// Package catalog defines channels, stations and streams: as the register
// stores them and as the interface shows them.
//
// The packages below it build the register from the sources (build), lay it
// out in columns (snapshot), index it for searches (index), and publish, load
// and replace it (release). The structs of register.go are stored and may
// change with the format of a snapshot; those of wire.go are the contract with
// callers and may only gain fields.
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
	ErrNotLoaded = fault.New(fault.Unavailable, "catalog_unavailable").With("reason", string(fault.Starting)) // no snapshot is loaded yet
)

// StationPrefix begins the ids of radio stations, before the source's uuid.
const StationPrefix = "rb."

// StaleAfter is the age from which the catalog is stale: it no longer reports
// which channels are online, and health reports the staleness.
const StaleAfter = 48 * time.Hour

// A Kind is the kind of a record: TV channel or radio station.
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

// A StreamID identifies a stream for as long as its channel, feed and source
// stay the same, also when its URL changes: callers may store it. It is written
// as "s_" and 13 characters of base32, in an alphabet without i, l, o and u,
// which are easily misread. Zero is never the id of a stream.
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

// ParseStreamID parses the text that String returns. It reports false for any
// other text: an id has exactly one spelling, so that it can be a cache key.
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

// CountryCode returns a country code as the catalog stores it: in upper case,
// and GB for the United Kingdom, which one of the sources calls UK. It does not
// check that the country exists.
func CountryCode(s string) string {
	s = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A' // not ToUpper, which also turns the dotless ı into I
		}
		return r
	}, strings.TrimSpace(s))
	if s == "UK" {
		return "GB"
	}
	return s
}
