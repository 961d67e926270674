package identity

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/keyring/keyringtest"
)

const (
	keyOne = "the first key of guests, long enough"
	keyTwo = "the second key of guests, just as long"

	keyThree = "the third key of guests, which is longer"
)

// escape returns a secret as an entry of a ring has it.
func escape(secret string) string { return url.PathEscape(secret) }

// keys returns a ring of the given secrets, of which the first one signs.
func keys(secrets ...string) *keyring.Ring {
	entries := make([]string, len(secrets))
	for i, secret := range secrets {
		entries[i] = "key-" + strconv.Itoa(i) + ":" + escape(secret)
	}
	return keyringtest.Ring(strings.Join(entries, ","))
}

func idOf(key string) string {
	id, _ := keys(key).Secret(tokenPurpose)
	return id
}

func secretOf(key string) []byte {
	_, secret := keys(key).Secret(tokenPurpose)
	return secret
}

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
	token.Header["kid"] = idOf(keyOne)
	if change != nil {
		change(token.Header, claims)
	}
	s, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return guestPrefix + s
}

// TestGuests checks that a token is accepted by every ring with its key, and by no
// other.
func TestGuests(t *testing.T) {
	token, o := issue(t, NewGuests(keys(keyOne), noon))
	for _, test := range []struct {
		name string
		ring *keyring.Ring
		want error
	}{
		{"the same key", keys(keyOne), nil},
		{"the key signs", keys(keyOne, keyTwo), nil},
		{"the key was replaced", keys(keyTwo, keyOne), nil},
		{"the key was replaced twice", keys(keyThree, keyTwo, keyOne), nil},
		{"another key", keys(keyTwo), ErrCredential},
		{"two other keys", keys(keyTwo, keyThree), ErrCredential},
		{"no key", keys(), ErrUnavailable},
		{"no ring", nil, ErrUnavailable},
	} {
		got, err := NewGuests(test.ring, noon).Verify(token)
		if !errors.Is(err, test.want) || (err == nil && got != o) || (err != nil && got != "") {
			t.Errorf("%s: %q, %v; want %q, %v", test.name, got, err, o, test.want)
		}
	}
}

// TestSince checks that a guest is known since its token was issued, and that one with an
// old token has always been.
func TestSince(t *testing.T) {
	g := NewGuests(keys(keyOne), noon)
	token, _ := issue(t, g)
	later := NewGuests(keys(keyOne), func() time.Time { return noon().AddDate(1, 0, 0) })
	if s, err := later.Speaker(token); err != nil || !s.Since.Equal(noon().Truncate(time.Second)) {
		t.Errorf("known since %s, %v; want %s", s.Since, err, noon())
	}
	a := NewAuthority(Options{Guests: g, Owns: func(context.Context, Owner) (bool, error) { return true, nil }})
	if s, err := a.Speaker(t.Context(), Credentials{GuestToken: "ipt_" + strings.Repeat("x", minOld)}, Anyone); err != nil || !s.Since.IsZero() {
		t.Errorf("an old token: known since %s, %v", s.Since, err)
	}
}

// TestRollingDeployment runs two instances through a rotation of the key that begins
// with the setting of an earlier version, one secret without a name. In each step
// one of them has the next setting already, and each accepts the guests of the other
// and of every step before.
func TestRollingDeployment(t *testing.T) {
	settings := []string{keyOne, "a:" + escape(keyOne)}
	settings = append(settings, settings[1]+",b:"+escape(keyTwo), "b:"+escape(keyTwo)+","+settings[1])
	guests := map[string]Owner{}
	for i := 1; i < len(settings); i++ {
		before, after := NewGuests(keyringtest.Ring(settings[i-1]), noon), NewGuests(keyringtest.Ring(settings[i]), noon)
		for _, g := range []*Guests{before, after} {
			token, o := issue(t, g)
			guests[token] = o
		}
		for token, o := range guests {
			for _, g := range []*Guests{before, after} {
				if got, err := g.Verify(token); err != nil || got != o {
					t.Errorf("step %d: a guest is %q, %v; want %q", i, got, err, o)
				}
			}
		}
	}
}

// TestIssue checks what is given: each token another, of a form that callers
// can send, signed by the current key, and owners that tell nothing of it.
func TestIssue(t *testing.T) {
	g := NewGuests(keys(keyTwo, keyOne), noon)
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
		if got, err := NewGuests(keys(keyTwo), noon).Verify(token); err != nil || got != o {
			t.Fatalf("the current key alone: %q, %v", got, err)
		}
	}
	if token, o, err := NewGuests(keys(), noon).Issue(); !errors.Is(err, ErrUnavailable) || token != "" || o != "" {
		t.Errorf("without a key: %q, %q, %v", token, o, err)
	}
}

