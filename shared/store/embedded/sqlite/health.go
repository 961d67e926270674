package sqlite

import (
	"context"
	"errors"
	"os"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// A commit into a file that was deleted or replaced meanwhile succeeds, and is gone
// with the process. So each commit compares the files at their paths with those that
// are open, before it is acknowledged, and the loop below compares them while nothing
// is written. Reads of connections that are open go on: the open files have all that
// was committed to them.
//
// The loop also tries to write again after a write that failed for want of space, so
// that the state of the file does not depend on somebody trying.

// checkInterval is how often the files are compared while nothing is written.
const checkInterval = time.Second

// A Vanished is the problem of a file that was deleted or replaced while it is open.
type Vanished struct{ Path string }

func (v *Vanished) Error() string {
	return "the file " + v.Path + " was deleted or replaced while it is open"
}

// Problem returns why the file takes no writes now; nil when it does, as far as is
// known. It is an outage of package store, with a [Vanished] as its cause where that
// is the reason.
func (f *File) Problem() error {
	if err := f.problem.Load(); err != nil {
		return *err
	}
	return nil
}

// Report has f call report when it begins to take no writes, with its Problem, and
// with nil when it takes them again.
func (f *File) Report(report func(error)) { f.report.Store(&report) }

// announce calls what Report was given.
func (f *File) announce(err error) {
	if report := f.report.Load(); report != nil {
		(*report)(err)
	}
}

// note remembers the outcome of a write for Problem.
func (f *File) note(err error) {
	if _, ok := errors.AsType[*fault.Outage](err); ok && !errors.Is(err, store.ErrBusy) {
		if _, vanished := errors.AsType[*Vanished](err); vanished {
			f.db.SetMaxOpenConns(f.db.Stats().OpenConnections) // a new one would read another file, or none
		}
		if before := f.problem.Swap(&err); before == nil || !errors.Is(err, *before) {
			f.announce(err)
		}
		return
	}
	if err == nil && f.problem.Swap(nil) != nil {
		f.announce(nil)
	}
}

// identify remembers which files are open.
func (f *File) identify() (err error) {
	if f.openFile, err = os.Stat(f.path); err != nil {
		return err
	}
	if f.openLog, err = os.Stat(f.path + "-wal"); errors.Is(err, os.ErrNotExist) {
		return nil // the file system does not support a log
	}
	return err
}

// Vanished returns an error when a file at its path is not the one that is open.
func (f *File) Vanished() error {
	for suffix, open := range map[string]os.FileInfo{"": f.openFile, "-wal": f.openLog} {
		if open == nil {
			continue
		}
		now, err := os.Stat(f.path + suffix)
		if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(now, open) {
			return store.ErrReadOnly.Because(&Vanished{f.path + suffix})
		}
	}
	return nil
}

// watch compares the files until ctx is done.
func (f *File) watch(ctx context.Context) {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := f.Vanished(); err != nil {
			f.note(err)
			continue
		}
		if f.Problem() != nil {
			_ = f.Write(ctx, func(tx *Tx) error { tx.f.changed = true; return nil }) // its outcome is noted
		}
	}
}
