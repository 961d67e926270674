//go:build race

package thumbnail

// race says that the race detector watches.
const race = true
