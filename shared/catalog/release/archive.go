// Package release publishes the catalog in releases and shows the current one.
//
//	catalog/current                  the Pointer: what is shown
//	releases/{version}               a Release
//	snapshots/{version}              its bytes, as package blob keeps them
//
// An [Archive] keeps the last few releases. Publishing writes the snapshot and
// its Release first and moves the pointer last, in a transaction, so that readers
// see the old release or the new one and never a part. A [Live] is the current
// release in the memory of one instance.
package release

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/snapshot"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of releases.
var (
	// ErrRefused is returned for a release that would lose too much of the
	// catalog. Its fields have the numbers before and after, and the refusals.
	ErrRefused = fault.New(fault.Conflict, "reload_refused")
	// ErrNoVersion is returned for a version that is not kept.
	ErrNoVersion = fault.New(fault.NotFound, "unknown_version")
)

var (
	errMoved = errors.New("the operator or another reload has changed the release in the meantime")
	errShown = errors.New("the release is the current one")
)

const (
	maxReleases = 5 // that are kept, the current one included

	// orphanAge is how long a snapshot without a release is kept: longer than
	// Publish takes.
	orphanAge = 24 * time.Hour
)

// A Release is one published snapshot.
type Release struct {
	Version     string     `json:"version" description:"Identifier of the release: a hash of its content."`
	PublishedAt store.Time `json:"published_at" type:"string" format:"date-time" description:"Time of publication, in UTC."`
	Channels    int        `json:"channels" description:"TV channels."`
	Stations    int        `json:"stations" description:"Radio stations."`
	Streams     int        `json:"streams" description:"Number of streams."`
	Playable    int        `json:"playable" description:"Channels and stations with a usable stream."`
	Bytes       int        `json:"bytes" description:"Size of the snapshot as stored."`

	PlayableChannels int       `json:"playable_channels" description:"TV channels with a usable stream; 0 in releases that did not count them apart."`
	PlayableStations int       `json:"playable_stations" description:"Radio stations with a usable stream."`
	ChannelIDs       *Survival `json:"channel_ids" description:"Ids of the TV channels of the release before; null when there was none."`
	StationIDs       *Survival `json:"station_ids" description:"Ids of the radio stations of the release before; null when there was none."`
}

// Survival counts the ids of one kind in the release before, and those of them
// that a release still has, and in the same way those that it did not show.
type Survival struct {
	Before int `json:"before" description:"Ids of the release before."`
	Same   int `json:"same" description:"Number of them that are still the id of a channel or station."`
	Kept   int `json:"kept" description:"Number of them that still are an id or lead on to another channel or station."`
	Hidden int `json:"hidden" description:"Number of channels that the release before did not show because they are closed or blocked."`
	Shown  int `json:"shown" description:"Number of them that this release shows."`
}

// A Pointer names the current release, and has the state of its sources.
type Pointer struct {
	Version  string           `json:"version"`
	Held     bool             `json:"held"` // after a rollback: scheduled reloads do not publish
	SyncedAt store.Time       `json:"synced_at"`
	Sources  []catalog.Source `json:"sources"`
}

const pointerPath = store.Path("catalog/current")

// An Archive holds the releases.
type Archive struct {
	DB  store.DB
	Now func() time.Time
}

// Current returns the pointer, or ErrNoVersion before the first release.
func (a *Archive) Current(ctx context.Context) (Pointer, error) {
	var p Pointer
	err := a.DB.Get(ctx, pointerPath, &p)
	if errors.Is(err, store.ErrNotFound) {
		return p, ErrNoVersion.Because(err)
	}
	return p, err
}

// Load returns the snapshot of a release.
func (a *Archive) Load(ctx context.Context, version string) ([]byte, error) {
	data, err := blob.Get(ctx, a.DB, snapshotPath(version))
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrNoVersion.Because(err)
	}
	return data, err
}

// Releases returns the releases that are kept, newest first.
func (a *Archive) Releases(ctx context.Context) ([]Release, error) {
	var rs []Release
	for d, err := range a.DB.Query(ctx, store.Query{Collection: "releases", OrderBy: "published_at", Desc: true}) {
		if err != nil {
			return nil, err
		}
		var r Release
		if err := d.Decode(&r); err != nil {
			return nil, err
		}
		rs = append(rs, r)
	}
	return rs, nil
}

// An Override is what a reload may do: on a schedule it is zero but for Fence.
type Override struct {
	Force  bool // publish however much is lost, and write the snapshot again even if it is the same
	Manual bool // publish although a rollback holds the catalog

	// Fence fails the transaction that shows the release when the reload may not
	// show it any more. Nil never does.
	Fence func(store.Tx) error
}

