// Package export writes everything that an account has as one archive, for its owner.
//
// The archive is a ZIP of JSON files, with a text that says what each of them holds
// and the photo as it is. It holds what the person gave, did or made, and no secret:
// neither passwords nor keys, nor what could be used in their place. The library is in
// the form that the import of libraries accepts.
package export

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/avatar"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
)

// MediaType is the media type of archives.
const MediaType = "application/zip"

// Names of the files of an archive, in their order.
const (
	readme        = "README.txt"
	profile       = "account.json"
	sessions      = "sessions.json"
	keys          = "keys.json"
	organizations = "organizations.json"
	libraryFile   = "library.json"
	favorites     = "favorites.json"
	history       = "history.json"
	comments      = "comments.json"
	moderated     = "moderation.json"
	purchases     = "purchases.json"
	photo         = "avatar.webp" // only of an account that has one
)

// An Archive is what an account has, except its comments, which are read while they
// are written since there can be any number of them. The rest is bounded: 3 MiB at
// most.
type Archive struct {
	db     store.DB
	now    time.Time
	locale i18n.Locale

	account       *account.Account
	access        *access.Record
	library       *library.Library
	favorites     kept.Favorites
	history       kept.History
	hidden        moderation.Hidden
	passes        pass.Passes
	purchases     billing.List
	reports       []act.Report
	public        *public.Publication // nil for none
	following     follow.Following
	photo         avatar.Photo
	organizations []organizationOut
}

// Read reads what an account has as of one moment, by eleven reads, one more for what it
// publishes, and one for each of its organizations and reports. The text of the archive is in the locale of its profile, or else in
// the one given. It returns identity.ErrEnded when the account is deleted.
func Read(ctx context.Context, db store.DB, owner identity.Owner, locale i18n.Locale, now time.Time) (*Archive, error) {
	a := &Archive{
		db: db, now: now, locale: locale,
		account: &account.Account{}, access: &access.Record{Owner: owner}, library: &library.Library{Owner: owner},
	}
	docs, err := db.GetAll(ctx, []store.Path{
		account.Path(owner), access.Path(owner), library.Path(owner), kept.FavoritesPath(owner), kept.HistoryPath(owner), avatar.Path(owner),
		moderation.HiddenPath(owner), pass.Path(owner), billing.ListPath(owner), follow.Path(owner),
	})
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	if docs[0].Decode == nil {
		return nil, identity.ErrEnded
	}
	for i, to := range []any{a.account, a.access, a.library, &a.favorites, &a.history, &a.photo, &a.hidden, &a.passes, &a.purchases, &a.following} {
		if docs[i].Decode == nil {
			continue
		}
		if err := docs[i].Decode(to); err != nil {
			return nil, err
		}
	}
	if l, ok := i18n.Find(a.account.Profile.Locale); ok {
		a.locale = l
	}
	if a.reports, err = act.ReportsBy(ctx, db, owner); err != nil {
		return nil, fault.OrUnavailable(err)
	}
	if a.public, err = public.OfOwner(ctx, db, owner); err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return a, a.readOrganizations(ctx)
}

// readOrganizations reads the organizations that the account is a member of.
func (a *Archive) readOrganizations(ctx context.Context) error {
	var paths []store.Path
	for _, m := range a.access.Memberships {
		paths = append(paths, organization.Path(m.Organization))
	}
	a.organizations = []organizationOut{}
	if len(paths) == 0 {
		return nil
	}
	docs, err := a.db.GetAll(ctx, paths)
	if err != nil {
		return fault.OrUnavailable(err)
	}
	for _, doc := range docs {
		if doc.Decode == nil {
			continue // deleted meanwhile
		}
		var o organization.Organization
		if err := doc.Decode(&o); err != nil {
			return err
		}
		a.organizations = append(a.organizations, showOrganization(&o, a.account.ID))
	}
	return nil
}

// Write writes the archive to w as it is made. After an error the archive has no
// directory, so that no program takes what was written for the whole.
func (a *Archive) Write(ctx context.Context, w io.Writer) error {
	z := zip.NewWriter(w)
	if err := a.writeText(z); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		value any
	}{
		{profile, showAccount(a.account)},
		{sessions, showSessions(a.access.Live(a.now))},
		{keys, showKeys(a.access.Keys)},
		{organizations, a.organizations},
		{libraryFile, a.backup()},
		{favorites, showFavorites(a.favorites.Rows)},
		{history, showHistory(a.history.Rows)},
		{moderated, showModeration(a.hidden, a.reports)},
		{purchases, showPurchases(a.passes, a.purchases, a.now)},
	} {
		f, err := a.create(z, file.name, zip.Deflate)
		if err != nil {
			return err
		}
		if err := encode(f, file.value); err != nil {
			return err
		}
	}
	if err := a.writeComments(ctx, z); err != nil {
		return err
	}
	if err := a.writePhoto(z); err != nil {
		return err
	}
	return z.Close()
}

// backup returns the library with what the account publishes and follows.
func (a *Archive) backup() *library.Backup {
	b := a.library.Backup(a.now)
	b.Public, b.Following = a.public.Backup(a.library), a.following.Backup()
	return b
}

// create begins a file of the archive.
func (a *Archive) create(z *zip.Writer, name string, method uint16) (io.Writer, error) {
	return z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: a.now})
}

// encode writes value as JSON that people can read.
func encode(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// writeComments writes the comments of the account one after the other.
func (a *Archive) writeComments(ctx context.Context, z *zip.Writer) error {
	f, err := a.create(z, comments, zip.Deflate)
	if err != nil {
		return err
	}
	before := "[\n"
	for c, err := range comment.All(ctx, a.db, a.account.ID) {
		if err != nil {
			return fault.OrUnavailable(err)
		}
		if _, err := io.WriteString(f, before); err != nil {
			return err
		}
		if err := encode(f, showComment(c)); err != nil {
			return err
		}
		before = ",\n"
	}
	end := "]\n"
	if before == "[\n" {
		end = "[]\n"
	}
	_, err = io.WriteString(f, end)
	return err
}

// writePhoto writes the photo as it is, when there is one. It is compressed already.
func (a *Archive) writePhoto(z *zip.Writer) error {
	if len(a.photo.Data) == 0 {
		return nil
	}
	f, err := a.create(z, photo, zip.Store)
	if err != nil {
		return err
	}
	_, err = f.Write(a.photo.Data)
	return err
}
