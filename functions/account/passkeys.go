package account

import (
	"context"
	"encoding/json"
	"net/http"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

var passkeyEndpoints = []api.Endpoint{
	api.Bind((*Server).startPasskey, api.Endpoint{
		Name:   "start_passkey_sign_in",
		Method: "POST", Path: "/api/auth/passkey/start", Auth: api.None, FromPage: true,
		Summary: "Start a sign-in by passkey",
		Doc: "Returns the options for navigator.credentials.get, in their JSON form, and the challenge that the response belongs to. The " +
			"visitor chooses among the passkeys of this service; no address is needed. A challenge works once, for two minutes.",
		Faults: []*fault.Error{passkey.ErrOff, throttle.ErrTooMany},
	}),
	api.Bind((*Server).finishPasskey, api.Endpoint{
		Name:   "sign_in_by_passkey",
		Method: "POST", Path: "/api/auth/passkey/finish", Auth: api.None, FromPage: true,
		Summary: "Sign in by a passkey",
		Doc: "Signs in by the response of navigator.credentials.get, which counts as both factors, and sets the account cookie. Any response " +
			"that is not valid answers 401 without saying why.",
		Faults: []*fault.Error{passkey.ErrRefused, passkey.ErrOff, challenge.ErrExpired, throttle.ErrTooMany},
	}),
	api.Bind((*Server).passkeys, api.Endpoint{
		Name:   "list_passkeys",
		Method: "GET", Path: "/api/account/passkeys", Auth: api.Session,
		Summary: "List the account's passkeys",
		Doc:     "Returns the passkeys of the session's account, oldest first, with their names and when they were used. Keys are never returned.",
		Faults:  []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).startNewPasskey, api.Endpoint{
		Name:   "start_passkey_registration",
		Method: "POST", Path: "/api/account/passkeys/start", Auth: api.Session,
		Summary: "Start to add a passkey",
		Doc: "Returns the options for navigator.credentials.create, in their JSON form, and the challenge that the response belongs to. It " +
			"needs a sign-in within the last five minutes, and an account with fewer than ten passkeys.",
		Faults: []*fault.Error{identity.ErrReauth, passkey.ErrLimit, passkey.ErrOff, fault.ErrUnavailable},
	}),
	api.Bind((*Server).finishNewPasskey, api.Endpoint{
		Name:   "add_passkey",
		Method: "POST", Path: "/api/account/passkeys/finish", Auth: api.Session,
		Summary: "Add a passkey to the account",
		Doc: "Adds the passkey in the response of navigator.credentials.create under a name, sends a notice to the account's address, and gives " +
			"the session a new cookie. From then on the session has two factors.",
		Faults: []*fault.Error{
			identity.ErrReauth, passkey.ErrInvalid, passkey.ErrName, passkey.ErrLimit, passkey.ErrOff, challenge.ErrExpired, fault.ErrUnavailable,
		},
	}),
	api.Bind((*Server).renamePasskey, api.Endpoint{
		Name:   "rename_passkey",
		Method: "POST", Path: "/api/account/passkeys/rename", Auth: api.Session,
		Summary: "Rename a passkey",
		Doc:     "Gives a passkey of the session's account another name, which only its owner sees.",
		Faults:  []*fault.Error{passkey.ErrName, passkey.ErrUnknown, fault.ErrUnavailable},
	}),
	api.Bind((*Server).removePasskey, api.Endpoint{
		Name:   "remove_passkey",
		Method: "POST", Path: "/api/account/passkeys/remove", Auth: api.Session,
		Summary: "Remove a passkey",
		Doc: "Removes a passkey of the session's account, sends a notice to its address, and gives the session a new cookie. It needs a " +
			"sign-in within the last five minutes. The authenticator keeps its copy, which opens nothing any more.",
		Faults: []*fault.Error{identity.ErrReauth, passkey.ErrUnknown, fault.ErrUnavailable},
	}),
}

// A begun ceremony is what a browser needs for it.
type begun struct {
	Challenge string          `json:"challenge" description:"Id of the challenge, to be sent with the response."`
	Options   json.RawMessage `json:"options" shape:"object" description:"The member publicKey of the options, in the JSON form of WebAuthn."`
}

// begin stores a ceremony for the browser of the request.
func (s *Server) begin(ctx context.Context, options json.RawMessage, c passkey.Ceremony) (begun, error) {
	id, err := s.Challenges.Start(ctx, challenge.Request{
		Kind: challenge.Passkey, Browser: visitor(ctx).Browser, Subject: string(c.Account), Payload: c,
	})
	return begun{id, options}, err
}

// take takes the ceremony of a challenge, which works only once.
func (s *Server) take(ctx context.Context, id string) (c passkey.Ceremony, err error) {
	taken, err := s.Challenges.Take(ctx, challenge.Passkey, id, visitor(ctx).Browser, nil)
	if err != nil {
		return c, err
	}
	return c, taken.Decode(&c)
}

func (s *Server) startPasskey(ctx context.Context, _ struct{}) (begun, error) {
	if err := s.starts.Take(visitor(ctx).Network); err != nil {
		return begun{}, err
	}
	options, ceremony, err := s.Passkeys.BeginSignIn()
	if err != nil {
		return begun{}, err
	}
	return s.begin(ctx, options, ceremony)
}

type finishPasskeyIn struct {
	Challenge string `json:"challenge" required:"true" maxLength:"64" description:"Id of the challenge, as the start returned it."`
	Response  string `json:"response" required:"true" maxLength:"16384" description:"The credential of the browser in the JSON form of WebAuthn, as text."`
	Return    string `json:"return" maxLength:"512" pattern:"^(/([!-.0-[\\]-~][!-[\\]-~]*)?)?$" description:"Path of this site to go to afterwards; it is returned with the session."`
}

func (s *Server) finishPasskey(ctx context.Context, in finishPasskeyIn) (out answer[signedIn], err error) {
	ceremony, err := s.take(ctx, in.Challenge)
	if err != nil {
		return out, err
	}
	response, err := passkey.ReadResponse([]byte(in.Response))
	if err != nil {
		return out, err
	}
	return answerOf(s.SignIn.Passkey(ctx, visitor(ctx), response.Account(), in.Return, func(a *account.Account) error {
		used, err := s.Passkeys.FinishSignIn(ceremony, response, a.Passkeys, s.Now())
		if err != nil {
			return err
		}
		a.Passkeys, err = passkey.Update(a.Passkeys, used)
		return err
	}))
}

// A shownPasskey is a passkey as the API shows it.
type shownPasskey struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Synced     bool    `json:"synced" description:"Whether it was synchronized between devices when it was last used."`
	CreatedAt  string  `json:"createdAt" format:"date-time"`
	LastUsedAt *string `json:"lastUsedAt" nullable:"true" format:"date-time" description:"Last sign-in by it; null before the first."`
}

