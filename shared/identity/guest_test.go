package identity

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	keyOne = "the first key of guests, long enough"
	keyTwo = "the second key of guests, just as long"
)

func noon() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

func issue(t testing.TB, g *Guests) (string, Owner) {
	t.Helper()
	token, o, err := g.Issue()
	if err != nil {
		t.Fatal(err)
	}
	return token, o
}

// forge returns what a key signs with a method, of a header and claims that
// differ from ours as the functions say.
func forge(t testing.TB, method jwt.SigningMethod, key any, change func(header map[string]any, claims jwt.MapClaims)) string {
	t.Helper()
	claims := jwt.MapClaims{"sub": "AAECAwQFBgcICQoLDA0ODw", "iat": noon().Unix()}
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = newGuestKey(keyOne).id
	if change != nil {
		change(token.Header, claims)
	}
	s, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return guestPrefix + s
}

// TestGuests checks that a token is known by who has its key, and by nobody else.
func TestGuests(t *testing.T) {
	token, o := issue(t, NewGuests(keyOne, "", noon))
	for _, test := range []struct {
		name              string
		current, previous string
		want              error
	}{
		{"the same key", keyOne, "", nil},
		{"the key is now the previous one", keyTwo, keyOne, nil},
		{"only the previous one is left", "", keyOne, nil},
		{"another key", keyTwo, "", ErrCredential},
		{"two other keys", keyTwo, keyTwo + "!", ErrCredential},
		{"no key", "", "", ErrUnavailable},
	} {
		got, err := NewGuests(test.current, test.previous, noon).Verify(token)
		if !errors.Is(err, test.want) || (err == nil && got != o) || (err != nil && got != "") {
			t.Errorf("%s: %q, %v; want %q, %v", test.name, got, err, o, test.want)
		}
	}
}

// TestIssue checks what is given: each token another, of a form that callers
// can send, signed by the current key, and owners that tell nothing of it.
func TestIssue(t *testing.T) {
	g := NewGuests(keyTwo, keyOne, noon)
	seen := map[string]bool{}
	for range 1000 {
		token, o := issue(t, g)
		if seen[token] || seen[string(o)] {
			t.Fatal("a token or an owner comes twice")
		}
		seen[token], seen[string(o)] = true, true
		if GuestToken(token, "") != token || len(token) > 256 {
			t.Fatalf("nobody could send the token of %d bytes", len(token))
		}
		if !strings.HasPrefix(string(o), "g_") || len(o) != 34 || strings.Contains(token, string(o[2:])) {
			t.Fatalf("the owner is called %q", o)
		}
		if got, err := NewGuests(keyTwo, "", noon).Verify(token); err != nil || got != o {
			t.Fatalf("the current key alone: %q, %v", got, err)
		}
	}
	for _, g := range []*Guests{NewGuests("", "", noon), NewGuests("", keyOne, noon)} {
		if token, o, err := g.Issue(); !errors.Is(err, ErrUnavailable) || token != "" || o != "" {
			t.Errorf("without a current key: %q, %q, %v", token, o, err)
		}
	}
}

