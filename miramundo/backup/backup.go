// Package backup copies the data folder of a machine while it runs, and restores it: that
// of the program miramundo, and that of the local stack of developers.
//
//	{folder}/2026-11-23T18-00-00.000Z/    a backup, which is whole once it has such a name
//	    manifest.json                     what it holds: the Manifest
//	    miramundo.db                      documents and events, as of one moment
//	    secrets.json, operator-token, …   the files with which they belong together
//	{folder}/before-upgrade/…             a folder of the same kind, from before upgrades
//	{folder}/.partial-…                   a backup that is being made, or was cut off
//
// A backup is written under another name, read back and compared, and then renamed.
// Only the newest backups are kept; an older one is renamed before it is deleted, so
// that a folder with the name of a backup is always whole.
package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/wire"
)

const (
	nameLayout   = "2006-01-02T15-04-05.000Z"
	partial      = ".partial-"
	lockFile     = ".lock"
	manifestFile = "manifest.json"
)

// A Manifest is what a backup holds. It is stored in the backup.
type Manifest struct {
	MadeAt time.Time         `json:"made_at"`
	Mark   string            `json:"mark"`  // the last commit of the database
	Rows   map[string]int    `json:"rows"`  // of the database, by table
	Files  map[string]string `json:"files"` // SHA-256, in hex, by name
}

// reserve is how many bytes of the disk a backup leaves free.
const reserve = 256 << 20

// Options say what is copied, and where to.
type Options struct {
	Folder string // of the backups; it is created for its owner alone
	Keep   int    // how many backups are kept, at least 1

	Copy  func(ctx context.Context, to string) error // copies the database into a new file
	Size  int64                                      // of the database, about
	Files map[string][]byte                          // the other files, by name

	Now  func() time.Time
	Free func(dir string) (int64, error) // bytes of the disk that are free
}

// ErrRunning is returned while another process makes a backup in the same folder.
var ErrRunning = errors.New("another backup is being made in the same folder")

// Make makes a backup, reads it back, and deletes the oldest ones beyond those that
// are kept. It returns the path of the new one. It has every write that was
// acknowledged before Make was called. When Make fails, the backups of before are
// still there.
func Make(ctx context.Context, o Options) (path string, m Manifest, err error) {
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return "", m, fmt.Errorf("backup: %w", err)
	}
	unlock, err := datafolder.Lock(o.Folder, lockFile)
	if errors.Is(err, datafolder.ErrLocked) {
		err = ErrRunning
	}
	if err != nil {
		return "", m, fmt.Errorf("backup: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := deletePartial(o.Folder); err != nil {
		return "", m, fmt.Errorf("backup: one that was cut off: %w", err)
	}
	if free, err := o.Free(o.Folder); err != nil || free < o.Size+reserve {
		return "", m, errors.Join(err, fmt.Errorf("backup: the disk of %s has %d MiB free; a backup of %d MiB must leave %d MiB", o.Folder, free>>20, o.Size>>20, int64(reserve)>>20))
	}
	work, err := os.MkdirTemp(o.Folder, partial)
	if err != nil {
		return "", m, fmt.Errorf("backup: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("backup: %w", err), os.RemoveAll(work))
		}
	}()
	if m, err = fill(ctx, work, o); err != nil {
		return "", m, err
	}
	if _, err = Verify(ctx, work); err != nil {
		return "", m, err
	}
	path = filepath.Join(o.Folder, m.MadeAt.Format(nameLayout))
	if err = os.Rename(work, path); err != nil {
		return "", m, err
	}
	if err := errors.Join(sqlite.SyncFolder(o.Folder), rotate(o.Folder, o.Keep, m.MadeAt)); err != nil {
		return path, m, fmt.Errorf("backup %s is made, but: %w", path, err)
	}
	return path, m, nil
}

