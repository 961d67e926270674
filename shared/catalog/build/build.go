// Package build knows how the sources' records become the catalog's.
//
// It joins channels with their feeds, streams, guides and logos, leaves out
// what must not be shown (adult, blocked or closed channels), folds stations
// that are one and the same, and gives every stream an id that survives the
// next reload. It is pure: the same dataset and the same earlier register give
// the same register.
package build

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
)

// A Report says what became of the sources' records.
type Report struct {
	Channels int `json:"channels"` // TV channels in the register
	Stations int `json:"stations"`
	Streams  int `json:"streams"`
	Playable int `json:"playable"` // channels and stations with a usable stream

	LeftOut map[string]int `json:"left_out"` // records that are not, by reason
}

// Reasons for a record to be left out of the register.
const (
	reasonNSFW      = "nsfw"
	reasonBlocked   = "blocklist"
	reasonClosed    = "closed"
	reasonDuplicate = "duplicate"
	reasonInvalid   = "invalid"
	reasonOrphan    = "no_channel" // a stream of no channel of the register
)

func (r *Report) leaveOut(reason string) { r.LeftOut[reason]++ }

// Register makes the register of ds. The ids that prev published are kept for
// what is still the same and lead, as aliases, to what took its place; prev
// may be nil. Now decides what has closed.
func Register(ds *source.Dataset, prev *catalog.Register, now time.Time) (*catalog.Register, *Report) {
	rep := &Report{LeftOut: map[string]int{}}
	radio := &Report{LeftOut: map[string]int{}} // apart, since both kinds are made at once
	var tv, stations []catalog.Record
	var merged map[string]string
	var kinds sync.WaitGroup
	kinds.Go(func() { tv = channels(ds, now, rep) })
	kinds.Go(func() { stations, merged = fold(ds.Stations, radio) })
	kinds.Wait()
	maps.Copy(rep.LeftOut, radio.LeftOut)
	records := slices.Concat(tv, stations)

	reg := &catalog.Register{BuiltAt: now.UTC(), Sources: sources(ds.Files), Records: records}
	reg.ChannelAliases = channelAliases(records, merged, prev, upstreamIDs(ds))
	reg.StreamAliases = nameStreams(records, prev, reg.ChannelAliases)
	vocabulary(reg, ds)

	rep.Channels, rep.Stations = len(tv), len(stations)
	for i := range records {
		rep.Streams += len(records[i].Streams)
		if records[i].Playable() {
			rep.Playable++
		}
	}
	return reg, rep
}

func sources(files []source.File) []catalog.Source {
	out := make([]catalog.Source, 0, len(files))
	for _, f := range files {
		out = append(out, catalog.Source{
			Name: f.Name, FetchedAt: f.FetchedAt, SHA256: f.SHA256, Items: f.Items,
			Missing: f.FetchedAt.IsZero(),
		})
	}
	slices.SortFunc(out, func(a, b catalog.Source) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
