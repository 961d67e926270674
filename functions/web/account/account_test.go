package account

import (
	"bytes"
	"image"
	"image/png"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/private"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/site"
)

// open returns accounts and the handler of the pages over them.
func open(t *testing.T) (*webtest.Accounts, http.Handler) {
	t.Helper()
	a := webtest.NewAccounts(t)
	r := private.New(private.Options{Pages: page.NewRenderer(webtest.Links), DB: a.DB, Access: a.Access, Tokens: a.Tokens, Now: a.Now})
	removals := removal.New(removal.Options{DB: a.DB, Access: a.Access, Mail: a, Base: webtest.Base, Log: slog.New(slog.DiscardHandler), Now: a.Now})
	return a, webtest.Handler(New(Options{Private: r, Removals: removals, Throttle: throttle.New(a.DB, a.Keys, a.Now)}), Endpoints)
}

// alerts returns the sentences about failures on the page.
func alerts(b *webtest.Browser) string {
	return texts(b, func(n *html.Node) bool { return webtest.Attr(n, "role") == "alert" })
}

// notices returns the sentences about what was done.
func notices(b *webtest.Browser) string {
	return texts(b, func(n *html.Node) bool { return webtest.Attr(n, "role") == "status" && webtest.HasClass(n, "notice") })
}

func texts(b *webtest.Browser, f func(*html.Node) bool) string {
	var all []string
	for _, n := range webtest.Elements(b.Page, f) {
		all = append(all, webtest.Text(n))
	}
	return strings.Join(all, "|")
}

// TestProfile changes the profile by its form, in each locale.
func TestProfile(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	for n, l := range i18n.Locales {
		b := webtest.NewBrowser(t, h)
		a.SignIn(t, me.ID, b)
		b.Go(site.Account.Path(l, "")).Submit("profile", "name", " Maria <b>"+l.Tag(), "locale", l.Tag(), "zone", "Europe/Berlin", "theme", "dark")
		if b.Code != http.StatusOK || notices(b) != l.T("account.done_profile", nil) {
			t.Errorf("%s: %d, %q, %q", l, b.Code, notices(b), alerts(b))
		}
		want := account.Profile{Name: "Maria <b>" + l.Tag(), Locale: l.Tag(), TimeZone: "Europe/Berlin", Theme: "dark", Revision: int64(n) + 2}
		stored, err := account.Load(t.Context(), a.DB, me.ID)
		if err != nil || stored.Profile != want {
			t.Errorf("%s: the profile is %+v, %v; want %+v", l, stored.Profile, err, want)
		}
	}
}

// TestProfileRefused checks that a refused profile is shown as it was filled in, with
// the reason, and that nothing is stored.
func TestProfileRefused(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	b := webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, b)
	b.Go("/en/account").Submit("profile", "name", "Maria", "zone", "Mars/Base")
	if b.Code != http.StatusBadRequest || !strings.Contains(alerts(b), "profile is not valid") || b.Path() != "/en/account" {
		t.Errorf("%d at %s: %q", b.Code, b.Path(), alerts(b))
	}
	zone := webtest.ByID(b.Page, "zone")
	if webtest.Attr(zone, "value") != "Mars/Base" || webtest.Attr(zone, "aria-invalid") != "true" || webtest.Attr(webtest.ByID(b.Page, "name"), "value") != "Maria" {
		t.Errorf("the form is not filled in: %v", zone.Attr)
	}

	other := webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, other)
	other.Go("/en/account")
	b.Submit("profile", "zone", "")
	other.Submit("profile", "name", "Ana")
	if other.Code != http.StatusConflict || !strings.Contains(alerts(other), "changed elsewhere") {
		t.Errorf("the second of two changes: %d, %q", other.Code, alerts(other))
	}
	if stored, _ := account.Load(t.Context(), a.DB, me.ID); stored.Profile.Name != "Maria" || stored.Profile.TimeZone != "" {
		t.Errorf("the profile is %+v", stored.Profile)
	}
}

