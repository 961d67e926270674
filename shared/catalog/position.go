package catalog

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Position is the older name of a stream, from before streams had ids of
// their own: the n-th of its channel, feed and source. Requests may still use it. It is written as
//
//	<source>:<channel>[@<feed>]:<n>
//
// such as "iptv-org:Aurora.br@SD:0", where source is the provenance that the
// interface calls origem, n counts from 0, and a stream that serves no feed in
// particular lacks the "@" part. A source contains no colon, and a feed neither
// colon nor "@"; a channel id may contain both, so that parsing takes the
// source from the left and the other parts from the right.
type Position struct {
	Origin, Channel, Feed string
	N                     int
}

// MaxStreamName is the longest text that may name a stream, in bytes: a
// position of which no channel id, feed or source is longer than 128.
const MaxStreamName = 3*128 + 8

// String returns p in the form that ParsePosition parses.
func (p Position) String() string {
	if p.Feed == "" {
		return p.Origin + ":" + p.Channel + ":" + strconv.Itoa(p.N)
	}
	return p.Origin + ":" + p.Channel + "@" + p.Feed + ":" + strconv.Itoa(p.N)
}

// ParsePosition parses the text that String returns. It reports false for any
// other text.
func ParsePosition(s string) (Position, bool) {
	if len(s) > MaxStreamName || !utf8.ValidString(s) {
		return Position{}, false
	}
	origin, rest, ok := strings.Cut(s, ":")
	end := strings.LastIndexByte(rest, ':')
	if !ok || end < 0 {
		return Position{}, false
	}
	p := Position{Origin: origin, Channel: rest[:end]}
	n, ok := ordinal(rest[end+1:])
	if at := strings.LastIndexByte(p.Channel, '@'); at >= 0 {
		p.Channel, p.Feed = p.Channel[:at], p.Channel[at+1:]
		ok = ok && p.Feed != ""
	}
	if !ok || p.Origin == "" || p.Channel == "" {
		return Position{}, false
	}
	p.N = n
	return p, true
}

// ordinal parses a number of up to five digits without leading zeros, so that
// each position has one spelling.
func ordinal(s string) (int, bool) {
	if s == "" || len(s) > 5 || strings.Trim(s, "0123456789") != "" || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
