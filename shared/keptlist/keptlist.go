// Package keptlist lists the channels that a caller keeps, such as favorites, as
// the catalog shows them now.
//
// What is kept names channels by the ids that they had at that time. A list
// shows a channel once that is kept under two of its ids: as the row that comes
// first. Channels that the catalog does not show now are not among its items, but
// listed apart, with what is known of them. Rows are never removed for that, so
// that a channel which comes back is in the list again.
package keptlist

import (
	"context"
	"time"

	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// RowPath is the end of the path of the row of a channel, after the path of a list.
const RowPath = "/{channel_id}"

// A Row is what is kept of one channel.
type Row interface {
	ChannelID() string // as it was when the row was kept
}

// An Entry is a row with the channel that it leads to.
type Entry[R Row] struct {
	Row     R
	Channel index.Summary
	Stale   bool // the catalog is too old to say whether the channel plays
}

// A Source is where lists come from.
type Source[R Row] struct {
	Catalog index.DatedViewer
	Load    func(context.Context, identity.Owner) ([]R, error) // the rows of an owner, in the order of the list
	Now     func() time.Time
}

// A Part is a part of a list.
type Part[I any] struct {
	Items []I // never nil
	Total int // entries of the whole list

	// Gone are the channels of the whole list that the catalog does not show, in
	// its order, each once. Only the first part has them.
	Gone []catalog.GoneChannel
}

// Page returns the part that in asks for of the list of ctx's owner, each entry
// made an item by show.
//
// Its error is a fault: identity.ErrCredential when nobody owns the call,
// catalog.ErrNotLoaded, or fault.ErrUnavailable when the rows cannot be read.
func Page[R Row, I any](ctx context.Context, s Source[R], in page.In, show func(Entry[R]) I) (p Part[I], err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return p, err
	}
	v, err := s.Catalog.View()
	if err != nil {
		return p, err
	}
	rows, err := s.Load(ctx, owner)
	if err != nil {
		return p, fault.OrUnavailable(err)
	}
	all := entries(rows, v, index.Stale(s.Catalog, s.Now()))
	part := page.Cut(in, all)
	p = Part[I]{Items: make([]I, 0, len(part)), Total: len(all)}
	for _, e := range part {
		p.Items = append(p.Items, show(e))
	}
	if in.Offset == 0 {
		p.Gone = gone(rows, v)
	}
	return p, nil
}

// gone returns the channels of rows that v does not show, each once.
func gone[R Row](rows []R, v *index.View) []catalog.GoneChannel {
	var list []catalog.GoneChannel
	seen := map[string]bool{}
	for _, r := range rows {
		id := r.ChannelID()
		if _, shown := v.Current(id); !shown && !seen[id] {
			seen[id] = true
			list = append(list, v.Missing(id))
		}
	}
	return list
}

// entries returns the rows whose channels v shows, each channel once.
func entries[R Row](rows []R, v *index.View, stale bool) []Entry[R] {
	all := make([]Entry[R], 0, len(rows))
	seen := make(map[string]bool, len(rows))
	for _, r := range rows {
		b, ok := v.Summary(r.ChannelID())
		if !ok || seen[b.ID] {
			continue
		}
		seen[b.ID] = true
		all = append(all, Entry[R]{r, b, stale})
	}
	return all
}
