package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// secretsFile keeps the secrets of a stack, within its data folder.
const secretsFile = "secrets.json"

// tokenFile holds the operator's token alone, so that a shell can read it:
// token=$(cat .data/operator-token).
const tokenFile = "operator-token"

// secretNames are the settings that a stack makes up for itself, once.
var secretNames = []string{"GUEST_KEY", "HOP_TICKET_KEY", "PEOPLE_KEY"}

// secrets returns the secrets that are kept in dir, by the names of their
// settings. It makes those that are not there, so that what one start has
// signed the next one accepts.
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
	for _, name := range secretNames {
		if kept[name] == "" {
			kept[name], made = rand.Text()+rand.Text(), true
		}
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
func operatorToken(dir string) (string, error) {
	path := filepath.Join(dir, tokenFile)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("operator token of the data folder: %w", err)
	}
	if token := strings.TrimSpace(string(data)); token != "" {
		return token, nil
	}
	token := rand.Text()
	return token, keep(path, []byte(token+"\n"))
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
