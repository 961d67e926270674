package credit

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// change changes a credit by an amount, as the entry with a number.
func change(t *testing.T, db store.DB, token string, amount price.Amount, purchase string) error {
	t.Helper()
	return db.Update(t.Context(), func(tx store.Tx) error {
		c, err := Read(tx, token)
		if err != nil {
			return err
		}
		return c.Add(tx, amount, price.Contact, purchase, noon)
	})
}

// TestToken checks the form of tokens, and that two of them differ.
func TestToken(t *testing.T) {
	token := NewToken()
	if !IsToken(token) || token == NewToken() || strings.Contains(token, ".") {
		t.Errorf("the token %q", token)
	}
	for _, s := range []string{"", "cred_", token[5:], token + "a", token[:len(token)-1], strings.ToUpper(token), "cred_" + strings.Repeat("1", textLen), "ipt_" + token[5:]} {
		if IsToken(s) {
			t.Errorf("%q is taken for a token", s)
		}
	}
}

// TestStatement changes a credit and reads its entries in pages.
func TestStatement(t *testing.T) {
	db, token := wiretest.OpenDB(t), NewToken()
	if _, err := Load(t.Context(), db, token, 1, 0); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown token: %v", err)
	}
	if found, err := Exists(t.Context(), db, token); found || err != nil {
		t.Errorf("an unknown token exists: %t, %v", found, err)
	}
	for i, amount := range []price.Amount{100, -30, -70, 50} {
		if err := change(t, db, token, amount, string(rune('a'+i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := change(t, db, token, -51, "x"); !errors.Is(err, ErrInsufficient) {
		t.Errorf("more than the balance was spent: %v", err)
	}
	for _, test := range []struct {
		limit, offset int
		want          string // purchases
	}{
		{2, 0, "dc"}, {2, 1, "cb"}, {10, 3, "a"}, {10, 4, ""}, {0, 0, ""}, {1, -1, ""}, {10, 0, "dcba"},
	} {
		s, err := Load(t.Context(), db, token, test.limit, test.offset)
		got := ""
		for _, e := range s.Entries {
			got += e.Purchase
		}
		if got != test.want || err != nil || s.Balance != 50 || s.Total != 4 || !s.CreatedAt.Equal(noon) {
			t.Errorf("%d after %d: %q of %+v, %v; want %q", test.limit, test.offset, got, s, err, test.want)
		}
	}
	s, err := Load(t.Context(), db, token, 1, 1)
	want := []Entry{{Number: 3, Product: price.Contact, Amount: -70, Purchase: "c", At: store.At(noon)}}
	if d := cmp.Diff(want, s.Entries); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

// TestHashed checks that a token is in no document and no path.
func TestHashed(t *testing.T) {
	db, token := wiretest.OpenDB(t), NewToken()
	if err := change(t, db, token, 5, "a"); err != nil {
		t.Fatal(err)
	}
	found := 0
	for doc, err := range db.Query(t.Context(), store.Query{Collection: "credits"}) {
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := doc.Decode(&fields); err != nil {
			t.Fatal(err)
		}
		found++
		for _, v := range fields {
			if text, ok := v.(string); ok && strings.Contains(text, token[5:]) {
				t.Errorf("%s has the token", doc.Path)
			}
		}
		if strings.Contains(string(doc.Path), token[5:]) {
			t.Errorf("the path %s has the token", doc.Path)
		}
	}
	if found != 1 {
		t.Errorf("%d credits", found)
	}
	if err := change(t, db, "cred_a/b", 5, "a"); !errors.Is(err, ErrUnknown) {
		t.Errorf("a malformed token: %v", err)
	}
}
