package private

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/credential"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

// A Visit is one request for a private page. Bodies of pages embed it, so that
// templates may call its methods. It must not be used concurrently.
type Visit struct {
	identity.Speaker // zero for a visitor who is signed out

	Page   site.Page
	Locale i18n.Locale
	ID     string // of what the page is about; empty for most pages
	Ended  bool   // whether the session of the browser's cookie is over

	query
	fields  url.Values // of the form
	files   map[string][]byte
	action  string       // that the form asks for; empty when the page is only shown
	failure *fault.Error // of the action; nil when it did not fail
	status  int

	renderer *Renderer
	browser  identity.Browser
	shown    string // session cookie as the request shows it
	session  string // the same while the session is live, else empty
	token    string // of the forms on the page
	cookies  []*http.Cookie
	account  *account.Account // once it was read
}

// SignedIn reports whether the visitor has a session.
func (v *Visit) SignedIn() bool { return v.Session != "" }

// Browser returns the random value that names the visitor's browser.
func (v *Visit) Browser() string { return v.browser.Boot }

// Cookie returns the value of the visitor's session cookie; empty for a visitor who
// is signed out.
func (v *Visit) Cookie() string { return v.session }

// MayProtect reports whether the visitor's session may change what protects an
// account: it is of a recent sign-in, with every factor that the account asks for.
func (v *Visit) MayProtect(a *account.Account) bool {
	return access.IsRecent(v.SignedInAt, v.renderer.Now()) && (v.SecondFactor || !a.NeedsFactor())
}

// ConfirmPath returns the path of the sign-in page where the visitor proves again who
// they are, and comes back.
func (v *Visit) ConfirmPath() string {
	return site.SignIn.Path(v.Locale, "") + "?" + url.Values{"to": {v.Path()}, "again": {"1"}}.Encode()
}

// SetSession gives the browser the cookie of a session.
func (v *Visit) SetSession(cookie string, s *access.Session) {
	v.cookies = append(v.cookies, credential.SessionCookie(cookie, s.EndsAt.Time))
}

// Rotated gives the browser the new cookie of its session, which an action returned.
// The forms of a page that is rendered afterwards belong to it.
func (v *Visit) Rotated(ctx context.Context, cookie string) error {
	r, err := v.Record(ctx)
	if err != nil {
		return err
	}
	s, ok := r.Session(v.Session)
	if !ok {
		return identity.ErrEnded
	}
	v.SetSession(cookie, s)
	v.session = cookie
	v.token, err = v.renderer.Tokens.Token(v.browser.Boot, cookie)
	return err
}

// EndSession removes the session cookie of the browser.
func (v *Visit) EndSession() {
	v.cookies = append(v.cookies, credential.NoSessionCookie())
	v.Speaker, v.session = identity.Speaker{}, ""
}

// end removes the cookie of a session that is over.
func (v *Visit) end() {
	v.EndSession()
	v.Ended = true
}

// Path returns the path of the page that is visited.
func (v *Visit) Path() string { return v.Page.Path(v.Locale, v.ID) }

// Return returns the path of this site that the visitor is to go to after signing
// in; that of the account without one. It is never an address of another site.
func (v *Visit) Return() string {
	if v.fields.Has("to") {
		return v.LocalOr(v.fields.Get("to"))
	}
	return v.LocalOr(v.To)
}

// LocalOr returns to when it is a path of this site, else that of the account.
func (v *Visit) LocalOr(to string) string {
	if isLocal(to) {
		return to
	}
	return site.Account.Path(v.Locale, "")
}

// Returning sets what Return returns, and returns v.
func (v *Visit) Returning(to string) *Visit {
	v.fields.Set("to", to)
	return v
}

// SignInWith returns the path of the sign-in page for a way to sign in, and back;
// empty is the usual way, by mail.
func (v *Visit) SignInWith(way string) string {
	query := url.Values{"to": {v.Return()}}
	if way != "" {
		query.Set("with", way)
	}
	if v.SignedIn() {
		query.Set("again", "1")
	}
	return site.SignIn.Path(v.Locale, "") + "?" + query.Encode()
}

