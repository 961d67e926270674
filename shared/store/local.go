package store

import "context"

// A Local is a database in a file of this machine, which the operator can copy, lose
// and damage.
type Local interface {
	DB

	// Problem returns the outage because of which the database takes no writes now;
	// nil when it does, as far as is known.
	Problem() error

	// CopyInto writes a copy of the database, as of one moment, into a new file at
	// path. It has every write that returned before CopyInto was called.
	CopyInto(ctx context.Context, path string) error

	// Check reads the whole database, and returns an error that names the file when
	// something of it is damaged.
	Check(ctx context.Context) error
}

// LocalOf returns the local database behind db, and false when there is none. A
// database in front of another one, which has a method Unwrap, is passed through.
func LocalOf(db DB) (Local, bool) {
	for {
		if local, ok := db.(Local); ok {
			return local, true
		}
		outer, ok := db.(interface{ Unwrap() DB })
		if !ok {
			return nil, false
		}
		db = outer.Unwrap()
	}
}
