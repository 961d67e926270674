// Package follow stores which public libraries, and folders of them, owners follow.
//
//	owners/{owner}/kept/following    Following: what an owner follows
//	follows/{key}                    a mark: somebody follows a publication
//
// Followers of a publication are counted by their marks, whose keys name neither the
// owner nor the publication. A row names its publication by id, so that it survives a new
// name of it, and its folder by id, so that it survives a new name of that.
package follow

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/store"
)

// Max is how many libraries and folders an owner can follow.
const Max = 50

// FewFollowers is the number of followers below which nobody sees their number.
const FewFollowers = 5

// Faults of following.
var (
	ErrTooMany = fault.New(fault.Invalid, "following_limit_reached").With("max", Max)
	// ErrOwn refuses to follow what the caller publishes.
	ErrOwn = fault.New(fault.Invalid, "own_library")
)

// Following is what an owner follows, the newest last.
type Following struct {
	Rows []Row `json:"rows"`
}

// A Row is a library or a folder that is followed.
type Row struct {
	ID          string     `json:"id"` // fol_…
	Publication string     `json:"publication"`
	Folder      string     `json:"folder,omitempty"` // id; empty for the whole library
	Name        string     `json:"name"`             // of the library when it was followed
	Since       store.Time `json:"since"`
}

// same reports whether two rows follow the same.
func (r Row) same(other Row) bool {
	return r.Publication == other.Publication && r.Folder == other.Folder
}

// A mark says that somebody follows a publication.
type mark struct {
	Publication string `json:"publication"`
}

// Path returns where the Following of an owner is.
func Path(owner identity.Owner) store.Path {
	return store.Path("owners").Join(string(owner), "kept", "following")
}

const marks = store.Path("follows")

// markPath returns where the mark of an owner at a publication is.
func markPath(owner identity.Owner, publication string) store.Path {
	sum := sha256.Sum256([]byte("follow\x00" + string(owner) + "\x00" + publication))
	return marks.Join(hex.EncodeToString(sum[:16]))
}

// Load returns what an owner follows, by one read.
func Load(ctx context.Context, db store.DB, owner identity.Owner) (f Following, err error) {
	if err = db.Get(ctx, Path(owner), &f); errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return f, err
}

func read(tx store.Tx, owner identity.Owner) (f Following, err error) {
	if err = tx.Get(Path(owner), &f); errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return f, err
}

// has reports whether f follows anything of a publication.
func (f Following) has(publication string) bool {
	return slices.ContainsFunc(f.Rows, func(r Row) bool { return r.Publication == publication })
}

// put stores f, within a transaction.
func (f Following) put(tx store.Tx, owner identity.Owner) error {
	if len(f.Rows) == 0 {
		return tx.Delete(Path(owner))
	}
	return tx.Set(Path(owner), f)
}

// Add stores that an owner follows p, or a folder of it by its id, by one read and two
// writes. It reports false, with the row that is there, when the owner does already. It
// returns ErrTooMany or ErrOwn.
func Add(ctx context.Context, db store.DB, owner identity.Owner, p *public.Publication, folder string, now time.Time) (row Row, added bool, err error) {
	if p.Owner == owner {
		return row, false, ErrOwn
	}
	err = db.Update(ctx, func(tx store.Tx) error {
		f, err := read(tx, owner)
		if err != nil {
			return err
		}
		row = Row{ID: newID(), Publication: p.ID, Folder: folder, Name: p.Name, Since: store.At(now)}
		if i := slices.IndexFunc(f.Rows, row.same); i >= 0 {
			row, added = f.Rows[i], false
			return nil
		}
		if len(f.Rows) >= Max {
			return ErrTooMany
		}
		f.Rows, added = append(f.Rows, row), true
		return errors.Join(f.put(tx, owner), tx.Set(markPath(owner, p.ID), mark{p.ID}))
	})
	return row, added, err
}

