package release

import (
	"context"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// maxExamples bounds the ids that a Diff names, of each kind of change.
const maxExamples = 20

// A Diff is what differs between two releases.
type Diff struct {
	Channels Changes `json:"channels"`
	Stations Changes `json:"stations"`
	Streams  Changes `json:"streams"`
}

// Changes counts what was added, removed and changed, and lists the first ids of
// each.
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

// A Before is what a reload needs of the release before it: the ids to keep,
// and hashes to find what has changed. It takes a fraction of the memory of the
// records themselves.
type Before struct {
	// Register holds of each record only what names it and its streams: id, kind,
	// names, country and site, and of the streams id, feed, origin and address.
	Register *catalog.Register

	records map[string]known
	streams map[catalog.StreamID]uint64
}

// known is a record that was there before.
type known struct {
	kind   catalog.Kind
	origin string
	sum    uint64
}

// Remember returns the Before of ix.
func Remember(ix *index.Index) *Before {
	b := &Before{
		Register: &catalog.Register{Records: make([]catalog.Record, 0, ix.Len())},
		records:  make(map[string]known, ix.Len()),
		streams:  make(map[catalog.StreamID]uint64, ix.StreamLen()),
	}
	b.Register.ChannelAliases, b.Register.StreamAliases = ix.Aliases()
	b.Register.Gone = ix.GoneList()
	for _, r := range ix.Records() {
		b.add(&r)
	}
	return b
}

func (b *Before) add(r *catalog.Record) {
	b.records[r.ID] = known{r.Kind, r.Origin, sumOf(r)}
	lean := catalog.Record{
		ID: r.ID, Kind: r.Kind, Name: r.Name, AltNames: r.AltNames, Country: r.Country, Website: r.Website, ReplacedBy: r.ReplacedBy,
	}
	for i := range r.Streams {
		s := &r.Streams[i]
		b.streams[s.ID] = sumOfStream(s)
		lean.Streams = append(lean.Streams, catalog.StreamRecord{ID: s.ID, Feed: s.Feed, Origin: s.Origin, URL: s.URL})
	}
	b.Register.Records = append(b.Register.Records, lean)
}

// Compare returns how the records of a register differ from those before. Votes
// and clicks change all the time and do not count as a change of a station. It
// may be called once.
func (b *Before) Compare(next []catalog.Record) *Diff {
	var d Diff
	for i := range next {
		r := &next[i]
		was, ok := b.records[r.ID]
		d.of(r.Kind).count(r.ID, ok, was.sum == sumOf(r))
		delete(b.records, r.ID)
		for k := range r.Streams {
			s := &r.Streams[k]
			sum, ok := b.streams[s.ID]
			d.Streams.count(s.ID.String(), ok, sum == sumOfStream(s))
			delete(b.streams, s.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.records)) {
		c := d.of(b.records[id].kind)
		c.note(&c.Went, "went", id)
	}
	for _, id := range slices.Sorted(maps.Keys(b.streams)) {
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

func (c *Changes) count(id string, known, same bool) {
	switch {
	case !known:
		c.note(&c.Came, "came", id)
	case !same:
		c.note(&c.Changed, "changed", id)
	default:
		c.Same++
	}
}

// seed is random in each process: sums are compared within one reload.
var seed = maphash.MakeSeed()

// sumOf returns a hash of r without its streams, votes and clicks.
func sumOf(r *catalog.Record) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	write(&h, r.ID, r.Kind.String(), r.Name, r.Country, r.Website, r.Network, r.Launched, r.ReplacedBy, r.FeedName, r.FeedFormat,
		r.Quality, r.GuideSite, r.GuideLang, strconv.FormatBool(r.HasGuide), strconv.Itoa(r.GuideSites), r.Subdivision, r.City, r.Origin, r.LogoSource)
	for _, list := range [][]string{r.AltNames, r.Categories, r.Languages, r.Owners, r.Timezones, r.BroadcastArea} {
		write(&h, list...)
		h.WriteByte(1)
	}
	for _, n := range r.FeedNames {
		write(&h, n.Feed, n.Name)
	}
	h.WriteByte(1)
	if radio := r.Radio; radio != nil {
		write(&h, radio.Tags...)
		h.WriteByte(1)
		if radio.Codec != nil {
			write(&h, "codec", *radio.Codec)
		}
		if radio.Bitrate != nil {
			write(&h, "bitrate", strconv.Itoa(*radio.Bitrate))
		}
		if radio.Geo != nil {
			maphash.WriteComparable(&h, *radio.Geo)
		}
	}
	return h.Sum64()
}

func sumOfStream(s *catalog.StreamRecord) uint64 { return maphash.Comparable(seed, *s) }

// write adds texts, each with its end.
func write(h *maphash.Hash, texts ...string) {
	for _, s := range texts {
		h.WriteString(s)
		h.WriteByte(0)
	}
}

// Before returns what a reload needs of the release that is shown, nil before
// the first.
func (a *Archive) Before(ctx context.Context, version string) (*Before, error) {
	data, err := a.Load(ctx, version)
	if err != nil {
		return nil, err
	}
	ix, err := index.Decode(data)
	if err != nil {
		return nil, err
	}
	return Remember(ix), nil
}
