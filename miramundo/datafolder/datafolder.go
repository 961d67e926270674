// Package datafolder checks the data folder of a machine before it is used, and stores
// the secrets of the machine in it. The program miramundo has such a folder, and so has
// the local stack of developers; a stack below is either of them.
//
//	secrets.json         the key rings, by the names of their settings
//	secrets.copy.json    the same once more
//	operator-token       the operator's token alone, so that a shell can read it
//	payment-address      the address to which test money is paid
//	catalog              the name of the catalog that the database has
//	version.json         the version of the folder, and the program that used it last
//	.miramundo-lock      locked by the process that uses the folder
//
// Nothing in the folder is ever replaced by something new because it cannot be read:
// the stack refuses to start instead, and its message is a [Trouble].
package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded/sqlite"
)

// A Trouble is why a stack cannot start with its data folder, in words for the
// operator.
type Trouble struct {
	Problem string // names the file
	Danger  string // what could be lost; may be empty
	Remedy  string
	Loss    bool // the operator can accept the loss, and go on with what is left
	err     error
}

func (t *Trouble) Error() string {
	text := t.Problem
	if t.err != nil {
		text += ": " + t.err.Error()
	}
	if t.Danger != "" {
		text += "\n  in danger: " + t.Danger
	}
	text += "\n  remedy: " + t.Remedy
	if t.Loss {
		text += "\n  to go on with what is left, start once with -accept-loss (the local stack: make run ARGS=-accept-loss); no file is deleted by it"
	}
	return text
}

func (t *Trouble) Unwrap() error { return t.err }

const fullRemedy = "free some space, or move the folder to a larger disk and name it with DATA_DIR; nothing in it was changed"

// probeSize is how many bytes Check writes to learn whether the folder takes them. It
// is about what a start writes.
const probeSize = 1 << 20

// Check creates the folder dir when it is missing, and returns a [Trouble] unless
// files can be written in it.
func Check(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return &Trouble{Problem: fmt.Sprintf("data folder: %s is a file", dir), Remedy: "name a folder with DATA_DIR (make run DATA=DIR)"}
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = probe(filepath.Join(dir, ".probe"))
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &Trouble{
			Problem: "data folder: the disk of " + dir + " is full", err: plainly(err),
			Remedy: fullRemedy,
		}
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return &Trouble{
			Problem: "data folder: " + dir + " cannot be written", err: plainly(err),
			Remedy: "make it writable for the user of this process, or name another folder with DATA_DIR; nothing in it was changed",
		}
	}
	return &Trouble{Problem: "data folder: " + dir + " cannot be used", err: err, Remedy: "repair it, or name another folder with DATA_DIR"}
}

// probe writes a file to disk and removes it.
func probe(path string) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	_, err = f.Write(make([]byte, probeSize))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// plainPath matches a path that a shell takes as one word as it stands.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9/._-]+$`)

// Quote returns a path as it is written in a command for a shell.
func Quote(path string) string {
	if plainPath.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// Explain adds to an error of opening the database what the operator can do about
// it. remedy says where a backup is.
func Explain(err error, remedy string) error {
	damage, ok := errors.AsType[*sqlite.Damage](err)
	switch {
	case errors.Is(err, store.ErrFull):
		return &Trouble{Problem: err.Error(), Remedy: fullRemedy}
	case !ok:
		return err
	}
	return &Trouble{
		Problem: damage.Error(), Loss: !damage.Unreadable(),
		Danger: "what people saved since the last backup: libraries, favorites, histories, comments, accounts and passes",
		Remedy: "put the missing file back if you still have it; else " + remedy + ". Nothing was changed: keep the folder as it is until then",
	}
}