func newID() string { return "fol_" + strings.ToLower(rand.Text()[:12]) }

// Remove takes the row with an id out of what an owner follows, and reports whether it
// was there.
func Remove(ctx context.Context, db store.DB, owner identity.Owner, id string) (found bool, err error) {
	err = db.Update(ctx, func(tx store.Tx) error {
		f, err := read(tx, owner)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(f.Rows, func(r Row) bool { return r.ID == id })
		if found = i >= 0; !found {
			return nil
		}
		publication := f.Rows[i].Publication
		f.Rows = slices.Delete(f.Rows, i, i+1)
		if f.has(publication) {
			return f.put(tx, owner)
		}
		return errors.Join(f.put(tx, owner), tx.Delete(markPath(owner, publication)))
	})
	return found, err
}

// Count returns how many owners follow a publication, by one read for each 1,000.
func Count(ctx context.Context, db store.DB, publication string) (int, error) {
	return db.Count(ctx, store.Query{Collection: marks, Where: []store.Filter{{Field: "publication", Op: store.Eq, Value: publication}}})
}

// Told returns the number of followers as everybody may see it; nil while it is so small
// that it could tell who they are.
func Told(n int) *int {
	if n < FewFollowers {
		return nil
	}
	return &n
}

// Backup returns f as a backup has it.
func (f Following) Backup() (list []library.BackupFollowed) {
	for _, r := range f.Rows {
		list = append(list, library.BackupFollowed{Library: r.Name, Whole: r.Folder == "", Since: r.Since.UTC().Format(time.RFC3339)})
	}
	return list
}

// RemoveAll deletes what an owner that is deleted follows. Calling it again changes
// nothing.
func RemoveAll(ctx context.Context, db store.DB, owner identity.Owner) error {
	return db.Update(ctx, func(tx store.Tx) error {
		f, err := read(tx, owner)
		if err != nil {
			return err
		}
		var errs []error
		for _, r := range f.Rows {
			errs = append(errs, tx.Delete(markPath(owner, r.Publication)))
		}
		return errors.Join(append(errs, tx.Delete(Path(owner)))...)
	})
}

// A Move gives what a guest follows to the account that claims it, within a transaction.
// What the account follows too, or has no room for, stays with the guest.
type Move struct {
	Moved, Left int // rows

	from, to   identity.Owner
	gone, kept Following // of from, before and after
	all        Following // of to, after
}

// ReadMove reads what two owners follow, and decides what moves from the first to the
// second: by one read, or two.
func ReadMove(tx store.Tx, from, to identity.Owner) (*Move, error) {
	m := &Move{from: from, to: to}
	var err error
	if m.gone, err = read(tx, from); err != nil || len(m.gone.Rows) == 0 {
		return m, err
	}
	if m.all, err = read(tx, to); err != nil {
		return nil, err
	}
	for _, r := range m.gone.Rows {
		if len(m.all.Rows) >= Max || slices.ContainsFunc(m.all.Rows, r.same) {
			m.kept.Rows = append(m.kept.Rows, r)
			continue
		}
		m.all.Rows = append(m.all.Rows, r)
	}
	m.Left = len(m.kept.Rows)
	m.Moved = len(m.gone.Rows) - m.Left
	return m, nil
}

// Write stores what moves, with the marks of both owners.
func (m *Move) Write(tx store.Tx) error {
	if m.Moved == 0 {
		return nil
	}
	errs := []error{m.kept.put(tx, m.from), m.all.put(tx, m.to)}
	for _, r := range m.gone.Rows {
		if slices.ContainsFunc(m.kept.Rows, r.same) {
			continue
		}
		errs = append(errs, tx.Set(markPath(m.to, r.Publication), mark{r.Publication}))
		if !m.kept.has(r.Publication) {
			errs = append(errs, tx.Delete(markPath(m.from, r.Publication)))
		}
	}
	return errors.Join(errs...)
}
