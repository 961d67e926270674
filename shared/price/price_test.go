package price

import "testing"

func TestUSD(t *testing.T) {
	for a, want := range map[Amount]string{
		0: "0.00", 10 * Cent: "0.10", 29 * Cent: "0.29", 2500 * Cent: "25.00", 1: "0.000001", 150: "0.00015", -10 * Cent: "-0.10",
	} {
		if got := a.USD(); got != want {
			t.Errorf("USD of %d = %q, want %q", a, got, want)
		}
	}
}

// TestItems holds the prices of the interface.
func TestItems(t *testing.T) {
	for p, want := range map[Product]string{
		ChatPass: "0.10", Network30: "0.10", Network90: "0.29", Network365: "0.99", Contact: "0.10",
	} {
		if it := Of(p); it.Amount.USD() != want {
			t.Errorf("%s costs %s, want %s", p, it.Amount.USD(), want)
		}
	}
	seen := map[Product]bool{}
	for _, it := range All() {
		if seen[it.Product] || it.Amount <= 0 || it.Description == "" || (it.Days > 0) != (it.Kind == Chat || it.Kind == Network) {
			t.Errorf("%+v is repeated or incomplete", it)
		}
		seen[it.Product] = true
	}
	if _, ok := Find("no such product"); ok {
		t.Error("an unknown product was found")
	}
}
