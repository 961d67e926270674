// Package keptlist lists the channels that a caller keeps, such as favorites, as
// the catalog shows them now.
//
// What is kept names channels by the ids that they had at that time. A list
// leaves out the channels that the catalog does not show now, and shows a channel
// once that is kept under two of its ids: as the row that comes first. Rows are
// never removed for that, so that a channel which comes back is in the list again.
package keptlist

import (
	"context"
	"time"

	"miramundo.dev/shared/api/page"
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

// Page returns the part that in asks for of the list of ctx's owner, each entry
// made an item by show, and how many entries the whole list has. The items are
// never nil.
//
// Its error is a fault: identity.ErrCredential when nobody owns the call,
// catalog.ErrNotLoaded, or fault.ErrUnavailable when the rows cannot be read.
func Page[R Row, I any](ctx context.Context, s Source[R], in page.In, show func(Entry[R]) I) (items []I, total int, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return nil, 0, err
	}
	v, err := s.Catalog.View()
	if err != nil {
		return nil, 0, err
	}
	rows, err := s.Load(ctx, owner)
	if err != nil {
		return nil, 0, fault.OrUnavailable(err)
	}
	all := entries(rows, v, index.Stale(s.Catalog, s.Now()))
	part := page.Cut(in, all)
	items = make([]I, 0, len(part))
	for _, e := range part {
		items = append(items, show(e))
	}
	return items, len(all), nil
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
