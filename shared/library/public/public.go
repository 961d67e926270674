// Package public stores what owners publish of their libraries, each under a name that
// its owner chose.
//
//	public_libraries/{name}       a claim: which publication has the name, or had it lately
//	publications/{id}             a Publication
//	owners/{owner}/kept/public    an own: the owner's publication, and the names that it left
//
// A publication names folders of the library and holds no copy of them: the folders are
// read from the library of the owner, so that strangers see them as they are now. A
// folder that is deleted vanishes, and one that is new is not public.
//
// An owner has one publication. A name that its owner left, by another name or by
// publishing no longer, is reserved for that owner for 30 days, so that nobody takes over
// its links; the name of an owner that was deleted is reserved for nobody as long.
//
// The operator can hide a publication. Its owner still sees and changes it, and nobody
// else does. When the owner withdraws it, its id and the mark stay for the next one, which is
// hidden too.
//
// Nobody sees the publication of an account that is to be deleted, until its owner signs in
// again: it is away. Its name stays.
package public

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/social/speech"
	"miramundo.dev/shared/store"
)

// Bounds of publications.
const (
	MinName   = 3 // characters of a name
	MaxName   = 30
	MaxTitle  = 60 // of a title, as Unicode code points
	MaxAbout  = 500
	MaxAuthor = 40
	MaxLeft   = 5 // names that are reserved for one owner

	reserved = 30 * 24 * time.Hour
)

// Faults of publications.
var (
	// ErrUnknown means that no library is published under a name, or that it is hidden or away.
	ErrUnknown = fault.New(fault.NotFound, "public_library_not_found")
	// ErrWords refuses a text or a name; its fields "param" and "reason" say which and why.
	ErrWords = fault.New(fault.Invalid, "invalid_publication")
	// ErrTaken means that the name belongs to somebody else, or did lately.
	ErrTaken = fault.New(fault.Conflict, "library_name_taken")
	// ErrNames refuses one more change of the name, until "retry_after".
	ErrNames = fault.New(fault.Limited, "library_name_limit_reached").With("max", MaxLeft)
)

// A Publication is what an owner publishes.
type Publication struct {
	ID        string         `json:"-"` // pub_…
	Owner     identity.Owner `json:"owner"`
	Name      string         `json:"name"` // in addresses; empty when it was withdrawn
	Title     string         `json:"title"`
	About     string         `json:"about"`   // may be empty
	Author    string         `json:"author"`  // empty for an anonymous one
	Listed    bool           `json:"listed"`  // search engines may show it
	Folders   []string       `json:"folders"` // ids of folders of the library
	UpdatedAt store.Time     `json:"updated_at"`
	Hidden    *Hiding        `json:"hidden,omitempty"` // nil unless the operator hid it
	Away      bool           `json:"away,omitempty"`   // the owner's account is to be deleted
}

// A Hiding is why and since when a publication is hidden.
type Hiding struct {
	Reason string     `json:"reason"`
	Since  store.Time `json:"since"`
}

// Shown reports whether strangers see p.
func (p *Publication) Shown() bool { return p != nil && p.Name != "" && p.Hidden == nil && !p.Away }

// Of returns the part of its owner's library that p publishes, as strangers may see it:
// without the owner, tokens and ids, and without when something was played.
func (p *Publication) Of(l *library.Library) *library.Library {
	out := &library.Library{Public: p.Name, Title: p.Title, UpdatedAt: p.UpdatedAt}
	for _, c := range p.chosen(l) {
		out.Categories = append(out.Categories, shownFolder(c))
	}
	return out
}

// WholeSlug stands for the whole library in addresses, in place of the slug of a folder.
const WholeSlug = "library"

// chosen returns the folders of l that p publishes, with their slugs in public addresses: a
// folder whose slug is WholeSlug gets another one.
func (p *Publication) chosen(l *library.Library) []library.Category {
	list := slices.DeleteFunc(slices.Clone(l.Categories), func(c library.Category) bool { return !slices.Contains(p.Folders, c.ID) })
	at := slices.IndexFunc(list, func(c library.Category) bool { return c.Slug == WholeSlug })
	if at < 0 {
		return list
	}
	for slices.ContainsFunc(list, func(c library.Category) bool { return c.Slug == list[at].Slug && c.ID != list[at].ID }) || list[at].Slug == WholeSlug {
		list[at].Slug += "-1"
	}
	return list
}

// shownFolder returns a folder as strangers may see it.
func shownFolder(c library.Category) library.Category {
	out := library.Category{Name: speech.Neutral(c.Name), Slug: c.Slug}
	for _, g := range c.Groups {
		shown := library.Group{Name: speech.Neutral(g.Name), Slug: g.Slug}
		for _, it := range g.Items {
			shown.Items = append(shown.Items, library.Item{Channel: it.Channel, Stream: it.Stream, Name: it.Name, Radio: it.Radio, Country: it.Country})
		}
		out.Groups = append(out.Groups, shown)
	}
	return out
}

// Folder returns the folder that p publishes under a slug, with its id.
func (p *Publication) Folder(l *library.Library, slug string) (*library.Category, bool) {
	list := p.chosen(l)
	at := slices.IndexFunc(list, func(c library.Category) bool { return c.Slug == slug })
	if at < 0 {
		return nil, false
	}
	return &list[at], true
}

// FolderIDs returns the ids of the folders that p publishes and that exist.
func (p *Publication) FolderIDs(l *library.Library) []string {
	ids := []string{}
	for _, c := range p.chosen(l) {
		ids = append(ids, c.ID)
	}
	return ids
}

