package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"miramundo.dev/scripts/dev/datafolder"
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

// checkData checks the data folder. With -accept-loss the database is made to open
// with what it has.
func (st *stack) checkData(context.Context) error {
	if err := datafolder.Check(st.data); err != nil {
		return err
	}
	if st.backend != string(wire.Embedded) {
		return nil
	}
	if !st.acceptLoss {
		return st.checkMissing()
	}
	renamed, err := sqlite.AcceptLoss(wire.DatabasePath(st.data), time.Now())
	for _, file := range renamed {
		st.out.say("a file that does not fit the database is now %s", file)
	}
	return err
}

// checkMissing returns a Trouble when the folder was used with a database, and has
// nothing of it any more.
func (st *stack) checkMissing() error {
	path := wire.DatabasePath(st.data)
	if sizeOf(string(markIn(st.data))) == 0 || sizeOf(path) > 0 {
		return nil
	}
	return datafolder.Explain(&sqlite.Damage{Path: path, Problem: "the file is missing, and the folder was used with one"}, st.remedy())
}

// checkMax is the size of a database that is read whole before it is used. It takes
// about a quarter of a second; a larger one is read while the stack runs.
const checkMax = 64 << 20

// checkDatabase reads the database whole, unless that takes long.
func (st *stack) checkDatabase(ctx context.Context) error {
	local, ok := store.LocalOf(st.parts.DB)
	if st.checked = ok && sizeOf(wire.DatabasePath(st.data)) <= checkMax; !st.checked {
		return nil
	}
	return datafolder.Explain(local.Check(ctx), st.remedy())
}

// secrets are those of the data folder.
func (st *stack) secrets() datafolder.Secrets {
	return datafolder.Secrets{
		Dir: st.data, AcceptLoss: st.acceptLoss, Remedy: st.remedy(), Say: st.out.say, Now: time.Now,
		Inhabited: func() (bool, error) {
			if st.backend != string(wire.Embedded) {
				return false, nil
			}
			return inhabited(st.data, st.remedy())
		},
	}
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
