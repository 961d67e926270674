package claim

import (
	"context"
	"errors"
	"testing"
	"time"

	"miramundo.dev/shared/account/claim"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

func noon() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

// TestOutages checks what a claim answers while something does not answer itself: the
// fault says whether the claim has begun. Later it ends.
func TestOutages(t *testing.T) {
	guests := identity.NewGuests(keyringtest.Ring("a key of at least thirty-two characters"), noon)
	links := catalog.LinkBase{Base: "https://mira.example"}
	loaded := &indextest.Catalog{Shown: indextest.Channels(t, links, nil, "A.br"), SyncedAt: noon()}
	const old = "ipt_0123456789abcdef"
	for _, test := range []struct {
		name    string
		catalog index.Viewer
		old     bool
		writes  int // until the database fails; it reads nothing either when negative
		want    *fault.Error
	}{
		{"no catalog", &indextest.Catalog{}, false, 9, identity.ErrUnavailable},
		{"no database", loaded, false, -1, identity.ErrUnavailable},
		{"no database for an old token", loaded, true, -1, identity.ErrUnavailable},
		{"no first write", loaded, false, 0, identity.ErrUnavailable},
		{"no second write", loaded, false, 1, claim.ErrPending},
	} {
		db := storetest.NewSwitch(wiretest.OpenDB(t))
		token, owner, err := guests.Issue()
		if test.old {
			token = old
			owner, _ = identity.OldGuest(old)
		}
		if err != nil {
			t.Fatal(err)
		}
		addComment(t, db, owner)
		if db.OffAfter(test.writes); test.writes < 0 {
			db.Off()
		}
		s := New(Options{DB: db, Guests: guests, Catalog: test.catalog, Now: noon})
		ctx := identity.With(t.Context(), identity.Speaker{Owner: "a_aaaaaaaaaaaaaaaaaaaaaaaa"})
		if out, err := s.claim(ctx, claimIn{token}); !errors.Is(err, test.want) {
			t.Errorf("%s: %+v, %v; want %v", test.name, out, err, test.want)
		}
		db.On()
		s.Catalog = loaded
		if out, err := s.claim(ctx, claimIn{token}); err != nil || out.Claimed.Product.Movidos != (claim.Rows{Comments: 1}) {
			t.Errorf("%s, and then all is well: %+v, %v", test.name, out, err)
		}
	}
}

// TestPurchases checks that the answer counts the purchases that moved.
func TestPurchases(t *testing.T) {
	guests := identity.NewGuests(keyringtest.Ring("a key of at least thirty-two characters"), noon)
	links := catalog.LinkBase{Base: "https://mira.example"}
	db := wiretest.OpenDB(t)
	token, owner, err := guests.Issue()
	if err != nil {
		t.Fatal(err)
	}
	list := billing.List{Purchases: []billing.Purchase{{ID: "pu_1", Product: price.ChatPass}, {ID: "pu_2", Product: price.Credit1}}}
	if err := db.Set(t.Context(), billing.ListPath(owner), list); err != nil {
		t.Fatal(err)
	}
	s := New(Options{DB: db, Guests: guests, Catalog: &indextest.Catalog{Shown: indextest.Channels(t, links, nil, "A.br"), SyncedAt: noon()}, Now: noon})
	ctx := identity.With(t.Context(), identity.Speaker{Owner: "a_aaaaaaaaaaaaaaaaaaaaaaaa"})
	for _, want := range []int{2, 0} {
		if out, err := s.claim(ctx, claimIn{token}); err != nil || out.Claimed.Product.Direitos != want {
			t.Errorf("%+v, %v; want %d purchases", out, err, want)
		}
	}
}

func addComment(t *testing.T, db store.DB, owner identity.Owner) {
	t.Helper()
	c, err := comment.New(owner, "A.br", "", "hello", noon())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := comment.Post(context.Background(), db, c); err != nil {
		t.Fatal(err)
	}
}
