package state

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Fingerprint adds to d what searches and lists show of st beyond its index: blocks,
// measurements, ratings and guides. States of one index that show the same add the same,
// in whatever process they were made.
func (st *State) Fingerprint(d *xxhash.Digest) {
	for _, bits := range [][]uint64{st.Removed, st.blocked, st.Playable, st.Scheduled.Bits} {
		addWords(d, bits)
	}
	for i := range st.Flags {
		addWords(d, st.Flags[i].Bits)
	}
	_, _ = d.Write(st.Scores) // a digest never fails
	ratings := make([]byte, 0, 2*len(st.Ratings))
	for _, r := range st.Ratings {
		ratings = binary.LittleEndian.AppendUint16(ratings, r)
	}
	_, _ = d.Write(ratings)
	for doc, last := range st.LastMeasured {
		if last == 0 {
			continue
		}
		addNumber(d, uint64(doc))
		if at := st.Measured[last-1].Health.CheckedAt; at != nil {
			_, _ = d.WriteString(*at)
		}
	}
	for doc, site := range st.guideSite {
		if site > 0 {
			addNumber(d, uint64(doc))
			_, _ = d.WriteString(st.guideSites[site-1])
		}
	}
}

// addWords adds the length of a set and its words to d.
func addWords(d *xxhash.Digest, set []uint64) {
	b := make([]byte, 0, 8+8*len(set))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(set)))
	for _, w := range set {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	_, _ = d.Write(b)
}

func addNumber(d *xxhash.Digest, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	_, _ = d.Write(b[:])
}
