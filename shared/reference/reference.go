// Package reference knows where the reference data lies that some tests read:
// in a folder beside the repository, which need not be there.
package reference

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the folder of reference data, or skips the test by its name.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			data := filepath.Join(filepath.Dir(dir), "shared", "data")
			if _, err := os.Stat(data); err == nil {
				return data
			}
		}
	}
	t.Skip("no ../shared/data")
	return ""
}
