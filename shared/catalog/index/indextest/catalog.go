package indextest

import (
	"fmt"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// A Catalog is an [index.DatedViewer] that provides what a test sets. The zero
// Catalog is one before the first release.
type Catalog struct {
	Shown    *index.View
	SyncedAt time.Time
}

// View returns c.Shown, or catalog.ErrNotLoaded when there is none.
func (c *Catalog) View() (*index.View, error) {
	if c.Shown == nil {
		return nil, catalog.ErrNotLoaded
	}
	return c.Shown, nil
}

// Synced returns c.SyncedAt; false when it is not set.
func (c *Catalog) Synced() (time.Time, bool) { return c.SyncedAt, !c.SyncedAt.IsZero() }

// Channels returns a view of channels of Brazil, each with one stream that plays.
// aliases are ids that channels once had, with those that they have now.
func Channels(t testing.TB, links catalog.LinkBase, aliases map[string]string, ids ...string) *index.View {
	t.Helper()
	var list []catalog.Record
	for i, id := range ids {
		list = append(list, catalog.Record{ID: id, Name: "Channel " + id, Country: "BR", Origin: "iptv-org", Streams: []catalog.StreamRecord{{
			ID: catalog.StreamID(i + 1), URL: fmt.Sprintf("https://h.example/%d.m3u8", i), Kind: catalog.StreamHLS, Origin: "iptv-org", Playable: true,
		}}})
	}
	ix, err := index.Build(&catalog.Register{BuiltAt: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Records: list, ChannelAliases: aliases})
	if err != nil {
		t.Fatal(err)
	}
	return index.NewView(ix, index.Overlay{}, links)
}