func showPasskey(c passkey.Credential) shownPasskey {
	out := shownPasskey{ID: c.Ref(), Name: c.Name, Synced: c.BackedUp, CreatedAt: moment(c.CreatedAt.Time)}
	if c.LastUsedAt != nil {
		at := moment(c.LastUsedAt.Time)
		out.LastUsedAt = &at
	}
	return out
}

type passkeysOut struct {
	Passkeys []shownPasskey `json:"passkeys" nullable:"false" description:"Passkeys of the account, oldest first."`
}

func (s *Server) passkeys(ctx context.Context, _ struct{}) (out passkeysOut, err error) {
	a, err := s.account(ctx)
	if err != nil {
		return out, err
	}
	out.Passkeys = make([]shownPasskey, len(a.Passkeys))
	for i, c := range a.Passkeys {
		out.Passkeys[i] = showPasskey(c)
	}
	return out, nil
}

func (s *Server) startNewPasskey(ctx context.Context, _ struct{}) (begun, error) {
	caller, _ := identity.SpeakerOf(ctx)
	if !access.IsRecent(caller.SignedInAt, s.Now()) {
		return begun{}, identity.ErrReauth
	}
	a, err := account.Load(ctx, s.DB, caller.Account)
	if err != nil {
		return begun{}, fault.OrUnavailable(err)
	}
	options, ceremony, err := s.Passkeys.BeginRegistration(passkey.Account{ID: a.ID, Email: a.Email, Name: a.Profile.Name}, a.Passkeys)
	if err != nil {
		return begun{}, err
	}
	return s.begin(ctx, options, ceremony)
}

type newPasskeyIn struct {
	Challenge string `json:"challenge" required:"true" maxLength:"64" description:"Id of the challenge, as the start returned it."`
	Name      string `json:"name" required:"true" maxLength:"256" description:"Name for the owner, such as that of the device; up to 60 characters."`
	Response  string `json:"response" required:"true" maxLength:"16384" description:"The credential of the browser in the JSON form of WebAuthn, as text."`
}

type passkeyOut struct {
	Passkey shownPasskey `json:"passkey" description:"The passkey that was added."`
}

func (s *Server) finishNewPasskey(ctx context.Context, in newPasskeyIn) (out answer[passkeyOut], err error) {
	caller, _ := identity.SpeakerOf(ctx)
	name, err := passkey.CheckName(in.Name)
	if err != nil {
		return out, err
	}
	ceremony, err := s.take(ctx, in.Challenge)
	if err != nil {
		return out, err
	}
	made, err := s.Passkeys.FinishRegistration(ceremony, caller.Account, []byte(in.Response), name, s.Now())
	if err != nil {
		return out, err
	}
	cookie, err := s.SignIn.AddPasskey(ctx, caller, visitor(ctx), made)
	if err != nil {
		return out, err
	}
	return answer[passkeyOut]{value: passkeyOut{showPasskey(made)}, cookies: s.rotated(cookie)}, nil
}

// rotated returns the cookie of a session that has a new secret. The browser may keep
// it for longer than the session lasts, which the service decides.
func (s *Server) rotated(cookie string) []*http.Cookie {
	return []*http.Cookie{credential.SessionCookie(cookie, s.Now().Add(access.Absolute))}
}

type renamePasskeyIn struct {
	ID   string `json:"id" required:"true" maxLength:"64" description:"Id of a passkey, from GET /api/account/passkeys."`
	Name string `json:"name" required:"true" maxLength:"256" description:"Up to 60 characters."`
}

func (s *Server) renamePasskey(ctx context.Context, in renamePasskeyIn) (done, error) {
	caller, _ := identity.SpeakerOf(ctx)
	_, err := account.Update(ctx, s.DB, caller.Account, func(a *account.Account) (err error) {
		a.Passkeys, err = passkey.Rename(a.Passkeys, in.ID, in.Name)
		return err
	})
	return done{true}, fault.OrUnavailable(err)
}

type removePasskeyIn struct {
	ID string `json:"id" required:"true" maxLength:"64" description:"Id of a passkey, from GET /api/account/passkeys."`
}

func (s *Server) removePasskey(ctx context.Context, in removePasskeyIn) (out answer[done], err error) {
	caller, _ := identity.SpeakerOf(ctx)
	cookie, err := s.SignIn.RemovePasskey(ctx, caller, visitor(ctx), in.ID)
	if err != nil {
		return out, err
	}
	return answer[done]{value: done{true}, cookies: s.rotated(cookie)}, nil
}