// TestSessions lists sessions, ends one of them, and then all others.
func TestSessions(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	laptop, phone, tablet := webtest.NewBrowser(t, h), webtest.NewBrowser(t, h), webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, laptop)
	lost := a.SignIn(t, me.ID, phone)
	a.SignIn(t, me.ID, tablet)
	for _, b := range []*webtest.Browser{laptop, phone, tablet} {
		if b.Go("/en/account/sessions"); b.Code != http.StatusOK {
			t.Fatalf("signed in, the page answers %d", b.Code)
		}
	}
	rows := texts(laptop, func(n *html.Node) bool { return webtest.HasClass(n, "account-row-text") })
	if strings.Count(rows, "Firefox on Linux") != 3 || strings.Count(rows, "This browser") != 1 || strings.Count(rows, "Brazil") != 3 {
		t.Errorf("the sessions are %q", rows)
	}
	laptop.Submit("end", "session", lost.ID)
	if notices(laptop) != i18n.EN.T("account.done_session", nil) {
		t.Errorf("after one was ended: %q", notices(laptop))
	}
	addKey(t, a, me)
	laptop.Submit("everywhere")
	if notices(laptop) != i18n.EN.T("account.done_everywhere", nil) {
		t.Errorf("after the others were ended: %q", notices(laptop))
	}
	for name, b := range map[string]*webtest.Browser{"phone": phone, "tablet": tablet} {
		b.Go("/en/account/sessions")
		if b.Path() != "/en/sign-in?done=ended&to=%2Fen%2Faccount%2Fsessions" || b.Cookie("__Host-mm-auth") != "" {
			t.Errorf("the %s is at %s", name, b.Path())
		}
	}
	r, err := access.Load(t.Context(), a.DB, me.ID)
	if err != nil || len(r.Sessions) != 1 || r.Keys[0].Active() {
		t.Errorf("left: %d sessions, key active: %t, %v", len(r.Sessions), r.Keys[0].Active(), err)
	}
}

