package export

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/avatar"
	"miramundo.dev/shared/account/factor"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// secrets are in what is stored of the account of create, and in no archive.
var secrets = []string{"passwordHash", "sealedSecret", "recoveryHash", "c2VjcmV0SUQ", "cHVibGljS2V5", `"hash"`, `"token"`}

// create stores an account that has everything, and returns its id and the cookie of
// its session.
func create(t *testing.T, db store.DB, locale string) (id identity.Owner, cookie string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := store.At(noon)
	a := account.New("ana@mira.example", "ana@mira.example", account.Profile{Name: "Ana <3", Theme: "dark", Locale: locale}, noon)
	a.Password, a.Recovery = "passwordHash", []string{"recoveryHash"}
	a.TOTP = &factor.Authenticator{Secret: "sealedSecret", Since: at}
	a.Passkeys = []passkey.Credential{{ID: []byte("secretID"), PublicKey: []byte("publicKey"), Name: "Phone", CreatedAt: at}}
	a.Avatar = true
	r := &access.Record{Owner: a.ID}
	cookie, _ = r.Open(access.SignIn{Method: "mail", Device: access.Device{Browser: "Firefox", OS: "Linux", Country: "BR"}}, noon)
	_, _, err := r.AddKey("Script", a.ID, noon)
	must(err)
	must(db.Update(t.Context(), func(tx store.Tx) error {
		all := kept.History{}
		all.Play("Played.br", noon, func(id string) (string, bool) { return id, true })
		return errors.Join(
			account.Create(tx, a), access.Put(tx, r), tx.Set(avatar.Path(a.ID), avatar.Photo{Data: []byte("RIFFphoto"), Hash: "0"}),
			tx.Set(kept.FavoritesPath(a.ID), kept.Favorites{Rows: []kept.Favorite{{Channel: "Loved.br", Since: at}}}),
			tx.Set(kept.HistoryPath(a.ID), all),
			tx.Set(pass.Path(a.ID), pass.Passes{ChatUntil: store.At(noon.Add(time.Hour))}),
			tx.Set(billing.ListPath(a.ID), billing.List{Purchases: []billing.Purchase{{ID: "pu_1", Product: price.ChatPass, Amount: 10 * price.Cent}}}),
		)
	}))
	l, err := library.Update(t.Context(), db, a.ID, noon, func(l *library.Library) error {
		c, err := l.AddCategory("News")
		if err != nil {
			return err
		}
		_, _, err = l.AddItem(c.Groups[0].ID, library.Item{Channel: "Kept.br", Name: "Kept"}, nil)
		return err
	})
	must(err)
	_, _, err = public.Put(t.Context(), db, a.ID, public.Draft{Name: "ana-news", Title: "News of Ana", Folders: []string{l.Categories[0].ID}}, noon)
	must(err)
	_, _, err = follow.Add(t.Context(), db, a.ID, &public.Publication{ID: "pub_1", Name: "other-news"}, "", noon)
	must(err)
	_, err = organization.On(db, nil, func() time.Time { return noon }).Create(t.Context(), a.ID, "Club")
	must(err)
	var c comment.Comment
	for i, owner := range []identity.Owner{a.ID, a.ID, "a_other"} {
		c, err = comment.New(owner, "Talk.br", "Ana", fmt.Sprint("hello ", i), noon.Add(-time.Duration(i)*time.Minute))
		must(err)
		_, err = comment.Post(t.Context(), db, c)
		must(err)
	}
	moderator := act.New(act.Options{DB: db, Now: func() time.Time { return noon }})
	other := act.Ref{Kind: act.Comment, ID: c.PublicID()}
	_, err = moderator.Report(t.Context(), a.ID, other, "spam")
	must(err)
	_, _, err = moderator.Hide(t.Context(), a.ID, other)
	must(err)
	return a.ID, cookie
}

// files returns the files of the archive of an account.
func files(t *testing.T, db store.DB, id identity.Owner) (names []string, contents map[string]string) {
	t.Helper()
	a, err := Read(t.Context(), db, id, i18n.EN, noon)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := a.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	contents = map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		names, contents[f.Name] = append(names, f.Name), string(data)
	}
	return names, contents
}

