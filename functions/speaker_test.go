package functions

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
)

// newAuthenticator returns an authenticator over an empty database in which only the
// owner of oldToken has something.
func newAuthenticator(t testing.TB) (api.Authenticator, *identity.Guests) {
	t.Helper()
	db := openEmbedded(t)
	o, _ := identity.OldGuest(oldToken)
	if err := db.Set(t.Context(), store.Path("libraries").Join(string(o)), map[string]any{"name": "old"}); err != nil {
		t.Fatal(err)
	}
	d := deps(t, db, collect.Place{})
	return authenticator(d), d.Guests()
}

const oldToken = "ipt_an-old-token-of-the-tests"

// TestOwnerOfOldTokenHasSomething checks that any one kind of document makes the old
// token of its owner valid.
func TestOwnerOfOldTokenHasSomething(t *testing.T) {
	d := deps(t, openEmbedded(t), collect.Place{})
	owns := d.Owning()
	for owner, path := range map[identity.Owner]store.Path{
		"g_1": "libraries/g_1", "g_2": "owners/g_2/kept/favorites", "g_3": "owners/g_3/kept/history", "g_4": "owners/g_4/kept/comments",
	} {
		if got, err := owns(t.Context(), owner); got || err != nil {
			t.Errorf("before %s: %t, %v", path, got, err)
		}
		if err := d.DB.Set(t.Context(), path, map[string]any{}); err != nil {
			t.Fatal(err)
		}
		if got, err := owns(t.Context(), owner); !got || err != nil {
			t.Errorf("with %s: %t, %v", path, got, err)
		}
	}
}

// TestCredentialsAreNotLogged sends every credential, good and bad, to every
// endpoint, and searches the log for them.
func TestCredentialsAreNotLogged(t *testing.T) {
	var log bytes.Buffer
	d := deps(t, openEmbedded(t), collect.Place{})
	d.Log = slog.New(cloudlog.New(&log, slog.LevelDebug, "p"))
	h := mux(t, d)
	good, _, err := d.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	foreign, _, err := identity.NewGuests(keyringtest.Ring("a key of another service; unknown here"), d.Now).Issue()
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{good, foreign, good[:len(good)-2], oldToken, "ipt_x", "iptk_secret-1", "mmk_secret-2", "cred_secret-3"}
	for _, e := range Table() {
		path := strings.NewReplacer("{$}", "", "{", "", "}", "").Replace(e.Path)
		for _, secret := range secrets {
			for _, name := range []string{"X-Guest-Token", "Authorization", "X-Api-Key", "X-Credito", "Cookie"} {
				r := httptest.NewRequest(e.Method, path, nil)
				r.Header.Set(name, map[string]string{"Authorization": "Bearer ", "Cookie": "__Host-mm-auth="}[name]+secret)
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
		}
	}
	if bytes.Count(log.Bytes(), []byte("\n")) < len(Table()) {
		t.Fatal("nothing was logged")
	}
	for _, secret := range append(secrets, guestSecret) {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log contains %.24s…", secret)
		}
	}
	for part := range strings.SplitSeq(good+"."+foreign, ".") {
		if strings.Contains(log.String(), part) {
			t.Errorf("the log contains a part of a token: %s", part)
		}
	}
}

// A callerServer serves an endpoint that returns its caller.
type callerServer struct{}

type callerReply struct {
	Owner string `json:"owner"`
}

func (callerServer) caller(ctx context.Context, _ struct{}) (callerReply, error) {
	speaker, _ := identity.SpeakerOf(ctx)
	return callerReply{string(speaker.Owner)}, nil
}

// callerHandler serves two endpoints that return the caller: one requires a guest,
// the other accepts requests without a credential too.
func callerHandler(s api.Authenticator) http.Handler {
	return request.Handler(request.Options{Auth: s}, callerServer{}, []api.Endpoint{
		api.Bind(callerServer.caller, api.Endpoint{Method: "GET", Path: "/required", Auth: api.Guest, Summary: "Get the caller", Doc: "Returns the caller."}),
		api.Bind(callerServer.caller, api.Endpoint{Method: "GET", Path: "/optional", Auth: api.None, Speaker: true, Summary: "Get the caller", Doc: "Returns the caller."}),
	})
}

// TestCallerIsIdentified checks the response to each kind of credential while the
// database answers and while it does not.
func TestCallerIsIdentified(t *testing.T) {
	s, guests := newAuthenticator(t)
	token, o, err := guests.Issue()
	if err != nil {
		t.Fatal(err)
	}
	down := identity.NewAuthority(identity.Options{Guests: guests, Owns: func(context.Context, identity.Owner) (bool, error) {
		return false, errors.New("secret cause")
	}})
	old, _ := identity.OldGuest(oldToken)
	for _, test := range []struct {
		name, header, value string
		s                   api.Authenticator
		status              int
		code                string
		owner               identity.Owner
	}{
		{"a guest", "X-Guest-Token", token, s, 200, "", o},
		{"a guest, without the database", "X-Guest-Token", token, down, 200, "", o},
		{"an old guest", "X-Guest-Token", oldToken, s, 200, "", old},
		{"an old guest, without the database", "X-Guest-Token", oldToken, down, 503, "auth_unavailable", ""},
		{"an old guest without documents", "X-Guest-Token", oldToken + "x", s, 401, "invalid_session", ""},
		{"no credential", "X-Other", "", s, 401, "invalid_session", ""},
		{"a cookie", "Cookie", "__Host-mm-auth=x", s, 401, "session_ended", ""},
		{"a retired key", "X-Api-Key", "iptk_1", s, 410, "api_key_retired", ""},
	} {
		res, body := apitest.Do(t, callerHandler(test.s), "GET", "/required", "", test.header, test.value)
		challenge := res.Header.Get("Www-Authenticate")
		if res.StatusCode != test.status || !strings.Contains(body, test.code) || !strings.Contains(body, string(test.owner)) || strings.Contains(body, "secret") {
			t.Errorf("%s: %s %s, want %d %s%s", test.name, res.Status, body, test.status, test.code, test.owner)
		}
		if (challenge == "Bearer") != (test.status == 401) {
			t.Errorf("%s: %s has WWW-Authenticate %q", test.name, res.Status, challenge)
		}
		res, body = apitest.Do(t, callerHandler(test.s), "GET", "/optional", "", test.header, test.value)
		if want := `{"owner":"` + string(test.owner) + `"}`; res.StatusCode != 200 || body != want {
			t.Errorf("%s, where a caller is optional: %s %s, want %s", test.name, res.Status, body, want)
		}
	}
}

// TestHugeCredential sends tokens of up to two megabytes over a connection.
func TestHugeCredential(t *testing.T) {
	s, _ := newAuthenticator(t)
	server := httptest.NewServer(callerHandler(s))
	defer server.Close()
	for size, want := range map[int]int{100_000: http.StatusUnauthorized, 1_000_000: http.StatusUnauthorized, 2 << 20: http.StatusRequestHeaderFieldsTooLarge} {
		r, err := http.NewRequest("GET", server.URL+"/required", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Guest-Token", "ipt_"+strings.Repeat("x", size))
		answer, err := server.Client().Do(r)
		if err != nil {
			if want != http.StatusUnauthorized {
				continue // the server may close before all was sent
			}
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%d bytes: %s, want %d", size, answer.Status, want)
		}
	}
}
