package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A Damage means that the files of a database are not what they were when it was
// used last. Nothing has been changed: the operator must decide.
type Damage struct {
	Path    string // of the database
	Problem string // what is wrong, and with which file
	Missing int64  // acknowledged commits that the database does not have, where that is known
	foreign bool   // the log, if there is one, is not of the database as it is
	err     error
}

func (d *Damage) Error() string {
	text := fmt.Sprintf("database %s: %s", d.Path, d.Problem)
	if d.err != nil {
		text += ": " + d.err.Error()
	}
	return text
}

func (d *Damage) Unwrap() error { return d.err }

// Unreadable reports whether SQLite cannot read the database, so that there is
// nothing with which to go on.
func (d *Damage) Unreadable() bool { return d.err != nil }

// inspect compares the files of the database at path before SQLite opens them, since
// SQLite would lose commits of a missing log, and apply the log of another database,
// without an error. Another process may be writing: what is read first is never ahead
// of what is read later. A database that cannot be read is left to SQLite to refuse.
func inspect(path string) error {
	beside, known := readMarkFile(path)
	log := filepath.Base(path) + "-wal"
	if size(path) == 0 {
		switch {
		case known:
			return &Damage{Path: path, Missing: beside.commits, foreign: true, Problem: fmt.Sprintf("the file is missing or empty, and had %d commits", beside.commits)}
		case size(path+"-wal") > 0:
			return &Damage{Path: path, foreign: true, Problem: fmt.Sprintf("the file is missing or empty, and its log %s is there", log)}
		}
		return nil
	}
	before, page, err := storedMark(path)
	if err != nil || page == 0 { // damaged, or of a version without the table
		return nil
	}
	logged, err := readLog(path+"-wal", page)
	if err != nil {
		return fmt.Errorf("database %s: its log: %w", path, err)
	}
	own := slices.DeleteFunc(slices.Clone(logged.marks), func(m mark) bool { return m.id != before.id })
	last := latest(own)
	switch {
	case len(logged.marks) > 0 && len(own) == 0:
		return &Damage{Path: path, foreign: true, Problem: fmt.Sprintf("the log %s beside it is of another database", log)}
	case len(own) > 0 && last.commits < before.commits:
		return &Damage{Path: path, foreign: true, Problem: fmt.Sprintf("the log %s beside it is older than the database", log)}
	}
	after, _, err := storedMark(path)
	if err != nil {
		return nil
	}
	now := latest([]mark{before, last, after})
	switch {
	case known && beside.id != now.id:
		return &Damage{Path: path, Problem: "it is not the database that this folder was used with, which " + filepath.Base(path) + markSuffix + " names"}
	case known && beside.commits > now.commits:
		n := beside.commits - now.commits
		return &Damage{Path: path, Missing: n, Problem: fmt.Sprintf("%d acknowledged commits are missing: its log %s was deleted, emptied or not copied, or the file is an older copy", n, log)}
	case !known && now.open && !logged.commits:
		return &Damage{Path: path, foreign: true, Problem: fmt.Sprintf("it was copied while it was in use, without its log %s, so that the last commits may be missing", log)}
	}
	return nil
}

// latest returns the mark with the most commits.
func latest(all []mark) (last mark) {
	for _, m := range all {
		if m.commits >= last.commits {
			last = m
		}
	}
	return last
}

// size returns the size of a file; 0 when it is missing.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// storedMark returns the mark in the database file itself, without its log, and the
// page that holds it; page 0 when the file has no mark.
func storedMark(path string) (m mark, page uint32, err error) {
	db, err := sql.Open("sqlite", address(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if err != nil {
		return m, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var text string
	err = db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'commits'").Scan(&page)
	if errors.Is(err, sql.ErrNoRows) {
		return m, 0, nil
	}
	if err == nil {
		err = db.QueryRow(selectMark).Scan(&text)
	}
	if all := parseMarks([]byte(text)); err == nil && len(all) == 1 {
		return all[0], page, nil
	}
	return m, 0, errors.Join(err, errors.New("no mark"))
}

// address returns the address of a file for the driver.
func address(abs string, query url.Values) string {
	return "file:" + (&url.URL{Path: abs}).EscapedPath() + "?" + query.Encode()
}

// AcceptLoss makes the database at path open with what it has, after a [Damage] that
// the operator accepts. It deletes nothing: a log and a mark that do not belong to
// the database get other names, which it returns. No process may use the database.
func AcceptLoss(path string, now time.Time) (renamed []string, err error) {
	damage, ok := errors.AsType[*Damage](inspect(path))
	if !ok {
		return nil, nil
	}
	suffixes := []string{markSuffix}
	if damage.foreign {
		suffixes = append(suffixes, "-wal", "-shm")
	}
	for _, suffix := range suffixes {
		aside := path + suffix + now.UTC().Format(".20060102T150405Z")
		err := os.Rename(path+suffix, aside)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return renamed, err
		}
		if err == nil {
			renamed = append(renamed, aside)
		}
	}
	m, page, err := storedMark(path)
	if size(path) == 0 || err != nil || page == 0 {
		return renamed, nil
	}
	return renamed, os.WriteFile(path+markSuffix, []byte(m.String()+"\n"), 0o600)
}
