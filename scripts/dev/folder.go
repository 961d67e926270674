package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"miramundo.dev/miramundo/backup"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/miramundo/machine"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/wire"
)

// folder returns the data folder that the flags name, with the backups of the stack's
// file.
func (s settings) folder(file config.Stack, say func(string, ...any)) machine.Folder {
	return machine.Folder{
		Dir: s.data, Elsewhere: s.backend != string(wire.Embedded), AcceptLoss: s.acceptLoss,
		Backups: s.backups, Every: file.Backups.Every.Duration, Keep: file.Backups.Keep,
		Say: say, Warn: say,
		Remedy: func(backup string) string {
			return fmt.Sprintf("make restore FROM=%s DATA=NEW, then make run DATA=NEW", backup)
		},
	}
}

// backupOnce makes a backup of a data folder, which a stack may use meanwhile.
func backupOnce(ctx context.Context, s settings, out io.Writer) error {
	file, err := config.ReadStack(s.stackFile)
	if err != nil {
		return fmt.Errorf("-config: %w", err)
	}
	path, m, err := s.folder(file, nil).Backup(ctx)
	if err != nil {
		return err
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
