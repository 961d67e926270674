package liveorigin

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// partsEach is how many parts a segment has.
const partsEach = int(segmentLength / partLength)

// Of a low-latency playlist, in segments.
const (
	lowShown     = 10 // in the playlist
	lowWithParts = 3  // of the last whole ones are shown in parts too
	lowSkippable = 6  // stay when a player asks to skip the older ones
)

// A lowLatency is a live rendition in parts, which can be asked for before
// they are there.
type lowLatency struct {
	fragments
	start time.Time // when the first lowShown segments were there
	now   func() time.Time
}

// edge returns how many parts there are.
func (l *lowLatency) edge() int {
	n := lowShown*partsEach + int(l.now().Sub(l.start)/partLength)
	return min(n, len(l.parts))
}

// errAhead is for a request for what is far ahead.
var errAhead = errors.New("more than two segments ahead")

// await returns when there are more than n parts, or fails: with errAhead when
// that is far off, or as ctx.
func (l *lowLatency) await(ctx context.Context, n int) error {
	edge := l.edge()
	if n >= edge+2*partsEach || n >= len(l.parts) {
		return errAhead
	}
	if n < edge {
		return nil
	}
	due := l.start.Add(time.Duration(n+1-lowShown*partsEach) * partLength)
	select {
	case <-time.After(due.Sub(l.now())):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// playlist returns what is shown now: without its older segments when skip is
// asked for, and with word of another rendition.
func (l *lowLatency) playlist(skip bool, other string) []byte {
	edge := l.edge()
	whole, first := edge/partsEach, max(0, edge/partsEach-lowShown)
	target := segmentLength.Seconds()
	b := fmt.Appendf(nil, "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:%d\n", int(target))
	b = fmt.Appendf(b, "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=%.1f,CAN-SKIP-UNTIL=%.1f\n", 3*partLength.Seconds(), lowSkippable*target)
	b = fmt.Appendf(b, "#EXT-X-PART-INF:PART-TARGET=%.1f\n#EXT-X-MEDIA-SEQUENCE:%d\n", partLength.Seconds(), first)
	from := first
	if kept := whole - lowSkippable; skip && kept > first {
		b = fmt.Appendf(b, "#EXT-X-SKIP:SKIPPED-SEGMENTS=%d\n", kept-first)
		from = kept
	} else {
		b = append(b, "#EXT-X-MAP:URI=\"init.mp4\"\n"...)
	}
	for n := from; n < whole; n++ {
		b = l.appendSegment(b, n, n >= whole-lowWithParts)
	}
	if edge > whole*partsEach {
		b = appendParts(l.appendDate(b, whole), whole*partsEach, edge)
	}
	if edge < len(l.parts) {
		b = fmt.Appendf(b, "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"part%d.m4s\"\n", edge)
		last := edge - 1
		return fmt.Appendf(b, "#EXT-X-RENDITION-REPORT:URI=\"%s\",LAST-MSN=%d,LAST-PART=%d\n", other, last/partsEach, last%partsEach)
	}
	return append(b, "#EXT-X-ENDLIST\n"...)
}

// appendSegment writes a whole segment.
func (l *lowLatency) appendSegment(b []byte, n int, inParts bool) []byte {
	b = l.appendDate(b, n)
	if inParts {
		b = appendParts(b, n*partsEach, (n+1)*partsEach)
	}
	return fmt.Appendf(b, "#EXTINF:%.3f,\nseg%d.m4s\n", segmentLength.Seconds(), n)
}

// appendDate writes when segment n was recorded.
func (l *lowLatency) appendDate(b []byte, n int) []byte {
	at := l.start.Add(time.Duration(n-lowShown) * segmentLength).UTC()
	return fmt.Appendf(b, "#EXT-X-PROGRAM-DATE-TIME:%s\n", at.Format("2006-01-02T15:04:05.000Z"))
}

func appendParts(b []byte, from, to int) []byte {
	for n := from; n < to; n++ {
		b = fmt.Appendf(b, "#EXT-X-PART:DURATION=%.3f,URI=\"part%d.m4s\"", partLength.Seconds(), n)
		if n%partsEach == 0 {
			b = append(b, ",INDEPENDENT=YES"...)
		}
		b = append(b, '\n')
	}
	return b
}
