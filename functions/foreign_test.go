package functions

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/source/collect"
)

// concrete returns the path of an endpoint with something in place of its wildcards.
func concrete(e api.Endpoint) string {
	return strings.NewReplacer("{id}", "x", "{channel_id}", "x", "{$}", "").Replace(e.Path)
}

// TestForeignPages sends the writes of a session, to every endpoint that takes one, as
// the pages of other origins could, and with the tokens of other browsers and sessions:
// none is accepted, whatever else the request shows.
func TestForeignPages(t *testing.T) {
	d := deps(t, openEmbedded(t), collect.Place{})
	h := mux(t, d)
	ana, bea := register(t, d.DB, "ana@mira.example"), register(t, d.DB, "bea@mira.example")
	victim := signedIn(t, h, d.DB, ana, noon)
	victim.Token()                    // gives it the cookie of a browser
	guest := apitest.NewBrowser(t, h) // the same browser before it was signed in
	guest.Set(credential.BootCookie(victim.Cookie("__Host-mm-boot")))
	same := signedIn(t, h, d.DB, ana, noon) // another session of the account in the same browser
	same.Set(credential.BootCookie(victim.Cookie("__Host-mm-boot")))
	var key string
	_, err := access.Update(t.Context(), d.DB, bea, func(r *access.Record) (err error) {
		key, _, err = r.AddKey("key", bea, noon)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ofGuest, _, err := d.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	const origin, csrf = "invalid_origin", "invalid_csrf"
	attacks := []struct {
		name    string
		headers []string
		want    string
	}{
		{"no origin", []string{"Origin", ""}, origin},
		{"another origin", []string{"Origin", "https://evil.example"}, origin},
		{"an opaque origin", []string{"Origin", "null"}, origin},
		{"a subdomain", []string{"Origin", "https://www.mira.example"}, origin},
		{"a longer name", []string{"Origin", "https://mira.example.evil.example"}, origin},
		{"without TLS", []string{"Origin", "http://mira.example"}, origin},
		{"another port", []string{"Origin", "https://mira.example:8443"}, origin},
		{"a slash at the end", []string{"Origin", "https://mira.example/"}, origin},
		{"capitals", []string{"Origin", "https://MIRA.example"}, origin},
		{"no token", []string{"X-CSRF-Token", ""}, csrf},
		{"a token of no form", []string{"X-CSRF-Token", strings.Repeat(".", 600)}, csrf},
		{"a token of another browser", []string{"X-CSRF-Token", signedIn(t, h, d.DB, bea, noon).Token()}, csrf},
		{"the token from before the sign-in", []string{"X-CSRF-Token", guest.Token()}, csrf},
		{"the token of another session", []string{"X-CSRF-Token", same.Token()}, csrf},
		{"an API key beside the session", []string{"X-CSRF-Token", "", "X-Api-Key", key}, csrf},
		{"a bearer beside the session", []string{"Origin", "", "Authorization", "Bearer " + key}, origin},
		{"a guest beside the session", []string{"Origin", "", "X-Guest-Token", ofGuest}, origin},
		{"a method in a header", []string{"X-CSRF-Token", "", "X-HTTP-Method-Override", "GET"}, csrf},
	}
	checked := 0
	for _, e := range Table() {
		if !e.Writes() || e.Auth != api.Guest && e.Auth != api.Session && !e.FromPage && !e.Speaker {
			continue
		}
		checked++
		for _, attack := range attacks {
			answer, text := victim.Do(e.Method, concrete(e), "{}", attack.headers...)
			if answer.StatusCode != http.StatusForbidden || !strings.Contains(text, attack.want) || len(answer.Cookies()) > 0 {
				t.Errorf("%s %s, %s: %d %s %v, want 403 %s", e.Method, e.Path, attack.name, answer.StatusCode, text, answer.Cookies(), attack.want)
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d endpoints were checked", checked)
	}
	if answer, text := victim.Do("GET", "/api/me", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("afterwards the session answers %d %s", answer.StatusCode, text)
	}
}

// TestPrivateAnswers checks at every endpoint of accounts that no answer is kept by a
// cache or read by scripts of another origin, whether it succeeds or fails.
func TestPrivateAnswers(t *testing.T) {
	d := deps(t, openEmbedded(t), collect.Place{})
	h := mux(t, d)
	ana := register(t, d.DB, "ana@mira.example")
	for _, e := range Table() {
		if e.Auth != api.Session && !e.FromPage && e.Path != api.BootstrapPath {
			continue
		}
		for name, b := range map[string]*apitest.Browser{"signed in": signedIn(t, h, d.DB, ana, noon), "a visitor": apitest.NewBrowser(t, h)} {
			headers := []string{"Origin", "https://evil.example"}
			if e.Writes() {
				headers = nil
			}
			answer, _ := b.Do(e.Method, concrete(e), "{}", headers...)
			if got := answer.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("%s %s, %s: %d with Cache-Control %q", e.Method, e.Path, name, answer.StatusCode, got)
			}
			for _, header := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"} {
				if got := answer.Header.Get(header); got != "" {
					t.Errorf("%s %s, %s: %s is %q", e.Method, e.Path, name, header, got)
				}
			}
			preflight, _ := apitest.Do(t, h, "OPTIONS", concrete(e), "", "Origin", "https://evil.example",
				"Access-Control-Request-Method", e.Method, "Access-Control-Request-Headers", "x-csrf-token")
			if got := preflight.Header.Get("Access-Control-Allow-Origin"); got != "" {
				t.Errorf("%s %s: the preflight allows %q", e.Method, e.Path, got)
			}
		}
	}
}

// hostile are values of a JSON member that no endpoint of accounts expects, and texts that
// are names at most. PROBE must not appear in a refusal.
var hostile = []string{
	`null`, `true`, `0`, `-1`, `1e400`, `123456789012345678901234567890`, `""`, `" "`, `[]`, `{}`, `[["PROBE"]]`, `{"PROBE":1}`, `"PROBE"`,
	`"PROBE\u0000"`, `"PROBE\r\nSet-Cookie: a=b"`, `"PROBE\u202e"`, `"\ud800PROBE"`, `"../../PROBE"`, `"a/b/PROBE"`, `"__PROBE__"`, `"."`, `"🏳️‍🌈PROBE"`,
	`"` + strings.Repeat("PROBE", 5000) + `"`, strings.Repeat("[", 31) + strings.Repeat("]", 31),
}

// broken are bodies that are not a JSON object.
var broken = []string{
	"", "{", "[]", "null", `"PROBE"`, "\xff\xfe", "{\"a\":\"\xc3\x28\"}", strings.Repeat("[", 1<<15), strings.Repeat(`{"a":`, 9999), `{"a":1}{"b":2}`, "\x00", "<PROBE/>",
}

// TestHostileInput sends values of every wrong kind for each member of each body, query
// and path of the endpoints of accounts, by somebody who is signed in: nothing fails,
// no refusal repeats the input, and the account is as it was.
func TestHostileInput(t *testing.T) {
	db := openEmbedded(t)
	o := optionsOver(t, db, collect.Place{})
	clock := newClock()
	o.Now = clock.now
	h := instance(t, o)
	ana := register(t, db, "ana@mira.example")
	for _, e := range Table() {
		if e.Auth != api.Session && !e.FromPage {
			continue
		}
		probe := func(name, path, body string, headers ...string) {
			t.Helper()
			now := clock.pass(time.Hour) // so that nothing waits
			b := signedIn(t, h, db, ana, now)
			answer, text := b.Do(e.Method, path, body, append(headers, "Content-Type", "application/json")...)
			if answer.StatusCode >= 500 && answer.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("%s %s, %s: %d %.300s", e.Method, e.Path, name, answer.StatusCode, text)
			}
			refused := answer.StatusCode >= 400
			if refused && strings.Contains(text, "PROBE") || strings.Contains(fmt.Sprint(answer.Header), "PROBE") {
				t.Errorf("%s %s, %s: the answer repeats the input: %.300s", e.Method, e.Path, name, text)
			}
		}
		for _, p := range e.Params() {
			for _, value := range hostile {
				if p.In == "body" {
					probe(p.Name+" "+value[:min(len(value), 40)], concrete(e), full(e, p.Name, value))
				}
			}
		}
		if e.HasBody() && len(e.RawBodies()) == 0 {
			for _, body := range broken {
				probe("the body "+body[:min(len(body), 20)], concrete(e), body)
			}
		}
		for _, id := range []string{"%00", "%FF", "..%2F..", "PROBE%0D%0A", strings.Repeat("PROBE", 300), "a_aaaaaaaaaaaaaaaaaaaaaaaa", "__x__", "."} {
			if strings.Contains(e.Path, "{id}") {
				probe("the id "+id[:min(len(id), 20)], strings.Replace(e.Path, "{id}", id, 1), "{}")
			}
		}
	}
	b := signedIn(t, h, db, ana, clock.now())
	if answer, text := b.Do("GET", "/api/me", ""); answer.StatusCode != http.StatusOK || !strings.Contains(text, "ana@mira.example") {
		t.Errorf("afterwards the account answers %d %s", answer.StatusCode, text)
	}
}

// full returns a body of an endpoint in which one member has a hostile value and the
// others a plausible one.
func full(e api.Endpoint, name, value string) string {
	var members []string
	for _, p := range e.Params() {
		text := map[string]string{"string": `"x"`, "integer": "1", "number": "1", "boolean": "true", "array": "[]"}[p.Type]
		if p.Name == name {
			text = value
		}
		if p.In == "body" {
			members = append(members, fmt.Sprintf("%q:%s", p.Name, text))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}
