package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/wire"
)

// ErrInUse is returned by Restore for a folder that has data.
var ErrInUse = errors.New("the folder has data already")

// Restore puts the files of the backup in from into the folder to, and verifies
// them there. It never replaces a file: to must have neither a database nor secrets.
//
// The database comes last, by a rename. A stack that finds the folder after a Restore
// was cut off refuses to start, since the mark of the database is there without it.
func Restore(ctx context.Context, from, to string) (m Manifest, err error) {
	if m, err = Verify(ctx, from); err != nil {
		return m, fmt.Errorf("restore: %w", err)
	}
	database := wire.DatabasePath(to)
	for _, path := range []string{database, database + "-wal", database + "-mark", filepath.Join(to, datafolder.SecretsFile), filepath.Join(to, datafolder.CopyFile)} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return m, fmt.Errorf("restore: %w: %s; stop the stack that uses it, give the folder another name (mv %s %s) or name a new one, then repeat", ErrInUse, path, datafolder.Quote(to), datafolder.Quote(to+".before"))
		}
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return m, fmt.Errorf("restore: %w", err)
	}
	if err := place(m, from, to); err != nil {
		return m, fmt.Errorf("restore: %w", err)
	}
	content, err := sqlite.Verify(ctx, database)
	if err != nil || content.Mark != m.Mark {
		return m, fmt.Errorf("restore: the copy in %s differs from the backup: %w", to, errors.Join(err, errors.New(content.Mark)))
	}
	return m, nil
}

// place copies the files of a backup.
func place(m Manifest, from, to string) error {
	database := wire.DatabasePath(to)
	if err := sqlite.WriteMark(database, sqlite.Content{Mark: m.Mark}); err != nil {
		return err
	}
	for name := range m.Files {
		if name == filepath.Base(database) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := datafolder.Keep(filepath.Join(to, name), data); err != nil {
			return err
		}
	}
	half := database + ".new"
	if err := copyFile(wire.DatabasePath(from), half); err != nil {
		return errors.Join(err, os.Remove(half))
	}
	return errors.Join(os.Rename(half, database), sqlite.SyncFolder(to))
}

// copyFile copies a file to disk, for its owner alone.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
