package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSecrets checks that secrets are made once, are kept for the owner alone,
// and are not made anew over a file that cannot be read.
func TestSecrets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := secrets(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range secretNames {
		if len(first[name]) < 32 {
			t.Errorf("%s takes %d characters, want 32", name, len(first[name]))
		}
	}
	if first["HOP_TICKET_KEY"] == first["PEOPLE_KEY"] {
		t.Error("both secrets are the same")
	}
	second, err := secrets(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second start has other secrets (-first +second):\n%s", diff)
	}
	path := filepath.Join(dir, secretsFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v; want mode 0600", info, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := secrets(dir); err == nil {
		t.Error("a damaged file is no error")
	}
}
