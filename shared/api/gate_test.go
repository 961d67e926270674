package api_test

import (
	"context"
	"errors"
	"testing"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
)

// sessions is an authenticator by which the cookie says what the caller may do.
type sessions struct{}

func (sessions) Speaker(_ context.Context, shown identity.Credentials, _ identity.Class) (identity.Speaker, error) {
	switch {
	case shown.Session == "over":
		return identity.Speaker{}, identity.ErrEnded
	case shown.Session == "reader":
		return identity.Speaker{Owner: "o_1", Session: "s", ReadOnly: true}, nil
	case shown.Session != "":
		return identity.Speaker{Owner: "a_1", Session: "s"}, nil
	case shown.GuestToken != "":
		return identity.Speaker{Owner: "g_1", Guest: true}, nil
	}
	return identity.Speaker{}, identity.ErrCredential
}

// nothing is the server of endpoints that are never run.
type nothing struct{}

func (nothing) run(context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }

// TestWrites checks which callers may write: with a session, only pages of the
// service, and only those of a session that may.
func TestWrites(t *testing.T) {
	ring, err := keyring.Parse("one:a key that is long enough for a test")
	if err != nil {
		t.Fatal(err)
	}
	gate := &api.Gate{Auth: sessions{}, Pages: &identity.Pages{Origins: []string{"https://mira.example"}, Keys: ring}}
	boot := identity.NewBoot()
	page := func(session string) identity.Browser {
		token, err := gate.Pages.Token(boot, session)
		if err != nil {
			t.Fatal(err)
		}
		return identity.Browser{Origin: "https://mira.example", Token: token, Boot: boot}
	}
	foreign := page("live")
	foreign.Origin = "https://evil.example"
	guest, live := identity.Credentials{GuestToken: "ipt_1"}, identity.Credentials{Session: "live"}
	for _, test := range []struct {
		name     string
		method   string
		auth     api.Auth
		fromPage bool
		shown    identity.Credentials
		browser  identity.Browser
		want     error
	}{
		{"a guest writes", "POST", api.Guest, false, guest, identity.Browser{}, nil},
		{"a guest writes from another site", "POST", api.Guest, false, guest, foreign, nil},
		{"a session reads", "GET", api.Guest, false, live, identity.Browser{}, nil},
		{"a session asks for headers", "HEAD", api.Guest, false, live, identity.Browser{}, nil},
		{"a session writes", "POST", api.Guest, false, live, page("live"), nil},
		{"a session deletes", "DELETE", api.Guest, false, live, identity.Browser{}, identity.ErrOrigin},
		{"a session writes from nowhere", "POST", api.Guest, false, live, identity.Browser{}, identity.ErrOrigin},
		{"a session writes from another site", "PATCH", api.Guest, false, live, foreign, identity.ErrOrigin},
		{"a session writes with another's token", "PUT", api.Session, false, live, page("live2"), identity.ErrCSRF},
		{"a session beside a guest writes from another site", "POST", api.Guest, false, identity.Credentials{Session: "live", GuestToken: "ipt_1"}, foreign, identity.ErrOrigin},
		{"a session that is over writes", "POST", api.Guest, false, identity.Credentials{Session: "over", GuestToken: "ipt_1"}, page("over"), identity.ErrEnded},
		{"a reader writes", "POST", api.Guest, false, identity.Credentials{Session: "reader"}, page("reader"), identity.ErrOrganization},
		{"a reader reads", "GET", api.Guest, false, identity.Credentials{Session: "reader"}, identity.Browser{}, nil},
		{"nobody signs in", "POST", api.None, true, identity.Credentials{}, page(""), nil},
		{"nobody signs in from another site", "POST", api.None, true, identity.Credentials{}, foreign, identity.ErrOrigin},
		{"nobody signs in with a token of a session", "POST", api.None, true, identity.Credentials{}, page("live"), identity.ErrCSRF},
		{"a session signs in without a token", "POST", api.None, true, live, page(""), identity.ErrCSRF},
	} {
		e := api.Bind(nothing.run, api.Endpoint{
			Method: test.method, Path: "/x", Auth: test.auth, FromPage: test.fromPage, Summary: "Do nothing", Doc: "Does nothing.",
		})
		_, err := gate.Invoke(t.Context(), e, nothing{}, nil, api.Caller{Credentials: test.shown, Browser: test.browser})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	blind := &api.Gate{Auth: sessions{}}
	e := api.Bind(nothing.run, api.Endpoint{Method: "POST", Path: "/x", Auth: api.Guest, Summary: "Do nothing", Doc: "Does nothing."})
	if _, err := blind.Invoke(t.Context(), e, nothing{}, nil, api.Caller{Credentials: live, Browser: page("live")}); !errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("without a key: %v, want %v", err, identity.ErrUnavailable)
	}
}
