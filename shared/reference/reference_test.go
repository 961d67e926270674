package reference

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDir looks from within a repository with the data beside it, and from one
// without.
func TestDir(t *testing.T) {
	for _, there := range []bool{true, false} {
		around := t.TempDir()
		inside := filepath.Join(around, "main", "a", "b")
		data := filepath.Join(around, "shared", "data")
		if err := os.MkdirAll(inside, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(around, "main", "go.mod"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if there {
			if err := os.MkdirAll(data, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(inside)
		got, skipped := "", true
		t.Run("look", func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			got = Dir(t)
		})
		if skipped == there || there && got != data {
			t.Errorf("there %t: %q, skipped %t", there, got, skipped)
		}
	}
}
