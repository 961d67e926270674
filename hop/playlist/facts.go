package playlist

import (
	"bytes"
	"time"

	"miramundo.dev/hop/playlist/reference"
)

// maxNumber bounds the sequence numbers that are understood, so that sums of
// them do not overflow.
const maxNumber = 1 << 61

// number reads a decimal integer. What follows it is ignored, as players do;
// a larger one than maxNumber is maxNumber.
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

// maxSeconds bounds the durations that are understood.
const maxSeconds = 1_000_000

// seconds reads a decimal number of seconds. A negative one, and more than
// maxSeconds, is none.
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

// skip counts the segments that the player has already.
func (r *rewriter) skip(list []byte) error {
	v, _ := find(list, "SKIPPED-SEGMENTS")
	r.info.NextMSN += min(number(v), maxNumber)
	r.info.NextMSN = min(r.info.NextMSN, 2*maxNumber)
	return nil
}

// passSegment counts a segment, if a line has announced one.
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

// serverControl writes a list without CAN-BLOCK-RELOAD=YES when a request
// would be held back for longer than the hop waits. Players then poll.
func (r *rewriter) serverControl(list []byte) error {
	if _, ok := find(list, "CAN-SKIP-UNTIL"); ok {
		r.info.CanSkip = true
	}
	can, _ := find(list, canBlock)
	if string(can) != "YES" {
		r.text(list)
		return nil
	}
	if r.mayBlock() {
		r.info.CanBlock = true
		r.text(list)
		return nil
	}
	done, first := 0, true
	for a, ok := next(list, 0); ok; a, ok = next(list, a.to) {
		if !a.is(list, canBlock) {
			if !first {
				r.dst = append(r.dst, ',')
			}
			r.text(list[max(a.name, done):a.to])
			first = false
		}
		done = a.to
	}
	return nil
}

const canBlock = "CAN-BLOCK-RELOAD"

// mayBlock reports whether a request for the playlist may be held back. One
// for a part waits for up to three parts; one for a segment, for up to a target
// duration and what it takes to publish it, a third of that at most.
func (r *rewriter) mayBlock() bool {
	if !r.asked {
		r.asked, r.block = true, r.inTime()
	}
	return r.block
}

func (r *rewriter) inTime() bool {
	if part := partTarget(r.header("#EXT-X-PART-INF:")); part > 0 {
		return 3*part <= r.o.MaxBlock
	}
	target := seconds(r.header("#EXT-X-TARGETDURATION:"))
	return target > 0 && 4*target <= 3*r.o.MaxBlock
}

// header returns the rest of the first line that begins with name, wherever it
// stands: the order of a playlist's first tags is free.
func (r *rewriter) header(name string) []byte {
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
