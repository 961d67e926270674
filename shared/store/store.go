// Package store defines the document database that the service uses.
//
// The interface [DB] is small on purpose, so that only the packages embedded
// (SQLite) and firestore depend on a vendor. An implementation is correct
// when it passes storetest.Run.
//
// A document is a Go struct or map, encoded by its json tags into null, bool,
// integer (int64, exact), float, string, list and map values. A []byte is
// stored in its JSON form, base64. Lists and maps nest at most 20 deep, and a
// list must not contain a list directly. A document takes at most [MaxSize]
// bytes encoded.
//
// A document whose top-level field "expire_at" (a [Time], or null) is in the
// past does not exist: no read returns it, and the database deletes it some
// time later.
package store

import (
	"context"
	"errors"
	"iter"

	"miramundo.dev/shared/fault"
)

// Faults of the store. Any other error means that the backend failed, for one of
// the reasons below where it is known.
var (
	ErrNotFound = fault.New(fault.NotFound, "document_not_found")
	ErrExists   = fault.New(fault.Conflict, "document_exists")
	ErrTooLarge = fault.New(fault.TooLarge, "document_too_large")
	ErrPath     = fault.New(fault.Invalid, "document_path")
	ErrDocument = fault.New(fault.Invalid, "document_invalid") // a value that cannot be stored
	ErrField    = fault.New(fault.Invalid, "document_field")   // an invalid field name in a filter or increment
	ErrQuery    = fault.New(fault.Invalid, "document_query")   // a query that the databases do not all answer alike
)

// Outages of the backend whose reason is known. A read never returns ErrFull or
// ErrReadOnly. The call may be repeated later as it is: it changed nothing.
var (
	ErrFull     = fault.NewOutage(fault.StorageFull, 60) // the disk or a quota is used up
	ErrReadOnly = fault.NewOutage(fault.ReadOnly, 60)    // the backend takes no writes
	ErrBusy     = fault.NewOutage(fault.Busy, 2)         // other calls held the same document for too long
	ErrStarting = fault.NewOutage(fault.Starting, 5)     // the backend is not open yet
)

// ErrOrder is returned by the reads of a [Tx] after its first write.
var ErrOrder = errors.New("store: read after write in a transaction")

// MaxSize is the greatest size of a document, in bytes: 1 MiB, Firestore's
// limit, less room for names. The size is that of its JSON or as Firestore
// counts it (8 for a number, 32 for a map), whichever is greater.
const MaxSize = 1<<20 - 4096

// MaxUpdate is the greatest total size of the documents that one transaction
// sets or creates, in bytes of JSON.
const MaxUpdate = 3 << 20

// A Path names a document: collection, id, collection, id, joined by "/".
// Without its last id it names a collection. A segment is 1 to 1,500 bytes of
// UTF-8 without "/" and control characters, and is not ".", ".." or "__x__".
// A path is at most 4,000 bytes.
type Path string

// A DB is a document database. Its methods may be called concurrently. A
// write is durable when its method returns.
type DB interface {
	// Get decodes the document at p into doc, a pointer. It returns
	// ErrNotFound when there is none.
	Get(ctx context.Context, p Path, doc any) error

	// GetAll returns the documents at ps, in the same order and as of one
	// moment. A missing document has a nil Decode.
	GetAll(ctx context.Context, ps []Path) ([]Doc, error)

	// Create stores doc at p. It returns ErrExists and changes nothing when p
	// has a document. Of concurrent calls for one path, one succeeds.
	Create(ctx context.Context, p Path, doc any) error

	// Set stores doc at p and replaces what was there.
	Set(ctx context.Context, p Path, doc any) error

	// Delete removes the document at p, if there is one.
	Delete(ctx context.Context, p Path) error

	// Increment adds to integer fields of the document at p, and creates the
	// document when it is missing. A name such as "by_country.BR" is a field
	// within a map. Concurrent increments all count. Integers saturate at the
	// ends of int64, floats stay floats, and any other value is replaced by
	// the addend. Increments of an expired document that is not deleted yet
	// may be lost.
	Increment(ctx context.Context, p Path, add map[string]int64) error

	// Update runs f in a serializable transaction. If f returns an error,
	// none of its writes are kept and Update returns that error; otherwise
	// all of them are kept. Update may call f several times, and discards what
	// a call returns that read documents of several moments; f must use the DB
	// only through its Tx, and be quick. Concurrent calls that name the same
	// document succeed one after the other; a call that other ones keep waiting
	// for ten seconds returns ErrBusy.
	Update(ctx context.Context, f func(Tx) error) error

	// Query yields the documents that match q, in its order; an error is the
	// last element. Changes during the iteration may or may not be seen.
	Query(ctx context.Context, q Query) iter.Seq2[Doc, error]

	// Count returns the number of documents that match q, ignoring its Limit
	// and cursor.
	Count(ctx context.Context, q Query) (int, error)

	// Watch yields the document at p, and again after each change; a missing
	// document has a nil Decode. Changes in quick succession may be yielded
	// as one, and an expiry alone is not a change. The sequence ends with
	// ctx, or with an error when the backend stays out of reach.
	Watch(ctx context.Context, p Path) iter.Seq2[Doc, error]

	// WatchQuery yields all documents that match q, and all of them again
	// after each change to one of them.
	WatchQuery(ctx context.Context, q Query) iter.Seq2[[]Doc, error]

	// Close releases the database. Calls in progress may fail.
	Close() error
}

// A Tx is a transaction. All reads must come before the first write. A failed
// write fails the transaction, possibly only when it ends. A transaction that
// writes more than [MaxUpdate] bytes fails with ErrTooLarge.
type Tx interface {
	Get(p Path, doc any) error
	GetAll(ps []Path) ([]Doc, error)
	Create(p Path, doc any) error
	Set(p Path, doc any) error
	Delete(p Path) error
	Increment(p Path, add map[string]int64) error
}

// A Doc is a document that was read, or a place without one. Decode may be called
// several times. Into a *json.RawMessage it decodes the JSON of the document, always the
// same for the same document, which must not be changed. Texts that package sealed seals
// are still sealed in it.
type Doc struct {
	Path   Path
	ID     string              // the last segment of Path
	Decode func(doc any) error // nil when there is no document
}

// A Query selects documents of one collection.
//
// Ordering by a field selects the documents that have it: nulls first, then
// bools, numbers and strings (by their UTF-8 bytes); lists and maps come last
// in no particular order. Ties are ordered by id, in the same direction.
type Query struct {
	Collection Path
	Where      []Filter // all must match
	OrderBy    string   // a field; empty orders by id
	Desc       bool
	After      []any // start after this position: the OrderBy value and the id, or the id alone
	Limit      int   // 0 means all
}

// A Filter compares a field with a value. A document without the field, or
// with a value of another type, does not match. Comparisons other than Eq, In
// and Contains must use the field that orders the query, and at most one
// filter may be an In.
type Filter struct {
	Field string // dotted for a field within a map
	Op    Op
	Value any // string, bool, an integer, float64 or Time; for In a []string of at most 30
}

// An Op is a comparison.
type Op string

// The comparisons of a Filter.
const (
	Eq       Op = "=="
	Less     Op = "<"
	LessEq   Op = "<="
	More     Op = ">"
	MoreEq   Op = ">="
	In       Op = "in"
	Contains Op = "array-contains"
)
