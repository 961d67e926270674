package private

import (
	"cmp"
	"net/http"
	"net/url"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/site"
)

// An Answer is a rendered page or a redirect, with the cookies that it sets.
type Answer struct {
	page    *page.Rendered
	to      string // path of a redirect
	cookies []*http.Cookie
}

// Reply writes the answer. A redirect makes the browser request a page by GET,
// whatever the request was.
func (a *Answer) Reply(w http.ResponseWriter, r *http.Request) error {
	for _, c := range a.cookies {
		http.SetCookie(w, c)
	}
	if a.page == nil {
		return api.Redirect(w, a.to, http.StatusSeeOther)
	}
	return a.page.Reply(w, r)
}

// A marker is what the script of a page notes of the visitor, for the pages that are
// the same for everyone.
type marker struct {
	Account *shownAccount `json:"account"` // null for a visitor who is signed out
}

// A shownAccount is what those pages show of the account.
type shownAccount struct {
	Name string `json:"name"`
}

// View returns the view of the page with a body, which the caller may change before
// it is shown.
func (v *Visit) View(body any) *page.View {
	view := v.renderer.Pages.View(v.Page, v.Locale, body)
	view.Name, view.NoIndex, view.Visitor = v.ID, true, "out"
	view.Areas = append(view.Areas, "account", "passkey")
	view.Modules = []string{"account"}
	shown := marker{}
	if v.SignedIn() {
		view.Visitor, shown.Account = "in", &shownAccount{}
		if v.account != nil {
			shown.Account.Name = cmp.Or(v.account.Profile.Name, v.account.Email)
		}
	}
	view.Data = shown
	return view
}

// Show renders a view with the template of its page.
func (v *Visit) Show(view *page.View) (*Answer, error) { return v.ShowAs(view.Page.String(), view) }

// ShowAs renders a view with a template.
func (v *Visit) ShowAs(template string, view *page.View) (*Answer, error) {
	out, err := view.ShowAs(template, v.status)
	if err != nil {
		return nil, err
	}
	return &Answer{page: out}, nil
}

// Finish returns a redirect to the visited page that shows the notice with a name,
// which is a text of account.done_*.
func (v *Visit) Finish(notice string) *Answer { return v.Go(v.Path(), url.Values{"done": {notice}}) }

// Go returns a redirect to a path of this site with a query, which may be nil.
func (v *Visit) Go(path string, query url.Values) *Answer {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return &Answer{to: path}
}

// toSignIn returns a redirect to the sign-in page and back.
func (v *Visit) toSignIn() *Answer {
	query := url.Values{"to": {v.Path()}}
	if v.Ended {
		query.Set("done", "ended")
	}
	return v.withCookies(v.Go(site.SignIn.Path(v.Locale, ""), query))
}

// withCookies returns a with the cookies that the visit sets.
func (v *Visit) withCookies(a *Answer) *Answer {
	a.cookies = append(a.cookies, v.cookies...)
	return a
}

// Query returns a query of one parameter, for [Visit.Go].
func Query(name, value string) url.Values { return url.Values{name: {value}} }
