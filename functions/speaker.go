package functions

import (
	"context"
	"net/http"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/identity"
)

// sessionCookie is the cookie of an account session.
const sessionCookie = "__Host-mm-auth"

// speakers is the one place where a request becomes the one who speaks in it.
type speakers struct{ *identity.Authority }

// Authenticate puts the speaker of r into ctx, or returns the fault of the
// credentials that r shows.
func (s speakers) Authenticate(ctx context.Context, r *http.Request, class api.Auth) (context.Context, error) {
	whose := identity.Anyone
	if class == api.Session {
		whose = identity.Account
	}
	who, err := s.Speaker(ctx, credentialsOf(r), whose)
	if err != nil {
		return nil, err
	}
	return identity.With(ctx, who), nil
}

// credentialsOf returns what r shows. A header or a cookie that is sent twice
// is neither of the two: joined they are a credential of no form, so that
// nothing in between can make us take another than it took.
func credentialsOf(r *http.Request) identity.Credentials {
	header := func(name string) string { return strings.Join(r.Header[name], ", ") }
	return identity.Credentials{
		GuestToken:    header("X-Guest-Token"),
		Authorization: header("Authorization"),
		APIKey:        header("X-Api-Key"),
		Session:       sessionOf(r),
	}
}

// sessionOf returns the value of the account cookie as it was sent. net/http
// leaves out cookies whose values have no proper form, and the guest of the
// browser would then speak in place of the account.
func sessionOf(r *http.Request) (value string) {
	for _, line := range r.Header["Cookie"] {
		for cookie := range strings.SplitSeq(line, ";") {
			if name, v, _ := strings.Cut(cookie, "="); strings.TrimSpace(name) == sessionCookie {
				value += strings.TrimSpace(v)
			}
		}
	}
	return value
}

// guests returns those who hold tokens of the configured keys.
func (d Deps) guests() *identity.Guests {
	return identity.NewGuests(d.Config.GuestKey, d.Config.GuestKeyOld, d.Now)
}

// speakers returns who tells the speakers of d's requests apart.
func (d Deps) speakers() speakers {
	return speakers{identity.NewAuthority(identity.Options{
		Guests: d.guests(), Owns: identity.Owning(d.DB), Now: d.Now,
	})}
}
