package index

import (
	"time"

	"miramundo.dev/shared/catalog"
)

// A Viewer provides the catalog as it is now. Each call may return a newer view:
// a request takes one and keeps it.
type Viewer interface {
	// View returns the current view, or catalog.ErrNotLoaded before the first
	// release.
	View() (*View, error)
}

// A DatedViewer is a Viewer that also says how fresh the catalog is.
type DatedViewer interface {
	Viewer

	// Synced returns when the sources were last confirmed; false before the first
	// release.
	Synced() (time.Time, bool)
}

// Stale reports whether the catalog that v provides is too old at now to say
// which channels play.
func Stale(v DatedViewer, now time.Time) bool {
	at, ok := v.Synced()
	return !ok || now.Sub(at) > catalog.StaleAfter
}

// CurrentID returns the id that a channel has now, by any id that it ever had. It returns
// catalog.ErrNotLoaded, or what [View.NotFound] returns for an id that is not shown.
func CurrentID(from Viewer, id string) (string, error) {
	v, err := from.View()
	if err != nil {
		return "", err
	}
	b, ok := v.Summary(id)
	if !ok {
		return "", v.NotFound(id)
	}
	return b.ID, nil
}
