package datafolder

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// LockFile is the name of the file on which the process that uses a folder holds a lock.
// Other programs use other names.
const LockFile = ".miramundo-lock"

// ErrLocked is returned by Lock while another process, or another part of this one, holds
// the lock.
var ErrLocked = errors.New("the folder is locked")

// Lock takes the lock on the file with a name in dir, which it creates for its owner
// alone. The lock ends with the process at the latest.
func Lock(dir, name string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrLocked
		}
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

// Take locks the folder dir for this process alone. It returns a [Trouble] where another
// process uses the folder.
func Take(dir string) (release func() error, err error) {
	release, err = Lock(dir, LockFile)
	switch {
	case errors.Is(err, ErrLocked):
		return nil, &Trouble{Problem: "data folder: another miramundo uses this folder: " + dir, Remedy: "stop it, or name another folder with DATA_DIR; nothing in this one was changed"}
	case err != nil:
		return nil, &Trouble{Problem: "data folder: " + dir + " cannot be locked", err: err, Remedy: "use a disk of this machine, or name another folder with DATA_DIR"}
	}
	return release, nil
}
