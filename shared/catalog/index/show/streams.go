package show

import (
	"net/url"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/rank"
)

// A Found is a stream with the channel that it plays.
type Found struct {
	Stream  catalog.StreamRecord // of the kind that it was measured to be
	Channel catalog.Record
	Player  string // address of the isolated player with it; empty when it does not need that
	Listed  string // its kind in the catalog, which goes by the address
}

// Stream returns the stream with an id, or the one that took its place, and
// its channel. Any other text may be a [catalog.Position]: then it is the stream
// there or, when that is gone or blocked, the best of its channel, feed and
// source. It reports false when there is none, or it or its channel is
// blocked.
func (v *View) Stream(id string) (*Found, bool) {
	i, ok := v.streamNumber(id)
	if !ok {
		return nil, false
	}
	f := &Found{Stream: v.ix.Stream(i), Channel: v.record(v.ix.Streams.Doc(i))}
	f.Listed, f.Stream.Kind = f.Stream.Kind, v.kind(i, f.Stream.Kind)
	if player := v.player(&f.Stream); player != nil {
		f.Player = *player
	}
	return f, true
}

// streamNumber returns the number of the stream that an id leads to, unless it
// or its channel is blocked.
func (v *View) streamNumber(id string) (uint32, bool) {
	if len(id) > catalog.MaxStreamName {
		return 0, false
	}
	i, ok := v.ix.ResolveStream(id)
	if !ok {
		return v.positioned(id)
	}
	return i, !v.now.IsBlocked(i) && !v.now.IsRemoved(v.ix.Streams.Doc(i))
}

// positioned returns the number of the stream that a position leads to.
func (v *View) positioned(id string) (uint32, bool) {
	p, ok := catalog.ParsePosition(id)
	if !ok {
		return 0, false
	}
	doc, ok := v.now.Shown(p.Channel)
	if !ok {
		return 0, false
	}
	r := v.record(doc)
	start, _ := v.ix.Streams.Of(doc)
	var group []rank.Candidate
	for _, c := range v.candidates(&r, start) {
		if c.Stream.Feed == p.Feed && c.Stream.Origin == p.Origin {
			group = append(group, c)
		}
	}
	if p.N < len(group) && !group[p.N].Blocked {
		return start + uint32(group[p.N].At), true
	}
	best, ok := rank.Best(&r, group, rank.Caller{})
	return start + uint32(best.At), ok
}

// record returns record doc with its streams of the kinds that they were
// measured to be.
func (v *View) record(doc uint32) catalog.Record {
	r := v.ix.Record(int(doc))
	start, _ := v.ix.Streams.Of(doc)
	for k := range r.Streams {
		r.Streams[k].Kind = v.kind(start+uint32(k), r.Streams[k].Kind)
	}
	return r
}

// streams returns the streams from start up to end, of the kinds that they were
// measured to be.
func (v *View) streams(start, end uint32) []catalog.StreamRecord {
	list := make([]catalog.StreamRecord, 0, end-start)
	for i := start; i < end; i++ {
		s := v.ix.Stream(i)
		s.Kind = v.kind(i, s.Kind)
		list = append(list, s)
	}
	return list
}

// kind returns the kind of stream i, given that in the catalog.
func (v *View) kind(i uint32, listed string) string {
	if m := v.now.Measurement(i); m != nil && m.Kind != "" {
		return m.Kind
	}
	return listed
}

// candidates returns the streams of r, the first of which is number start, as
// they are at the moment.
func (v *View) candidates(r *catalog.Record, start uint32) []rank.Candidate {
	list := make([]rank.Candidate, len(r.Streams))
	for k := range r.Streams {
		i := start + uint32(k)
		list[k] = rank.Candidate{Stream: &r.Streams[k], Blocked: v.now.IsBlocked(i), At: k}
		if m := v.now.Measurement(i); m != nil {
			list[k].Health, list[k].Closed = &m.Health, m.Closed
		}
	}
	return list
}

// Streamed reports whether a record that Find or Matches found has a stream
// that is not blocked.
func (v *View) Streamed(doc uint32) bool {
	start, end := v.ix.Streams.Of(doc)
	for i := start; i < end; i++ {
		if !v.now.IsBlocked(i) {
			return true
		}
	}
	return false
}

// Legacy returns what the isolated player needs to know of a stream, found as
// Stream finds it. It reports false when there is none or it does not need
// that player.
func (v *View) Legacy(id string) (*catalog.Legacy, bool) {
	f, ok := v.Stream(id)
	if !ok || f.Player == "" {
		return nil, false
	}
	return &catalog.Legacy{
		ID: f.Stream.ID.String(), Name: f.Channel.Name, Kind: f.Stream.Kind, Radio: f.Channel.Kind == catalog.Station,
		URL: v.links.Stream(f.Stream.ID), ProviderURL: f.Stream.URL,
		Website: catalog.TextOrNil(f.Channel.Website), LegacyURL: f.Player,
	}, true
}

// player returns the address of the isolated player with s; nil when s is not
// plain HTTP media, which alone needs it.
func (v *View) player(s *catalog.StreamRecord) *string {
	if scheme(s.URL) != "http" || s.Kind == catalog.StreamYouTube || s.Kind == catalog.StreamExternal {
		return nil
	}
	return catalog.TextOrNil(v.links.Player(s.ID))
}

func scheme(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		s, _, _ := strings.Cut(raw, ":")
		return strings.ToLower(s)
	}
	return u.Scheme
}
