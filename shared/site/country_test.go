package site

import "testing"

func TestCountryNumbers(t *testing.T) {
	codes := CountryNumbers()
	for number, want := range map[string]string{"076": "BR", "004": "AF", "840": "US", "001": "", "150": ""} {
		if got := codes[number]; got != want {
			t.Errorf("the code of %s is %q, want %q", number, got, want)
		}
	}
}
