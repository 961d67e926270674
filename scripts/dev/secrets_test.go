package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
)

// TestSecrets checks that secrets are made once, are kept for the owner alone,
// and are not made anew over a file that cannot be read.
func TestSecrets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := secrets(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, ring := range rings {
		if err := keyringtest.Ring(first[ring.name]).Check(); err != nil {
			t.Errorf("%s: %v", ring.name, err)
		}
	}
	if first["HOP_TICKET_KEYS"] == first["PEOPLE_KEYS"] {
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

// TestReceivingAddress checks that the address of a folder stays the same, and is one.
func TestReceivingAddress(t *testing.T) {
	dir := t.TempDir()
	first, err := receivingAddress(dir)
	if err != nil {
		t.Fatal(err)
	}
	if checked, ok := x402.ParseAddress(first); !ok || checked != first {
		t.Errorf("%q is not a checksummed address", first)
	}
	if second, err := receivingAddress(dir); err != nil || second != first {
		t.Errorf("the second start has %q, %v", second, err)
	}
	if other, err := receivingAddress(t.TempDir()); err != nil || other == first {
		t.Errorf("another folder has %q, %v", other, err)
	}
}

// TestSecretsOfEarlierVersion opens a data folder of a version whose settings held
// one key: its guests are the same, and each ring has the key that there was.
func TestSecretsOfEarlierVersion(t *testing.T) {
	const (
		guestKey = "JXQ2ZB7V4N6YHC3KDR5TFWMAPSJXQ2ZB7V4N6YHC3KDR5TFWMAPS"
		hopKey   = "TFWMAPSJXQ2ZB7V4N6YHC3KDR5TFWMAPSJXQ2ZB7V4N6YHC3KDR5"
		token    = "ipt_eyJhbGciOiJIUzI1NiIsImtpZCI6Im5EbjdCTXZ0IiwidHlwIjoiSldUIn0.eyJpYXQiOjE3OTUzNDg4MDAsInN1YiI6IkFBRUNBd1FGQmdjSUNRb0xEQTBPRHcifQ.LF1l1wfIi0XuGnu3dyL7pZomsqElfu0xSK5NCOEzItY"
		owner    = "g_f30b6f440eca9656dcb9d0c80c9793d9"
	)
	dir := t.TempDir()
	if err := keep(filepath.Join(dir, secretsFile), []byte(`{"GUEST_KEY": "`+guestKey+`", "HOP_TICKET_KEY": "`+hopKey+`"}`)); err != nil {
		t.Fatal(err)
	}
	made, err := secrets(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(made) // which refuses the names of the earlier version
	if err != nil {
		t.Fatal(err)
	}
	if o, err := identity.NewGuests(c.GuestKeys, time.Now).Verify(token); err != nil || o != owner {
		t.Errorf("a guest of the folder is %q, %v; want %s", o, err, owner)
	}
	if diff := cmp.Diff([][]byte{[]byte(hopKey)}, c.TicketKeys.Secrets()); diff != "" {
		t.Errorf("keys of tickets (-want +got):\n%s", diff)
	}
	if again, err := secrets(dir); err != nil || !cmp.Equal(made, again) {
		t.Errorf("the second start has other secrets: %v", err)
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
