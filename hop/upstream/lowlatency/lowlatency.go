// Package lowlatency parses the delivery directives of low-latency players, and
// decides how a hop answers each.
//
// A player names the segment or part that it wants next, and the response waits
// until that is published. Directives are judged by the last known playlist, so
// that only requests for what is about to come wait at an origin.
package lowlatency

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/shared/fault"
)

// Directives are the delivery directives of a low-latency player (RFC 8216bis
// 6.2.5). The zero value asks for the current playlist.
type Directives struct {
	Block bool   // wait until the playlist has a segment, or a part of it
	MSN   int64  // media sequence number of the segment
	Part  int32  // number of the part plus one; 0 asks for the whole segment
	Skip  string // "YES" or "v2" for a delta playlist; empty for the complete one
}

// Names of the parameters that carry directives.
const (
	msnParam  = "_HLS_msn"
	partParam = "_HLS_part"
	skipParam = "_HLS_skip"
)

// Parse parses the directives in a raw query. It ignores all other
// parameters, and unknown values of _HLS_skip. Its error is fault.ErrInvalid
// with the field "param".
func Parse(rawQuery string) (d Directives, err error) {
	if !strings.Contains(rawQuery, "_HLS_") {
		return Directives{}, nil
	}
	for pair := range strings.SplitSeq(rawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case msnParam:
			d.Block = true
			d.MSN, err = number(name, value, 19)
		case partParam:
			var part int64
			part, err = number(name, value, 4)
			d.Part = int32(part) + 1
		case skipParam:
			if value == "YES" || value == "v2" {
				d.Skip = value
			}
		}
		if err != nil {
			return Directives{}, err
		}
	}
	if d.Part > 0 && !d.Block {
		return Directives{}, invalid(partParam, errors.New("a part needs the number of its segment"))
	}
	return d, nil
}

// ErrTooFar means that directives ask for a segment or part that no player asks
// for in good faith: see TooFar.
var ErrTooFar = invalid(msnParam, errors.New("the segment is too far ahead of the playlist"))

// number parses a decimal number of at most digits digits.
func number(name, value string, digits int) (int64, error) {
	if len(value) == 0 || len(value) > digits || strings.Trim(value, "0123456789") != "" {
		return 0, invalid(name, fmt.Errorf("must be a number of 1 to %d digits", digits))
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, invalid(name, errors.New("the number is too large"))
	}
	return n, nil
}

func invalid(param string, cause error) error {
	return fault.ErrInvalid.Because(cause).With("param", param)
}

// Query returns the directives as they are appended to an address, with the
// separator before them; empty when there are none.
func (d Directives) Query(address string) string {
	if d == (Directives{}) {
		return ""
	}
	var b []byte
	separator := byte('?')
	if strings.Contains(address, "?") {
		separator = '&'
	}
	add := func(name string) {
		b = append(append(append(b, separator), name...), '=')
		separator = '&'
	}
	if d.Block {
		add(msnParam)
		b = strconv.AppendInt(b, d.MSN, 10)
	}
	if d.Part > 0 {
		add(partParam)
		b = strconv.AppendInt(b, int64(d.Part-1), 10)
	}
	if d.Skip != "" {
		add(skipParam)
		b = append(b, d.Skip...)
	}
	return string(b)
}

// A Verdict is how directives are answered.
type Verdict int

// The verdicts.
const (
	Ignored   Verdict = iota // with the current playlist, which does not support them
	Available                // from the cache
	Upcoming                 // by a request that waits at the origin
	TooFar                   // with an error: no player asks for it in good faith
)

// Judge decides how directives are answered, from the info of the last
// playlist. How far ahead a player may ask follows RFC 8216bis 6.2.5.2: up to
// the second segment from now, and up to the parts of the next second.
func (d Directives) Judge(known playlist.Info) Verdict {
	next := known.NextMSN
	switch {
	case !known.Media || known.End || !known.CanBlock || d == Directives{}:
		return Ignored
	case !d.Block:
		return Upcoming
	case d.MSN < next, d.MSN == next && 0 < d.Part && int(d.Part) <= known.NextPart:
		return Available
	case d.MSN > next+1, d.MSN == next+1 && int(d.Part) > advance(known.PartTarget)+1,
		d.MSN == next && int(d.Part) > known.NextPart+advance(known.PartTarget):
		return TooFar
	}
	return Upcoming
}

// Lanes of waiting requests. Players that follow a playlist ask for its next
// part, whole or as a delta. Requests for anything further use a lane of
// their own and cannot hold up the others.
const (
	NextLane = iota
	NextSkipLane
	NextSkipV2Lane
	FurtherLane
	Lanes // how many there are
)

// Lane returns the lane for d, from the info of the last playlist.
func (d Directives) Lane(known playlist.Info) int {
	part := 0 // a playlist without parts grows by segments
	if known.PartTarget > 0 {
		part = known.NextPart + 1
	}
	switch {
	case d.MSN != known.NextMSN || int(d.Part) != part:
		return FurtherLane
	case d.Skip == "YES":
		return NextSkipLane
	case d.Skip == "v2":
		return NextSkipV2Lane
	}
	return NextLane
}

// advance returns how many parts ahead of the last one a player may ask:
// those of three seconds, at least 3 and at most 100.
func advance(part time.Duration) int {
	const least = 3
	if part <= 0 || part >= time.Second {
		return least
	}
	return int(min(least*time.Second/part+1, 100))
}
