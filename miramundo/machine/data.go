package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"miramundo.dev/miramundo/backup"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/shared/account"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/wire"
)

// A Folder is the data folder of a machine, and where its backups are.
type Folder struct {
	Dir        string
	Elsewhere  bool          // the documents are not in the folder, but in a database of its own
	AcceptLoss bool          // go on with what is left when the data is damaged or incomplete
	Backups    string        // folder of the backups; empty is the folder backups in Dir
	Every      time.Duration // between two backups; 0 makes none
	Keep       int           // how many backups are kept

	// Remedy says how the operator restores a backup, named as a word for a shell, into
	// a new folder.
	Remedy func(backup string) string
	Say    func(format string, args ...any) // prints a line for the operator, on how things go
	// Warn prints a line that the operator must see however little is printed: of a
	// failure, of data that is damaged, lost or rescued, and of a way back.
	Warn func(format string, args ...any)
}

// Take takes the folder for this process alone until release, and does what Check does.
// Nothing in a folder that another process has taken is changed.
func (f Folder) Take() (release func() error, err error) {
	if err := datafolder.Check(f.Dir); err != nil {
		return nil, err
	}
	if release, err = datafolder.Take(f.Dir); err != nil {
		return nil, err
	}
	if err := f.checkData(); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// Check checks the folder. With AcceptLoss the database is made to open with what it
// has. Its error is for the operator to read.
func (f Folder) Check() error {
	if err := datafolder.Check(f.Dir); err != nil {
		return err
	}
	return f.checkData()
}

// checkData checks what is in the folder.
func (f Folder) checkData() error {
	if f.Elsewhere {
		return nil
	}
	if _, err := datafolder.LastVersion(f.Dir, f.remedy()); err != nil {
		return err
	}
	if !f.AcceptLoss {
		return f.checkMissing()
	}
	renamed, err := sqlite.AcceptLoss(wire.DatabasePath(f.Dir), time.Now())
	for _, file := range renamed {
		f.Warn("a file that does not fit the database is now %s", file)
	}
	return err
}

// checkMissing returns a Trouble when the folder was used with a database, and has
// nothing of it any more.
func (f Folder) checkMissing() error {
	path := wire.DatabasePath(f.Dir)
	if sizeOf(string(MarkIn(f.Dir))) == 0 || sizeOf(path) > 0 {
		return nil
	}
	return datafolder.Explain(&sqlite.Damage{Path: path, Problem: "the file is missing, and the folder was used with one"}, f.remedy())
}

// backupFolder returns where the backups are.
func (f Folder) backupFolder() string { return cmp.Or(f.Backups, filepath.Join(f.Dir, "backups")) }

// upgradeFolder returns where the backups from before an upgrade are, which the daily ones
// do not push out.
func (f Folder) upgradeFolder() string { return filepath.Join(f.backupFolder(), "before-upgrade") }

// newest returns the path of the newest backup, or "" before the first backup.
func (f Folder) newest() (newest string) {
	for _, folder := range []string{f.backupFolder(), f.upgradeFolder()} {
		all, err := backup.List(folder, time.Now())
		if err == nil && len(all) > 0 && filepath.Base(all[0]) > filepath.Base(newest) { // by name, which is by time
			newest = all[0]
		}
	}
	return newest
}

// remedy says how the operator restores the newest backup.
func (f Folder) remedy() string {
	newest := f.newest()
	if newest == "" {
		return fmt.Sprintf("restore a backup into a new folder: %s (%s has no backups)", f.Remedy("BACKUP"), f.backupFolder())
	}
	return "restore the newest backup into a new folder: " + f.Remedy(datafolder.Quote(newest))
}

// checkMax is the size of a database that is read whole before it is used. It takes
// about a quarter of a second; a larger one is read while the machine runs.
const checkMax = 64 << 20

// checkDatabase reads the database whole, unless that takes long.
func (m *Machine) checkDatabase(ctx context.Context) error {
	local, ok := store.LocalOf(m.Parts.DB)
	if m.checked = ok && sizeOf(wire.DatabasePath(m.Folder.Dir)) <= checkMax; !m.checked {
		return nil
	}
	return datafolder.Explain(local.Check(ctx), m.Folder.remedy())
}

// Secrets returns the key rings that the folder keeps, by the names of their settings.
// The first call makes them.
func (f Folder) Secrets() (map[string]string, error) {
	return datafolder.Secrets{
		Dir: f.Dir, AcceptLoss: f.AcceptLoss, Remedy: f.remedy(), Say: f.Warn, Now: time.Now,
		Inhabited: func() (bool, error) {
			if f.Elsewhere {
				return false, nil
			}
			return inhabited(f.Dir, f.remedy())
		},
	}.Load()
}

// owned are where documents of people are.
var owned = []func(identity.Owner) store.Path{library.Path, kept.FavoritesPath, kept.HistoryPath, comment.PacePath, pass.Path, account.Path}

// selectOwned reports whether a collection has documents, or one below it: "0" follows
// "/" in the order of texts.
const selectOwned = "SELECT EXISTS (SELECT 1 FROM documents WHERE collection = ?1 OR collection > ?1 || '/' AND collection < ?1 || '0')"

// inhabited reports whether the database of a folder has documents of people. A
// folder without a database has none.
func inhabited(dir, remedy string) (found bool, err error) {
	path := wire.DatabasePath(dir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	f, err := sqlite.Open(path)
	if err != nil {
		return false, datafolder.Explain(err, remedy)
	}
	db, err := embedded.On(f.Share(), time.Now)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close(), db.Close()) }()
	for _, path := range owned {
		first, _, _ := strings.Cut(string(path("g_0")), "/")
		if err := f.Scan(context.Background(), selectOwned, []any{first}, &found); err != nil || found {
			return found, err
		}
	}
	return false, nil
}
