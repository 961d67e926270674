package page

import "sync"

// A Memo caches values that were computed from the current state of something, such as
// a view of the catalog. A call with another state empties it. Its zero value is ready
// to use, also concurrently: concurrent calls for the same value compute it once, and
// all calls wait for each other meanwhile.
type Memo struct {
	mu     sync.Mutex
	state  any // the state that values were computed from, a pointer
	values map[any]any
}

// Get returns the value of a key for a state, calling compute when it is not
// cached. Keys must be few, such as kinds and locales, and never contain what
// visitors type, because entries are evicted only with their state. compute must
// not call Get.
func (m *Memo) Get(state, key any, compute func() any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state != state {
		m.state, m.values = state, map[any]any{}
	}
	value, ok := m.values[key]
	if !ok {
		value = compute()
		m.values[key] = value
	}
	return value
}
