package account

import (
	"context"

	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

var leaveEndpoints = []api.Endpoint{
	api.Bind((*Server).deleteAccount, api.Endpoint{
		Name:   "delete_account",
		Method: "POST", Path: "/api/account/delete", Auth: api.Session,
		Summary: "Delete the account",
		Doc: "Schedules the deletion of the session's account, with everything it owns, fourteen days from now, and sends a notice. All of " +
			"its sessions end, its API keys stop and nobody sees its public library at once; signing in before that day keeps the account. " +
			"It needs a sign-in within the last five minutes.",
		Faults: []*fault.Error{removal.ErrConfirmation, removal.ErrLastOwner, identity.ErrReauth, fault.ErrUnavailable},
	}),
}

type deleteIn struct {
	Confirmation string `json:"confirmation" required:"true" maxLength:"320" description:"E-mail address of the account, typed by the person."`
}

// A deleted says when an account will be deleted.
type deleted struct {
	OK       bool   `json:"ok" description:"Always true."`
	DeleteAt string `json:"deleteAt" format:"date-time" description:"Time of the deletion, unless somebody signs in before."`
}

func (s *Server) deleteAccount(ctx context.Context, in deleteIn) (out answer[deleted], err error) {
	speaker, _ := identity.SpeakerOf(ctx)
	due, err := s.Removals.Schedule(ctx, removal.Request{
		Speaker: speaker, Confirmation: in.Confirmation, Locale: api.LocaleOf(ctx), Place: visitor(ctx).Place(),
	})
	if err != nil {
		return out, err
	}
	return answer[deleted]{value: deleted{true, moment(due)}, cookies: signedOut.cookies}, nil
}
