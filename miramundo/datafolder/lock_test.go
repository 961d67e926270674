package datafolder

import (
	"path/filepath"
	"testing"
)

// TestTake takes a folder twice: the second one is refused until the first one is done.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		release, err := Take(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Take(dir)
		checkTrouble(t, err, dir, "another miramundo uses this folder", "DATA_DIR")
		if err := release(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Take(filepath.Join(dir, "none"))
	checkTrouble(t, err, "cannot be locked")
}
