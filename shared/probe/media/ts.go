package media

import (
	"bytes"
	"encoding/binary"
)

// A transport stream has no header: packets of 188 bytes repeat, each with the
// number (PID) of the stream that it carries. The data may begin in the middle of
// a packet, so parsing first finds a run of packets. Two passes follow: the first
// looks for a program map, which lists the streams; the second reads the streams
// and the clocks. Damaged packets are skipped.

// Transport streams, ISO/IEC 13818-1 §2.4.
const (
	packetSize = 188
	syncByte   = 0x47
	nullPID    = 0x1fff
	minRun     = 5 // packets that must follow each other to be believed
)

// strides are the distances between packets: plain, with a time before each
// as recorders write them, and with a checksum behind each.
var strides = []int{packetSize, 192, 204}

// A packet is a transport stream packet.
type packet []byte

func (p packet) pid() uint16        { return binary.BigEndian.Uint16(p[1:]) & 0x1fff }
func (p packet) starts() bool       { return p[1]&0x40 != 0 } // a unit of what it carries
func (p packet) damaged() bool      { return p[1]&0x80 != 0 }
func (p packet) scrambled() bool    { return p[3]&0xc0 != 0 }
func (p packet) adapted() bool      { return p[3]&0x20 != 0 && p[4] > 0 } // it has an adaptation field
func (p packet) discontinued() bool { return p.adapted() && p[5]&0x80 != 0 }
func (p packet) key() bool          { return p.adapted() && p[5]&0x40 != 0 }

// payload returns the payload of the packet.
func (p packet) payload() []byte {
	from := 4
	if p[3]&0x20 != 0 {
		from += 1 + int(p[4])
	}
	if p[3]&0x10 == 0 || from >= packetSize {
		return nil
	}
	return p[from:]
}

// pcr returns the programme clock reference of the packet, in 90 kHz.
func (p packet) pcr() (uint64, bool) {
	if !p.adapted() || p[5]&0x10 == 0 || p[4] < 7 {
		return 0, false
	}
	return uint64(binary.BigEndian.Uint32(p[6:]))<<1 | uint64(p[10]>>7), true
}

// packets calls f with each packet of data and its position. After an
// interruption it continues with the next run of packets.
func packets(data []byte, f func(at int, p packet) (more bool)) {
	at, stride := syncTS(data)
	for at >= 0 && at+packetSize <= len(data) {
		p := packet(data[at : at+packetSize])
		if p[0] == syncByte {
			if !p.damaged() && !f(at, p) {
				return
			}
			at += stride
			continue
		}
		next, other := syncTS(data[at:])
		if next < 0 {
			return
		}
		at, stride = at+next, other
	}
}

// syncTS returns the position of the first run of packets, or -1, and the
// distance between packets.
func syncTS(data []byte) (at, stride int) {
	for at := range min(len(data), searchLimit) {
		if data[at] != syncByte {
			continue
		}
		for _, stride := range strides {
			if isRun(data[at:], stride) {
				return at, stride
			}
		}
	}
	return -1, 0
}

// HasPackets reports whether data has a run of transport stream packets near its
// beginning. Read finds nothing in such data as long as no header of a stream is
// among them.
func HasPackets(data []byte) bool {
	at, stride := syncTS(data)
	return at >= 0 && len(data) >= at+minRun*stride
}

// isRun reports whether data begins with consecutive packets: at least two,
// and all of minRun that there is room for.
func isRun(data []byte, stride int) bool {
	for i := range minRun {
		if len(data) < i*stride+4 {
			return i >= 2
		}
		if p := data[i*stride:]; p[0] != syncByte || p[3]&0x30 == 0 {
			return false
		}
	}
	return true
}

// A program is the program of a transport stream, as far as it was read.
type program struct {
	streams map[uint16]*stream
	order   []*stream
	mapped  bool   // a program map was read
	pcrPID  uint16 // of the map; the first seen without
	pcr     clock
}

