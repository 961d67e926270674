// Package folder keeps mails as files instead of sending them, for the local stack
// and for tests.
//
// Each mail is one file in the form in which it would be sent, with a name that
// begins with its time. Files are written whole or not at all. The oldest are
// removed when there are too many.
package folder

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"miramundo.dev/shared/mail"
)

// most is how many mails are kept.
const most = 500

// suffix ends the name of a mail. A file that is still written has another one.
const suffix = ".eml"

// A Folder is a [mail.Sender] that keeps what it is given.
type Folder struct {
	dir  string
	head mail.Letterhead
}

// New returns the folder at dir, which the first mail makes.
func New(dir string, head mail.Letterhead) *Folder { return &Folder{dir, head} }

// Send writes a file.
func (f *Folder) Send(_ context.Context, m mail.Message) error {
	msg, err := f.head.Encode(m)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return mail.ErrNotSent.Because(err)
	}
	name := f.head.Now().UTC().Format("20060102T150405.000000000Z-") + rand.Text() + suffix
	if err := errors.Join(f.write(name, b.Bytes()), f.trim()); err != nil {
		return mail.ErrNotSent.Because(err)
	}
	return nil
}

// write writes a file whole or not at all, for its owner alone: it may open an
// account.
func (f *Folder) write(name string, data []byte) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	half := filepath.Join(f.dir, name+".new")
	if err := os.WriteFile(half, data, 0o600); err != nil {
		return err
	}
	return os.Rename(half, filepath.Join(f.dir, name))
}

// trim removes the oldest mails of too many. Another process may remove the same.
func (f *Folder) trim() error {
	names, err := Names(f.dir)
	if err != nil || len(names) <= most {
		return err
	}
	for _, name := range names[most:] {
		if err := os.Remove(filepath.Join(f.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Names returns the names of the mails in the folder at dir, the newest first. A
// folder that does not exist has none.
func Names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, e.Name())
		}
	}
	slices.Reverse(names)
	return names, err
}
