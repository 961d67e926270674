// Package history keeps what changed between the releases of the catalog, so that
// programs with a copy of it fetch the differences alone.
//
//	catalog/changes          a Head: the sets that are kept, and the release of the last
//	catalog_changes/{n}      the changes of set n, as package blob keeps them
//
// A job compares the current release with the one of the last set, at most [KeepFor]
// of which are kept. A set is written first and the head after it, in a transaction
// that fails when another run was faster, so that a run may be stopped at any point and
// every release is compared once. Between two runs several releases may be published:
// their changes are then one set.
package history

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/catalog/snapshot"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
)

// Name is the name of the job.
const Name = "catalog-changes"

const (
	// KeepFor is how long a set is kept.
	KeepFor = 31 * 24 * time.Hour

	maxSets = 400 // that are kept at most: the head is one document

	// maxChanges is the most changes of a set. A release that differs in more is not
	// read as changes any more but copied whole.
	maxChanges = 20_000
)

const headPath = store.Path("catalog/changes")

// A Head says which sets are kept.
type Head struct {
	Release string     `json:"release"` // up to which everything was compared
	Since   store.Time `json:"since"`   // from when on the kept sets have every change
	Sets    []Set      `json:"sets"`    // oldest first
	Last    int        `json:"last"`    // number of the last set; 0 before the first
}

// A Set is the changes that one run of the job found.
type Set struct {
	Number  int        `json:"n"` // counted from 1
	Release string     `json:"release"`
	At      store.Time `json:"at"` // later than that of the set before
	Changes int        `json:"changes"`
	Cut     bool       `json:"cut,omitempty"` // some or all of its changes are not known
}

func setPath(n int) store.Path { return store.Path("catalog_changes").Join(strconv.Itoa(n)) }

// Options are what the job needs.
type Options struct {
	DB      store.DB
	Archive *release.Archive
	Now     func() time.Time
}

// A Report is the result of a run.
type Report struct {
	Release string         `json:"release"` // that is current
	Changes map[string]int `json:"changes"` // by operation; null when the release is that of the last run
	Cut     bool           `json:"cut"`     // the set does not have all of them
	Dropped int            `json:"dropped"` // sets that were too old
}

// NewJob returns the job that records what changed. Its result is a *[Report].
func NewJob(o Options) job.Job {
	return job.Job{Name: Name, Run: func(ctx context.Context, _ job.Order) (any, error) {
		r := new(Report)
		return r, o.record(ctx, r)
	}}
}

func (o *Options) record(ctx context.Context, r *Report) error {
	p, err := o.Archive.Current(ctx)
	if errors.Is(err, release.ErrNoVersion) {
		return nil
	}
	if err != nil {
		return fault.OrUnavailable(err)
	}
	r.Release = p.Version
	head, err := readHead(ctx, o.DB)
	if err != nil {
		return err
	}
	next := *head
	if next.Release != p.Version {
		if err := o.add(ctx, &next, p.Version, r); err != nil {
			return err
		}
	}
	dropped := next.drop(o.Now())
	r.Dropped = len(dropped)
	if next.Release == head.Release && len(dropped) == 0 {
		return nil
	}
	for _, s := range dropped { // before the head forgets them; readers take a missing set for one that is too old
		if err := blob.Delete(ctx, o.DB, setPath(s.Number)); err != nil {
			return err
		}
	}
	return move(ctx, o.DB, head, &next)
}

// readHead returns the head, which is empty before the first release.
func readHead(ctx context.Context, db store.DB) (*Head, error) {
	h := new(Head)
	if err := db.Get(ctx, headPath, h); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fault.OrUnavailable(err)
	}
	return h, nil
}

// add stores the set that leads from the release of h to another, and appends it to
// h. The first release has no set: it is where the record begins.
func (o *Options) add(ctx context.Context, h *Head, to string, r *Report) error {
	now := o.Now()
	from := h.Release
	h.Release = to
	if from == "" {
		h.Since = store.At(now)
		return nil
	}
	changes, known, err := o.compare(ctx, from, to)
	if err != nil {
		return err
	}
	r.Changes = map[string]int{}
	for _, c := range changes {
		r.Changes[c.Op]++
	}
	if len(changes) == 0 && known {
		return nil
	}
	h.Last++
	set := Set{Number: h.Last, Release: to, At: store.At(now), Changes: len(changes), Cut: !known}
	last := h.Since
	if len(h.Sets) > 0 {
		last = h.Sets[len(h.Sets)-1].At
	}
	if !set.At.After(last.Time) { // the clock was set back: readers by time must not miss the set
		set.At = store.At(last.Add(time.Millisecond))
	}
	if len(changes) > maxChanges {
		changes, set.Changes, set.Cut = changes[:maxChanges], maxChanges, true
	}
	r.Cut = set.Cut
	data, err := pack(changes)
	if err != nil {
		return err
	}
	if err := blob.Put(ctx, o.DB, setPath(set.Number), data); err != nil {
		return fault.OrUnavailable(err)
	}
	h.Sets = append(h.Sets[:len(h.Sets):len(h.Sets)], set)
	return nil
}

// compare returns what differs between two releases. It reports false when the first is
// not kept any more, or cannot be read.
func (o *Options) compare(ctx context.Context, from, to string) (changes []Change, known bool, err error) {
	after, err := o.load(ctx, to)
	if err != nil {
		return nil, false, err
	}
	before, err := o.load(ctx, from)
	if errors.Is(err, release.ErrNoVersion) || errors.Is(err, snapshot.ErrCorrupt) || errors.Is(err, blob.ErrCorrupt) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return Compare(before, after), true, nil
}

func (o *Options) load(ctx context.Context, version string) (*index.Index, error) {
	data, err := o.Archive.Load(ctx, version)
	if err != nil {
		return nil, err
	}
	ix, err := index.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", version, err)
	}
	return ix, nil
}

// drop takes the sets that are too old, or too many, from h and returns them.
func (h *Head) drop(now time.Time) (dropped []Set) {
	n := 0
	for n < len(h.Sets) && (now.Sub(h.Sets[n].At.Time) > KeepFor || len(h.Sets)-n > maxSets) {
		n++
	}
	if n > 0 {
		h.Since = h.Sets[n-1].At
	}
	dropped, h.Sets = h.Sets[:n], h.Sets[n:]
	return dropped
}

// errMoved means that another run was faster.
var errMoved = errors.New("another run has recorded the changes in the meantime")

// move writes the head to, unless it is not from any more or the run lost its lease.
func move(ctx context.Context, db store.DB, from, to *Head) error {
	return db.Update(ctx, func(tx store.Tx) error {
		if err := job.Fence(ctx)(tx); err != nil {
			return err
		}
		var now Head
		if err := tx.Get(headPath, &now); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if now.Last != from.Last || now.Release != from.Release {
			return errMoved
		}
		return tx.Set(headPath, to)
	})
}

// pack encodes changes as they are stored.
func pack(changes []Change) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	err := errors.Join(json.NewEncoder(w).Encode(changes), w.Close())
	return b.Bytes(), err
}
