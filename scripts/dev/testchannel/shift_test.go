package testchannel

import (
	"encoding/binary"
	"testing"
	"time"
)

// A reader follows a transport stream as a player does.
type reader struct {
	t        *testing.T
	counters map[uint16]byte
	decode   map[uint16]uint64 // the last decoding timestamp of each stream
	clock    uint64            // the last clock reference
	started  bool
}

// TestNoSeams plays three loops, once at today's date and once across the wrap
// of the 33-bit timestamps: counters, clock and timestamps go on everywhere.
func TestNoSeams(t *testing.T) {
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	const period = clockMask + 1                                             // ticks
	wrap := start.Unix() * ticksPerSecond / period * period / ticksPerSecond // in Unix seconds
	for name, first := range map[string]int64{
		"today":            edge(start),
		"across the wrap":  edge(time.Unix(wrap, 0)) - 12,
		"the first of all": 0,
	} {
		t.Run(name, func(t *testing.T) {
			r := &reader{t: t, counters: map[uint16]byte{}, decode: map[uint16]uint64{}}
			for n := first; n < first+24; n++ {
				for p := range packets(c.segment(n)) {
					r.packet(n, p)
				}
			}
			if len(r.decode) != 2 {
				t.Errorf("found %d streams with timestamps, want a picture and a sound", len(r.decode))
			}
		})
	}
}

func (r *reader) packet(n int64, p []byte) {
	pid := binary.BigEndian.Uint16(p[1:]) & 0x1fff
	payload := p[4:]
	if p[3]&0x10 != 0 {
		if last, ok := r.counters[pid]; ok && p[3]&15 != (last+1)&15 {
			r.t.Fatalf("segment %d: stream %d counts %d after %d", n, pid, p[3]&15, last)
		}
		r.counters[pid] = p[3] & 15
	}
	if p[3]&0x20 != 0 {
		if p[4] > 0 && p[5]&0x10 != 0 {
			r.reference(n, uint64(p[6])<<25|uint64(p[7])<<17|uint64(p[8])<<9|uint64(p[9])<<1|uint64(p[10])>>7)
		}
		payload = p[5+p[4]:]
	}
	if p[1]&0x40 != 0 && payload[0] == 0 && payload[1] == 0 && payload[2] == 1 {
		r.header(n, pid, payload)
	}
}

// reference checks that the clock runs on, by no more than the 100 ms that the
// standard allows between references.
func (r *reader) reference(n int64, clock uint64) {
	if step := (clock - r.clock) & clockMask; r.started && (step == 0 || step > ticksPerSecond/10) {
		r.t.Fatalf("segment %d: the clock goes from %d to %d", n, r.clock, clock)
	}
	r.clock, r.started = clock, true
}

// header checks that decoding timestamps follow each other: 40 ms for each
// picture, and for the sound as many frames as a packet may hold.
func (r *reader) header(n int64, pid uint16, b []byte) {
	show := stamp(b[9:])
	decode := show
	if b[7]&0x40 != 0 {
		decode = stamp(b[14:])
	}
	last, ok := r.decode[pid]
	step := (decode - last) & clockMask
	picture := b[3] >= 0xe0
	if ok && picture && step != 3600 || ok && !picture && (step == 0 || step%1920 != 0 || step > ticksPerSecond) {
		r.t.Fatalf("segment %d: stream %d is decoded %d ticks after %d", n, pid, step, last)
	}
	if (show-decode)&clockMask > ticksPerSecond {
		r.t.Fatalf("segment %d: stream %d is shown long after it is decoded", n, pid)
	}
	r.decode[pid] = decode
}

// stamp reads a timestamp bit by bit, and its marker bits with it.
func stamp(b []byte) uint64 {
	var bits uint64
	for _, x := range b[:5] {
		bits = bits<<8 | uint64(x)
	}
	if bits&1 != 1 || bits>>16&1 != 1 || bits>>32&1 != 1 {
		return 1 << 40 // no marker: no step will fit
	}
	return bits>>33&7<<30 | bits>>17&0x7fff<<15 | bits>>1&0x7fff
}
