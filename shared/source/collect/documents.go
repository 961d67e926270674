package collect

import (
	"context"
	"errors"
	"strings"
	"time"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/store"
)

// Documents returns a cache in db.
func Documents(db store.DB) Cache { return documents{db} }

type documents struct{ db store.DB }

// A stored is the document of a file. Fields may be added.
type stored struct {
	Name      string     `json:"name"`
	Location  string     `json:"location"`
	FetchedAt store.Time `json:"fetched_at"`
	SHA256    string     `json:"sha256"`
	Items     int        `json:"items"`
	Skipped   int        `json:"skipped"`
	Bytes     int64      `json:"bytes"`
	ETag      string     `json:"etag"`
	Modified  string     `json:"modified"`
	Body      store.Path `json:"body"` // of its blob

	Origin string         `json:"origin"`
	Filled map[string]int `json:"filled"` // nil when it was not counted
}

func (s *stored) file() source.File {
	return source.File{
		Name: s.Name, Location: s.Location, FetchedAt: s.FetchedAt.UTC(), SHA256: s.SHA256,
		Items: s.Items, Skipped: s.Skipped, Bytes: s.Bytes, ETag: s.ETag, Modified: s.Modified,
		Origin: s.Origin, Filled: s.Filled,
	}
}

func storedFile(f source.File, body store.Path) *stored {
	return &stored{
		Name: f.Name, Location: f.Location, FetchedAt: store.At(f.FetchedAt), SHA256: f.SHA256,
		Items: f.Items, Skipped: f.Skipped, Bytes: f.Bytes, ETag: f.ETag, Modified: f.Modified, Body: body,
		Origin: f.Origin, Filled: f.Filled,
	}
}

// bodies is the collection of the bodies.
const bodies = "bodies"

func documentID(name string) string { return strings.ReplaceAll(name, "/", "_") }

func sourcePath(name string) store.Path { return store.Path("sources/" + documentID(name)) }

// bodyPath returns the path of a file's body. It contains the name, so that
// two files with the same content do not share a body that one of them would
// delete.
func bodyPath(f source.File) store.Path {
	return store.Path(bodies + "/" + documentID(f.Name) + "-" + f.SHA256)
}

func (d documents) Last(ctx context.Context, name string) (source.File, error) {
	s, err := d.get(ctx, name)
	if err != nil {
		return source.File{}, err
	}
	return s.file(), nil
}

func (d documents) get(ctx context.Context, name string) (*stored, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	s := new(stored)
	err := d.db.Get(ctx, sourcePath(name), s)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrNothing
	}
	return s, err
}

// Timeouts for reading a document and a body, so that collecting goes on
// without the database.
const (
	readTime = 10 * time.Second
	bodyTime = time.Minute
)

func (d documents) Body(ctx context.Context, f source.File) ([]byte, error) {
	s, err := d.get(ctx, f.Name)
	if err != nil {
		return nil, err
	}
	if s.SHA256 != f.SHA256 {
		return nil, ErrNothing
	}
	ctx, cancel := context.WithTimeout(ctx, bodyTime)
	defer cancel()
	data, err := blob.Get(ctx, d.db, s.Body)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrNothing
	}
	return data, err
}

// Save writes the bodies first, then in one transaction the documents that refer
// to them, and then deletes the bodies that no document refers to: the previous
// ones, and those of interrupted saves.
func (d documents) Save(ctx context.Context, files []Entry) error {
	for _, f := range files {
		if err := d.putBody(ctx, bodyPath(f.File), f.Body); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, bodyTime)
	defer cancel()
	err := d.db.Update(ctx, func(tx store.Tx) error {
		for _, f := range files {
			if err := tx.Set(sourcePath(f.File.Name), storedFile(f.File, bodyPath(f.File))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Body == nil {
			continue
		}
		if err := d.sweep(ctx, f.File.Name, bodyPath(f.File)); err != nil {
			return err
		}
	}
	return nil
}

// putBody stores body, or checks that there is one when it is nil.
func (d documents) putBody(ctx context.Context, at store.Path, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, bodyTime)
	defer cancel()
	if body != nil {
		return blob.Put(ctx, d.db, at, body)
	}
	err := d.db.Get(ctx, at, &struct{}{})
	if errors.Is(err, store.ErrNotFound) {
		return ErrNothing
	}
	return err
}

// sweep deletes the bodies of a name except the one at keep.
func (d documents) sweep(ctx context.Context, name string, keep store.Path) error {
	prefix := documentID(name) + "-"
	var old []store.Path
	for doc, err := range d.db.Query(ctx, store.Query{Collection: bodies, After: []any{prefix}}) {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(doc.ID, prefix) {
			break
		}
		if doc.Path != keep {
			old = append(old, doc.Path)
		}
	}
	for _, at := range old {
		if err := blob.Delete(ctx, d.db, at); err != nil {
			return err
		}
	}
	return nil
}
