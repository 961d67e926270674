package keptlist_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keptlist"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A row is the id of a channel.
type row string

func (r row) ChannelID() string { return string(r) }

// catalogOf returns a catalog of the channels A.br and B.br, where A.br was Old.br
// before.
func catalogOf(t *testing.T) *indextest.Catalog {
	t.Helper()
	ix, err := index.Build(&catalog.Register{
		BuiltAt: noon, ChannelAliases: map[string]string{"Old.br": "A.br"},
		Records: []catalog.Record{{ID: "A.br", Name: "A", Country: "BR", Origin: "iptv-org"}, {ID: "B.br", Name: "B", Country: "BR", Origin: "iptv-org"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &indextest.Catalog{Shown: index.NewView(ix, index.Overlay{}, catalog.LinkBase{Base: "https://mira.example"}), SyncedAt: noon}
}

// A made is an item of the lists of these tests.
type made struct {
	Row, Channel string
	Stale        bool
}

func show(e keptlist.Entry[row]) made { return made{string(e.Row), e.Channel.ID, e.Stale} }

func TestPage(t *testing.T) {
	rows := []row{"B.br", "Gone.br", "Old.br", "A.br"}
	for _, test := range []struct {
		name  string
		in    page.In
		now   time.Time
		want  []made
		total int
	}{
		{"whole", page.In{Limit: 10}, noon, []made{{"B.br", "B.br", false}, {"Old.br", "A.br", false}}, 2},
		{"a part", page.In{Limit: 1, Offset: 1}, noon, []made{{"Old.br", "A.br", false}}, 2},
		{"behind the end", page.In{Limit: 1, Offset: 2}, noon, []made{}, 2},
		{"of an old catalog", page.In{Limit: 1}, noon.Add(catalog.StaleAfter + 1), []made{{"B.br", "B.br", true}}, 2},
	} {
		s := keptlist.Source[row]{
			Catalog: catalogOf(t), Now: func() time.Time { return test.now },
			Load: func(_ context.Context, o identity.Owner) ([]row, error) {
				if o != "g_1" {
					t.Errorf("%s: the rows of %q are read", test.name, o)
				}
				return rows, nil
			},
		}
		ctx := identity.With(t.Context(), identity.Speaker{Owner: "g_1"})
		got, err := keptlist.Page(ctx, s, test.in, show)
		if diff := cmp.Diff(test.want, got.Items); diff != "" || got.Total != test.total || err != nil {
			t.Errorf("%s: %d in all, want %d; %v (-want +got):\n%s", test.name, got.Total, test.total, err, diff)
		}
	}
}

// TestGone checks what a list says of channels that the catalog does not show.
func TestGone(t *testing.T) {
	ix, err := index.Build(&catalog.Register{
		ChannelAliases: map[string]string{"Old.br": "A.br", "Older.br": "Off.br"},
		Records:        []catalog.Record{{ID: "A.br", Name: "A"}, {ID: "Off.br", Name: "Off", Country: "BR"}},
		Gone: []catalog.Gone{
			{ID: "Closed.br", Name: "Closed", Country: "BR", Reason: catalog.GoneClosed, Since: "2023-04-05", ReplacedBy: "Old.br"},
			{ID: "Blocked.br", Name: "Blocked", Reason: catalog.GoneBlocked, ReplacedBy: "Off.br"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := []row{"Old.br", "Closed.br", "A.br", "Blocked.br", "Older.br", "Closed.br", "Unknown.br", "rb.unknown"}
	s := keptlist.Source[row]{
		Catalog: &indextest.Catalog{Shown: index.NewView(ix, index.Overlay{BlockedChannels: []string{"Off.br"}}, catalog.LinkBase{})},
		Now:     func() time.Time { return noon },
		Load:    func(context.Context, identity.Owner) ([]row, error) { return rows, nil },
	}
	ctx := identity.With(t.Context(), identity.Speaker{Owner: "g_1"})
	text := catalog.TextOrNil
	want := keptlist.Part[made]{
		Items: []made{{"Old.br", "A.br", true}}, Total: 1,
		Gone: []catalog.GoneChannel{
			{ChannelID: "Closed.br", Name: text("Closed"), Country: text("BR"), Kind: "tv", Reason: "closed", Since: text("2023-04-05"), ReplacedBy: text("A.br")},
			{ChannelID: "Blocked.br", Name: text("Blocked"), Kind: "tv", Reason: "blocked"},
			{ChannelID: "Older.br", Name: text("Off"), Country: text("BR"), Kind: "tv", Reason: "blocked"},
			{ChannelID: "Unknown.br", Kind: "tv", Reason: "vanished"},
			{ChannelID: "rb.unknown", Kind: "radio", Reason: "vanished"},
		},
	}
	got, err := keptlist.Page(ctx, s, page.In{Limit: 10}, show)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := keptlist.Page(ctx, s, page.In{Limit: 10, Offset: 1}, show); len(got.Gone) > 0 || err != nil {
		t.Errorf("the second part has %v, %v; want none", got.Gone, err)
	}
}

func TestPageFails(t *testing.T) {
	owned := identity.With(t.Context(), identity.Speaker{Owner: "g_1"})
	empty := func(context.Context, identity.Owner) ([]row, error) { return nil, nil }
	broken := func(context.Context, identity.Owner) ([]row, error) { return nil, errors.New("no database") }
	for _, test := range []struct {
		name string
		ctx  context.Context
		at   *indextest.Catalog
		load func(context.Context, identity.Owner) ([]row, error)
		want error
	}{
		{"without an owner", t.Context(), catalogOf(t), empty, identity.ErrCredential},
		{"without a catalog", owned, &indextest.Catalog{}, empty, catalog.ErrNotLoaded},
		{"without a database", owned, catalogOf(t), broken, fault.ErrUnavailable},
	} {
		s := keptlist.Source[row]{Catalog: test.at, Load: test.load, Now: func() time.Time { return noon }}
		if items, err := keptlist.Page(test.ctx, s, page.In{Limit: 1}, show); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, %v; want %v", test.name, items, err, test.want)
		}
	}
}
