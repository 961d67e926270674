//go:build race

package logo

// race says that the race detector watches.
const race = true
