package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// secretsFile keeps the secrets of a stack, within its data folder.
const secretsFile = "secrets.json"

// secretNames are the settings that a stack makes up for itself, once.
var secretNames = []string{"GUEST_KEY", "HOP_TICKET_KEY", "PEOPLE_KEY"}

// secrets returns the secrets that are kept in dir, by the names of their
// settings. It makes those that are not there, so that what one start has
// signed the next one knows.
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
	return kept, keep(path, kept)
}

// keep writes the secrets whole or not at all, for their owner alone.
func keep(path string, kept map[string]string) error {
	data, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	half := path + ".new"
	if err := os.WriteFile(half, data, 0o600); err != nil {
		return err
	}
	return os.Rename(half, path)
}
