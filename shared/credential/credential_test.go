package credential_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
)

const oldToken = "ipt_an-old-token-of-the-tests"

// authenticating returns an authenticator for guests, and for the old token of
// the tests.
func authenticating() (*identity.Authority, *identity.Guests) {
	guests := identity.NewGuests(keyringtest.Ring("a key of guests for the tests alone"), time.Now)
	old, _ := identity.OldGuest(oldToken)
	owns := func(_ context.Context, o identity.Owner) (bool, error) { return o == old, nil }
	return identity.NewAuthority(identity.Options{Guests: guests, Owns: owns}), guests
}

// TestOf checks which caller the headers of a request identify. ONE
// stands for a guest's token, TWO for another guest's.
func TestOf(t *testing.T) {
	s, guests := authenticating()
	one, first, err := guests.Issue()
	if err != nil {
		t.Fatal(err)
	}
	two, _, err := guests.Issue()
	if err != nil {
		t.Fatal(err)
	}
	old, _ := identity.OldGuest(oldToken)
	for _, test := range []struct {
		name   string
		header []string // name, value, name, value, …
		class  identity.Class
		want   identity.Owner
		err    error
	}{
		{"nothing", nil, identity.Anyone, "", identity.ErrCredential},
		{"a guest", []string{"X-Guest-Token", "ONE"}, identity.Anyone, first, nil},
		{"a guest as bearer", []string{"Authorization", "Bearer ONE"}, identity.Anyone, first, nil},
		{"an old guest", []string{"X-Guest-Token", oldToken}, identity.Anyone, old, nil},
		{"a guest where an account is needed", []string{"X-Guest-Token", "ONE"}, identity.Account, "", identity.ErrCredential},
		{"one guest twice", []string{"X-Guest-Token", "ONE", "X-Guest-Token", "ONE"}, identity.Anyone, "", identity.ErrCredential},
		{"two guests", []string{"X-Guest-Token", "ONE", "X-Guest-Token", "TWO"}, identity.Anyone, "", identity.ErrCredential},
		{"two bearers", []string{"Authorization", "Bearer ONE", "Authorization", "Bearer TWO"}, identity.Anyone, "", identity.ErrCredential},
		{"an empty header beside a bearer", []string{"X-Guest-Token", "", "Authorization", "Bearer ONE"}, identity.Anyone, first, nil},
		{"a retired key", []string{"X-Api-Key", "iptk_1", "X-Guest-Token", "ONE"}, identity.Anyone, "", identity.ErrRetired},
		{"an account cookie", []string{"Cookie", "__Host-mm-auth=x", "X-Guest-Token", "ONE"}, identity.Anyone, "", identity.ErrEnded},
		{"an account cookie among others", []string{"Cookie", "a=b; __Host-mm-auth=x; c=d", "X-Guest-Token", "ONE"}, identity.Anyone, "", identity.ErrEnded},
		{"two account cookies", []string{"Cookie", "__Host-mm-auth=; __Host-mm-auth=x", "X-Guest-Token", "ONE"}, identity.Anyone, "", identity.ErrEnded},
		{"an account cookie of no form", []string{"Cookie", `a=b; __Host-mm-auth=x\y`, "X-Guest-Token", "ONE"}, identity.Anyone, "", identity.ErrEnded},
		{"an account cookie of no form, elsewhere", []string{"Cookie", "a=b", "Cookie", "__Host-mm-auth=é", "X-Guest-Token", "ONE"}, identity.Anyone, "", identity.ErrEnded},
		{"an account cookie of an account", []string{"Cookie", "__Host-mm-auth=x"}, identity.Account, "", identity.ErrEnded},
		{"the cookie of another", []string{"Cookie", "mm-auth=x", "X-Guest-Token", "ONE"}, identity.Anyone, first, nil},
		{"a cookie that a neighbouring host may set", []string{"Cookie", "\u2000__Host-mm-auth=x; __Host-mm-auth\u00a0=x; \u0085__Host-mm-auth=x; \v__Host-mm-auth=x", "X-Guest-Token", "ONE"}, identity.Anyone, first, nil},
		{"a token in a cookie", []string{"Cookie", "X-Guest-Token=ONE"}, identity.Anyone, "", identity.ErrCredential},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		for i := 0; i < len(test.header); i += 2 {
			r.Header.Add(test.header[i], strings.NewReplacer("ONE", one, "TWO", two).Replace(test.header[i+1]))
		}
		caller, err := s.Speaker(t.Context(), credential.Of(r.Header), test.class)
		if !errors.Is(err, test.err) || caller.Owner != test.want || caller.Guest != (err == nil) {
			t.Errorf("%s: the caller is %+v, %v; want %s, %v", test.name, caller, err, test.want, test.err)
		}
	}
}

// TestBrowserOf checks that a header or a cookie that is sent twice is neither of the
// two.
func TestBrowserOf(t *testing.T) {
	boot := identity.NewBoot()
	for _, test := range []struct {
		name   string
		header http.Header
		want   identity.Browser
	}{
		{"once", http.Header{"Origin": {"https://a"}, "X-Csrf-Token": {"t"}, "Cookie": {"__Host-mm-boot=" + boot}}, identity.Browser{Origin: "https://a", Token: "t", Boot: boot}},
		{"twice", http.Header{"Origin": {"https://a", "https://b"}, "X-Csrf-Token": {"t", "t"}}, identity.Browser{Origin: "https://a, https://b", Token: "t, t"}},
		{"two cookies", http.Header{"Cookie": {"__Host-mm-boot=" + boot + "; __Host-mm-boot=" + boot}}, identity.Browser{Boot: boot + boot}},
		{"a cookie that a neighbouring host may set", http.Header{"Cookie": {"\u2000__Host-mm-boot=" + boot}}, identity.Browser{}},
	} {
		if got := credential.BrowserOf(test.header); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestCookies checks the attributes of the cookies: browsers take them from this host
// alone, scripts cannot read them, and other sites cannot have them sent with a form.
func TestCookies(t *testing.T) {
	ends := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for got, want := range map[string]string{
		credential.SessionCookie("a.b", ends).String(): "__Host-mm-auth=a.b; Path=/; Expires=Mon, 23 Nov 2026 12:00:00 GMT; HttpOnly; Secure; SameSite=Lax",
		credential.NoSessionCookie().String():          "__Host-mm-auth=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax",
		credential.BootCookie("x").String():            "__Host-mm-boot=x; Path=/; Max-Age=15552000; HttpOnly; Secure; SameSite=Lax",
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
