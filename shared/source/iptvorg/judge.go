package iptvorg

import (
	"iter"
	"reflect"

	"miramundo.dev/shared/source"
)

// This file holds what the parts are judged by when they are read again: what
// may be missing, which columns matter, and which records refer to channels.
// Package collect compares these figures with those of the last good files.

// maxBlocklistLoss is the share of its records that the blocklist may lose. It
// is small, since every record that is lost shows a channel that must not be
// shown.
const maxBlocklistLoss = 0.05

// optional returns p as a part that may have no records.
func optional(p source.Part) source.Part {
	p.Optional = true
	return p
}

// essential returns p as a part without which the source is not used.
func essential(p source.Part) source.Part {
	p.Essential = true
	return p
}

// guarded returns p as a part that may lose at most maxLoss of its records.
func guarded(p source.Part, maxLoss float64) source.Part {
	p.MaxLoss = maxLoss
	return p
}

// watched returns p as a part whose rows mean something else without a value in
// columns.
func watched[T any](p source.Part, rows func(*source.Dataset) []T, columns ...string) source.Part {
	p.Columns = columns
	p.Filled = func(d *source.Dataset) map[string]int { return filled(rows(d), columns) }
	return p
}

// linked returns p as a part whose rows refer to channels.
func linked[T any](p source.Part, rows func(*source.Dataset) []T, channel func(*T) string) source.Part {
	p.Channels = func(d *source.Dataset) iter.Seq[string] {
		return func(yield func(string) bool) {
			all := rows(d)
			for i := range all {
				if id := channel(&all[i]); id != "" && !yield(id) {
					return
				}
			}
		}
	}
	return p
}

// filled counts the rows that have a value in each of columns, which are names
// by the json tags of T.
func filled[T any](rows []T, columns []string) map[string]int {
	counts := make(map[string]int, len(columns))
	indices := newTable[T](nil).fields
	for _, name := range columns {
		column := indices[name]
		counts[name] = 0
		for i := range rows {
			if hasValue(reflect.ValueOf(&rows[i]).Elem().Field(column)) {
				counts[name]++
			}
		}
	}
	return counts
}

func hasValue(field reflect.Value) bool {
	if field.Kind() == reflect.Slice {
		return field.Len() > 0
	}
	return !field.IsZero()
}

// The rows of a dataset that figures are computed from.
var (
	channelRows = func(d *source.Dataset) []source.Channel { return d.Channels }
	feedRows    = func(d *source.Dataset) []source.Feed { return d.Feeds }
	logoRows    = func(d *source.Dataset) []source.Logo { return d.Logos }
	streamRows  = func(d *source.Dataset) []source.Stream { return d.Streams }
	guideRows   = func(d *source.Dataset) []source.Guide { return d.Guides }
	blockRows   = func(d *source.Dataset) []source.Block { return d.Blocklist }
)
