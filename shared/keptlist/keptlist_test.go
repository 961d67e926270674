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
		got, total, err := keptlist.Page(ctx, s, test.in, show)
		if diff := cmp.Diff(test.want, got); diff != "" || total != test.total || err != nil {
			t.Errorf("%s: %d in all, want %d; %v (-want +got):\n%s", test.name, total, test.total, err, diff)
		}
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
		if items, _, err := keptlist.Page(test.ctx, s, page.In{Limit: 1}, show); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, %v; want %v", test.name, items, err, test.want)
		}
	}
}
