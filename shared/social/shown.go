package social

import (
	"slices"
	"strings"
)

// A Tally counts reports.
type Tally struct {
	Plays int64 `json:"plays,omitempty"`
	Fails int64 `json:"fails,omitempty"`
}

// In returns the reports of a country, and its voices: see Heard. It reads all
// environments.
func (c *Counts) In(country string) (reports, voices Tally) {
	for key, e := range c.Environments {
		if countryOf(key) == country {
			reports.Plays += e.Plays
			reports.Fails += e.Fails
		}
	}
	return reports, c.Heard.Countries[country]
}

// countryOf returns the country in a key of Counts.Environments.
func countryOf(key string) string {
	if n := len(key) - 2; n > 0 && key[n-1] == bar[0] {
		return key[n:]
	}
	return PlaceOf(key).Country
}

// Shown are the counts of a channel as an Overlay has them, with the sums by
// country, which search reads for each channel.
type Shown struct {
	Counts
	countries []land // by code
}

type land struct {
	code string
	Tally
	heard Tally
}

// NewShown returns c as an Overlay has them.
func NewShown(c Counts) *Shown {
	s := &Shown{Counts: c}
	for key, e := range c.Environments {
		code := countryOf(key)
		at, ok := s.find(code)
		if !ok {
			s.countries = slices.Insert(s.countries, at, land{code: code})
		}
		s.countries[at].Plays += e.Plays
		s.countries[at].Fails += e.Fails
	}
	for code, t := range c.Heard.Countries {
		at, ok := s.find(code)
		if !ok {
			s.countries = slices.Insert(s.countries, at, land{code: code})
		}
		s.countries[at].heard = t
	}
	return s
}

func (s *Shown) find(code string) (int, bool) {
	return slices.BinarySearchFunc(s.countries, code, func(l land, code string) int { return strings.Compare(l.code, code) })
}

// In returns the reports of a country, and its voices: see Heard.
func (s *Shown) In(country string) (reports, voices Tally) {
	if at, ok := s.find(country); ok {
		return s.countries[at].Tally, s.countries[at].heard
	}
	return Tally{}, Tally{}
}

// Counts returns the counts of a channel, which the caller must not change;
// false when there are none.
func (o *Overlay) Counts(channel string) (*Counts, bool) {
	s, ok := look(o, channel)
	if !ok {
		return nil, false
	}
	return &s.Counts, true
}

// Look returns the counts of a channel, as Counts does, without keeping the bytes
// of its id.
func (o *Overlay) Look(channel []byte) (*Shown, bool) { return look(o, channel) }

func look[T string | []byte](o *Overlay, channel T) (*Shown, bool) {
	if o == nil {
		return nil, false
	}
	shard := o.shards[shardOf(channel)].Load()
	if shard == nil {
		return nil, false
	}
	s, ok := (*shard)[string(channel)]
	return s, ok
}

// Empty reports whether no channel has counts.
func (o *Overlay) Empty() bool {
	if o == nil {
		return true
	}
	for n := range o.shards {
		if shard := o.shards[n].Load(); shard != nil && len(*shard) > 0 {
			return false
		}
	}
	return true
}

// shardOf is ShardOf for ids that are not strings yet.
func shardOf[T string | []byte](channel T) int { return int(fnv1a(fnvBasis, channel) % Shards) }

// fnvBasis is the FNV-1a hash of 32 bits of no text.
const fnvBasis = uint32(2166136261)

// fnv1a returns the hash h continued with text. hash/fnv would move the text to the
// heap.
func fnv1a[T string | []byte](h uint32, text T) uint32 {
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}
