package companion

import (
	"context"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
)

// Job is the name of the job that counts companions.
const Job = "companions"

// Bounds of a run.
const (
	maxOwners = 200_000 // whose libraries are read; their ids are random, so that these are a fair sample
	pageSize  = 200     // libraries read at a time
)

// Options are what the job needs.
type Options struct {
	DB      store.DB
	Catalog index.Viewer

	// Social has the counts of channels. No two channels are shown to be kept together by
	// more people than networks are heard to use either: owners cost nothing, and one
	// network could make a channel the companion of well-known ones.
	Social *social.Overlay
}

// A Report is the result of a run.
type Report struct {
	Owners     int  `json:"owners"`     // people whose libraries were read
	Counted    int  `json:"counted"`    // of them, those who keep two channels or more
	Unreadable int  `json:"unreadable"` // libraries and favorites that could not be decoded
	Cut        bool `json:"cut"`        // there are more owners than are read
	Channels   int  `json:"channels"`   // that have companions
}

// NewJob returns the job that counts the companions of the channels in o.Catalog, from
// the libraries of guests and accounts and from the favorites of the same owners. Its
// result is a *[Report]. It costs two reads for each library.
func NewJob(o Options) job.Job {
	return job.Job{Name: Job, Run: func(ctx context.Context, _ job.Order) (any, error) {
		r := &run{Options: o, counter: newCounter(), report: &Report{}}
		return r.report, r.do(ctx)
	}}
}

// A run is one run of the job.
type run struct {
	Options
	view    *index.View
	counter *counter
	report  *Report
}

func (r *run) do(ctx context.Context) (err error) {
	if r.view, err = r.Catalog.View(); err != nil {
		return err
	}
	if err := r.collect(ctx); err != nil {
		return err
	}
	if err := r.Social.Loaded(ctx); err != nil {
		return err
	}
	all := r.counter.companions(func(channel string) int {
		use := r.Social.Use(channel)
		return max(use.Plays, use.Favorites)
	})
	r.report.Channels = len(all)
	shards, err := encode(all)
	if err != nil {
		return err
	}
	for n, data := range shards {
		err := kind.Update(ctx, r.DB, n, func([]byte) ([]byte, error) { return data, nil }, job.Fence(ctx))
		if err != nil {
			return err
		}
	}
	return nil
}

// collect reads what owners keep.
func (r *run) collect(ctx context.Context) error {
	after := ""
	for {
		q := store.Query{Collection: library.Libraries, Limit: pageSize}
		if after != "" {
			q.After = []any{after}
		}
		var docs []store.Doc
		for doc, err := range r.DB.Query(ctx, q) {
			if err != nil {
				return err
			}
			docs = append(docs, doc)
		}
		if err := r.add(ctx, docs); err != nil {
			return err
		}
		switch {
		case len(docs) < pageSize:
			return nil
		case r.report.Owners >= maxOwners:
			r.report.Cut = true
			return nil
		}
		after = docs[len(docs)-1].ID
	}
}

// add counts a page of libraries. Those of organizations are left out: they belong to
// nobody alone.
func (r *run) add(ctx context.Context, libraries []store.Doc) error {
	var people []store.Doc
	var paths []store.Path
	for _, doc := range libraries {
		owner := identity.Owner(doc.ID)
		if k := identity.KindOf(owner); k == identity.Guest || k == identity.Person {
			people, paths = append(people, doc), append(paths, kept.FavoritesPath(owner))
		}
	}
	favorites, err := r.DB.GetAll(ctx, paths)
	if err != nil {
		return err
	}
	for i, doc := range people {
		r.report.Owners++
		ids := r.keptBy(doc, favorites[i])
		if len(ids) > 1 {
			r.report.Counted++
		}
		r.counter.add(ids, r.kindOf)
	}
	return nil
}

// shelves is the part of a library that is read.
type shelves struct {
	Categories []struct {
		Groups []struct {
			Items []struct {
				Channel string `json:"channel"`
			} `json:"items"`
		} `json:"groups"`
	} `json:"categories"`
}

// keptBy returns the channels that an owner keeps and the catalog shows, by their ids of
// now and each once, at most maxKept: the favorites first, the last added first, and then
// those of the library in the owner's order.
func (r *run) keptBy(lib, favorites store.Doc) (ids []string) {
	seen := map[string]bool{}
	add := func(id string) {
		if len(ids) == maxKept {
			return
		}
		if now, ok := r.view.Current(id); ok && !seen[now] {
			seen[now] = true
			ids = append(ids, now)
		}
	}
	var f kept.Favorites
	if favorites.Decode != nil && !r.decode(favorites, &f) {
		f = kept.Favorites{}
	}
	for _, row := range f.Rows {
		add(row.Channel)
	}
	var l shelves
	if !r.decode(lib, &l) {
		return ids
	}
	for _, c := range l.Categories {
		for _, g := range c.Groups {
			for _, it := range g.Items {
				add(it.Channel)
			}
		}
	}
	return ids
}

// decode reads a document, and reports whether it could.
func (r *run) decode(doc store.Doc, into any) bool {
	if err := doc.Decode(into); err != nil {
		r.report.Unreadable++
		return false
	}
	return true
}

// kindOf returns the kind of a channel that the catalog shows.
func (r *run) kindOf(id string) catalog.Kind {
	c, _ := r.view.Summary(id)
	return c.Kind
}
