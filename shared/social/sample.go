package social

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"slices"
)

// This file keeps a bounded sample of the networks that speak on a day: of each country
// those whose names come first, apart for reports that are doubtful and for the others,
// so that a flood of new guests displaces nobody who is known. Names are keyed hashes:
// the sample is fair, and nobody can choose to be in it. A network that is displaced
// never returns, so the sample is the same in whatever order reports come.

// How much is kept of a day.
const (
	maxNetworks     = 12 // of a country, doubtful and not
	maxEnvironments = 4  // of a network
	maxMarks        = 32 // networks that play a channel, or make it a favorite
)

// A mark is the name of a network in six bytes.
type mark [markLen]byte

const markLen = 6

func (m mark) compare(o mark) int { return slices.Compare(m[:], o[:]) }

// markOf returns the mark of a name that checkNetwork accepts; false for an empty name.
func markOf(network string) (m mark, ok bool) {
	n, err := hex.Decode(m[:], []byte(network[:min(len(network), 2*markLen)]))
	return m, err == nil && n == markLen
}

// addMark returns a sorted list of marks with m among them, as many as are kept.
func addMark(marks []byte, m mark) []byte {
	at := 0
	for at < len(marks) && slices.Compare(marks[at:at+markLen], m[:]) < 0 {
		at += markLen
	}
	if at < len(marks) && mark(marks[at:at+markLen]) == m {
		return marks
	}
	marks = slices.Insert(slices.Clone(marks), at, m[:]...)
	return marks[:min(len(marks), maxMarks*markLen)]
}

// Results are what a network reports in an environment: bit 0 is a success, bit 1 a
// failure, and bit 2+n the failure code Codes[n].
type results uint16

const maxCodes = 14

func resultsOf(r Report) results {
	if r.OK {
		return 1
	}
	if n := slices.Index(Codes, r.Code); n >= 0 {
		return 2 | 1<<(2+n)
	}
	return 2
}

// A record is what is stored of a network and an environment, in recordLen bytes.
type record struct {
	network     mark
	environment uint32
	said        results
}

const recordLen = markLen + 4 + 2

func (r record) compare(o record) int {
	return cmp.Or(r.network.compare(o.network), cmp.Compare(r.environment, o.environment))
}

// A Sample has the networks of a country that report on a day, as sorted records.
type Sample struct {
	Sure     []byte `json:"sure,omitempty"`
	Doubtful []byte `json:"doubtful,omitempty"`
}

// with returns s with r among its records, and whether that changes s.
func (s Sample) with(doubtful bool, r record) (_ Sample, changed bool) {
	if doubtful {
		s.Doubtful, changed = addRecord(s.Doubtful, r)
	} else {
		s.Sure, changed = addRecord(s.Sure, r)
	}
	return s, changed
}

// recordsIn yields the records of a list, those of one network together.
func recordsIn(packed []byte) iter.Seq[record] {
	return func(yield func(record) bool) {
		for ; len(packed) >= recordLen; packed = packed[recordLen:] {
			said := results(binary.BigEndian.Uint16(packed[markLen+4:]))
			if !yield(record{mark(packed[:markLen]), binary.BigEndian.Uint32(packed[markLen:]), said}) {
				return
			}
		}
	}
}

// addRecord returns a list with r in it, as far as there is room, and whether that
// changes the list.
func addRecord(packed []byte, r record) (with []byte, changed bool) {
	list := slices.AppendSeq(make([]record, 0, len(packed)/recordLen+1), recordsIn(packed))
	at, found := slices.BinarySearchFunc(list, r, record.compare)
	switch {
	case !found:
		list = slices.Insert(list, at, r)
	case list[at].said|r.said == list[at].said:
		return packed, false
	default:
		list[at].said |= r.said
	}
	with = make([]byte, 0, len(list)*recordLen)
	networks, environments := 0, 0
	for i, r := range list {
		if i == 0 || r.network != list[i-1].network {
			networks, environments = networks+1, 0
		}
		if environments++; networks > maxNetworks || environments > maxEnvironments {
			continue
		}
		with = append(with, r.network[:]...)
		with = binary.BigEndian.AppendUint32(with, r.environment)
		with = binary.BigEndian.AppendUint16(with, uint16(r.said))
	}
	return with, !bytes.Equal(packed, with)
}

// A voice is what a network says: one voice for a success and one for a failure, each
// of two halves or, when it is doubtful, of one.
type voice struct {
	network     mark
	environment uint32
	Tally
	codes uint16 // a set of indexes of Codes
}

func (v voice) compare(o voice) int {
	return cmp.Or(v.network.compare(o.network), cmp.Compare(v.environment, o.environment))
}

// or returns what v and o say together, of one network.
func (v voice) or(o voice) voice {
	v.Plays, v.Fails, v.codes = max(v.Plays, o.Plays), max(v.Fails, o.Fails), v.codes|o.codes
	return v
}

// voices returns the voices of s by network and environment, each once.
func (s Sample) voices() []voice {
	list := make([]voice, 0, (len(s.Sure)+len(s.Doubtful))/recordLen)
	add := func(packed []byte, halves int64) {
		for r := range recordsIn(packed) {
			t := Tally{halves * int64(r.said&1), halves * int64(r.said>>1&1)}
			list = append(list, voice{r.network, r.environment, t, uint16(r.said >> 2)})
		}
	}
	add(s.Sure, 2)
	add(s.Doubtful, 1)
	if len(s.Sure) == 0 || len(s.Doubtful) == 0 {
		return list
	}
	slices.SortFunc(list, voice.compare)
	n := 0
	for _, v := range list[1:] {
		if list[n].compare(v) == 0 {
			list[n] = list[n].or(v)
			continue
		}
		n++
		list[n] = v
	}
	return list[:n+1]
}

// networks yields what each network says in all of its environments. The voices of a
// network must be together.
func networks(voices []voice) iter.Seq[voice] {
	return func(yield func(voice) bool) {
		for i := 0; i < len(voices); {
			all := voices[i]
			for i++; i < len(voices) && voices[i].network == all.network; i++ {
				all = all.or(voices[i])
			}
			if !yield(all) {
				return
			}
		}
	}
}
