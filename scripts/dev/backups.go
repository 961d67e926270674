package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"time"

	"miramundo.dev/scripts/dev/backup"
	"miramundo.dev/scripts/dev/datafolder"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
	"miramundo.dev/shared/wire"
)

// The stack makes a backup of its data by its own clock, and one at once when the
// database file is deleted or replaced while it runs: the open file still has
// everything then, and ends with the process.

// backupJob is the name of the backup for the clock.
const backupJob = "backup"

// backupsPerPeriod is how often, in the time between two backups, the clock looks
// whether one is due: a stack that seldom runs for long still makes them.
const backupsPerPeriod = 24

// backupFolder returns where the backups of a data folder are.
func (s settings) backupFolder() string {
	return cmp.Or(s.backups, filepath.Join(s.data, "backups"))
}

// remedy says how the operator restores a backup.
func (s settings) remedy() string {
	all, err := backup.List(s.backupFolder(), time.Now())
	if err != nil || len(all) == 0 {
		return fmt.Sprintf("restore a backup into a new folder: make restore FROM=BACKUP DATA=NEW, then make run DATA=NEW (%s has no backups)", s.backupFolder())
	}
	return fmt.Sprintf("restore the newest backup into a new folder: make restore FROM=%s DATA=NEW, then make run DATA=NEW", datafolder.Quote(all[0]))
}

// backupOnce makes a backup of a data folder, which a stack may use meanwhile.
func backupOnce(ctx context.Context, s settings, out io.Writer) error {
	file, err := config.ReadStack(s.stackFile)
	if err != nil {
		return fmt.Errorf("-config: %w", err)
	}
	files, err := datafolder.Files(s.data)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	path, m, err := backup.Make(ctx, s.backupOptions(file, files, func(ctx context.Context, to string) error {
		return sqlite.CopyFile(ctx, wire.DatabasePath(s.data), to)
	}))
	if err != nil {
		return datafolder.Explain(err, s.remedy())
	}
	fmt.Fprintf(out, "backup %s: %d documents, %d events, read back and compared\n", path, m.Rows["documents"], m.Rows["events"])
	return nil
}

// restoreOnce restores a backup into a folder without data.
func restoreOnce(ctx context.Context, s settings, out io.Writer) error {
	m, err := backup.Restore(ctx, s.restore, s.data)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "restored %s into %s: %d documents as of %s; start it with make run DATA=%s\n",
		s.restore, s.data, m.Rows["documents"], m.MadeAt.Format(time.RFC3339), datafolder.Quote(s.data))
	return nil
}

// backupOptions returns how a backup of the data folder is made.
func (s settings) backupOptions(file config.Stack, files map[string][]byte, copyTo func(context.Context, string) error) backup.Options {
	return backup.Options{
		Folder: s.backupFolder(), Keep: file.Backups.Keep, Copy: copyTo, Files: files,
		Size: sizeOf(wire.DatabasePath(s.data)) + sizeOf(wire.DatabasePath(s.data)+"-wal"),
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

// backup makes a backup of what the stack has open.
func (st *stack) backup(ctx context.Context) error {
	local, ok := store.LocalOf(st.parts.DB)
	if !ok {
		return errors.New("the documents are not in a file of this machine")
	}
	files := maps.Clone(st.files)
	if data, err := os.ReadFile(string(st.mark)); err == nil {
		files[filepath.Base(string(st.mark))] = data
	}
	path, m, err := backup.Make(ctx, st.backupOptions(st.file, files, local.CopyInto))
	if err == nil {
		st.out.say("backup %s: %d documents", path, m.Rows["documents"])
	}
	return err
}

// backupIfDue makes a backup when the newest one is too old, and prints a failure,
// which stops nothing else.
func (st *stack) backupIfDue(ctx context.Context) {
	due, err := backup.Due(st.backupFolder(), st.file.Backups.Every.Duration, time.Now())
	if err == nil && due {
		err = st.backup(ctx)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, backup.ErrRunning) {
		st.out.say("%v", err)
	}
}

// hasBackups reports whether the stack makes backups by its clock.
func (st *stack) hasBackups() bool {
	return st.file.Backups.Every.Duration > 0 && st.backend == string(wire.Embedded)
}

// guardInterval is how often guard looks at the database.
const guardInterval = time.Second

// guard reads the database once, where the start did not, and then watches until ctx
// is done whether its file is still there. It saves what the stack has open when the
// file was deleted or replaced.
func (st *stack) guard(ctx context.Context) {
	local, ok := store.LocalOf(st.parts.DB)
	if !ok {
		return
	}
	if !st.checked {
		if err := local.Check(ctx); err != nil && ctx.Err() == nil {
			st.out.say("%v", datafolder.Explain(err, st.remedy()))
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
			st.rescue(ctx, vanished)
			return
		}
	}
}

// rescue saves what the stack has open after its file was deleted or replaced.
func (st *stack) rescue(ctx context.Context, cause error) {
	st.out.say("%v; nothing is saved any more, and writes are answered 503", cause)
	if err := st.backup(ctx); err != nil {
		st.out.say("what was saved before is open in this process alone, and could not be copied: %v. Do not stop it: make room or a folder for backups (-backups), or copy its open files", err)
		return
	}
	st.out.say("everything that was saved before is in that backup. Stop the stack, then %s", st.remedy())
}
