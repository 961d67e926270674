package upstream

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/shared/fault"
)

// Directives are what a low-latency player asks of a playlist, besides that it
// be the last one. The zero value asks for nothing.
type Directives struct {
	Block bool   // until the playlist has a segment, or a part of it
	MSN   int64  // the segment's media sequence number
	Part  int32  // one more than the number of the part; 0 asks for the whole segment
	Skip  string // "YES" or "v2" for the changes alone; empty for all of it
}

// Names of the parameters that carry directives.
const (
	msnParam  = "_HLS_msn"
	partParam = "_HLS_part"
	skipParam = "_HLS_skip"
)

// ParseDirectives reads the directives in a raw query. All other parameters
// are passed over, and so is a way to skip that is not known. The error is
// fault.ErrInvalid with the field "param".
func ParseDirectives(rawQuery string) (d Directives, err error) {
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
		return Directives{}, invalid(partParam, errors.New("a part without its segment"))
	}
	return d, nil
}

// number reads a decimal number of at most so many digits.
func number(name, value string, digits int) (int64, error) {
	if len(value) == 0 || len(value) > digits || strings.Trim(value, "0123456789") != "" {
		return 0, invalid(name, fmt.Errorf("no number of 1 to %d digits", digits))
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

// query returns the directives as they are appended to an address, with the
// character that comes before them; empty when there are none.
func (d Directives) query(address string) string {
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

// A verdict says how directives are met.
type verdict int

// The verdicts.
const (
	plain  verdict = iota // by the playlist itself, which cannot do what they ask or need not
	there                 // by what is known already
	ahead                 // by waiting for the origin
	beyond                // not: nobody asks for that in good faith
)

// judge says how directives are met, by what is known of a playlist. How far
// ahead a player may ask is what the specification of the protocol allows
// (6.2.5.2): the second segment from now, and parts of the next second.
func (d Directives) judge(known playlist.Info) verdict {
	next := known.NextMSN
	switch {
	case !known.Media || known.End || !known.CanBlock || d == Directives{}:
		return plain
	case !d.Block:
		return ahead
	case d.MSN < next, d.MSN == next && 0 < d.Part && int(d.Part) <= known.NextPart:
		return there
	case d.MSN > next+1, d.MSN == next+1 && int(d.Part) > advance(known.PartTarget)+1,
		d.MSN == next && int(d.Part) > known.NextPart+advance(known.PartTarget):
		return beyond
	}
	return ahead
}

// Lanes of requests that wait. Players that follow a playlist ask for what
// comes next, in one way or another. Whoever asks for more has a lane apart, and
// so cannot be in their way.
const (
	nextLane = iota
	nextSkipLane
	nextSkipV2Lane
	furtherLane
	lanes
)

// lane returns the lane for d, by what is known of a playlist.
func (d Directives) lane(known playlist.Info) int {
	part := 0 // a playlist without parts grows by segments
	if known.PartTarget > 0 {
		part = known.NextPart + 1
	}
	switch {
	case d.MSN != known.NextMSN || int(d.Part) != part:
		return furtherLane
	case d.Skip == "YES":
		return nextSkipLane
	case d.Skip == "v2":
		return nextSkipV2Lane
	}
	return nextLane
}

// advance returns how many parts ahead of the last one a player may ask.
func advance(part time.Duration) int {
	const least = 3
	if part <= 0 || part >= time.Second {
		return least
	}
	return int(min(least*time.Second/part+1, 100))
}
