package account

import (
	"context"
	"mime"
	"net/http"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/export"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

var exportEndpoints = []api.Endpoint{
	api.Bind((*Server).export, api.Endpoint{
		Name:   "export_account",
		Method: "GET", Path: "/api/account/export", Auth: api.Session,
		Summary: "Export the account's data",
		Doc: "Returns a ZIP archive of everything that the session's account has: profile, sessions, records of its API keys, " +
			"organizations, library, favorites, history, comments and photo, with a text that explains the files. It holds no secrets, " +
			"needs a sign-in within the last five minutes, and is slowed down after two archives.",
		Faults:   []*fault.Error{identity.ErrReauth, throttle.ErrTooMany, fault.ErrUnavailable},
		Produces: []string{export.MediaType},
	}),
}

func (s *Server) export(ctx context.Context, _ struct{}) (out archive, err error) {
	speaker, _ := identity.SpeakerOf(ctx)
	if err := access.CheckRecent(speaker, s.Now()); err != nil {
		return out, err
	}
	if err := s.Throttle.Attempt(ctx, throttle.ExportOfAccount.Of(string(speaker.Account))); err != nil {
		return out, err
	}
	all, err := export.Read(ctx, s.DB, speaker.Account, api.LocaleOf(ctx), s.Now())
	return archive{all, s.Now()}, err
}

// An archive is the answer that a browser keeps as a file.
type archive struct {
	*export.Archive
	at time.Time
}

// Reply writes the archive as it is made.
func (a archive) Reply(w http.ResponseWriter, r *http.Request) error {
	name := config.Product + "-" + a.at.UTC().Format(time.DateOnly) + ".zip"
	w.Header()["Content-Type"] = []string{export.MediaType}
	w.Header()["Content-Disposition"] = []string{mime.FormatMediaType("attachment", map[string]string{"filename": name})}
	return a.Write(r.Context(), w)
}
