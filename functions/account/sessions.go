package account

import (
	"context"
	"net/http"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

const sessionsPath = "/api/account/sessions"

var browserEndpoints = []api.Endpoint{
	api.Bind((*Server).sessions, api.Endpoint{
		Name:   "list_sessions",
		Method: "GET", Path: sessionsPath, Auth: api.Session,
		Summary: "List the account's sessions",
		Doc:     "Returns the browsers that are signed in to the session's account, the one that was used last first.",
		Faults:  []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).endSession, api.Endpoint{
		Name:   "end_session",
		Method: "POST", Path: sessionsPath + "/end", Auth: api.Session,
		Summary: "Sign out of one browser",
		Doc: "Ends one session of the account: at once at this server, and within five seconds at every other. Ending another session " +
			"than the one that makes the call needs a sign-in within the last five minutes; ending that one removes its cookie. API keys " +
			"stay valid.",
		Faults: []*fault.Error{access.ErrNoSession, identity.ErrReauth, fault.ErrUnavailable},
	}),
	api.Bind((*Server).endSessions, api.Endpoint{
		Name:   "end_all_sessions",
		Method: "POST", Path: sessionsPath + "/end-all", Auth: api.Session,
		Summary: "Sign out everywhere",
		Doc: "Ends all sessions of the account, the one that makes the call included, and stops the API keys that the account made for " +
			"itself and for its organizations. It takes effect as ending one session does, cannot be undone, and needs a sign-in within " +
			"the last five minutes.",
		Faults: []*fault.Error{identity.ErrReauth, fault.ErrUnavailable},
	}),
}

// A session is one browser that is signed in.
type session struct {
	ID           string `json:"id"`
	Device       device `json:"device" description:"The device at the sign-in; each part is empty when it is not known."`
	CreatedAt    string `json:"createdAt" format:"date-time"`
	LastUsedAt   string `json:"lastUsedAt" format:"date-time" description:"Time of its last use, to the hour."`
	Current      bool   `json:"current" description:"True for the session that makes the call."`
	Method       string `json:"method" description:"Means of the sign-in, such as mail, password or passkey."`
	SecondFactor bool   `json:"secondFactor" description:"True when a second factor was proved."`
}

func showSession(s access.Session, current string) session {
	return session{
		ID: s.ID, Device: device(s.Device), CreatedAt: moment(s.CreatedAt.Time), LastUsedAt: moment(s.UsedAt.Time),
		Current: s.ID == current, Method: s.Method, SecondFactor: s.SecondFactor,
	}
}

type sessionsOut struct {
	Sessions []session `json:"sessions" nullable:"false" description:"Browsers that are signed in, the one that was used last first."`
}

func (s *Server) sessions(ctx context.Context, _ struct{}) (out sessionsOut, err error) {
	speaker, _ := identity.SpeakerOf(ctx)
	r, err := access.Load(ctx, s.DB, speaker.Account)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	out.Sessions = []session{}
	for _, one := range r.Live(s.Now()) {
		out.Sessions = append(out.Sessions, showSession(one, speaker.Session))
	}
	return out, nil
}

type endIn struct {
	ID string `json:"id" required:"true" maxLength:"64" description:"Id of a session, from GET /api/account/sessions."`
}

func (s *Server) endSession(ctx context.Context, in endIn) (out answer[done], err error) {
	speaker, _ := identity.SpeakerOf(ctx)
	if in.ID != speaker.Session {
		if err := access.CheckRecent(speaker, s.Now()); err != nil {
			return out, err
		}
		return answer[done]{value: done{true}}, s.Access.EndSession(ctx, speaker.Account, in.ID)
	}
	return signedOut, s.Access.EndSession(ctx, speaker.Account, in.ID)
}

func (s *Server) endSessions(ctx context.Context, _ struct{}) (out answer[done], err error) {
	speaker, _ := identity.SpeakerOf(ctx)
	if err := access.CheckRecent(speaker, s.Now()); err != nil {
		return out, err
	}
	if err := s.Access.SignOutEverywhere(ctx, speaker.Account, ""); err != nil {
		return out, err
	}
	return signedOut, nil
}

// signedOut is the answer that removes the cookie of the session.
var signedOut = answer[done]{value: done{true}, cookies: []*http.Cookie{credential.NoSessionCookie()}}
