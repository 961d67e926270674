package quota

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func encoded(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSold checks the limits and the prices of the interface.
func TestSold(t *testing.T) {
	q := Of(Options{FreeMinutes: 120, Comments: 20, Sells: true, Base: "https://m.example"})
	want := `[{"o_que":"Search, facets, detail records, guides, health, and reading comments and chats","limite":null,"janela":null},` +
		`{"o_que":"Minutes of live HLS through the playlist server, for each network","limite":120,"janela":"day"},` +
		`{"o_que":"Comments, for each owner","limite":20,"janela":"hour"}]`
	if diff := cmp.Diff(want, encoded(t, q.Free)); diff != "" {
		t.Errorf("free (-want +got):\n%s", diff)
	}
	want = `[{"o_que":"Chat write pass, 30 days","price_usd":"0.10","product":"chat_30","days":30},` +
		`{"o_que":"TV on the current network, 30 days","price_usd":"0.10","product":"network_30","days":30},` +
		`{"o_que":"TV on the current network, 90 days","price_usd":"0.29","product":"network_90","days":90},` +
		`{"o_que":"TV on the current network, 365 days","price_usd":"0.99","product":"network_365","days":365},` +
		`{"o_que":"One message to the operator","price_usd":"0.10","product":"contact","days":null},` +
		`{"o_que":"Credit of 1 USD","price_usd":"1.00","product":"credit_1","days":null},` +
		`{"o_que":"Credit of 5 USD","price_usd":"5.00","product":"credit_5","days":null},` +
		`{"o_que":"Credit of 10 USD","price_usd":"10.00","product":"credit_10","days":null},` +
		`{"o_que":"Credit of 25 USD","price_usd":"25.00","product":"credit_25","days":null}]`
	if diff := cmp.Diff(want, encoded(t, q.Paid)); diff != "" {
		t.Errorf("paid (-want +got):\n%s", diff)
	}
	if len(q.FreeNow) != 3 || q.HowToPay != howToPay || q.Live != "https://m.example/api/billing" {
		t.Errorf("%q, %q, %q", q.FreeNow, q.HowToPay, q.Live)
	}
}

// TestNothingSold checks what is shown where no payments are taken and no minutes are
// counted.
func TestNothingSold(t *testing.T) {
	q := Of(Options{Comments: 20})
	if len(q.Paid) > 0 || q.HowToPay != nothingSold || q.Free[1].Limit != nil {
		t.Errorf("%+v", q)
	}
	want := []string{
		"Search, facets, detail records, guides, health, and reading comments and chats",
		"Minutes of live HLS through the playlist server, for each network", "Comments, for each owner",
		"Chat write pass, 30 days", "One message to the operator",
	}
	if diff := cmp.Diff(want, q.FreeNow); diff != "" {
		t.Errorf("free now (-want +got):\n%s", diff)
	}
}
