package account

import (
	"context"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/site"
)

var privacyPage = private.Page[*Server]{
	Page: site.Privacy, Subject: "the account's privacy",
	Doc:  "Returns the page on which visitors take along everything that their account has, and delete the account.",
	Show: (*Server).privacy,
	Actions: map[string]private.Handler[*Server]{
		"delete": (*Server).deleteAccount,
	},
}

// A privacyBody is the body of the page.
type privacyBody struct {
	*private.Visit
	Account *account.Account
	Open    bool // whether the forms are offered
	Days    int  // in which a deletion can be undone
}

func (s *Server) privacy(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	a, err := v.Account(ctx)
	if err != nil {
		return nil, err
	}
	return v.Show(v.View(privacyBody{v, a, v.MayProtect(a), int(removal.Delay.Hours() / 24)}))
}

// deleteAccount schedules the deletion of the account, which ends the visitor's session.
func (s *Server) deleteAccount(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	d := v.Visitor(ctx).Device
	_, err := s.o.Removals.Schedule(ctx, removal.Request{
		Speaker: v.Speaker, Confirmation: v.Field("confirmation"), Locale: v.Locale,
		Place: mail.Place{Browser: d.Browser, System: d.OS, Country: d.Country},
	})
	if err != nil {
		return nil, err
	}
	v.EndSession()
	return v.Go(site.SignIn.Path(v.Locale, ""), private.Query("done", "deleted")), nil
}

// exportPath is where the API writes everything that an account has, as one archive.
const exportPath = catalog.IndexPath + "account/export"

// Export returns the path of the archive.
func (privacyBody) Export() string { return exportPath }
