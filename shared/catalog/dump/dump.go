// Package dump writes the whole catalog into files each night, so that nobody has to
// fetch it page by page.
//
//	catalog/dumps                    a List: the dumps that are kept
//	catalog_dumps/{dump}-{file}      the bytes of a file, as package blob keeps them
//
// A dump holds the channels and stations that are shown, as lines of JSON, as two tables
// in CSV and as a SQLite database, with checksums. The files are written first and the
// list last, in a transaction, so that a dump is complete or not there. The dump before
// is kept as well, for downloads that have begun.
package dump

import (
	"context"
	"errors"
	"os"
	"time"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
)

// Name is the name of the job.
const Name = "catalog-dump"

// kept is how many dumps are kept.
const kept = 2

const (
	listPath  = store.Path("catalog/dumps")
	filesPath = store.Path("catalog_dumps")
)

// A List is the dumps that are kept, newest first.
type List struct {
	Dumps []Dump `json:"dumps"`
}

// A Dump is the catalog at one time.
type Dump struct {
	ID      string     `json:"id"` // its time, such as 20261123T030000Z
	At      store.Time `json:"at"`
	Release string     `json:"release"` // of the catalog
	Files   []File     `json:"files"`
}

// A File is a file of a dump.
type File struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"` // in hexadecimal digits
	Rows      *int   `json:"rows"`   // records, or lines without the header; nil for the checksums
}

// filePath returns where the bytes of a file are.
func filePath(dump, name string) store.Path {
	return filesPath.Join(dump + "-" + name)
}

// A Catalog is the catalog that is dumped.
type Catalog interface {
	index.Viewer
	// Refresh reads the current release and the blocks, and has View return them.
	Refresh(context.Context) error
}

// Options are what the job needs.
type Options struct {
	DB      store.DB
	Catalog Catalog
	Now     func() time.Time
}

// NewJob returns the job that writes a dump. Its result is a *[Dump]. A run by hand
// removes the earlier dumps at once, such as after something was blocked.
func NewJob(o Options) job.Job {
	return job.Job{Name: Name, Run: func(ctx context.Context, order job.Order) (any, error) {
		d := &Dump{At: store.At(o.Now().UTC().Truncate(time.Second))}
		return d, o.write(ctx, d, order.Manual)
	}}
}

// write writes d. The catalog is refreshed after the time of d, so that d has every
// change that was recorded before its time, and nothing that was blocked before it.
func (o *Options) write(ctx context.Context, d *Dump, alone bool) error {
	if err := o.Catalog.Refresh(ctx); err != nil {
		return err
	}
	v, err := o.Catalog.View()
	if err != nil {
		return err
	}
	d.ID, d.Release = d.At.Format("20060102T150405Z"), v.Version()
	all, err := files(ctx, v, os.TempDir())
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := blob.Put(ctx, o.DB, filePath(d.ID, c.Name), c.data); err != nil {
			return err
		}
		d.Files = append(d.Files, c.File)
	}
	l, err := o.list(ctx, *d, alone)
	if err != nil {
		return err
	}
	return o.sweep(ctx, l)
}

// list puts d in front of the list, and returns the list.
func (o *Options) list(ctx context.Context, d Dump, alone bool) (next List, err error) {
	keep := kept
	if alone {
		keep = 1
	}
	err = o.DB.Update(ctx, func(tx store.Tx) error {
		if err := job.Fence(ctx)(tx); err != nil {
			return err
		}
		var before List
		if err := tx.Get(listPath, &before); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		next = List{Dumps: []Dump{d}}
		for _, old := range before.Dumps {
			if old.ID != d.ID && len(next.Dumps) < keep {
				next.Dumps = append(next.Dumps, old)
			}
		}
		return tx.Set(listPath, next)
	})
	return next, err
}

// sweep deletes the files that l does not name: those of older dumps, and those of runs
// that were stopped. The lease of the job keeps other runs from writing meanwhile.
func (o *Options) sweep(ctx context.Context, l List) error {
	named := map[store.Path]bool{}
	for _, d := range l.Dumps {
		for _, f := range d.Files {
			named[filePath(d.ID, f.Name)] = true
		}
	}
	for doc, err := range o.DB.Query(ctx, store.Query{Collection: filesPath}) {
		if err != nil {
			return err
		}
		if at := filesPath.Join(doc.ID); !named[at] {
			if err := blob.Delete(ctx, o.DB, at); err != nil {
				return err
			}
		}
	}
	return nil
}
