package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"miramundo.dev/shared/catalog"
)

// errShard is the error of a shard that does not parse.
var errShard = errors.New("probe: the shard is malformed")

// A shard holds rows in the order of their ids:
//
//	1 byte       the version of the format
//	texts        how many, then the length and the bytes of each
//	rows         how many, then of each: 8 bytes of id, and its columns
//
// Numbers are unsigned varints. A text is written once and referred to by its
// number; 0 is the empty text. Times are whole seconds since epoch; 0 is the zero
// time. A decoder rejects any other format, so that a new column needs a new
// number.
const format = 1

// epoch is before every time that is stored, so that times take four bytes.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// A row is the entry of one stream in a shard.
type row[T any] struct {
	id catalog.StreamID
	of T
}

// A packer writes the columns of rows.
type packer struct {
	data  []byte            // the rows so far
	texts []string          // in the order of their numbers, from 1 on
	known map[string]uint64 // the numbers of texts
}

// number writes a number, and 0 in place of a negative one.
func (p *packer) number(v int64) { p.data = binary.AppendUvarint(p.data, uint64(max(v, 0))) }

func (p *packer) text(s string) {
	n, ok := p.known[s]
	if !ok {
		p.texts = append(p.texts, s)
		n = uint64(len(p.texts))
		p.known[s] = n
	}
	p.data = binary.AppendUvarint(p.data, n)
}

// time writes a time, cut to whole seconds.
func (p *packer) time(t time.Time) {
	if t.IsZero() {
		p.number(0)
		return
	}
	p.number(min(int64(t.Sub(epoch)/time.Second), lastSecond))
}

// flags writes up to four flags and a kind in one byte: the first flag in its
// lowest bit, the kind in the upper half. That half was zero before kinds were
// stored, and still means none.
func (p *packer) flags(kind string, flags ...bool) {
	b := byte(max(slices.Index(kinds, kind), 0)) << kindShift
	for i, set := range flags {
		if set {
			b |= 1 << i
		}
	}
	p.data = append(p.data, b)
}

// pack returns the shard of rows, whose ids must ascend. It returns nil, which
// deletes the document, when there are no rows.
func pack[T any](rows []row[T], columns func(*packer, *T)) []byte {
	if len(rows) == 0 {
		return nil
	}
	p := packer{known: map[string]uint64{"": 0}}
	for i := range rows {
		p.data = binary.BigEndian.AppendUint64(p.data, uint64(rows[i].id))
		columns(&p, &rows[i].of)
	}
	head := binary.AppendUvarint([]byte{format}, uint64(len(p.texts)))
	for _, t := range p.texts {
		head = append(binary.AppendUvarint(head, uint64(len(t))), t...)
	}
	head = binary.AppendUvarint(head, uint64(len(rows)))
	return append(head, p.data...)
}

// An unpacker reads what a packer wrote. After the first malformed value it is
// broken and reads zeros.
type unpacker struct {
	data   []byte
	texts  []string
	broken bool
}

// number reads a number of at most greatest; a larger one is malformed.
func (u *unpacker) number(greatest int64) int64 {
	v, n := binary.Uvarint(u.data)
	if n <= 0 || v > uint64(greatest) {
		u.broken, u.data = true, nil
		return 0
	}
	u.data = u.data[n:]
	return int64(v)
}

// take reads n bytes.
func (u *unpacker) take(n int64) []byte {
	if n > int64(len(u.data)) {
		u.broken, u.data = true, nil
		return nil
	}
	b := u.data[:n]
	u.data = u.data[n:]
	return b
}

func (u *unpacker) text() string {
	if n := u.number(int64(len(u.texts))); n > 0 {
		return u.texts[n-1]
	}
	return ""
}

// lastSecond is the last second of 2199, after which there are no times.
const lastSecond = 180 * 365 * 24 * 3600

func (u *unpacker) time() time.Time {
	if n := u.number(lastSecond); n > 0 {
		return epoch.Add(time.Duration(n) * time.Second)
	}
	return time.Time{}
}

// flags reads a kind and as many flags. Bits beyond them are malformed.
func (u *unpacker) flags(kind *string, flags ...*bool) {
	b := u.take(1)
	if b == nil || int(b[0]>>kindShift) >= len(kinds) || b[0]&(1<<kindShift-1)>>len(flags) != 0 {
		u.broken = true
		return
	}
	*kind = kinds[b[0]>>kindShift]
	for i, f := range flags {
		*f = b[0]>>i&1 != 0
	}
}

// kinds are written as their positions here, which must never change.
var kinds = []string{"", catalog.StreamHLS, catalog.StreamDASH, catalog.StreamTS, catalog.StreamFLV, catalog.StreamAudio}

// kindShift is the first bit of the kind in the byte of flags.
const kindShift = 4