// TestArchive checks each file of an archive, and that none has a secret.
func TestArchive(t *testing.T) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		id, cookie := create(t, db, "")
		names, got := files(t, db, id)
		want := []string{readme, profile, sessions, keys, organizations, libraryFile, favorites, history, moderated, purchases, comments, photo}
		if d := cmp.Diff(want, names); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
		for file, part := range map[string]string{
			readme: "What ana@mira.example has at Miramundo", profile: `"name": "Ana <3"`, sessions: `"browser": "Firefox"`, keys: `"name": "Script"`,
			organizations: `"role": "owner"`, favorites: `"channel_id": "Loved.br"`, history: `"channel_id": "Played.br"`, photo: "RIFFphoto",
			moderated: `"reason": "spam"`, purchases: `"amount_usd": "0.10"`,
		} {
			if !strings.Contains(got[file], part) {
				t.Errorf("%s has no %s: %s", file, part, got[file])
			}
		}
		for file, text := range got {
			if strings.HasSuffix(file, ".json") && !json.Valid([]byte(text)) {
				t.Errorf("%s is no JSON: %s", file, text)
			}
			for _, secret := range append(secrets, strings.Split(cookie, ".")[1]) {
				if strings.Contains(text, secret) {
					t.Errorf("%s has %s", file, secret)
				}
			}
		}
		backup, err := library.ParseBackup([]byte(got[libraryFile]))
		if err == nil && (backup.Public == nil || backup.Public.Name != "ana-news" || len(backup.Following) != 1 || backup.Following[0].Library != "other-news") {
			t.Errorf("the backup has %+v and %+v", backup.Public, backup.Following)
		}
		if err != nil || len(backup.Categories) != 1 || backup.Categories[0].Groups[0].Items[0].Channel != "Kept.br" {
			t.Errorf("the library cannot be imported: %+v, %v", backup, err)
		}
		var said []commentOut
		if err := json.Unmarshal([]byte(got[comments]), &said); err != nil || len(said) != 2 {
			t.Errorf("the comments are %+v, %v", said, err)
		}
	})
}

// TestLeast exports an account that has nothing.
func TestLeast(t *testing.T) {
	db := wiretest.OpenDB(t)
	a := account.New("ana@mira.example", "ana@mira.example", account.Profile{Theme: "system"}, noon)
	if err := db.Update(t.Context(), func(tx store.Tx) error { return account.Create(tx, a) }); err != nil {
		t.Fatal(err)
	}
	names, got := files(t, db, a.ID)
	if slices.Contains(names, photo) || strings.Contains(got[readme], photo) {
		t.Errorf("a photo in %q", names)
	}
	for _, file := range []string{sessions, keys, organizations, favorites, history, comments} {
		if got[file] != "[]\n" {
			t.Errorf("%s is %q", file, got[file])
		}
	}
}

// TestText checks that the text is in the language of the profile, and names every
// file.
func TestText(t *testing.T) {
	for _, l := range i18n.Locales {
		db := wiretest.OpenDB(t)
		id, _ := create(t, db, l.Tag())
		names, got := files(t, db, id)
		for _, name := range names[1:] {
			if !strings.Contains(got[readme], "\n"+name+"\n    ") {
				t.Errorf("%s: the text does not name %s:\n%s", l.Tag(), name, got[readme])
			}
		}
		if !strings.Contains(got[readme], l.T("export.file.comments", nil)) {
			t.Errorf("%s: the text is\n%s", l.Tag(), got[readme])
		}
	}
}

// failing is a database whose queries fail after a document.
type failing struct{ store.DB }

func (f failing) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		for doc, err := range f.DB.Query(ctx, q) {
			if yield(doc, err) {
				yield(store.Doc{}, storetest.ErrBroken)
			}
			return
		}
	}
}

// TestBroken checks that a database that fails is not an account without anything.
func TestBroken(t *testing.T) {
	if _, err := Read(t.Context(), storetest.Broken(), "a_1", i18n.EN, noon); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("Read: %v", err)
	}
	db := wiretest.OpenDB(t)
	if _, err := Read(t.Context(), db, "a_1", i18n.EN, noon); !errors.Is(err, identity.ErrEnded) {
		t.Errorf("of nobody: %v", err)
	}
	id, _ := create(t, db, "")
	if _, err := Read(t.Context(), failing{db}, id, i18n.EN, noon); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("Read of reports: %v", err)
	}
	a, err := Read(t.Context(), db, id, i18n.EN, noon)
	if err != nil {
		t.Fatal(err)
	}
	a.db = failing{db}
	var b bytes.Buffer
	if err := a.Write(t.Context(), &b); !errors.Is(err, storetest.ErrBroken) {
		t.Errorf("Write: %v", err)
	}
	if _, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())); !errors.Is(err, zip.ErrFormat) {
		t.Errorf("what was written can be opened: %v", err)
	}
}
