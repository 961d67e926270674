package release

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// maxExamples bounds the ids that a Diff names, of each kind of change.
const maxExamples = 20

// A Diff says what came, went and changed from one release to the next.
type Diff struct {
	Channels Changes `json:"channels"`
	Stations Changes `json:"stations"`
	Streams  Changes `json:"streams"`
}

// Changes counts things by what became of them, and names the first of each
// by their ids.
type Changes struct {
	Came     int                 `json:"came"`
	Went     int                 `json:"went"`
	Changed  int                 `json:"changed"`
	Same     int                 `json:"same"`
	Examples map[string][]string `json:"examples"`
}

func (c *Changes) note(n *int, what, id string) {
	*n++
	if c.Examples == nil {
		c.Examples = map[string][]string{}
	}
	if len(c.Examples[what]) < maxExamples {
		c.Examples[what] = append(c.Examples[what], id)
	}
}

// Compare says how next differs from before. Votes and clicks, which move all
// the time, are no change of a station.
func Compare(before, next *catalog.Register) *Diff {
	var d Diff
	old := byID(before.Records)
	oldStreams := streamsByID(before.Records)
	for i := range next.Records {
		r := &next.Records[i]
		c := d.of(r.Kind)
		switch was := old[r.ID]; {
		case was == nil:
			c.note(&c.Came, "came", r.ID)
		case !same(was, r):
			c.note(&c.Changed, "changed", r.ID)
		default:
			c.Same++
		}
		delete(old, r.ID)
		d.streams(oldStreams, r)
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		c := d.of(old[id].Kind)
		c.note(&c.Went, "went", id)
	}
	for _, id := range slices.Sorted(maps.Keys(oldStreams)) {
		d.Streams.note(&d.Streams.Went, "went", id.String())
	}
	return &d
}

func (d *Diff) of(k catalog.Kind) *Changes {
	if k == catalog.Station {
		return &d.Stations
	}
	return &d.Channels
}

func (d *Diff) streams(old map[catalog.StreamID]*catalog.StreamRecord, r *catalog.Record) {
	c := &d.Streams
	for k := range r.Streams {
		s := &r.Streams[k]
		switch was := old[s.ID]; {
		case was == nil:
			c.note(&c.Came, "came", s.ID.String())
		case *was != *s:
			c.note(&c.Changed, "changed", s.ID.String())
		default:
			c.Same++
		}
		delete(old, s.ID)
	}
}

func byID(records []catalog.Record) map[string]*catalog.Record {
	m := make(map[string]*catalog.Record, len(records))
	for i := range records {
		m[records[i].ID] = &records[i]
	}
	return m
}

func streamsByID(records []catalog.Record) map[catalog.StreamID]*catalog.StreamRecord {
	m := make(map[catalog.StreamID]*catalog.StreamRecord, 2*len(records))
	for i := range records {
		for k := range records[i].Streams {
			m[records[i].Streams[k].ID] = &records[i].Streams[k]
		}
	}
	return m
}

// same reports whether two records say the same, their streams aside.
func same(a, b *catalog.Record) bool {
	x, y := *a, *b
	x.Streams, y.Streams = nil, nil
	if x.Radio != nil && y.Radio != nil {
		rx, ry := *x.Radio, *y.Radio
		rx.Votes, rx.Clicks, ry.Votes, ry.Clicks = 0, 0, 0, 0
		x.Radio, y.Radio = &rx, &ry
	}
	return reflect.DeepEqual(x, y)
}

// Register returns the register of a release.
func (a *Archive) Register(ctx context.Context, version string) (*catalog.Register, error) {
	data, err := a.Load(ctx, version)
	if err != nil {
		return nil, err
	}
	ix, err := index.Decode(data)
	if err != nil {
		return nil, err
	}
	return ix.Register(), nil
}
