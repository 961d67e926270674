package mailbox

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/folder"
)

// filled returns a folder with three mails, a second apart.
func filled(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mail")
	now := time.Date(2026, 11, 23, 8, 45, 0, 0, time.UTC)
	f := folder.New(dir, mail.Letterhead{From: "mail@m.example", Base: "https://m.example", Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}})
	for _, m := range []mail.Message{
		{To: "maria@example.org", Locale: i18n.EN, Content: mail.SignIn{Code: "111111", Link: "https://m.example/1", Holds: time.Minute}},
		{To: "ana@example.org", Locale: i18n.DE, Content: mail.Invitation{Organization: "<script>alert(1)</script>", Inviter: "A", Role: mail.Member, Link: "https://m.example/2", Holds: 24 * time.Hour}},
		{To: "Maria@example.org", Locale: i18n.EN, Content: mail.SignIn{Code: "333333", Link: "https://m.example/3", Holds: time.Minute}},
	} {
		if err := f.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func get(t *testing.T, dir, target string) (*http.Response, string) {
	t.Helper()
	return getFrom(t, "127.0.0.1:50000", dir, target)
}

func getFrom(t *testing.T, caller, dir, target string) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	r.RemoteAddr = caller
	Handler(dir).ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

// TestCallers checks that only callers on the same machine see the mails.
func TestCallers(t *testing.T) {
	dir := filled(t)
	for caller, want := range map[string]int{
		"127.0.0.1:1": http.StatusOK, "[::1]:1": http.StatusOK, "[::ffff:127.0.0.1]:1": http.StatusOK,
		"192.168.1.7:1": http.StatusForbidden, "[fe80::1]:1": http.StatusForbidden, "": http.StatusForbidden,
	} {
		resp, body := getFrom(t, caller, dir, Path)
		if resp.StatusCode != want || strings.Contains(body, "111111") != (want == http.StatusOK) {
			t.Errorf("%q: %d %s, want %d", caller, resp.StatusCode, body, want)
		}
	}
}

// codes returns the codes of the mails that a request lists.
func codes(t *testing.T, dir, query string) []string {
	t.Helper()
	resp, body := get(t, dir, Path+"?format=json"+query)
	var list listing
	if err := json.Unmarshal([]byte(body), &list); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s: %v", resp.StatusCode, body, err)
	}
	found := []string{}
	for _, m := range list.Mails {
		found = append(found, m.Code+" "+m.Link)
	}
	return found
}

// TestJSON checks what browser tests read: the newest mail first, by address.
func TestJSON(t *testing.T) {
	dir := filled(t)
	for query, want := range map[string][]string{
		"":                      {"333333 https://m.example/3", " https://m.example/2", "111111 https://m.example/1"},
		"&to=MARIA@example.org": {"333333 https://m.example/3", "111111 https://m.example/1"},
		"&to=eva@example.org":   {},
	} {
		if diff := cmp.Diff(want, codes(t, dir, query)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
	if got := codes(t, filepath.Join(dir, "none"), ""); len(got) != 0 {
		t.Errorf("a folder that does not exist has %q", got)
	}
}

// TestPages checks that the pages show the mails, and that no text of a mail is
// run: scripts are refused by the policy, and names are escaped.
func TestPages(t *testing.T) {
	dir := filled(t)
	names, err := folder.Names(dir)
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		Path:                            "Einladung in eine Organisation bei Miramundo",
		Path + "?to=maria@example.org":  "333333",
		Path + "/" + names[0]:           `<iframe sandbox title="HTML body" src="/dev/mail/` + names[0] + `/html">`,
		Path + "/" + names[1] + "/html": `<html lang="de" dir="ltr">`,
	} {
		resp, body := get(t, dir, target)
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, want) || strings.Contains(body, "<script") {
			t.Errorf("%s: %d, want %q in\n%s", target, resp.StatusCode, want, body)
		}
		policy := resp.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script") || strings.HasSuffix(target, "/html") != strings.HasPrefix(policy, "sandbox;") {
			t.Errorf("%s: the policy is %q", target, policy)
		}
		if resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be kept", target)
		}
	}
}

func TestRefusals(t *testing.T) {
	dir := filled(t)
	if err := os.WriteFile(filepath.Join(dir, "broken.eml"), []byte("no mail"), 0o600); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]int{
		Path + "?to=maria":               http.StatusBadRequest,
		Path + "/none.eml":               http.StatusNotFound,
		Path + "/none.eml/html":          http.StatusNotFound,
		Path + "/..%2f..%2fsecrets.json": http.StatusNotFound,
		Path + "/broken.eml":             http.StatusInternalServerError,
		Path:                             http.StatusInternalServerError,
	} {
		if resp, body := get(t, dir, target); resp.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", target, resp.StatusCode, body, want)
		}
	}
}
