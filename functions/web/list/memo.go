package list

import (
	"sync"

	"miramundo.dev/shared/catalog/index"
)

// A memo caches values that were computed from the current view of the catalog. A
// call with another view empties it. Its zero value is ready to use, also
// concurrently: concurrent calls for the same value compute it once, and all calls
// wait for each other meanwhile.
type memo struct {
	mu     sync.Mutex
	view   *index.View // the view that values were computed from
	values map[any]any
}

// get returns the value of a key for a view, calling compute when it is not
// cached. Keys must be few, such as kinds and locales, and never contain what
// visitors type, because entries are evicted only with their view. compute must
// not call get.
func (m *memo) get(snapshot *index.View, key any, compute func() any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.view != snapshot {
		m.view, m.values = snapshot, map[any]any{}
	}
	value, ok := m.values[key]
	if !ok {
		value = compute()
		m.values[key] = value
	}
	return value
}