// TestOwnersStay holds tokens to the owners that they have always meant: where
// this fails, guests lose their libraries.
func TestOwnersStay(t *testing.T) {
	const token = "ipt_eyJhbGciOiJIUzI1NiIsImtpZCI6InJaM0NCMG9xIiwidHlwIjoiSldUIn0.eyJpYXQiOjE3OTUzNDg4MDAsInN1YiI6IkFBRUNBd1FGQmdjSUNRb0xEQTBPRHcifQ.jgLtl5Q-UjZuZDw6z1tC5ii7yCWFR014Lmq-1U1bY2g"
	if o, err := NewGuests(keyOne, "", noon).Verify(token); err != nil || o != "g_f30b6f440eca9656dcb9d0c80c9793d9" {
		t.Errorf("a signed token is of %q, %v", o, err)
	}
	if o, ok := OldGuest("ipt_0123456789abcdef"); !ok || o != "g_e270ae8baa7066e3a3c98af641c4617d" {
		t.Errorf("an old token is of %q, %t", o, ok)
	}
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// goodTokens are tokens of three guests, two by the first key and one by the
// second.
func goodTokens(t testing.TB) []string {
	tokens := make([]string, len(subjects))
	for i, sub := range subjects {
		key := newGuestKey([]string{keyOne, keyOne, keyTwo}[i])
		tokens[i] = forge(t, jwt.SigningMethodHS256, key.secret, func(h map[string]any, c jwt.MapClaims) {
			h["kid"], c["sub"] = key.id, sub
		})
	}
	return tokens
}

var subjects = [3]string{"AAECAwQFBgcICQoLDA0ODw", "EBESExQVFhcYGRobHB0eHw", "ICEiIyQlJicoKSorLC0uLw"}

// badTokens are tokens that we did not give, or that are not as we gave them.
func badTokens(t testing.TB) map[string]string {
	good, other := goodTokens(t)[0], goodTokens(t)[1]
	parts, others := strings.Split(good, "."), strings.Split(other, ".")
	k := newGuestKey(keyOne)
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	hs := jwt.SigningMethodHS256
	with := func(change func(header map[string]any, claims jwt.MapClaims)) string {
		return forge(t, hs, k.secret, change)
	}
	return map[string]string{
		"nothing":                    "",
		"a prefix":                   "ipt_",
		"without the prefix":         strings.TrimPrefix(good, "ipt_"),
		"another prefix":             "iptk_" + strings.TrimPrefix(good, "ipt_"),
		"the prefix twice":           "ipt_" + good,
		"two tokens":                 good + ", " + good,
		"a space before":             " " + good,
		"a line after":               good + "\n",
		"cut by one":                 good[:len(good)-1],
		"cut by a part":              parts[0] + "." + parts[1],
		"no signature":               parts[0] + "." + parts[1] + ".",
		"a part more":                good + ".x",
		"padded":                     good + "=",
		"the signature of another":   parts[0] + "." + parts[1] + "." + others[2],
		"written otherwise":          good[:len(good)-1] + string(digits[strings.IndexByte(digits, good[len(good)-1])+1]),
		"the claims of another":      parts[0] + "." + others[1] + "." + parts[2],
		"dots":                       "ipt_" + strings.Repeat(".", 508),
		"a megabyte":                 "ipt_" + strings.Repeat("a", 1<<20),
		"long, and signed":           with(func(h map[string]any, _ jwt.MapClaims) { h["x"] = strings.Repeat("x", 300) }),
		"letters of another script":  "ipt_ａｂｃ." + parts[1] + "." + parts[2],
		"no UTF-8":                   "ipt_\xff\xfe",
		"deep JSON":                  "ipt_" + encode(strings.Repeat("[", 100)) + "." + parts[1] + "." + parts[2],
		"a header of null":           "ipt_" + encode("null") + "." + parts[1] + "." + parts[2],
		"claims of null":             "ipt_" + strings.TrimPrefix(parts[0], "ipt_") + "." + encode("null") + "." + parts[2],
		"alg none":                   forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
		"alg none, with a signature": "ipt_" + encode(`{"alg":"none","kid":"`+k.id+`"}`) + "." + parts[1] + "." + parts[2],
		"alg None":                   "ipt_" + encode(`{"alg":"None","kid":"`+k.id+`"}`) + "." + parts[1] + ".",
		"no alg":                     "ipt_" + encode(`{"kid":"`+k.id+`"}`) + "." + parts[1] + "." + parts[2],
		"alg a number":               "ipt_" + encode(`{"alg":256,"kid":"`+k.id+`"}`) + "." + parts[1] + "." + parts[2],
		"HS384":                      forge(t, jwt.SigningMethodHS384, k.secret, nil),
		"HS512":                      forge(t, jwt.SigningMethodHS512, k.secret, nil),
		"no kid":                     with(func(h map[string]any, _ jwt.MapClaims) { delete(h, "kid") }),
		"an empty kid":               with(func(h map[string]any, _ jwt.MapClaims) { h["kid"] = "" }),
		"a kid of ours in a list":    with(func(h map[string]any, _ jwt.MapClaims) { h["kid"] = []string{k.id} }),
		"another kid":                with(func(h map[string]any, _ jwt.MapClaims) { h["kid"] = newGuestKey(keyTwo).id }),
		"the key of another kid":     forge(t, hs, newGuestKey(keyTwo).secret, nil),
		"the key as configured":      forge(t, hs, []byte(keyOne), nil),
		"an empty key":               forge(t, hs, []byte{}, nil),
		"no sub":                     with(func(_ map[string]any, c jwt.MapClaims) { delete(c, "sub") }),
		"a short sub":                with(func(_ map[string]any, c jwt.MapClaims) { c["sub"] = "AAEC" }),
		"a long sub":                 with(func(_ map[string]any, c jwt.MapClaims) { c["sub"] = strings.Repeat("A", 44) }),
		"a sub that is no base64":    with(func(_ map[string]any, c jwt.MapClaims) { c["sub"] = "../../../../../../etc." }),
		"a sub that is a number":     with(func(_ map[string]any, c jwt.MapClaims) { c["sub"] = 1 }),
		"a sub written otherwise":    with(func(_ map[string]any, c jwt.MapClaims) { c["sub"] = "AAECAwQFBgcICQoLDA0ODx" }),
		"no iat":                     with(func(_ map[string]any, c jwt.MapClaims) { delete(c, "iat") }),
		"an iat that is no number":   with(func(_ map[string]any, c jwt.MapClaims) { c["iat"] = "noon" }),
	}
}

// TestBadTokens checks that each is refused, without a word of what was sent
// or of the key.
func TestBadTokens(t *testing.T) {
	g := NewGuests(keyOne, "", noon)
	for name, token := range badTokens(t) {
		o, err := g.Verify(token)
		if !errors.Is(err, ErrCredential) || o != "" {
			t.Errorf("%s: %q, %v", name, o, err)
			continue
		}
		for part := range strings.SplitSeq(token, ".") {
			if len(part) > 4 && strings.Contains(err.Error(), part) {
				t.Errorf("%s: the error shows what was sent: %.200v", name, err)
			}
		}
		if strings.Contains(err.Error(), keyOne) || strings.Contains(err.Error(), newGuestKey(keyOne).id) || len(err.Error()) > 100 {
			t.Errorf("%s: the error shows too much: %.200v", name, err)
		}
	}
	for _, token := range goodTokens(t)[:2] {
		if _, err := g.Verify(token); err != nil {
			t.Errorf("what the bad ones are made from is not good: %v", err)
		}
	}
}

// FuzzVerify changes tokens. One that is taken is one that was given, to the
// last byte.
func FuzzVerify(f *testing.F) {
	g := NewGuests(keyOne, keyTwo, noon)
	given := map[string]Owner{}
	for i, token := range goodTokens(f) {
		given[token] = hashedOwner("guest", subjects[i])
		f.Add(token)
	}
	for _, token := range badTokens(f) {
		if len(token) < 1<<10 {
			f.Add(token)
		}
	}
	f.Fuzz(func(t *testing.T, token string) {
		o, err := g.Verify(token)
		if want, ok := given[token]; ok != (err == nil) || o != want {
			t.Errorf("Verify(%q) = %q, %v", token, o, err)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	g := NewGuests(keyTwo, keyOne, noon)
	token, _ := issue(b, NewGuests(keyOne, "", noon))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Verify(token); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIssue(b *testing.B) {
	g := NewGuests(keyOne, "", noon)
	b.ReportAllocs()
	for b.Loop() {
		issue(b, g)
	}
}
