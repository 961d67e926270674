package factor

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/keyring"
)

const account = "a_aaaaaaaaaaaaaaaaaaaaaaaa"

func ring(t testing.TB, setting string) *keyring.Ring {
	t.Helper()
	keys, err := keyring.Parse(setting)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

var (
	keyA = strings.Repeat("a", 32)
	keyB = strings.Repeat("b", 32)
)

// TestVectors holds codes to those of RFC 6238, appendix B, of which the last six
// digits are ours.
func TestVectors(t *testing.T) {
	secret := Secret("12345678901234567890")
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		if got := secret.Code(time.Unix(at, 0)); got != want {
			t.Errorf("second %d: %s, want %s", at, got, want)
		}
	}
	if got := secret.String(); got != "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" {
		t.Errorf("in base32: %s", got)
	}
}

func TestURL(t *testing.T) {
	u, err := url.Parse(Secret("12345678901234567890").URL("Mira mundo", "maria+tv@exemplo.com.br"))
	if err != nil {
		t.Fatal(err)
	}
	if got := u.Scheme + " " + u.Host + " " + u.Path; got != "otpauth totp /Mira mundo:maria+tv@exemplo.com.br" {
		t.Errorf("the URL reads as %s", got)
	}
	want := url.Values{"secret": {"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}, "issuer": {"Mira mundo"}}
	if diff := cmp.Diff(want, u.Query()); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	if strings.Contains(u.RawQuery, "+") || len(u.String()) > 370 {
		t.Errorf("a plus is no space for apps, and a QR code has bounds: %s", u)
	}
}

// TestUse checks which codes work, and that none works twice.
func TestUse(t *testing.T) {
	keys, secret := ring(t, keyA), NewSecret()
	at := func(n int64) time.Time { return time.Unix(n*30+7, 0) }
	code := func(n int64) string { return secret.Code(at(n)) }
	a, err := secret.Add(keys, account, code(1000), at(1000))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		code string
		now  int64
		want error
	}{
		{"the code that added it", code(1000), 1000, ErrWrong},
		{"the one before", code(999), 1000, ErrWrong},
		{"two steps late", code(1002), 1004, ErrWrong},
		{"two steps early", code(1006), 1004, ErrWrong},
		{"nothing", "", 1004, ErrWrong},
		{"five digits", code(1004)[:5], 1004, ErrWrong},
		{"a digit more", code(1004) + "0", 1004, ErrWrong},
		{"letters", "abcdef", 1004, ErrWrong},
		{"a megabyte", code(1004) + strings.Repeat(" ", 1<<20), 1004, ErrWrong},
		{"one step late", code(1003), 1004, nil},
		{"the same again", code(1003), 1004, ErrWrong},
		{"the current one, with a space", code(1004)[:3] + " " + code(1004)[3:], 1004, nil},
		{"the current one again", code(1004), 1005, ErrWrong},
		{"one step early", code(1006), 1005, nil},
		{"the current one after the next", code(1005), 1005, ErrWrong},
	} {
		last := a.LastStep
		err := a.Use(keys, account, test.code, at(test.now))
		if !errors.Is(err, test.want) || (err != nil && a.LastStep != last) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// TestSeal checks that a stored secret opens for its account alone, and with the keys
// that sealed it.
func TestSeal(t *testing.T) {
	keys, secret := ring(t, "a:"+keyA), NewSecret()
	now := time.Unix(1_800_000_000, 0)
	code := secret.Code(now)
	if _, err := secret.Add(keys, account, "000000"+code, now); !errors.Is(err, ErrWrong) {
		t.Errorf("added by a wrong code: %v", err)
	}
	a, err := secret.Add(keys, account, code, now)
	if err != nil {
		t.Fatal(err)
	}
	later := now.Add(step)
	code = secret.Code(later)
	text, _ := json.Marshal(a)
	if strings.Contains(string(text), secret.String()) || strings.Contains(string(text), string(secret)) {
		t.Errorf("the secret is stored in clear: %s", text)
	}
	if err := a.Use(keys, strings.Replace(account, "a_a", "a_b", 1), code, later); err == nil || errors.Is(err, ErrWrong) {
		t.Errorf("for another account: %v", err)
	}
	if err := a.Use(ring(t, "b:"+keyB), account, code, later); err == nil || errors.Is(err, ErrWrong) {
		t.Errorf("without the key: %v", err)
	}
	if err := a.Use(ring(t, "b:"+keyB+",a:"+keyA), account, code, later); err != nil {
		t.Errorf("after a change of keys: %v", err)
	}
	short, err := Secret("short").Seal(keys, account)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(keys, account, short); !errors.Is(err, errSecret) {
		t.Errorf("a short secret: %v", err)
	}
	if _, err := secret.Add(nil, account, code, later); !errors.Is(err, keyring.ErrNoKey) {
		t.Errorf("without keys: %v", err)
	}
	if slices.Equal(NewSecret(), NewSecret()) {
		t.Error("two secrets are equal")
	}
}

// TestRecovery uses every code, in any spelling, once.
func TestRecovery(t *testing.T) {
	codes, hashes := NewRecovery(account)
	if len(codes) != RecoveryCodes || len(hashes) != RecoveryCodes {
		t.Fatalf("%d codes with %d hashes", len(codes), len(hashes))
	}
	for _, wrong := range []string{"", "-", hashes[0], codes[0][1:], codes[0] + "x", strings.Repeat(" ", 1<<20) + codes[0], "aaaa-aaaa-aaaa-aaaa-aaaa-aaaa"} {
		if left, err := UseRecovery(account, hashes, wrong); !errors.Is(err, ErrWrong) || left != nil {
			t.Errorf("%.40q: %d left, %v", wrong, len(left), err)
		}
	}
	if _, err := UseRecovery("a_b", hashes, codes[0]); !errors.Is(err, ErrWrong) {
		t.Errorf("a code of another account: %v", err)
	}
	for i, code := range codes {
		if len(code) != 29 || strings.Contains(strings.Join(hashes, " "), code) {
			t.Errorf("the code %q", code)
		}
		spellings := []string{code, strings.ToUpper(code), strings.ReplaceAll(code, "-", ""), " " + strings.ReplaceAll(code, "-", " ")}
		left, err := UseRecovery(account, hashes, spellings[i%len(spellings)])
		if err != nil || len(left) != len(hashes)-1 {
			t.Fatalf("code %d: %d left, %v", i, len(left), err)
		}
		if _, err := UseRecovery(account, left, code); !errors.Is(err, ErrWrong) {
			t.Errorf("code %d again: %v", i, err)
		}
		hashes = left
	}
	other, _ := NewRecovery(account)
	if slices.ContainsFunc(other, func(c string) bool { return slices.Contains(codes, c) }) {
		t.Error("two sets share a code")
	}
}

func FuzzUse(f *testing.F) {
	secret, now := NewSecret(), time.Unix(1_800_000_000, 0)
	f.Add("123 456")
	f.Add("\xff-\u2003٣")
	f.Fuzz(func(t *testing.T, code string) {
		if _, ok := secret.match(code, now, 0); ok && !strings.Contains(secret.Code(now.Add(-step))+secret.Code(now)+secret.Code(now.Add(step)), typed(code)) {
			t.Errorf("%q works", code)
		}
	})
}