// TestOwnersStay holds tokens to the owners that they have always meant: where
// this fails, guests lose their libraries.
func TestOwnersStay(t *testing.T) {
	const token = "ipt_eyJhbGciOiJIUzI1NiIsImtpZCI6InJaM0NCMG9xIiwidHlwIjoiSldUIn0.eyJpYXQiOjE3OTUzNDg4MDAsInN1YiI6IkFBRUNBd1FGQmdjSUNRb0xEQTBPRHcifQ.jgLtl5Q-UjZuZDw6z1tC5ii7yCWFR014Lmq-1U1bY2g"
	for _, setting := range []string{keyOne, "main:" + escape(keyOne), "next:" + escape(keyTwo) + ",main:" + escape(keyOne)} {
		if o, err := NewGuests(keyringtest.Ring(setting), noon).Verify(token); err != nil || o != "g_f30b6f440eca9656dcb9d0c80c9793d9" {
			t.Errorf("a signed token is of %q, %v", o, err)
		}
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
		key := []string{keyOne, keyOne, keyTwo}[i]
		tokens[i] = forge(t, jwt.SigningMethodHS256, secretOf(key), func(h map[string]any, c jwt.MapClaims) {
			h["kid"], c["sub"] = idOf(key), sub
		})
	}
	return tokens
}

var subjects = [3]string{"AAECAwQFBgcICQoLDA0ODw", "EBESExQVFhcYGRobHB0eHw", "ICEiIyQlJicoKSorLC0uLw"}

// badTokens are tokens that we did not give, or that are not as we gave them.
func badTokens(t testing.TB) map[string]string {
	good, other := goodTokens(t)[0], goodTokens(t)[1]
	parts, others := strings.Split(good, "."), strings.Split(other, ".")
	id, secret := idOf(keyOne), secretOf(keyOne)
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	hs := jwt.SigningMethodHS256
	with := func(change func(header map[string]any, claims jwt.MapClaims)) string {
		return forge(t, hs, secret, change)
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
		"alg none, with a signature": "ipt_" + encode(`{"alg":"none","kid":"`+id+`"}`) + "." + parts[1] + "." + parts[2],
		"alg None":                   "ipt_" + encode(`{"alg":"None","kid":"`+id+`"}`) + "." + parts[1] + ".",
		"no alg":                     "ipt_" + encode(`{"kid":"`+id+`"}`) + "." + parts[1] + "." + parts[2],
		"alg a number":               "ipt_" + encode(`{"alg":256,"kid":"`+id+`"}`) + "." + parts[1] + "." + parts[2],
		"HS384":                      forge(t, jwt.SigningMethodHS384, secret, nil),
		"HS512":                      forge(t, jwt.SigningMethodHS512, secret, nil),
		"no kid":                     with(func(h map[string]any, _ jwt.MapClaims) { delete(h, "kid") }),
		"an empty kid":               with(func(h map[string]any, _ jwt.MapClaims) { h["kid"] = "" }),
		"a kid of ours in a list":    with(func(h map[string]any, _ jwt.MapClaims) { h["kid"] = []string{id} }),
		"another kid":                with(func(h map[string]any, _ jwt.MapClaims) { h["kid"] = idOf(keyTwo) }),
		"the key of another kid":     forge(t, hs, secretOf(keyTwo), nil),
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
	g := NewGuests(keys(keyOne), noon)
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
		if strings.Contains(err.Error(), keyOne) || strings.Contains(err.Error(), idOf(keyOne)) || len(err.Error()) > 100 {
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
	g := NewGuests(keys(keyOne, keyTwo), noon)
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
	g := NewGuests(keys(keyTwo, keyOne), noon)
	token, _ := issue(b, NewGuests(keys(keyOne), noon))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Verify(token); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIssue(b *testing.B) {
	g := NewGuests(keys(keyOne), noon)
	b.ReportAllocs()
	for b.Loop() {
		issue(b, g)
	}
}

// TestSecret checks that the secrets of a guest are the same whichever key verified
// its token, and differ from those of other guests, other purposes and its owner's
// id. Nobody but a guest has one.
func TestSecret(t *testing.T) {
	tokens := goodTokens(t)
	speaker := func(ring *keyring.Ring, token string) Speaker {
		s, err := NewGuests(ring, noon).Speaker(token)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ana := speaker(keys(keyOne), tokens[0])
	want := string(ana.Secret("one"))
	if got := speaker(keys(keyTwo, keyOne), tokens[0]).Secret("one"); len(got) != 32 || string(got) != want {
		t.Errorf("with another key that signs, the secret is %x, want %x", got, want)
	}
	for name, other := range map[string][]byte{
		"another purpose": ana.Secret("two"),
		"another guest":   speaker(keys(keyOne), tokens[1]).Secret("one"),
		"the owner's id":  NewGuest(ana.Owner, string(ana.Owner)).Secret("one"),
	} {
		if string(other) == want || len(other) != 32 {
			t.Errorf("%s: the secret is %x", name, other)
		}
	}
	if got := (Speaker{Owner: ana.Owner}).Secret("one"); got != nil {
		t.Errorf("the secret of an account is %x", got)
	}
}
