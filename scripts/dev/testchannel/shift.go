package testchannel

import (
	"bytes"
	"encoding/binary"
)

// Sizes and marks of an MPEG transport stream, ISO/IEC 13818-1.
const (
	packetSize     = 188
	ticksPerSecond = 90_000
	clockMask      = 1<<33 - 1 // timestamps wrap after 26.5 hours
)

// counts are how many packets with payload a stream has, by their id.
type counts [1 << 13]int64

func (c *counts) add(stream []byte) {
	for p := range packets(stream) {
		if p[3]&0x10 != 0 {
			c[id(p)]++
		}
	}
}

// times returns the counts of n repetitions.
func (c counts) times(n int64) *counts {
	for i := range c {
		c[i] *= n
	}
	return &c
}

// packets yields the packets of a stream.
func packets(stream []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for ; len(stream) >= packetSize; stream = stream[packetSize:] {
			if !yield(stream[:packetSize:packetSize]) {
				return
			}
		}
	}
}

func id(p []byte) uint16 { return binary.BigEndian.Uint16(p[1:]) & 0x1fff }

// shifted returns a copy of stream, later by ticks of 1/90000 s, as if the
// packets in before had been sent ahead of it.
func shifted(stream []byte, ticks uint64, before *counts) []byte {
	stream = bytes.Clone(stream)
	for p := range packets(stream) {
		counter := int64(p[3]&0x0f) + before[id(p)]
		p[3] = p[3]&0xf0 | byte(counter&0x0f)
		payload := p[4:]
		if p[3]&0x20 != 0 { // an adaptation field comes first
			field := p[5 : 5+p[4]]
			payload = p[5+p[4]:]
			if len(field) >= 7 && field[0]&0x10 != 0 {
				shiftReference(field[1:6], ticks)
			}
		}
		if p[1]&0x40 != 0 && p[3]&0x10 != 0 {
			shiftTimestamps(payload, ticks)
		}
	}
	return stream
}

// shiftReference shifts a program clock reference: 33 bits of ticks, and then
// a fraction that stays.
func shiftReference(b []byte, ticks uint64) {
	base := uint64(binary.BigEndian.Uint32(b))<<1 | uint64(b[4]>>7)
	base = (base + ticks) & clockMask
	binary.BigEndian.PutUint32(b, uint32(base>>1))
	b[4] = b[4]&0x7f | byte(base&1)<<7
}

// shiftTimestamps shifts those at the head of a packet of a picture or sound;
// a payload that begins otherwise is a table, and has none.
func shiftTimestamps(payload []byte, ticks uint64) {
	if len(payload) < 19 || !bytes.HasPrefix(payload, []byte{0, 0, 1}) {
		return
	}
	if payload[7]&0x80 != 0 {
		shiftTimestamp(payload[9:14], ticks)
	}
	if payload[7]&0x40 != 0 {
		shiftTimestamp(payload[14:19], ticks)
	}
}

// shiftTimestamp shifts 33 bits that are spread over 5 bytes, in parts of 3,
// 15 and 15 with a marker bit after each.
func shiftTimestamp(b []byte, ticks uint64) {
	t := uint64(b[0]>>1&7)<<30 | uint64(binary.BigEndian.Uint16(b[1:])>>1)<<15 | uint64(binary.BigEndian.Uint16(b[3:])>>1)
	t = (t + ticks) & clockMask
	b[0] = b[0]&0xf1 | byte(t>>30)<<1
	binary.BigEndian.PutUint16(b[1:], uint16(t>>15)<<1|1)
	binary.BigEndian.PutUint16(b[3:], uint16(t)<<1|1)
}