// isLocal reports whether a browser takes to for a path of this site, and whether a
// page may be there. Browsers read a backslash as a slash.
func isLocal(to string) bool {
	if len(to) > 512 || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\t\r\n") {
		return false
	}
	u, err := url.Parse(to)
	return err == nil && u.Host == "" && u.Scheme == "" && !strings.HasPrefix(u.Path, catalog.IndexPath)
}

// CSRF returns the token of the forms on the page.
func (v *Visit) CSRF() string { return v.token }

// Hidden returns the fields that every form has: the token, and the action that it
// asks for.
func (v *Visit) Hidden(action string) template.HTML {
	return template.HTML(`<input type="hidden" name="` + csrfField + `" value="` + template.HTMLEscapeString(v.token) +
		`"><input type="hidden" name="` + doField + `" value="` + template.HTMLEscapeString(action) + `">`)
}

// Value returns what the visitor has filled in at a field of a form that failed;
// else current.
func (v *Visit) Value(action, field, current string) string {
	if v.failure != nil && v.action == action && v.fields.Has(field) {
		return v.fields.Get(field)
	}
	return current
}

// Wrong returns the sentence about the failure of an action; empty when it did not
// fail.
func (v *Visit) Wrong(action string) string {
	if v.failure == nil || v.action != action {
		return ""
	}
	return api.Message(v.Locale, v.failure)
}

// WrongOf returns the sentence about the failure of one of several actions.
func (v *Visit) WrongOf(actions ...string) string {
	for _, action := range actions {
		if text := v.Wrong(action); text != "" {
			return text
		}
	}
	return ""
}

// Failed reports whether the action of the form failed by a fault.
func (v *Visit) Failed(f *fault.Error) bool { return v.failure != nil && errors.Is(v.failure, f) }

// Fail shows the page as after an action that failed.
func (v *Visit) Fail(action string, err error) {
	v.action, v.failure = action, fault.From(err)
	v.status = api.Status(v.failure.Kind)
}

// WrongAt reports whether an action failed because of a field.
func (v *Visit) WrongAt(action, field string) bool {
	return v.Wrong(action) != "" && v.failure.Fields["param"] == field
}

// Outdated returns the sentence about a form that was not accepted at all, because
// it came from another session; empty for any other.
func (v *Visit) Outdated() string { return v.Wrong("") }

// Notice returns the sentence about what was done before the page was shown; empty
// for none. Its name comes from the address, so only known sentences can be shown.
func (v *Visit) Notice() string {
	key := "account.done_" + v.Done
	if v.Done == "" || !i18n.Has(key) || v.failure != nil {
		return ""
	}
	return v.Locale.T(key, nil)
}

// Account returns the account of the visitor, by one read for each visit.
func (v *Visit) Account(ctx context.Context) (*account.Account, error) {
	if v.account == nil {
		a, err := account.Load(ctx, v.renderer.DB, v.Speaker.Account)
		if err != nil {
			return nil, err
		}
		v.account = a
	}
	return v.account, nil
}

// Record returns what the account is recognized by, by one read.
func (v *Visit) Record(ctx context.Context) (*access.Record, error) {
	return access.Load(ctx, v.renderer.DB, v.Speaker.Account)
}

// DB returns the database.
func (v *Visit) DB() store.DB { return v.renderer.DB }

// Sections lists the pages of the account, by name, in the order of their links.
func (v *Visit) Sections() []string { return sections }

var sections = []string{
	site.Account.String(), site.Purchases.String(), site.Security.String(), site.Sessions.String(), site.Keys.String(),
	site.Organizations.String(), site.Devices.String(), site.Privacy.String(),
}

// Visitor returns what the request shows of the visitor's browser, as sign-ins and
// their mails need it.
func (v *Visit) Visitor(ctx context.Context) signin.Visitor {
	shown := signin.Visitor{}
	if r, ok := ctx.Value(api.RequestKey).(api.Request); ok {
		shown = signin.VisitorOf(r)
	}
	shown.Browser, shown.Cookie, shown.Locale = v.browser.Boot, v.session, v.Locale
	return shown
}
