package playlist

import (
	"bytes"
	"time"

	"miramundo.dev/hop/playlist/reference"
)

// This file collects Info from tags, and weakens EXT-X-SERVER-CONTROL. Values
// are read as leniently as players read them.

// maxNumber bounds sequence numbers, so that sums of them do not overflow.
const maxNumber = 1 << 61

// number parses a decimal integer, and ignores what follows it, as players
// do. Larger numbers become maxNumber.
func number(b []byte) int64 {
	n := int64(0)
	for _, c := range trimLeft(b) {
		if c < '0' || c > '9' {
			break
		}
		if n >= maxNumber/10 {
			return maxNumber
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// maxSeconds bounds durations.
const maxSeconds = 1_000_000

// seconds parses a decimal number of seconds. It returns 0 for a negative
// number or more than maxSeconds.
func seconds(b []byte) time.Duration {
	whole, fraction, _ := bytes.Cut(b, []byte("."))
	n := number(whole)
	if n > maxSeconds {
		return 0
	}
	d, unit := time.Duration(n)*time.Second, time.Second
	for _, c := range fraction {
		if c < '0' || c > '9' {
			break
		}
		unit /= 10
		d += time.Duration(c-'0') * unit
	}
	return d
}

func (r *rewriter) target(list []byte) error {
	if r.info.Target == 0 {
		r.info.Target = seconds(list)
	}
	return nil
}

func (r *rewriter) partInf(list []byte) error {
	if r.info.PartTarget == 0 {
		r.info.PartTarget = partTarget(list)
	}
	return nil
}

func partTarget(list []byte) time.Duration {
	v, _ := find(list, "PART-TARGET")
	return seconds(v)
}

func (r *rewriter) sequence(list []byte) error {
	r.info.NextMSN += number(list)
	r.info.NextMSN = min(r.info.NextMSN, maxNumber)
	return nil
}

// skip adds the segments that a delta playlist leaves out.
func (r *rewriter) skip(list []byte) error {
	v, _ := find(list, "SKIPPED-SEGMENTS")
	r.info.NextMSN += min(number(v), maxNumber)
	r.info.NextMSN = min(r.info.NextMSN, 2*maxNumber)
	return nil
}

// passSegment counts a segment, if an EXTINF announced one.
func (r *rewriter) passSegment() {
	if r.segment {
		r.segment = false
		r.info.NextMSN++
		r.info.NextPart = 0
	}
}

func (r *rewriter) part([]byte) error {
	r.info.NextPart++
	return nil
}

func (r *rewriter) playlistType(list []byte) error {
	r.info.VOD = string(reference.Trim(list)) == "VOD"
	return nil
}

func (r *rewriter) end([]byte) error {
	r.info.End = true
	return nil
}

// serverControl drops CAN-BLOCK-RELOAD=YES from a list when requests would be
// held for longer than the hop waits. Players then poll.
func (r *rewriter) serverControl(list []byte) error {
	if _, ok := find(list, "CAN-SKIP-UNTIL"); ok {
		r.info.CanSkip = true
	}
	can, _ := find(list, canBlock)
	if string(can) != "YES" {
		r.writeText(list)
		return nil
	}
	if r.mayBlock() {
		r.info.CanBlock = true
		r.writeText(list)
		return nil
	}
	done, first := 0, true
	for a, ok := next(list, 0); ok; a, ok = next(list, a.to) {
		if !a.is(list, canBlock) {
			if !first {
				r.dst = append(r.dst, ',')
			}
			r.writeText(list[max(a.name, done):a.to])
			first = false
		}
		done = a.to
	}
	return nil
}

const canBlock = "CAN-BLOCK-RELOAD"

// mayBlock reports whether requests for the playlist may be held. A request
// for a part waits for up to three parts; one for a segment waits for up to a
// target duration plus the time to publish it, at most a third of that.
func (r *rewriter) mayBlock() bool {
	if !r.blockChecked {
		r.blockChecked, r.blockAllowed = true, r.blocksInTime()
	}
	return r.blockAllowed
}

func (r *rewriter) blocksInTime() bool {
	if part := partTarget(r.findTag("#EXT-X-PART-INF:")); part > 0 {
		return 3*part <= r.o.MaxBlock
	}
	target := seconds(r.findTag("#EXT-X-TARGETDURATION:"))
	return target > 0 && 4*target <= 3*r.o.MaxBlock
}

// findTag returns the rest of the first line that begins with name, wherever
// it stands: the order of a playlist's first tags is free.
func (r *rewriter) findTag(name string) []byte {
	for from := 0; ; {
		i := bytes.Index(r.src[from:], []byte(name))
		if i < 0 {
			return nil
		}
		from += i
		above := bytes.TrimRight(r.src[:from], " \t")
		from += len(name)
		if n := len(above); n > 0 && (above[n-1] == '\n' || above[n-1] == '\r') {
			return firstLine(r.src[from:])
		}
	}
}

func firstLine(b []byte) []byte {
	if i := bytes.IndexAny(b, "\r\n"); i >= 0 {
		return b[:i]
	}
	return b
}
