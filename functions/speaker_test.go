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
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
)

// speaking returns the one who tells speakers apart, over an empty database in
// which only the old token of the tests owns something.
func speaking(t testing.TB) (speakers, *identity.Guests) {
	t.Helper()
	db := openEmbedded(t)
	o, _ := identity.OldGuest(oldToken)
	if err := db.Set(t.Context(), store.Path("libraries").Join(string(o)), map[string]any{"name": "old"}); err != nil {
		t.Fatal(err)
	}
	d := deps(t, db, collect.Place{})
	return d.speakers(), d.guests()
}

const oldToken = "ipt_an-old-token-of-the-tests"

// TestAuthenticate checks what of a request becomes its credentials. ONE
// stands for a guest's token, TWO for another's.
func TestAuthenticate(t *testing.T) {
	s, guests := speaking(t)
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
		class  api.Auth
		want   identity.Owner
		err    error
	}{
		{"nothing", nil, api.Guest, "", identity.ErrCredential},
		{"a guest", []string{"X-Guest-Token", "ONE"}, api.Guest, first, nil},
		{"a guest as bearer", []string{"Authorization", "Bearer ONE"}, api.Guest, first, nil},
		{"an old guest", []string{"X-Guest-Token", oldToken}, api.Guest, old, nil},
		{"a guest where an account is needed", []string{"X-Guest-Token", "ONE"}, api.Session, "", identity.ErrCredential},
		{"one guest twice", []string{"X-Guest-Token", "ONE", "X-Guest-Token", "ONE"}, api.Guest, "", identity.ErrCredential},
		{"two guests", []string{"X-Guest-Token", "ONE", "X-Guest-Token", "TWO"}, api.Guest, "", identity.ErrCredential},
		{"two bearers", []string{"Authorization", "Bearer ONE", "Authorization", "Bearer TWO"}, api.Guest, "", identity.ErrCredential},
		{"an empty header beside a bearer", []string{"X-Guest-Token", "", "Authorization", "Bearer ONE"}, api.Guest, first, nil},
		{"a retired key", []string{"X-Api-Key", "iptk_1", "X-Guest-Token", "ONE"}, api.Guest, "", identity.ErrRetired},
		{"an account cookie", []string{"Cookie", "__Host-mm-auth=x", "X-Guest-Token", "ONE"}, api.Guest, "", identity.ErrEnded},
		{"an account cookie among others", []string{"Cookie", "a=b; __Host-mm-auth=x; c=d", "X-Guest-Token", "ONE"}, api.Guest, "", identity.ErrEnded},
		{"two account cookies", []string{"Cookie", "__Host-mm-auth=; __Host-mm-auth=x", "X-Guest-Token", "ONE"}, api.Guest, "", identity.ErrEnded},
		{"an account cookie of no form", []string{"Cookie", `a=b; __Host-mm-auth=x\y`, "X-Guest-Token", "ONE"}, api.Guest, "", identity.ErrEnded},
		{"an account cookie of no form, elsewhere", []string{"Cookie", "a=b", "Cookie", "__Host-mm-auth=é", "X-Guest-Token", "ONE"}, api.Guest, "", identity.ErrEnded},
		{"an account cookie of an account", []string{"Cookie", "__Host-mm-auth=x"}, api.Session, "", identity.ErrEnded},
		{"the cookie of another", []string{"Cookie", "mm-auth=x", "X-Guest-Token", "ONE"}, api.Guest, first, nil},
		{"a token in a cookie", []string{"Cookie", "X-Guest-Token=ONE"}, api.Guest, "", identity.ErrCredential},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		for i := 0; i < len(test.header); i += 2 {
			r.Header.Add(test.header[i], strings.NewReplacer("ONE", one, "TWO", two).Replace(test.header[i+1]))
		}
		ctx, err := s.Authenticate(t.Context(), r, test.class)
		if !errors.Is(err, test.err) || (err != nil) != (ctx == nil) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
			continue
		}
		if err == nil {
			if who, ok := identity.SpeakerOf(ctx); !ok || who.Owner != test.want || !who.Guest {
				t.Errorf("%s: %+v speaks, want %s", test.name, who, test.want)
			}
		}
	}
}

