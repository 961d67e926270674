package list

import (
	"sync"

	"miramundo.dev/shared/catalog/index"
)

// A memo keeps values that were computed from a view of the catalog for as long as
// that view is shown.
type memo struct {
	mu   sync.Mutex
	view *index.View
	made map[any]any
}

// of returns what make returned the first time for a key and a view. Keys must be
// few: made of kinds and locales, never of what visitors type.
func (m *memo) of(at *index.View, key any, make func() any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.view != at {
		m.view, m.made = at, map[any]any{}
	}
	made, ok := m.made[key]
	if !ok {
		made = make()
		m.made[key] = made
	}
	return made
}
