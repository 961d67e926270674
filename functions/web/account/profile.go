package account

import (
	"context"
	"strconv"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/avatar"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

var profilePage = private.Page[*Server]{
	Page: site.Account, Subject: "the account's profile",
	Doc:  "Returns the page on which visitors see their account and change their name, picture and preferences.",
	Show: (*Server).profile,
	Actions: map[string]private.Handler[*Server]{
		"profile": (*Server).saveProfile,
		"photo":   (*Server).setPhoto,
		"nophoto": (*Server).removePhoto,
		"signout": (*Server).signOut,
	},
	MaxBody: avatar.MaxUpload + 64<<10, // the picture with the other fields of its form
}

// A profileBody is the body of the page.
type profileBody struct {
	*private.Visit
	Account *account.Account
	Names   []language
	Themes  []string
}

// A language is a choice of the profile.
type language struct{ Tag, HTML, Name string }

// languages lists the locales by their own names.
func languages() (all []language) {
	for _, l := range i18n.Locales {
		all = append(all, language{l.Tag(), l.HTML(), l.T("layout.language_name", nil)})
	}
	return all
}

func (s *Server) profile(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	a, err := v.Account(ctx)
	if err != nil {
		return nil, err
	}
	return v.Show(v.View(profileBody{v, a, languages(), account.Themes}))
}

// saveProfile replaces the profile by the fields of the form. The revision is that of
// the profile which the form showed.
func (s *Server) saveProfile(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	revision, err := strconv.ParseInt(v.Field("revision"), 10, 64)
	if err != nil {
		return nil, fault.ErrBody.With("param", "revision").With("reason", "not_integer")
	}
	_, err = account.SetProfile(ctx, v.DB(), v.Speaker.Account, account.Profile{
		Name: v.Field("name"), Locale: v.Field("locale"), TimeZone: v.Field("zone"), Theme: v.Field("theme"), Revision: revision,
	})
	if err != nil {
		return nil, err
	}
	return v.Finish("profile"), nil
}
