package guide

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Grid is the guide that one source has for one channel: the programmes of
// two days. It is immutable; methods that change it return a copy.
// Descriptions stay compressed, because lists of channels do not show them.
type Grid struct {
	Source string // its name
	Site   string // where it comes from, as the interface shows it

	date  int64       // the first of the two days, in days since 1970, UTC
	ps    []Programme // in order; without their descriptions
	descs string      // the descriptions, packed; empty when there are none
}

// NewGrid returns the grid of programmes that Fix returned for w. It returns
// false when there are none.
func NewGrid(source, site string, w Window, ps []Programme) (Grid, bool) {
	g := Grid{Source: source, Site: site, date: w.From.Unix() / daySeconds, ps: slices.Clone(ps)}
	g.descs = packDescs(ps)
	for i := range g.ps {
		g.ps[i].Desc = ""
	}
	return g, len(g.ps) > 0
}

// Begins reports whether a programme starts on one of the two days of g. When none
// does, g has only the end of a programme of the day before, and any grid that
// begins is preferred to it.
func (g Grid) Begins() bool {
	return slices.ContainsFunc(g.ps, func(p Programme) bool { return dateOf(p.Start) >= g.date })
}

// EndsAfter reports whether a programme of g ends after a time.
func (g Grid) EndsAfter(t time.Time) bool {
	return len(g.ps) > 0 && g.ps[len(g.ps)-1].Stop.After(t)
}

// Len returns the number of programmes.
func (g *Grid) Len() int { return len(g.ps) }

const daySeconds = int64(day / time.Second)

// dateOf returns the UTC day of a time, as days since 1970.
func dateOf(t time.Time) int64 { return t.UTC().Truncate(day).Unix() / daySeconds }

func midnight(date int64) time.Time { return time.Unix(date*daySeconds, 0).UTC() }

// on returns the part of g from a day on, and whether there is any: a programme
// that began before that day may run into it.
func (g Grid) on(today int64) (Grid, bool) {
	from := midnight(today)
	if len(g.ps) > 0 && !g.ps[0].Stop.After(from) {
		g = g.filter(func(p *Programme) bool { return p.Stop.After(from) })
	}
	return g, len(g.ps) > 0
}

// filter returns g with the programmes for which keep returns true, as keep
// leaves them. Descriptions that cannot be decompressed are dropped.
func (g Grid) filter(keep func(*Programme) bool) Grid {
	kept := make([]Programme, 0, len(g.ps))
	for _, p := range g.full() {
		if keep(&p) {
			kept = append(kept, p)
		}
	}
	g.descs = packDescs(kept)
	for i := range kept {
		kept[i].Desc = ""
	}
	g.ps = kept
	return g
}

// full returns the programmes with their descriptions.
func (g *Grid) full() []Programme {
	ps := slices.Clone(g.ps)
	if descs, err := unpackDescs(g.descs, len(ps)); err == nil {
		for i := range ps {
			ps[i].Desc = descs[i]
		}
	}
	return ps
}

// The levels of leaving out, tried in this order until a shard fits a document.
// Each leaves out what the levels before it do, and more.
const (
	whole            = iota
	withoutLateDescs // descriptions of tomorrow
	withoutDescs     // all descriptions
	withoutTomorrow  // the programmes of tomorrow too
	withoutLargest   // half of the channels too, those that take most; at each further level another half
)

// reduced returns g without what a level leaves out.
func (g Grid) reduced(level int, today int64) Grid {
	tomorrow := midnight(today + 1)
	switch level {
	case whole:
		return g
	case withoutLateDescs:
		return g.filter(func(p *Programme) bool {
			if !p.Start.Before(tomorrow) {
				p.Desc = ""
			}
			return true
		})
	case withoutDescs:
	default:
		g = g.filter(func(p *Programme) bool { return p.Start.Before(tomorrow) })
	}
	g.descs = ""
	return g
}

// reduce changes the grids of a shard to those of a level.
func reduce(grids map[string]Grid, level int, today int64) {
	for channel, g := range grids {
		grids[channel] = g.reduced(level, today)
	}
	if level < withoutLargest {
		return
	}
	bySize := slices.SortedFunc(maps.Keys(grids), func(a, b string) int {
		return cmp.Or(grids[a].size()-grids[b].size(), strings.Compare(a, b))
	})
	for _, channel := range bySize[len(bySize)>>(level-withoutTomorrow):] {
		delete(grids, channel)
	}
}

// size returns the approximate size of g, in bytes.
func (g Grid) size() int {
	n := len(g.descs)
	for i := range g.ps {
		n += len(g.ps[i].Title)
	}
	return n
}

// errDescs is the error of packed descriptions that do not parse.
var errDescs = errors.New("guide: broken descriptions")

// deflaters are reused: each takes hundreds of kilobytes.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is one that there is
	}
	return w
}}

// packDescs returns the descriptions of ps, each after its length, deflated.
func packDescs(ps []Programme) string {
	if !slices.ContainsFunc(ps, func(p Programme) bool { return p.Desc != "" }) {
		return ""
	}
	var plain []byte
	for i := range ps {
		plain = appendText(plain, ps[i].Desc)
	}
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	var b strings.Builder
	w.Reset(&b)
	if _, err := w.Write(plain); err != nil || w.Close() != nil {
		panic("guide: a builder does not take what is written") // it always does
	}
	return b.String()
}

// appendText appends the length of a text and the text to dst.
func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// inflaters are reused for the same reason.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(strings.NewReader("")) }}

// unpackDescs returns n descriptions packed by packDescs.
func unpackDescs(packed string, n int) ([]string, error) {
	if packed == "" {
		return make([]string, n), nil
	}
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	if err := r.(flate.Resetter).Reset(strings.NewReader(packed), nil); err != nil {
		return nil, err
	}
	most := int64(n) * (MaxDesc*4 + 2)
	var b bytes.Buffer
	b.Grow(3 * len(packed))
	if _, err := b.ReadFrom(io.LimitReader(r, most)); err != nil {
		return nil, err
	}
	c := cursor{text: b.String()}
	descs := make([]string, n)
	for i := range descs {
		descs[i] = c.string()
	}
	if c.broken || c.text != "" {
		return nil, errDescs
	}
	return descs, nil
}
