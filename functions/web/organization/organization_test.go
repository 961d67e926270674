package organization

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/private"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/site"
)

// hostile is a name that would change any page that does not escape it.
const hostile = `</bdi><script>alert(1)</script>"'{{.}}`

// open returns accounts and the handler of the pages over them.
func open(t *testing.T) (*webtest.Accounts, http.Handler) {
	t.Helper()
	a := webtest.NewAccounts(t)
	all := organization.On(a.DB, a.Access.Learn, a.Now)
	s := New(Options{
		Private:       private.New(private.Options{Pages: page.NewRenderer(webtest.Links), DB: a.DB, Access: a.Access, Tokens: a.Tokens, Now: a.Now}),
		Organizations: all,
		Post:          &organization.Post{Organizations: all, Throttle: throttle.New(a.DB, a.Keys, a.Now), Mail: a, Base: webtest.Base},
	})
	return a, webtest.Handler(s, Endpoints)
}

// A member is an account with a browser that is signed in to it.
type member struct {
	*webtest.Browser
	*account.Account
}

func enter(t *testing.T, a *webtest.Accounts, h http.Handler, email string) member {
	t.Helper()
	m := member{webtest.NewBrowser(t, h), a.Make(t, email)}
	a.SignIn(t, m.ID, m.Browser)
	return m
}

// link returns the path of the link in the last invitation to an address.
func link(t *testing.T, a *webtest.Accounts, email string) string {
	t.Helper()
	u, err := url.Parse(webtest.Mail[mail.Invitation](t, a, email).Link)
	if err != nil {
		t.Fatal(err)
	}
	return u.RequestURI()
}

// TestOrganization creates an organization with a hostile name, invites a member,
// changes its role and removes it, all by forms.
func TestOrganization(t *testing.T) {
	a, h := open(t)
	ana, bea := enter(t, a, h, "ana@example.org"), enter(t, a, h, "bea@example.org")
	ana.Go("/en/account/organizations").Submit("create", "name", hostile)
	at := ana.Path()
	if ana.Code != http.StatusOK || ana.Notices() != i18n.EN.T("account.done_organization", nil) {
		t.Fatalf("%d at %s: %q", ana.Code, at, ana.Notices())
	}
	at, _, _ = strings.Cut(at, "?")
	if ana.Heading() != hostile {
		t.Errorf("the heading is %q", ana.Heading())
	}

	ana.Submit("invite", "email", "Bea@Example.org", "role", "administrator")
	if ana.Notices() != i18n.EN.T("account.done_invited", nil) || !strings.Contains(ana.Said("account-line"), "Bea@example.org") {
		t.Fatalf("invited: %q, %q", ana.Notices(), ana.Alerts())
	}
	bea.Go(link(t, a, "Bea@example.org")).Submit("join")
	if bea.Notices() != i18n.EN.T("account.done_joined", nil) || !strings.HasPrefix(bea.Path(), at) {
		t.Fatalf("joined at %s: %q, %q", bea.Path(), bea.Notices(), bea.Alerts())
	}
	if rows := ana.Go(at).Said("account-row-text"); !strings.Contains(rows, "bea@example.org") || !strings.Contains(rows, "Administrator") {
		t.Errorf("the members are %q", rows)
	}

	ana.Submit("role", "member", string(bea.ID), "role", "member")
	bea.Go(at)
	if text := webtest.Text(bea.Page); strings.Contains(text, i18n.EN.T("organization.invite", nil)) || strings.Contains(text, "ana@example.org") {
		t.Errorf("a member sees %q", text)
	}
	bea.Submit("leave")
	if bea.Path() != "/en/account/organizations?done=left" || bea.Go(at).Code != http.StatusNotFound {
		t.Errorf("after leaving: %d at %s", bea.Code, bea.Path())
	}

	ana.Go(at).Submit("leave")
	if ana.Code != http.StatusConflict || !strings.Contains(ana.Alerts(), "needs an owner") {
		t.Errorf("the last owner leaves: %d, %q", ana.Code, ana.Alerts())
	}
	ana.Submit("switch")
	if r, _ := access.Load(t.Context(), a.DB, ana.ID); ana.Notices() != i18n.EN.T("account.done_switched_off", nil) || !r.Memberships[0].Disabled {
		t.Errorf("switched off: %q", ana.Notices())
	}
	ana.Submit("rename", "name", " A short name ")
	if ana.Heading() != "A short name" {
		t.Errorf("renamed: %q", ana.Alerts())
	}
}

