package sqlite

import (
	"errors"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// outage returns err, as the cause of an outage of the store where SQLite reports
// why it cannot write now. Any other error is a defect of the file, of the disk or
// of a statement.
func outage(err error) error {
	if _, known := errors.AsType[*fault.Outage](err); known {
		return err
	}
	e, ok := errors.AsType[*driver.Error](err)
	switch {
	case !ok:
		return err
	case e.Code() == code.SQLITE_IOERR_SHMSIZE: // the index of the log cannot grow
		return store.ErrFull.Because(err)
	}
	switch e.Code() & 0xff {
	case code.SQLITE_FULL:
		return store.ErrFull.Because(err)
	case code.SQLITE_READONLY:
		return store.ErrReadOnly.Because(err)
	case code.SQLITE_BUSY:
		return store.ErrBusy.Because(err)
	}
	return err
}