// Backup returns p as a backup of its owner's library has it; nil for no publication.
func (p *Publication) Backup(l *library.Library) *library.BackupPublic {
	if p == nil {
		return nil
	}
	b := &library.BackupPublic{Name: p.Name, Title: p.Title, About: p.About, Author: p.Author, Listed: p.Listed, Folders: []string{}}
	if p.Hidden != nil {
		b.Hidden = p.Hidden.Reason
	}
	for _, c := range p.Of(l).Categories {
		b.Folders = append(b.Folders, c.Slug)
	}
	return b
}

// Text returns everything that p shows besides channels, for the operator: its title,
// what it is about, and the names of its folders and sub-tabs in the library of its owner.
func (p *Publication) Text(l *library.Library) string {
	lines := []string{p.Name, p.Title, p.About}
	for _, c := range p.Of(l).Categories {
		names := []string{}
		for _, g := range c.Groups {
			names = append(names, g.Name)
		}
		lines = append(lines, c.Name+": "+strings.Join(names, ", "))
	}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

// A claim says which publication has a name. While it has an end, the name is reserved:
// for its owner, or for nobody.
type claim struct {
	Publication string         `json:"publication"`
	Owner       identity.Owner `json:"owner"`
	ExpireAt    *store.Time    `json:"expire_at"` // nil while the publication has the name
}

// An own is the publication of an owner, with the names that are reserved for the owner.
type own struct {
	ID   string `json:"id"` // empty for none
	Left []left `json:"left"`
}

// A left is a name that its owner left.
type left struct {
	Name  string     `json:"name"`
	Until store.Time `json:"until"`
}

func claimPath(name string) store.Path { return store.Path("public_libraries").Join(name) }

func path(id string) store.Path { return store.Path("publications").Join(id) }

// OwnPath returns where the publication of an owner is named.
func OwnPath(owner identity.Owner) store.Path {
	return store.Path("owners").Join(string(owner), "kept", "public")
}

// Open returns the publication that strangers see under a name, by two reads, or
// ErrUnknown.
func Open(ctx context.Context, db store.DB, name string) (*Publication, error) {
	if !isName(name) {
		return nil, ErrUnknown
	}
	var c claim
	if err := db.Get(ctx, claimPath(name), &c); errors.Is(err, store.ErrNotFound) || err == nil && c.Publication == "" {
		return nil, ErrUnknown
	} else if err != nil {
		return nil, err
	}
	found, err := Find(ctx, db, []string{c.Publication})
	if err != nil {
		return nil, err
	}
	if p := found[c.Publication]; p.Shown() && p.Name == name {
		return p, nil
	}
	return nil, ErrUnknown
}

// Read does what Open does, and also returns the library that p is of, by a third read.
func Read(ctx context.Context, db store.DB, name string) (*Publication, *library.Library, error) {
	p, err := Open(ctx, db, name)
	if err != nil {
		return nil, nil, err
	}
	l, err := library.Load(ctx, db, p.Owner)
	return p, l, err
}

// Find returns the publications with some ids, by one read for each, also those that
// strangers do not see.
func Find(ctx context.Context, db store.DB, ids []string) (map[string]*Publication, error) {
	var paths []store.Path
	for _, id := range ids {
		paths = append(paths, path(id))
	}
	if len(paths) == 0 {
		return nil, nil
	}
	docs, err := db.GetAll(ctx, paths)
	if err != nil {
		return nil, err
	}
	found := map[string]*Publication{}
	for i, doc := range docs {
		p, err := decode(doc, ids[i])
		if err != nil {
			return nil, err
		}
		if p != nil {
			found[ids[i]] = p
		}
	}
	return found, nil
}

// decode returns the publication in a document; nil without a document.
func decode(doc store.Doc, id string) (*Publication, error) {
	if doc.Decode == nil {
		return nil, nil
	}
	p := &Publication{ID: id}
	return p, doc.Decode(p)
}

// OfOwner returns the publication of an owner, whether or not strangers see it, by two
// reads; nil when the owner publishes nothing.
func OfOwner(ctx context.Context, db store.DB, owner identity.Owner) (*Publication, error) {
	var o own
	if err := db.Get(ctx, OwnPath(owner), &o); errors.Is(err, store.ErrNotFound) || err == nil && o.ID == "" {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	found, err := Find(ctx, db, []string{o.ID})
	if err != nil {
		return nil, err
	}
	if p := found[o.ID]; p.exists() && p.Owner == owner {
		return p, nil
	}
	return nil, nil
}

// Lookup returns a publication, whether or not strangers see it, within a transaction: by
// its id or by its name. It returns ErrUnknown for an unknown id or name, and for a
// publication that was withdrawn.
func Lookup(tx store.Tx, ref string) (*Publication, error) {
	if isName(ref) {
		var c claim
		if err := tx.Get(claimPath(ref), &c); errors.Is(err, store.ErrNotFound) || err == nil && c.Publication == "" {
			return nil, ErrUnknown
		} else if err != nil {
			return nil, err
		}
		ref = c.Publication
	}
	if !isID(ref) {
		return nil, ErrUnknown
	}
	p := &Publication{ID: ref}
	if err := tx.Get(path(ref), p); errors.Is(err, store.ErrNotFound) || err == nil && p.Name == "" {
		return nil, ErrUnknown
	} else if err != nil {
		return nil, err
	}
	return p, nil
}

// Withdrawn returns a publication that its owner withdrew, by its id, within a
// transaction; nil for any other.
func Withdrawn(tx store.Tx, id string) (*Publication, error) {
	p := &Publication{ID: id}
	if err := tx.Get(path(id), p); errors.Is(err, store.ErrNotFound) || err == nil && p.Name != "" {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return p, nil
}

// Hide stores that p is hidden for a reason, within a transaction, or with nil that it is
// not any more.
func (p *Publication) Hide(tx store.Tx, why *Hiding) error {
	p.Hidden = why
	return tx.Set(path(p.ID), p)
}
