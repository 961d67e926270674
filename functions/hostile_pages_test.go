package functions

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/i18n"
	pages "miramundo.dev/shared/site"
	"miramundo.dev/shared/source/collect"
)

// privatePages returns the endpoints of the pages of accounts in English.
func privatePages(method string) (list []api.Endpoint) {
	var paths []string
	for _, p := range []pages.Page{
		pages.SignIn, pages.Account, pages.Security, pages.Sessions, pages.Keys, pages.Organizations, pages.Devices, pages.Device, pages.Privacy,
	} {
		paths = append(paths, p.Template(i18n.EN))
	}
	for _, f := range together() {
		for _, e := range f.Endpoints {
			if e.Method == method && slices.ContainsFunc(paths, func(p string) bool { return e.Path == p || strings.HasPrefix(e.Path, p+"/") }) {
				list = append(list, e)
			}
		}
	}
	return list
}

// Parts of pages that a browser acts on.
var (
	foreignLink = regexp.MustCompile(`(?i)(href|action|src)="(https?:)?[/\\]{2}evil|(href|action|src)="\s*javascript:`)
	formToken   = regexp.MustCompile(`name="csrf" value="([^"]*)"`)
	formAction  = regexp.MustCompile(`name="do" value="([^"]*)"`)
)

// TestHostileAddresses opens the pages of accounts by addresses that somebody else made:
// no cache keeps them, no site frames them or reads them, they lead to no other site and
// change nothing.
func TestHostileAddresses(t *testing.T) {
	d := deps(t, openEmbedded(t), collect.Place{})
	h := mux(t, d)
	ana := register(t, d.DB, "ana@mira.example")
	list := privatePages(http.MethodGet)
	if len(list) < 9 {
		t.Errorf("only %d pages", len(list))
	}
	for _, e := range list {
		for name, b := range map[string]*apitest.Browser{"signed in": signedIn(t, h, d.DB, ana, noon), "a visitor": apitest.NewBrowser(t, h)} {
			for _, query := range []string{
				"", "?to=//evil.example", "?to=https://evil.example", `?to=/%5Cevil.example`, "?to=%09//evil.example", "?to=javascript:alert(1)",
				"?with=password&to=/%09/evil.example", "?done=%3Cscript%3E", "?again=1&to=%2F%2Fevil.example", "?token=%00",
				"?token=" + strings.Repeat("x", 43) + "." + strings.Repeat("x", 43), "?to=" + strings.Repeat("/a", 600),
			} {
				path := concrete(e) + query
				answer, text := b.Do(http.MethodGet, path, "", "Accept", "text/html", "Origin", "https://evil.example")
				if answer.StatusCode >= 500 || answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s, %s: %d %v", path, name, answer.StatusCode, answer.Header)
				}
				if answer.StatusCode == http.StatusOK && (!strings.Contains(answer.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || answer.Header.Get("X-Frame-Options") != "DENY") {
					t.Errorf("%s, %s: another site may frame it: %v", path, name, answer.Header)
				}
				if to := answer.Header.Get("Location"); to != "" && !regexp.MustCompile(`^/[a-z]`).MatchString(to) {
					t.Errorf("%s, %s: leads to %s", path, name, to)
				}
				if found := foreignLink.FindString(text); found != "" || strings.Contains(text, "<script>\"") {
					t.Errorf("%s, %s: the page has %s", path, name, found)
				}
			}
		}
	}
}

// TestHostileForms sends each form of the pages of accounts with hostile values in every
// field, and with bodies that are not forms: nothing fails, and no page contains markup
// of the visitor's.
func TestHostileForms(t *testing.T) {
	db := openEmbedded(t)
	o := optionsOver(t, db, collect.Place{})
	clock := newClock()
	o.Now = clock.now
	o.Config.MailFolder = t.TempDir()
	h := instance(t, o)
	ana := register(t, db, "ana@mira.example")
	fields := []string{
		"account", "app", "challenge", "code", "confirmation", "digits", "email", "enabled", "factors", "id", "invitation", "key", "link", "locale", "member",
		"name", "organization", "passkey", "password", "ref", "response", "revision", "role", "session", "theme", "to", "token", "zone",
	}
	values := []string{"\x00", "\xff", strings.Repeat("A", 20_000), `"><script>alert(1)</script>`, "//evil.example", "../../x", "{}", "a_aaaaaaaaaaaaaaaaaaaaaaaa", "x\r\nSet-Cookie: a=b", "\u202e"}
	sent := 0
	for _, e := range privatePages(http.MethodPost) {
		path := concrete(e)
		_, shown := signedIn(t, h, db, ana, clock.now()).Do(http.MethodGet, path+"?again=1", "", "Accept", "text/html")
		for _, action := range formAction.FindAllStringSubmatch(shown, -1) {
			if action[1] == "signout" || action[1] == "everywhere" {
				continue // they take no fields, and end the session
			}
			for _, value := range values {
				now := clock.pass(time.Hour) // so that nothing waits
				b := signedIn(t, h, db, ana, now)
				_, shown := b.Do(http.MethodGet, path+"?again=1", "", "Accept", "text/html")
				form := url.Values{"csrf": {formToken.FindStringSubmatch(shown)[1]}, "do": {action[1]}}
				for _, field := range fields {
					form.Set(field, value)
				}
				for _, media := range []string{"application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=x", "text/plain", "application/x-www-form-urlencoded; charset=utf-16", "%"} {
					answer, text := b.Do(http.MethodPost, path, form.Encode(), "Content-Type", media, "Accept", "text/html")
					if sent++; answer.StatusCode >= 500 || answer.Header.Get("Cache-Control") != "no-store" {
						t.Errorf("%s %s %.20q as %s: %d %.200s", path, action[1], value, media, answer.StatusCode, text)
					}
					if strings.Contains(text, "<script>alert") || strings.Contains(answer.Header.Get("Location"), "evil") || answer.Header.Get("Set-Cookie") == "a=b" {
						t.Errorf("%s %s %.20q: %d %v", path, action[1], value, answer.StatusCode, answer.Header)
					}
				}
			}
		}
	}
	if sent < 500 {
		t.Errorf("only %d forms were sent", sent)
	}
}
