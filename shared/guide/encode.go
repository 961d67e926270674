package guide

import (
	"encoding/binary"
	"maps"
	"slices"
)

// grids returns the grids from which the shard was encoded, by channel.
func (s *shard) grids() map[string]Grid {
	grids := make(map[string]Grid, len(s.lines))
	for i := range s.lines {
		grids[s.lines[i].channel] = s.grid(&s.lines[i])
	}
	return grids
}

// encodeShard returns the bytes of a shard. Equal grids give equal bytes, so
// that a shard that has not changed is not written again.
func encodeShard(grids map[string]Grid) []byte {
	if len(grids) == 0 {
		return nil
	}
	var sources table[origin]
	var titles, categories table[string]
	var lines []byte
	for _, channel := range slices.Sorted(maps.Keys(grids)) {
		g := grids[channel]
		lines = appendText(lines, channel)
		lines = binary.AppendUvarint(lines, sources.add(origin{g.Source, g.Site}))
		lines = binary.AppendUvarint(lines, uint64(g.date))
		lines = binary.AppendUvarint(lines, uint64(len(g.ps)))
		at := int64(0)
		for i := range g.ps {
			p := &g.ps[i]
			lines = binary.AppendUvarint(lines, uint64(p.Start.Unix()-at))
			lines = binary.AppendUvarint(lines, uint64(p.Stop.Unix()-p.Start.Unix()))
			lines = binary.AppendUvarint(lines, titles.add(p.Title))
			category := uint64(0)
			if p.Category != "" {
				category = 1 + categories.add(p.Category)
			}
			lines = binary.AppendUvarint(lines, category)
			at = p.Stop.Unix()
		}
		lines = appendText(lines, g.descs)
	}
	out := binary.AppendUvarint([]byte{format}, uint64(len(sources.list)))
	for _, o := range sources.list {
		out = appendText(appendText(out, o.name), o.site)
	}
	out = appendTexts(appendTexts(out, titles.list), categories.list)
	return append(binary.AppendUvarint(out, uint64(len(grids))), lines...)
}

func appendTexts(dst []byte, list []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		dst = appendText(dst, s)
	}
	return dst
}

// A table numbers values in the order in which they first occur.
type table[T comparable] struct {
	list    []T
	numbers map[T]uint64
}

func (t *table[T]) add(v T) uint64 {
	n, ok := t.numbers[v]
	if !ok {
		if t.numbers == nil {
			t.numbers = map[T]uint64{}
		}
		n = uint64(len(t.list))
		t.numbers[v] = n
		t.list = append(t.list, v)
	}
	return n
}