// Publish stores the snapshot data of r and makes r the current release. It
// returns ErrRefused when too much would be lost, and false without an error when
// a rollback holds the catalog. With true and an error r is current, but older
// releases could not be deleted.
func (a *Archive) Publish(ctx context.Context, r Release, data []byte, p Pointer, w Override) (shown bool, err error) {
	before, err := a.Current(ctx)
	if err != nil && !errors.Is(err, ErrNoVersion) {
		return false, err
	}
	if before.Held && !w.Manual {
		return false, nil
	}
	if before.Version != r.Version || w.Force {
		if err := a.guard(ctx, r, w); err != nil {
			return false, err
		}
		if err := a.add(ctx, r, data); err != nil {
			return false, err
		}
	}
	p.Version, p.Held = r.Version, false
	if shown, err = a.move(ctx, before, p, w); !shown {
		return false, err
	}
	return true, errors.Join(a.prune(ctx, before.Version, r.Version), a.sweep(ctx))
}

// move writes the pointer to, unless it has changed since it was read as before:
// then the other change stays.
func (a *Archive) move(ctx context.Context, before, to Pointer, w Override) (shown bool, err error) {
	err = a.DB.Update(ctx, func(tx store.Tx) error {
		shown = false
		if w.Fence != nil {
			if err := w.Fence(tx); err != nil {
				return err
			}
		}
		var now Pointer
		if err := tx.Get(pointerPath, &now); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		switch {
		case now.Held && !w.Manual:
			return nil
		case now.Held != before.Held, now.Version != before.Version && now.Version != to.Version:
			return errMoved
		}
		shown = true
		return tx.Set(pointerPath, to)
	})
	return shown && err == nil, err
}

func (a *Archive) add(ctx context.Context, r Release, data []byte) error {
	if err := blob.Put(ctx, a.DB, snapshotPath(r.Version), data); err != nil {
		return fmt.Errorf("keep snapshot %s: %w", r.Version, err)
	}
	r.Bytes, r.PublishedAt = len(data), store.At(a.Now())
	return a.DB.Set(ctx, releasePath(r.Version), r)
}

// prune deletes the oldest releases beyond those that are kept.
func (a *Archive) prune(ctx context.Context, spare ...string) error {
	rs, err := a.Releases(ctx)
	if err != nil {
		return err
	}
	for i, r := range rs {
		if i < maxReleases || r.Version == spare[0] || r.Version == spare[1] {
			continue
		}
		if err := a.drop(ctx, r.Version); err != nil {
			return err
		}
	}
	return nil
}

// drop deletes a release and its snapshot, unless a rollback has made it current
// in the meantime.
func (a *Archive) drop(ctx context.Context, version string) error {
	err := a.DB.Update(ctx, func(tx store.Tx) error {
		var p Pointer
		if err := tx.Get(pointerPath, &p); err != nil {
			return err
		}
		if p.Version == version {
			return errShown
		}
		return tx.Delete(releasePath(version))
	})
	if errors.Is(err, errShown) {
		return nil
	}
	if err != nil {
		return err
	}
	return blob.Delete(ctx, a.DB, snapshotPath(version))
}

// sweep deletes the snapshots without a release, which are left when Publish or
// prune is interrupted.
func (a *Archive) sweep(ctx context.Context) error {
	old, err := blob.Before(ctx, a.DB, snapshots, a.Now().Add(-orphanAge))
	if err != nil {
		return err
	}
	for _, at := range old {
		_, version, err := at.Split()
		if err != nil {
			return err
		}
		err = a.DB.Get(ctx, releasePath(version), new(Release))
		if errors.Is(err, store.ErrNotFound) {
			err = a.drop(ctx, version)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Rollback makes an earlier release current and holds it until an operator
// reloads by hand. It returns ErrNoVersion when the release is not kept.
func (a *Archive) Rollback(ctx context.Context, version string) (Release, error) {
	var r Release
	if !validVersion(version) {
		return r, ErrNoVersion
	}
	if err := a.readable(ctx, version); err != nil {
		return r, err
	}
	err := a.DB.Update(ctx, func(tx store.Tx) error {
		var p Pointer
		if err := tx.Get(pointerPath, &p); err != nil {
			return err
		}
		if err := tx.Get(releasePath(version), &r); err != nil {
			return err
		}
		p.Version, p.Held = version, true
		return tx.Set(pointerPath, p)
	})
	if errors.Is(err, store.ErrNotFound) {
		return r, ErrNoVersion.Because(err)
	}
	return r, err
}

// readable returns ErrNoVersion for a release that cannot be decoded.
func (a *Archive) readable(ctx context.Context, version string) error {
	data, err := a.Load(ctx, version)
	if err == nil {
		_, err = snapshot.Decode(data)
	}
	if errors.Is(err, blob.ErrCorrupt) || errors.Is(err, snapshot.ErrCorrupt) {
		return ErrNoVersion.Because(err)
	}
	return err
}

func validVersion(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// snapshots is the collection of the blobs.
const snapshots = store.Path("snapshots")

func releasePath(version string) store.Path  { return store.Path("releases/" + version) }
func snapshotPath(version string) store.Path { return snapshots.Join(version) }
