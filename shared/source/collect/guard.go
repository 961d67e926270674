package collect

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/iptvorg"
)

// A file can be complete, well formed and wrong: a script upstream that drops a
// column or a filter publishes it like any other. The guards compare figures of
// a file with those of the last file that was accepted, and refuse a file in
// which one of them is beyond its limit. On the first load there is nothing to
// compare with; only columns and links are judged then. A folder of a few files
// that somebody wrote by hand may lack columns and files that it never had.

// Limits of the guards.
const (
	maxLoss   = 0.3 // share of its records that a file may lose; a part may have its own
	maxGrowth = 1.5 // how many times its records a file may have

	// growthSlack is the number of records that any file may gain: a small file
	// grows by half of itself easily.
	growthSlack = 100

	minValues   = 0.5 // share of the values of a column that must remain, for as many records
	minExpected = 20  // values that a column must have had for their share to be judged

	handmade = 1000 // records below which a file, or all of a source, may be written by hand

	// minLinks is the share of the records with a channel id whose channel must
	// exist. In the real files it is 99 % or more.
	minLinks  = 0.95
	minLinked = 20 // records with a channel id for their share to be judged
)

// ErrShrunk says that a file has far fewer records than before.
var ErrShrunk = errors.New("the file has lost too many records")

// unreadable returns the refusal of a file that could not be read.
func unreadable(f source.File) source.Refusal {
	return source.Refusal{File: f.Name, Figure: source.FigureReadable, Limit: 1, Reason: f.Problem}
}

// checkFile returns what speaks against a file that was read.
func checkFile(r *reading) []source.Refusal {
	found := checkColumns(r)
	if r.last.SHA256 != "" && r.last.SHA256 != r.file.SHA256 {
		found = slices.Concat(found, checkRecords(r), checkValues(r))
	}
	return found
}

// checkColumns refuses a file that has lost a column. A column that had no value
// in the last file was lost without any harm.
func checkColumns(r *reading) (found []source.Refusal) {
	if r.file.Items == 0 || r.last.Filled == nil && r.file.Items < handmade {
		return nil
	}
	for _, name := range r.absent {
		before, known := r.last.Filled[name]
		if r.file.Filled[name] > 0 || known && before == 0 {
			continue
		}
		found = append(found, source.Refusal{
			File: r.file.Name, Figure: source.FigureColumn, Column: name, Before: min(before, 1), Limit: 1,
			Reason: fmt.Sprintf("it has no column %q", name),
		})
	}
	return found
}

// checkRecords refuses a file with far fewer or far more records than before.
func checkRecords(r *reading) []source.Refusal {
	now, before := r.file.Items, r.last.Items
	loss := maxLoss
	if r.part.MaxLoss > 0 {
		loss = r.part.MaxLoss
	}
	refusal := source.Refusal{File: r.file.Name, Figure: source.FigureRecords, Value: now, Before: before}
	least, most := share(before, 1-loss), max(int(maxGrowth*float64(before)), before+growthSlack)
	switch {
	case now < least:
		refusal.Limit = least
		refusal.Reason = fmt.Sprintf("%v: it has %d records where it had %d, and must have %d", ErrShrunk, now, before, least)
	case before > 0 && now > most:
		refusal.Limit = most
		refusal.Reason = fmt.Sprintf("the file has gained too many records: it has %d records where it had %d, and may have %d", now, before, most)
	default:
		return nil
	}
	return []source.Refusal{refusal}
}

// checkValues refuses a file in which a column has lost its values.
func checkValues(r *reading) (found []source.Refusal) {
	if r.last.Items == 0 {
		return nil
	}
	for _, name := range r.part.Columns {
		now, before := r.file.Filled[name], r.last.Filled[name]
		expected := float64(before) * float64(r.file.Items) / float64(r.last.Items)
		least := int(math.Ceil(expected * minValues))
		if expected < minExpected || now >= least || slices.Contains(r.absent, name) && now == 0 {
			continue // a column that is absent is refused as such
		}
		found = append(found, source.Refusal{
			File: r.file.Name, Figure: source.FigureValues, Column: name, Value: now, Before: before, Limit: least,
			Reason: fmt.Sprintf("too few of its records have a value in the column %q: %d where %d had one, and %d must", name, now, before, least),
		})
	}
	return found
}

// checkLinks refuses the files of a source whose records refer to channels that
// the source does not have, such as by ids in other letters.
func checkLinks(s *set) {
	channels := s.file(iptvorg.ChannelsPart)
	if channels == nil || len(channels.data.Channels) == 0 {
		return
	}
	known := make(map[string]bool, len(channels.data.Channels))
	for i := range channels.data.Channels {
		known[channels.data.Channels[i].ID] = true
	}
	for _, r := range s.files {
		if r.part.Channels == nil {
			continue
		}
		all, linked := 0, 0
		for id := range r.part.Channels(&r.data) {
			all++
			if known[id] {
				linked++
			}
		}
		if least := share(all, minLinks); all >= minLinked && linked < least {
			r.refusals = append(r.refusals, source.Refusal{
				File: r.part.Name, Figure: source.FigureLinks, Column: "channel", Value: linked, Before: all, Limit: least,
				Reason: fmt.Sprintf("too few of its records name a channel of %s: %d of %d, and %d must", iptvorg.ChannelsPart, linked, all, least),
			})
		}
	}
}

// share returns the least whole number that is at least a share of n.
func share(n int, part float64) int {
	least := math.Ceil(float64(n)*part - 1e-9) // 100 × 0.7 is a little more than 70
	return int(least)
}

// reasons returns the reasons of refusals as one sentence.
func reasons(refusals []source.Refusal) string {
	text := refusals[0].Reason
	if more := len(refusals) - 1; more > 0 {
		text += ", and " + strconv.Itoa(more) + " more"
	}
	return text
}