// fill writes the files of a backup into dir, the manifest last.
func fill(ctx context.Context, dir string, o Options) (m Manifest, err error) {
	m = Manifest{MadeAt: o.Now().UTC().Truncate(time.Millisecond), Files: map[string]string{}}
	database := wire.DatabasePath(dir)
	if err := o.Copy(ctx, database); err != nil {
		return m, err
	}
	content, err := sqlite.Verify(ctx, database)
	if err != nil {
		return m, err
	}
	m.Mark, m.Rows = content.Mark, content.Rows
	for name, data := range o.Files {
		if err := datafolder.Keep(filepath.Join(dir, name), data); err != nil {
			return m, err
		}
	}
	names := slices.Collect(maps.Keys(o.Files))
	for _, name := range append(names, filepath.Base(database)) {
		if m.Files[name], err = datafolder.Sum(filepath.Join(dir, name)); err != nil {
			return m, err
		}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, err
	}
	return m, datafolder.Keep(filepath.Join(dir, manifestFile), text)
}

// Verify reads a backup back: every file has the checksum of the manifest, and the
// database is whole and holds as much as the manifest says.
func Verify(ctx context.Context, dir string) (m Manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return m, fmt.Errorf("%s is not a whole backup: %w", dir, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s is damaged: %s: %w", dir, manifestFile, err)
	}
	for name, want := range m.Files {
		if filepath.Base(name) != name {
			return m, fmt.Errorf("%s is damaged: %s names %q", dir, manifestFile, name)
		}
		got, err := datafolder.Sum(filepath.Join(dir, name))
		if err != nil {
			return m, fmt.Errorf("%s is damaged: %w", dir, err)
		}
		if got != want {
			return m, fmt.Errorf("%s is damaged: %s has another checksum than when it was made", dir, name)
		}
	}
	content, err := sqlite.Verify(ctx, wire.DatabasePath(dir))
	if err != nil {
		return m, fmt.Errorf("%s is damaged: %w", dir, err)
	}
	if content.Mark != m.Mark || fmt.Sprint(content.Rows) != fmt.Sprint(m.Rows) {
		return m, fmt.Errorf("%s is damaged: its database holds %v rows and the mark %s, want %v and %s", dir, content.Rows, content.Mark, m.Rows, m.Mark)
	}
	return m, nil
}

// List returns the paths of the backups in a folder, the newest first. Those with a
// time after now were made before the clock was set back, so they come last. A folder
// that does not exist has none.
func List(folder string, now time.Time) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var all, ahead []string
	for _, e := range slices.Backward(entries) { // by name, which is by time
		at, ok := madeAt(e.Name())
		switch path := filepath.Join(folder, e.Name()); {
		case !ok || !e.IsDir():
		case at.After(now):
			ahead = append(ahead, path)
		default:
			all = append(all, path)
		}
	}
	return append(all, ahead...), nil
}

// Last returns when the newest backup of a folder was made; the zero time when it has none.
// It is after now only where all of them were made before the clock was set back.
func Last(folder string, now time.Time) (time.Time, error) {
	all, err := List(folder, now)
	if err != nil || len(all) == 0 {
		return time.Time{}, err
	}
	at, _ := madeAt(filepath.Base(all[0]))
	return at, nil
}

// Due reports whether the newest backup of a folder is older than every at now, or was
// made before the clock was set back.
func Due(folder string, every time.Duration, now time.Time) (bool, error) {
	at, err := Last(folder, now)
	return err == nil && (at.After(now) || now.Sub(at) >= every), err
}

// madeAt returns when a backup was made, by its name.
func madeAt(name string) (time.Time, bool) {
	at, err := time.Parse(nameLayout, name)
	return at, err == nil
}

// rotate deletes the oldest backups beyond keep. The newest one was made at now.
func rotate(folder string, keep int, now time.Time) error {
	all, err := List(folder, now)
	if err != nil || len(all) <= max(keep, 1) {
		return err
	}
	for _, path := range all[max(keep, 1):] {
		aside := filepath.Join(folder, partial+filepath.Base(path))
		if err := os.Rename(path, aside); err != nil {
			return err
		}
		if err := os.RemoveAll(aside); err != nil {
			return err
		}
	}
	return nil
}

// deletePartial deletes what a backup that was cut off left behind. The caller holds
// the lock of the folder.
func deletePartial(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partial) {
			if err := os.RemoveAll(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Free returns how many bytes of the disk of dir are free.
func Free(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:gosec,unconvert // below 2^63 on every disk; the types differ by system
}