// leastRow is the least size of a row, in bytes. It bounds the number of rows
// that are allocated for a hostile count.
const leastRow = 12

// unpack returns the rows of a shard, or an error with errShard in its chain. It
// accepts only bytes that pack could have written, ids in ascending order
// included. It does not keep data.
func unpack[T any](data []byte, columns func(*unpacker) T) ([]row[T], error) {
	if len(data) == 0 {
		return nil, nil
	}
	if data[0] != format {
		return nil, fmt.Errorf("%w: format %d is unknown", errShard, data[0])
	}
	u := unpacker{data: data[1:]}
	u.texts = make([]string, 0, u.number(int64(len(data))))
	for range cap(u.texts) {
		u.texts = append(u.texts, string(u.take(u.number(maxText))))
	}
	rows := make([]row[T], 0, u.number(int64(len(u.data)/leastRow)))
	for range cap(rows) {
		if u.broken {
			break
		}
		id := u.id()
		if n := len(rows); n > 0 && rows[n-1].id >= id {
			u.broken = true
		}
		rows = append(rows, row[T]{id, columns(&u)})
	}
	if u.broken || len(u.data) > 0 || slices.ContainsFunc(u.texts, unclipped) {
		return nil, errShard
	}
	return rows, nil
}

func (u *unpacker) id() catalog.StreamID {
	if b := u.take(8); b != nil {
		return catalog.StreamID(binary.BigEndian.Uint64(b))
	}
	return 0
}

// unclipped reports whether a text cannot come from pack: it is empty, or Clip
// would change it.
func unclipped(text string) bool { return text == "" || Clip(text) != text }

// statuses are written as their positions here, which must never change.
var statuses = []Status{"", Online, Offline, Blocked, Timeout, Error}

func (p *packer) status(s Status) { p.number(int64(slices.Index(statuses, s))) }

func (u *unpacker) status() Status { return statuses[u.number(int64(len(statuses)-1))] }

func (p *packer) facts(f *Facts) {
	p.number(int64(f.Height))
	p.number(int64(f.Bitrate))
	p.text(f.Codecs)
}

func (u *unpacker) facts(f *Facts) {
	f.Height = int(u.number(maxHeight))
	f.Bitrate = int(u.number(maxBitrate))
	f.Codecs = u.text()
}

func (p *packer) latency(d time.Duration) { p.number(int64(d / time.Millisecond)) }

func (u *unpacker) latency() time.Duration {
	return time.Duration(u.number(int64(maxLatency/time.Millisecond))) * time.Millisecond
}

func packStates(rows []row[State]) []byte {
	return pack(rows, func(p *packer, s *State) {
		p.flags(s.Kind, s.CORS, s.Closed)
		p.status(s.Status)
		p.text(s.Reason)
		p.time(s.At)
		p.number(int64(s.Score*scorePrecision + 0.5))
		p.time(s.ScoredAt)
		p.time(s.OnlineAt)
		p.time(s.FailingSince)
		p.number(int64(s.Failures))
		p.latency(s.Latency)
		p.facts(&s.Facts)
		p.number(int64(s.Missed))
		p.time(s.MissedAt)
	})
}

func unpackStates(data []byte) ([]row[State], error) {
	return unpack(data, func(u *unpacker) (s State) {
		u.flags(&s.Kind, &s.CORS, &s.Closed)
		s.Status, s.Reason, s.At = u.status(), u.text(), u.time()
		s.Score = float64(u.number(100*scorePrecision)) / scorePrecision
		s.ScoredAt, s.OnlineAt, s.FailingSince = u.time(), u.time(), u.time()
		s.Failures = int(u.number(maxInARow))
		s.Latency = u.latency()
		u.facts(&s.Facts)
		s.Missed, s.MissedAt = int(u.number(maxInARow)), u.time()
		return s
	})
}

func packShown(rows []row[Shown]) []byte {
	return pack(rows, func(p *packer, s *Shown) {
		p.flags(s.Kind, s.CORS, s.Closed, s.Scored)
		p.status(s.Status)
		p.number(int64(s.Score))
		p.time(s.CheckedAt)
		p.time(s.OnlineAt)
		p.latency(s.Latency)
		p.facts(&s.Facts)
	})
}

func unpackShown(data []byte) ([]row[Shown], error) {
	return unpack(data, func(u *unpacker) (s Shown) {
		u.flags(&s.Kind, &s.CORS, &s.Closed, &s.Scored)
		s.Status, s.Score = u.status(), int(u.number(100))
		u.broken = u.broken || !s.Status.Conclusive()
		s.CheckedAt, s.OnlineAt = u.time(), u.time()
		s.Latency = u.latency()
		u.facts(&s.Facts)
		return s
	})
}
