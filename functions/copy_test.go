package functions

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/challenge"
	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// A door is something that a credential opens.
type door struct {
	name   string
	secret string // that opens it
	opens  func(text string) bool
}

// TestCopyOpensNothing uses the service in every way that the scripts know, and takes
// a copy of the files of its database. Every text in them is tried as every
// credential, alone and where a secret stands in one: none of them is accepted.
func TestCopyOpensNothing(t *testing.T) {
	folder := t.TempDir()
	f, err := sqlite.Open(filepath.Join(folder, "db"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := embedded.On(f, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	keepGuide(t, db)
	keepLogo(t, db)
	d := deps(t, db, fixture)
	apitest.Run(t, withMails(mux(t, d), d.Config.MailFolder), "testdata/api/*.txt", signIn(db))
	doors := doorsOf(t, d)
	texts := textsIn(t, folder)
	if len(texts) < 1000 {
		t.Fatalf("found %d texts in the database", len(texts))
	}
	for _, text := range texts {
		for _, door := range doors {
			if door.opens(text) {
				t.Errorf("a text of the database opens %s: %.6s…, of %d bytes", door.name, text, len(text))
			}
		}
	}
	if !slices.Contains(texts, "mira.example") {
		t.Error("the domain of the accounts was not found: the search does not see what is stored")
	}
	for _, door := range doors {
		if slices.Contains(texts, door.secret) {
			t.Errorf("the secret of %s is in the database", door.name)
		}
		if !door.opens(door.secret) {
			t.Errorf("its own secret does not open %s", door.name)
		}
	}
}

// word matches what may be a credential, or the secret part of one.
var word = regexp.MustCompile(`[A-Za-z0-9_.-]{6,512}`)

// textsIn returns the texts in the files of a folder, and their parts between dots,
// each once.
func textsIn(t *testing.T, folder string) (texts []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range word.FindAllString(string(data), -1) {
			texts = append(append(texts, text), strings.Split(text, ".")...)
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// doorsOf stores one of everything that a secret opens.
func doorsOf(t *testing.T, d *compose.Parts) []door {
	t.Helper()
	c, ctx := newCast(t, d), t.Context()
	auth := authenticator(d)
	accepted := func(shown identity.Credentials) bool {
		_, err := auth.Speaker(ctx, shown, identity.Anyone)
		return err == nil
	}
	owner, club := c.owners["owner"], c.owners["club"]
	secretOf := func(name string) string { // the last part of the credential of an actor
		a := c.actors[slices.IndexFunc(c.actors, func(a actor) bool { return a.name == name })]
		text := a.cookie
		if text == "" {
			text = a.headers[1]
		}
		return text[strings.LastIndexByte(text, '.')+1:]
	}
	guest, _, err := d.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	doors := []door{
		{"a session", secretOf("a session"), func(text string) bool {
			return accepted(identity.Credentials{Session: text}) || accepted(identity.Credentials{Session: strings.TrimPrefix(string(owner), "a_") + "." + text})
		}},
		{"an account by its key", secretOf("an API key"), func(text string) bool {
			return accepted(identity.Credentials{APIKey: text}) || accepted(identity.Credentials{Authorization: "Bearer " + text}) ||
				accepted(identity.Credentials{APIKey: "mmk_" + string(owner) + "." + text})
		}},
		{"an organization by its key", secretOf("a key of the organization"), func(text string) bool {
			return accepted(identity.Credentials{APIKey: "mmk_" + string(club) + "." + text})
		}},
		{"a guest", guest, func(text string) bool {
			return accepted(identity.Credentials{GuestToken: text}) || accepted(identity.Credentials{GuestToken: "ipt_" + text})
		}},
	}
	return append(doors, feedDoor(t, d, c), invitationDoor(t, d, c), mailDoor(t, d), deviceDoor(t, d, c))
}

// feedDoor returns the feeds of an account.
func feedDoor(t *testing.T, d *compose.Parts, c *cast) door {
	t.Helper()
	l, err := library.Open(t.Context(), d.DB, c.owners["owner"], noon)
	if err != nil {
		t.Fatal(err)
	}
	return door{"feeds", l.Token, func(text string) bool { _, err := library.ByToken(t.Context(), d.DB, text); return err == nil }}
}

// invitationDoor returns a place in an organization, for the account that is invited.
func invitationDoor(t *testing.T, d *compose.Parts, c *cast) door {
	t.Helper()
	organizations := organization.On(d.DB, nil, d.Now)
	bob, club := register(t, d.DB, "bob@mira.example"), c.owners["club"]
	in, err := organizations.Invite(t.Context(), c.owners["owner"], club, organization.Address{Shown: "bob@mira.example", Key: "bob@mira.example"}, access.Member)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimPrefix(in.Token, string(club)+".")
	return door{"an invitation", secret, func(text string) bool {
		for _, token := range []string{text, string(club) + "." + text} {
			if _, err := organizations.Accept(t.Context(), bob, token); err == nil {
				return true
			}
		}
		return false
	}}
}

// mailDoor returns a sign-in by the link of a mail, of which the id is known.
func mailDoor(t *testing.T, d *compose.Parts) door {
	t.Helper()
	challenges := challenge.New(d.DB, d.AccountKeys(), d.Now)
	sent, err := challenges.StartMailed(t.Context(), challenge.Request{Kind: challenge.Mail, Browser: identity.NewBoot(), Subject: "eve@mira.example"})
	if err != nil {
		t.Fatal(err)
	}
	return door{"a sign-in by mail", strings.TrimPrefix(sent.Link, sent.ID+"."), func(text string) bool {
		for _, link := range []string{text, sent.ID + "." + text} {
			if _, err := challenges.PeekLink(t.Context(), challenge.Mail, link); err == nil {
				return true
			}
		}
		return false
	}}
}

// deviceDoor returns the link by which a device signs in another one.
func deviceDoor(t *testing.T, d *compose.Parts, c *cast) door {
	t.Helper()
	links := &devicelink.Links{DB: d.DB, Keys: d.AccountKeys(), Now: d.Now}
	var s access.Session
	_, err := access.Update(t.Context(), d.DB, c.owners["owner"], func(r *access.Record) error { s = r.Sessions[0]; return nil })
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := links.Make(t.Context(), identity.Speaker{Account: c.owners["owner"], Session: s.ID})
	if err != nil {
		t.Fatal(err)
	}
	return door{"another device", secret.Token, func(text string) bool {
		_, err := links.Claim(t.Context(), text, identity.NewBoot(), access.Device{})
		return err == nil
	}}
}
