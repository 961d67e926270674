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

// TestOperatorToken checks that each data folder has a token of its own, which
// its owner alone may read, and which stays the same.
func TestOperatorToken(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "data"), t.TempDir()
	var tokens []string
	for _, d := range []string{dir, dir, other} {
		token, err := operatorToken(d)
		if err != nil || len(token) < 16 {
			t.Fatalf("the token is %q, %v", token, err)
		}
		tokens = append(tokens, token)
	}
	if tokens[0] != tokens[1] || tokens[0] == tokens[2] {
		t.Errorf("the tokens of one folder, of the same again and of another are %q", tokens)
	}
	path := filepath.Join(dir, tokenFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v; want mode 0600", info, err)
	}
	if _, err := operatorToken(path); err == nil {
		t.Error("a folder that is a file is no error")
	}
}
