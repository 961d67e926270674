package admin

import (
	"strings"
	"testing"
)

// TestBodyText shows the content of an event as text, without credentials and cut at a
// whole character.
func TestBodyText(t *testing.T) {
	token := "ipt_" + strings.Repeat("a", 40)
	for _, test := range []struct{ name, data, want string }{
		{"text", `{"v":1,"body":{"channel":"A.br"}}`, `{"v":1,"body":{"channel":"A.br"}}`},
		{"nothing", "", ""},
		{"a token of a guest", `{"by":"` + token + `"}`, `{"by":"ipt_…"}`},
		{"a credit and a key", "cred_0123456789 mmk_0123456789.x", "cred_… mmk_…"},
		{"a word like a token", "encrypted cred_1", "encrypted cred_1"},
		{"binary", "\xff\x00", "/wA="},
		{"long", strings.Repeat("x", maxBody-1) + "é", strings.Repeat("x", maxBody-1)},
	} {
		if got := bodyText([]byte(test.data)); got != test.want {
			t.Errorf("%s: %.80q, want %.80q", test.name, got, test.want)
		}
	}
}
