// Package build makes the register of the catalog from the rows of the sources.
//
// It joins channels with their feeds, streams, guides and logos, leaves out
// those that must not be shown (adult, blocked or closed channels), folds the
// entries of one station into one, and gives every stream an id that survives
// the next reload. It is pure: the same dataset, earlier register and time give
// the same register.
//
// A build has three steps. TV channels (channels.go, streams.go) and stations
// (stations.go for a row, folding.go for which rows are one station, survivor.go
// for what that station is) are made in parallel, since they share no rows. Then
// ids and aliases are settled against the earlier register (package lasting), and
// what is known but not shown is listed (gone.go). Last, the names of the
// countries, languages, categories and places in use are collected
// (vocabulary.go). Every text of a source passes package clean on the way in:
// nothing after it has to expect control characters, oversized strings or
// invalid URLs.
package build

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/lasting"
	"miramundo.dev/shared/source"
)

// A Report counts the records that a build took over and left out.
type Report struct {
	Channels int `json:"channels"` // TV channels in the register
	Stations int `json:"stations"`
	Streams  int `json:"streams"`
	Playable int `json:"playable"` // channels and stations with a usable stream

	LeftOut map[string]int `json:"left_out"` // records not in the register, by reason
}

// Reasons for a record to be left out of the register.
const (
	reasonNSFW      = "nsfw"
	reasonBlocked   = "blocklist"
	reasonClosed    = "closed"
	reasonDuplicate = "duplicate"
	reasonInvalid   = "invalid"
	reasonOrphan    = "no_channel" // a stream whose channel is not in the register
)

func (r *Report) leaveOut(reason string) { r.LeftOut[reason]++ }

// Register returns the register of ds. Channels and streams that prev already
// had keep their ids; an id of prev that is gone becomes an alias of its
// replacement, where there is one, and otherwise an entry of Register.Gone.
// Prev may be nil. Channels whose closing date is not after now are left out.
// Neither ds nor prev is changed.
func Register(ds *source.Dataset, prev *catalog.Register, now time.Time) (*catalog.Register, *Report) {
	rep := &Report{LeftOut: map[string]int{}}
	radio := &Report{LeftOut: map[string]int{}} // its own, since both kinds are made concurrently
	var tv, stations []catalog.Record
	var left hidden
	var merged map[string]string
	var kinds sync.WaitGroup
	kinds.Go(func() { tv, left = channels(ds, now, rep) })
	kinds.Go(func() { stations, merged = mergeStations(ds, prev, radio) })
	kinds.Wait()
	maps.Copy(rep.LeftOut, radio.LeftOut)
	records := slices.Concat(tv, stations)

	reg := &catalog.Register{BuiltAt: now.UTC(), Sources: sources(ds.Files), Records: records}
	successors := left.successors(idsOf(tv))
	maps.Copy(merged, successors)
	reg.ChannelAliases = lasting.Channels(records, merged, prev, lasting.Listed(ds))
	barred := left.barred(ds.Blocklist)
	maps.DeleteFunc(reg.ChannelAliases, func(from, _ string) bool { return barred[from] })
	reg.StreamAliases = lasting.Streams(records, prev, reg.ChannelAliases)
	reg.Gone = gone(reg, prev, left, ds.Blocklist, successors)
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

// idsOf returns the ids of records.
func idsOf(records []catalog.Record) map[string]bool {
	ids := make(map[string]bool, len(records))
	for i := range records {
		ids[records[i].ID] = true
	}
	return ids
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
