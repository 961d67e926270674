package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"miramundo.dev/miramundo/backup"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/wire"
)

// A machine makes a backup of its data by its own clock, and one at once when the
// database file is deleted or replaced while it runs: the open file still has
// everything then, and ends with the process.

// backupJob is the name of the backup for the clock.
const backupJob = "backup"

// backupsPerPeriod is how often, in the time between two backups, the clock looks
// whether one is due: a machine that seldom runs for long still makes them.
const backupsPerPeriod = 24

// keepUpgrades is how many backups from before an upgrade are kept.
const keepUpgrades = 3

// Backup makes a backup of the folder, which a machine may use meanwhile, and returns
// its path.
func (f Folder) Backup(ctx context.Context) (path string, m backup.Manifest, err error) {
	return f.backup(ctx, f.backupFolder(), f.Keep)
}

// backup makes a backup of the folder in another one, which keeps as many.
func (f Folder) backup(ctx context.Context, in string, keep int) (path string, m backup.Manifest, err error) {
	files, err := datafolder.Files(f.Dir)
	if err != nil {
		return "", m, fmt.Errorf("backup: %w", err)
	}
	o := f.backupOptions(files, func(ctx context.Context, to string) error {
		return sqlite.CopyFile(ctx, wire.DatabasePath(f.Dir), to)
	})
	o.Folder, o.Keep = in, keep
	path, m, err = backup.Make(ctx, o)
	return path, m, datafolder.Explain(err, f.remedy())
}

// Begin records that a program uses the folder. Unless the same one used it before, Begin
// makes a backup first, from which the former program can go on; the daily ones do not
// push it out. It must be called after Check and Secrets, before the database is open.
func (f Folder) Begin(ctx context.Context, program datafolder.Program) error {
	last, err := datafolder.LastVersion(f.Dir, f.remedy())
	if err != nil || last.Is(program) {
		return err
	}
	if sizeOf(wire.DatabasePath(f.Dir)) > 0 {
		path, _, err := f.backup(ctx, f.upgradeFolder(), keepUpgrades)
		if err != nil {
			return fmt.Errorf("before another version uses the data: %w", err)
		}
		f.Warn("the data was last used by %s; its backup before %s is %s", cmp.Or(last.Name, "an earlier version"), program.Name, path)
	}
	return datafolder.KeepVersion(f.Dir, program)
}

// backupOptions returns how a backup of the folder is made.
func (f Folder) backupOptions(files map[string][]byte, copyTo func(context.Context, string) error) backup.Options {
	return backup.Options{
		Folder: f.backupFolder(), Keep: f.Keep, Copy: copyTo, Files: files,
		Size: sizeOf(wire.DatabasePath(f.Dir)) + sizeOf(wire.DatabasePath(f.Dir)+"-wal"),
		Now:  time.Now, Free: backup.Free,
	}
}

// sizeOf returns the size of a file; 0 when it is missing.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// backup makes a backup of what the machine has open.
func (m *Machine) backup(ctx context.Context) error {
	local, ok := store.LocalOf(m.Parts.DB)
	if !ok {
		return errors.New("the documents are not in a file of this machine")
	}
	files := maps.Clone(m.Files)
	if data, err := os.ReadFile(string(m.mark)); err == nil {
		files[filepath.Base(string(m.mark))] = data
	}
	path, manifest, err := backup.Make(ctx, m.Folder.backupOptions(files, local.CopyInto))
	if err == nil {
		m.Folder.Say("backup %s: %d documents", path, manifest.Rows["documents"])
	}
	return err
}

// backupIfDue makes a backup when the newest one is too old, and prints a failure,
// which stops nothing else.
func (m *Machine) backupIfDue(ctx context.Context) {
	due, err := backup.Due(m.Folder.backupFolder(), m.Folder.Every, time.Now())
	if err == nil && due {
		err = m.backup(ctx)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, backup.ErrRunning) {
		m.Folder.Warn("%v", err)
	}
}

// hasBackups reports whether the machine makes backups by its clock.
func (m *Machine) hasBackups() bool { return m.Folder.Every > 0 && !m.Folder.Elsewhere }

// guardInterval is how often guard looks at the database.
const guardInterval = time.Second

// guard reads the database once, where the start did not, and then watches until ctx
// is done whether its file is still there. It saves what the machine has open when the
// file was deleted or replaced.
func (m *Machine) guard(ctx context.Context) {
	local, ok := store.LocalOf(m.Parts.DB)
	if !ok {
		return
	}
	if !m.checked {
		if err := local.Check(ctx); err != nil && ctx.Err() == nil {
			m.Folder.Warn("%v", datafolder.Explain(err, m.Folder.remedy()))
		}
	}
	tick := time.NewTicker(guardInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if vanished, ok := errors.AsType[*sqlite.Vanished](local.Problem()); ok {
			m.rescue(ctx, vanished)
			return
		}
	}
}

// rescue saves what the machine has open after its file was deleted or replaced.
func (m *Machine) rescue(ctx context.Context, cause error) {
	m.Folder.Warn("%v; nothing is saved any more, and writes are answered 503", cause)
	if err := m.backup(ctx); err != nil {
		m.Folder.Warn("what was saved before is open in this process alone, and could not be copied: %v. Do not stop it: make room or a folder for backups, or copy its open files", err)
		return
	}
	m.Folder.Warn("everything that was saved before is in a backup now. Stop this process, then %s", m.Folder.remedy())
}
