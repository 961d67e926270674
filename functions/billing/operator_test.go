package billing

import (
	"net/http"
	"testing"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/store"
)

// TestOpenReceipts shows the operator, and nobody else, a payment that cannot be
// decided.
func TestOpenReceipts(t *testing.T) {
	w := newWorld(t)
	for id, state := range map[string]billing.State{"a": billing.Open, "b": billing.Delivered} {
		purchase := billing.Purchase{ID: "pu_" + id, Product: "credit_25", Amount: 25_000_000, Network: "base", Payer: receiver, At: store.At(noon())}
		if err := w.db.Set(t.Context(), store.Path("payments").Join(id), map[string]any{"state": state, "purchase": purchase}); err != nil {
			t.Fatal(err)
		}
	}
	if res, body := w.do("GET", "/api/admin/payments/open", ""); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %d %s", res.StatusCode, body)
	}
	var got openReceipts
	w.get("/api/admin/payments/open", &got, "Authorization", "Bearer "+operatorToken)
	want := billing.Receipt{
		ID: "pu_a", Product: "credit_25", AmountUSD: "25.00", Network: "base", Payer: receiver, At: store.At(noon()), State: billing.Open,
	}
	if len(got.Items) != 1 || got.Items[0] != want {
		t.Errorf("%+v, want %+v", got.Items, want)
	}
	w.db.Off()
	if res, body := w.do("GET", "/api/admin/payments/open", "", "Authorization", "Bearer "+operatorToken); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without a database: %d %s", res.StatusCode, body)
	}
}
