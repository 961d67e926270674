package main

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"miramundo.dev/shared/billing/x402"
)

// secretsFile keeps the secrets of a stack, within its data folder.
const secretsFile = "secrets.json"

// tokenFile holds the operator's token alone, so that a shell can read it:
// token=$(cat .data/operator-token).
const tokenFile = "operator-token"

// receiverFile holds the address to which test money is paid.
const receiverFile = "payment-address"

// rings are the settings with key rings that a stack makes for itself, once. Each
// has the name of the setting that held its only key in earlier versions.
var rings = []struct{ name, before string }{
	{"GUEST_KEYS", "GUEST_KEY"}, {"HOP_TICKET_KEYS", "HOP_TICKET_KEY"}, {"PEOPLE_KEYS", "PEOPLE_KEY"}, {"ACCOUNT_KEYS", ""},
}

// secrets returns the secrets that are kept in dir, by the names of their
// settings. It makes those that are not there, so that what one start has
// signed the next one accepts. The key of an earlier version becomes the key of
// its ring, so that guests of the folder keep their libraries.
func secrets(dir string) (map[string]string, error) {
	path := filepath.Join(dir, secretsFile)
	kept := map[string]string{}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("secrets of the data folder: %w (remove %s for new ones)", err, path)
	}
	made := false
	for _, ring := range rings {
		if kept[ring.name] == "" {
			kept[ring.name], made = "first:"+cmp.Or(kept[ring.before], rand.Text()+rand.Text()), true
		}
		delete(kept, ring.before)
	}
	if !made {
		return kept, nil
	}
	if data, err = json.MarshalIndent(kept, "", "  "); err != nil {
		return nil, err
	}
	return kept, keep(path, data)
}

// operatorToken returns the operator's token that is kept in dir. The first call
// makes one that nobody can guess.
func operatorToken(dir string) (string, error) { return kept(dir, tokenFile, rand.Text) }

// receivingAddress returns the address that is kept in dir and takes the test money.
// It is random, so that no wallet can spend from it.
func receivingAddress(dir string) (string, error) {
	return kept(dir, receiverFile, func() string {
		b := make([]byte, 20)
		rand.Read(b)
		address, _ := x402.ParseAddress("0x" + hex.EncodeToString(b))
		return address
	})
}

// kept returns the line that a file of dir holds. The first call makes it.
func kept(dir, file string, made func() string) (string, error) {
	path := filepath.Join(dir, file)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s of the data folder: %w", file, err)
	}
	if line := strings.TrimSpace(string(data)); line != "" {
		return line, nil
	}
	line := made()
	return line, keep(path, []byte(line+"\n"))
}

// keep writes a file whole or not at all, for its owner alone.
func keep(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	half := path + ".new"
	if err := os.WriteFile(half, data, 0o600); err != nil {
		return err
	}
	return os.Rename(half, path)
}