func addKey(t *testing.T, a *webtest.Accounts, me *account.Account) {
	t.Helper()
	_, err := access.Update(t.Context(), a.DB, me.ID, func(r *access.Record) error {
		_, _, err := r.AddKey("player", me.ID, a.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSignOut ends the session of the browser, by the form of every page and by that
// of the list.
func TestSignOut(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	for _, path := range []string{"/en/account", "/en/account/sessions"} {
		b := webtest.NewBrowser(t, h)
		session := a.SignIn(t, me.ID, b)
		b.Go(path)
		if path == "/en/account" {
			b.Submit("signout")
		} else {
			b.Submit("end", "session", session.ID)
		}
		if b.Path() != "/en/sign-in?done=signed_out" || b.Cookie("__Host-mm-auth") != "" {
			t.Errorf("%s: signed out at %s", path, b.Path())
		}
	}
	if r, err := access.Load(t.Context(), a.DB, me.ID); err != nil || len(r.Sessions) != 0 {
		t.Errorf("%d sessions are left, %v", len(r.Sessions), err)
	}
}

// TestKeys creates a key, which is shown once, and revokes it.
func TestKeys(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	b := webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, b)
	b.Go("/en/account/keys").Submit("create", "name", " ")
	if b.Code != http.StatusBadRequest || alerts(b) == "" {
		t.Errorf("without a name: %d, %q", b.Code, alerts(b))
	}
	b.Submit("create", "name", "Player <b>")
	secret := webtest.Attr(webtest.ByID(b.Page, "secret"), "value")
	if who, err := a.Access.Key(t.Context(), secret); err != nil || who.Owner != me.ID {
		t.Fatalf("the key %q is of %+v, %v", secret, who, err)
	}
	if b.Go("/en/account/keys"); webtest.ByID(b.Page, "secret") != nil || !strings.Contains(webtest.Text(b.Page), "Player <b>") {
		t.Error("the key is shown again, or its name is not")
	}
	b.Submit("revoke")
	if notices(b) != i18n.EN.T("account.done_key_revoked", nil) {
		t.Errorf("revoked: %d, %q", b.Code, alerts(b))
	}
	if _, err := a.Access.Key(t.Context(), secret); err == nil {
		t.Error("the key is accepted after it was revoked")
	}
	a.Time = a.Time.Add(access.Recent)
	form := func(n *html.Node) bool { return webtest.Attr(n, "value") == "create" }
	if b.Go("/en/account/keys"); len(webtest.Elements(b.Page, form)) > 0 || texts(b, func(n *html.Node) bool { return webtest.HasClass(n, "account-locked") }) == "" {
		t.Error("later, a key may be created")
	}
}

// TestKeyOnce sends the form of a new key again, as reloading its answer does.
func TestKeyOnce(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	b := webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, b)
	fields := url.Values{"do": {"create"}, "name": {"Player"}}
	listed := func(n *html.Node) bool { return webtest.Attr(n, "name") == "listed" }
	fields.Set("listed", webtest.Attr(webtest.Elements(b.Go("/en/account/keys").Page, listed)[0], "value"))
	if b.Post("/en/account/keys", fields); webtest.ByID(b.Page, "secret") == nil {
		t.Fatalf("the first time: %d, %q", b.Code, alerts(b))
	}
	b.Post("/en/account/keys", fields)
	r, err := access.Load(t.Context(), a.DB, me.ID)
	if err != nil || len(r.Keys) != 1 || webtest.ByID(b.Page, "secret") != nil || notices(b) != i18n.EN.T("account.done_key_listed", nil) {
		t.Errorf("the second time: %d keys, %q, %v", len(r.Keys), notices(b), err)
	}
}

// TestPrivacy offers the archive, and deletes the account once its address was typed.
func TestPrivacy(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	b := webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, b)
	b.Go("/en/account/privacy")
	if links := webtest.Elements(b.Page, func(n *html.Node) bool { return webtest.Attr(n, "href") == exportPath }); len(links) != 1 {
		t.Errorf("%d links to the archive", len(links))
	}
	b.Submit("delete", "confirmation", "ana@example.org")
	if b.Code != http.StatusBadRequest || alerts(b) == "" {
		t.Errorf("another address: %d, %q", b.Code, alerts(b))
	}
	b.Submit("delete", "confirmation", "maria@example.org")
	stored, err := account.Load(t.Context(), a.DB, me.ID)
	if b.Path() != "/en/sign-in?done=deleted" || b.Cookie("__Host-mm-auth") != "" || err != nil || stored.DeleteAt.IsZero() {
		t.Errorf("at %s, to be deleted at %v, %v", b.Path(), stored.DeleteAt, err)
	}
	webtest.Mail[mail.DeletionScheduled](t, a, "maria@example.org")

	a.SignIn(t, me.ID, b)
	a.Time = a.Time.Add(access.Recent)
	if b.Go("/en/account/privacy"); strings.Contains(webtest.Text(b.Page), i18n.EN.T("privacy.delete_confirm", nil)) {
		t.Error("later, the account may be deleted")
	}
}

// TestPhoto stores an uploaded picture, and removes it.
func TestPhoto(t *testing.T) {
	a, h := open(t)
	me := a.Make(t, "maria@example.org")
	b := webtest.NewBrowser(t, h)
	a.SignIn(t, me.ID, b)
	b.Go("/en/account").Upload("photo", "photo", []byte("no picture"))
	if b.Code != http.StatusBadRequest || alerts(b) == "" {
		t.Errorf("no picture: %d, %q", b.Code, alerts(b))
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 120, 80))); err != nil {
		t.Fatal(err)
	}
	b.Upload("photo", "photo", picture.Bytes())
	photo := func() bool {
		return len(webtest.Elements(b.Page, func(n *html.Node) bool { return webtest.Attr(n, "src") == photoPath })) == 1
	}
	if notices(b) != i18n.EN.T("account.done_photo", nil) || !photo() {
		t.Errorf("%d, %q, %q", b.Code, notices(b), alerts(b))
	}
	b.Submit("nophoto")
	if notices(b) != i18n.EN.T("account.done_photo_removed", nil) || photo() {
		t.Errorf("removed: %d, %q", b.Code, alerts(b))
	}
}