// TestDelete checks that an organization is deleted only by its name, and only after
// a recent sign-in.
func TestDelete(t *testing.T) {
	a, h := open(t)
	ana := enter(t, a, h, "ana@example.org")
	ana.Go("/en/account/organizations").Submit("create", "name", "Club")
	ana.Submit("delete", "typed", "Clube")
	if ana.Code != http.StatusBadRequest || ana.Alerts() != i18n.EN.T("organization.typed_wrong", nil) {
		t.Errorf("by another name: %d, %q", ana.Code, ana.Alerts())
	}
	path, _, _ := strings.Cut(ana.Path(), "?")
	a.Time = a.Time.Add(access.Recent)
	back := url.QueryEscape(path)
	if got := ana.Submit("delete", "typed", "Club").Path(); got != "/en/sign-in?again=1&to="+back {
		t.Errorf("long after the sign-in it leads to %s", got)
	}
	a.SignIn(t, ana.ID, ana.Browser)
	ana.Go(path).Submit("delete", "typed", " club ")
	if ana.Path() != "/en/account/organizations?done=organization_deleted" {
		t.Errorf("deleted at %s: %q", ana.Path(), ana.Alerts())
	}
	r, err := access.Load(t.Context(), a.DB, ana.ID)
	if err != nil || len(r.Memberships) != 0 {
		t.Errorf("memberships are left: %v, %v", r.Memberships, err)
	}
}

// TestInvitation opens the link of an invitation as different visitors, in each
// locale.
func TestInvitation(t *testing.T) {
	a, h := open(t)
	ana, eve := enter(t, a, h, "ana@example.org"), enter(t, a, h, "eve@example.org")
	a.Make(t, "bea@example.org")
	ana.Go("/en/account/organizations").Submit("create", "name", "Club")
	for _, l := range i18n.Locales {
		path, _, _ := strings.Cut(ana.Path(), "?")
		ana.Go(path).Submit("invite", "email", "bea@example.org")
		token := strings.TrimPrefix(link(t, a, "bea@example.org"), "/en/invitation?token=")
		at := site.Invitation.Path(l, "") + "?token=" + token
		want := site.SignIn.Path(l, "") + "?" + private.Query("to", at).Encode()
		if got := webtest.NewBrowser(t, h).Go(at).Submit("join").Path(); got != want {
			t.Errorf("%s: signed out it leads to %s, want %s", l, got, want)
		}
		eve.Go(at).Submit("join")
		if want := l.T("fault.invitation_wrong_address", nil); eve.Code != http.StatusForbidden || eve.Alerts() != want {
			t.Errorf("%s: another account: %d, %q", l, eve.Code, eve.Alerts())
		}
		a.Time = a.Time.Add(time.Minute)
	}
	over := webtest.NewBrowser(t, h).Go("/en/invitation?token=" + strings.Repeat("x", 80))
	if over.Code != http.StatusNotFound || !strings.Contains(over.Alerts(), "over") {
		t.Errorf("an invitation that does not exist: %d, %q", over.Code, over.Alerts())
	}
}

// TestForbidden sends the forms of an owner as others, who get nothing.
func TestForbidden(t *testing.T) {
	a, h := open(t)
	ana, bea, eve := enter(t, a, h, "ana@example.org"), enter(t, a, h, "bea@example.org"), enter(t, a, h, "eve@example.org")
	ana.Go("/en/account/organizations").Submit("create", "name", "Club")
	path, _, _ := strings.Cut(ana.Path(), "?")
	ana.Submit("invite", "email", "bea@example.org")
	bea.Go(link(t, a, "bea@example.org")).Submit("join")
	for name, m := range map[string]member{"a member": bea, "a stranger": eve} {
		for _, form := range []url.Values{
			{"do": {"rename"}, "name": {"Mine"}}, {"do": {"switch"}, "on": {"0"}}, {"do": {"invite"}, "email": {"x@example.org"}, "role": {"member"}},
			{"do": {"role"}, "member": {string(m.ID)}, "role": {"owner"}}, {"do": {"remove"}, "member": {string(ana.ID)}}, {"do": {"delete"}, "typed": {"Club"}},
		} {
			if m.Go("/en/account/organizations").Post(path, form); m.Code != http.StatusForbidden && m.Code != http.StatusNotFound {
				t.Errorf("%s: %s answers %d: %q", name, form, m.Code, m.Alerts())
			}
		}
	}
	id := identity.Owner(strings.TrimPrefix(path, "/en/account/organizations/"))
	view, err := organization.On(a.DB, nil, a.Now).View(t.Context(), ana.ID, id)
	if err != nil || view.Name != "Club" || !view.Enabled || len(view.Members) != 2 || len(view.Invitations) != 0 || view.Role != access.Owner {
		t.Errorf("it became %+v, %v", view, err)
	}
}