// readTS parses a transport stream. Without a program map, its streams are
// detected from their bytes.
func readTS(data []byte) Facts {
	g := program{streams: map[uint16]*stream{}, pcrPID: nullPID}
	var sections sections
	packets(data, func(_ int, p packet) bool {
		if table := sections.add(p); table != nil {
			g.read(table)
		}
		return !g.mapped
	})
	seen := false
	packets(data, func(at int, p packet) bool {
		seen = true
		g.add(at, p)
		return true
	})
	var f Facts
	for _, s := range g.order {
		s.settle()
		f.add(s.track())
	}
	if seen && (len(f.Codecs) > 0 || g.mapped) {
		f.Container = "ts"
		f.Bitrate = g.bitrate()
	}
	return f
}

// read adds the streams of a program map, ISO/IEC 13818-1 §2.4.4.9.
func (g *program) read(table []byte) {
	g.mapped = true
	g.pcrPID = binary.BigEndian.Uint16(table[8:]) & 0x1fff
	rest := table[12:]
	rest = rest[min(len(rest), int(binary.BigEndian.Uint16(table[10:])&0xfff)):]
	for len(rest) >= 5 {
		pid := binary.BigEndian.Uint16(rest[1:]) & 0x1fff
		end := min(len(rest), 5+int(binary.BigEndian.Uint16(rest[3:])&0xfff))
		g.open(pid, kindOf(rest[0], rest[5:end]))
		rest = rest[end:]
	}
}

func (g *program) open(pid uint16, k kind) *stream {
	s := &stream{kind: k}
	if g.streams[pid] == nil {
		g.streams[pid] = s
		g.order = append(g.order, s)
	}
	return s
}

// add adds a packet.
func (g *program) add(at int, p packet) {
	pid := p.pid()
	if now, ok := p.pcr(); ok && (pid == g.pcrPID || g.pcrPID == nullPID) {
		g.pcrPID = pid
		if p.discontinued() {
			g.pcr.jump()
		}
		g.pcr.tick(at, now)
	}
	s := g.streams[pid]
	if s == nil && !g.mapped && p.starts() && !p.scrambled() {
		if k, ok := kindOfPES(p.payload()); ok {
			s = g.open(pid, k)
		}
	}
	if s != nil {
		s.add(at, p)
	}
}

// bitrate is measured by the pictures, or else by the program's clock, or
// else by any timestamps.
func (g *program) bitrate() int {
	best := &g.pcr
	for _, s := range g.order {
		if s.video && 2*s.clock.groups().ticks >= g.pcr.now.ticks || s.clock.now.ticks > 2*best.now.ticks {
			best = &s.clock
		}
	}
	return best.bitrate()
}

// sections collect the program maps by PID.
type sections map[uint16][]byte

// add adds a packet and returns the map that it completes, if any.
func (s *sections) add(p packet) []byte {
	body := p.payload()
	if p.starts() {
		if len(body) < 1 || len(body) < 4+int(body[0]) || body[1+int(body[0])] != mapTable {
			return nil
		}
		body = body[1+int(body[0]):]
	} else if body = append((*s)[p.pid()], body...); len(body) < 3 || body[0] != mapTable {
		return nil
	}
	size := 3 + int(binary.BigEndian.Uint16(body[1:])&0xfff)
	switch {
	case size < 16 || size > 1024:
		delete(*s, p.pid())
	case len(body) >= size && checksum(body[:size]) == 0:
		return body[:size-4]
	case len(body) < size:
		if *s == nil {
			*s = sections{}
		}
		(*s)[p.pid()] = bytes.Clone(body)
	}
	return nil
}

const mapTable = 2 // table_id of a map

// checksum is the CRC of ISO/IEC 13818-1 annex A, most significant bit first,
// which hash/crc32 does not have. It is 0 over a complete section.
func checksum(b []byte) uint32 {
	crc := ^uint32(0)
	for _, c := range b {
		crc ^= uint32(c) << 24
		for range 8 {
			crc = crc<<1 ^ -(crc>>31)&0x04c11db7
		}
	}
	return crc
}
