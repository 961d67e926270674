// Package reference finds the reference data that some tests read: a folder
// beside the repository, which may be absent.
package reference

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the folder ../shared/data beside the repository that holds the
// working directory, or skips the test when there is none.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			continue
		}
		data := filepath.Join(filepath.Dir(dir), "shared", "data")
		if _, err := os.Stat(data); err == nil {
			return data
		}
		break
	}
	t.Skip("no ../shared/data")
	return ""
}