// TestCredentialsAreNotLogged sends every credential, good and bad, to every
// endpoint, and reads what the log tells.
func TestCredentialsAreNotLogged(t *testing.T) {
	var log bytes.Buffer
	d := deps(t, openEmbedded(t), collect.Place{})
	d.Log = slog.New(cloudlog.New(&log, slog.LevelDebug, "p"))
	h := Mux(d)
	good, _, err := d.guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	foreign, _, err := identity.NewGuests("another key that nobody here knows", "", d.Now).Issue()
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
	for _, secret := range append(secrets, d.Config.GuestKey) {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log tells %.24s…", secret)
		}
	}
	for part := range strings.SplitSeq(good+"."+foreign, ".") {
		if strings.Contains(log.String(), part) {
			t.Errorf("the log tells a part of a token: %s", part)
		}
	}
}

// whoever answers with the one who speaks.
type whoever struct{}

type speaks struct {
	Owner string `json:"owner"`
}

func (whoever) who(ctx context.Context, _ struct{}) (speaks, error) {
	who, _ := identity.SpeakerOf(ctx)
	return speaks{string(who.Owner)}, nil
}

// whoAmI serves an endpoint that needs a guest, and one that welcomes one.
func whoAmI(s speakers) http.Handler {
	return api.Handler(api.Options{Auth: s}, whoever{}, []api.Endpoint{
		api.Bind(whoever.who, api.Endpoint{Method: "GET", Path: "/needed", Auth: api.Guest, Doc: "Who."}),
		api.Bind(whoever.who, api.Endpoint{Method: "GET", Path: "/welcome", Auth: api.None, Speaker: true, Doc: "Who."}),
	})
}

// TestAnswers checks what callers are answered, with the database and without.
func TestAnswers(t *testing.T) {
	s, guests := speaking(t)
	token, o, err := guests.Issue()
	if err != nil {
		t.Fatal(err)
	}
	down := speakers{identity.NewAuthority(identity.Options{Guests: guests, Owns: func(context.Context, identity.Owner) (bool, error) {
		return false, errors.New("secret cause")
	}})}
	old, _ := identity.OldGuest(oldToken)
	for _, test := range []struct {
		name, header, value string
		s                   speakers
		status              int
		code                string
		owner               identity.Owner
	}{
		{"a guest", "X-Guest-Token", token, s, 200, "", o},
		{"a guest, without the database", "X-Guest-Token", token, down, 200, "", o},
		{"an old guest", "X-Guest-Token", oldToken, s, 200, "", old},
		{"an old guest, without the database", "X-Guest-Token", oldToken, down, 503, "auth_unavailable", ""},
		{"an old guest who has nothing", "X-Guest-Token", oldToken + "x", s, 401, "invalid_session", ""},
		{"nobody", "X-Other", "", s, 401, "invalid_session", ""},
		{"a cookie", "Cookie", "__Host-mm-auth=x", s, 401, "session_ended", ""},
		{"a retired key", "X-Api-Key", "iptk_1", s, 410, "api_key_retired", ""},
	} {
		res, body := apitest.Do(t, whoAmI(test.s), "GET", "/needed", "", test.header, test.value)
		challenge := res.Header.Get("Www-Authenticate")
		if res.StatusCode != test.status || !strings.Contains(body, test.code) || !strings.Contains(body, string(test.owner)) || strings.Contains(body, "secret") {
			t.Errorf("%s: %s %s, want %d %s%s", test.name, res.Status, body, test.status, test.code, test.owner)
		}
		if (challenge == "Bearer") != (test.status == 401) {
			t.Errorf("%s: %s has WWW-Authenticate %q", test.name, res.Status, challenge)
		}
		res, body = apitest.Do(t, whoAmI(test.s), "GET", "/welcome", "", test.header, test.value)
		if want := `{"owner":"` + string(test.owner) + `"}`; res.StatusCode != 200 || body != want {
			t.Errorf("%s, where it is welcome: %s %s, want %s", test.name, res.Status, body, want)
		}
	}
}

// TestHugeCredential sends tokens of up to two megabytes over a connection.
func TestHugeCredential(t *testing.T) {
	s, _ := speaking(t)
	server := httptest.NewServer(whoAmI(s))
	defer server.Close()
	for size, want := range map[int]int{100_000: http.StatusUnauthorized, 1_000_000: http.StatusUnauthorized, 2 << 20: http.StatusRequestHeaderFieldsTooLarge} {
		r, err := http.NewRequest("GET", server.URL+"/needed", nil)
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
