// Package store keeps documents.
//
// It defines the little that the service needs from a document database, so
// that only the leaves embedded and firestore depend on a vendor. An
// implementation is correct when it passes storetest.Run.
//
// A document is a Go struct or map, encoded by its json tags into null, bool,
// integer (int64, exact), float, string, list and map values; a []byte is
// kept as its JSON form, base64. Lists and maps lie at most 20 deep, and no
// list directly within a list. It may take at most [MaxSize] bytes encoded.
//
// A document whose top-level field "expire_at" (a [Time], or null) lies in the
// past is not there: no read returns it, and the database deletes it in its
// own time.
package store

import (
	"context"
	"errors"
	"iter"

	"miramundo.dev/shared/fault"
)

// Faults of the store. Every other error means that the backend failed.
var (
	ErrNotFound = fault.New(fault.NotFound, "document_not_found")
	ErrExists   = fault.New(fault.Conflict, "document_exists")
	ErrTooLarge = fault.New(fault.TooLarge, "document_too_large")
	ErrPath     = fault.New(fault.Invalid, "document_path")
	ErrDocument = fault.New(fault.Invalid, "document_invalid") // holds what no document can
	ErrField    = fault.New(fault.Invalid, "document_field")   // no name of a field in a filter or increment
	ErrQuery    = fault.New(fault.Invalid, "document_query")   // no query that all databases answer alike
)

// ErrOrder is returned by the reads of a [Tx] after its first write.
var ErrOrder = errors.New("store: read after write in a transaction")

// MaxSize is the greatest size of a document, in bytes: 1 MiB less the room
// that both databases need for names. The size is that of its JSON, or as
// Firestore counts it (8 for a number, 32 for a map), whichever is greater.
const MaxSize = 1<<20 - 4096

// MaxUpdate is the greatest size of the documents that a transaction sets or
// creates, together, in bytes of JSON.
const MaxUpdate = 3 << 20

// A Path names a document: collection, id, collection, id, joined by "/".
// Without its last id it names a collection. A segment is 1 to 1,500 bytes of
// UTF-8 without "/" and control characters, and is not ".", ".." or "__x__".
// A path is at most 4,000 bytes.
type Path string

// A DB keeps documents. Its methods may be called concurrently. A write is
// durable when its method returns.
type DB interface {
	// Get decodes the document at p into doc, a pointer.
	// It returns ErrNotFound when there is none.
	Get(ctx context.Context, p Path, doc any) error

	// GetAll returns the documents at ps, in their order and read at one time.
	// One that is not there has a nil Decode.
	GetAll(ctx context.Context, ps []Path) ([]Doc, error)

	// Create keeps doc at p, or returns ErrExists and changes nothing.
	// Of many concurrent calls for one path, one succeeds.
	Create(ctx context.Context, p Path, doc any) error

	// Set keeps doc at p, in place of what was there.
	Set(ctx context.Context, p Path, doc any) error

	// Delete removes the document at p. It is no error when there is none.
	Delete(ctx context.Context, p Path) error

	// Increment adds to integer fields of the document at p, which starts
	// without fields when there is none. A name such as "by_country.BR" is a
	// field within a map. Of concurrent increments none is lost. An integer
	// stays at the ends of int64, a float stays one, and anything else is
	// overwritten by the addend. Where the document has expired, the addends
	// are lost, or start a new one once the database has deleted it.
	Increment(ctx context.Context, p Path, add map[string]int64) error

	// Update runs f in a serializable transaction. If f returns an error,
	// nothing it wrote is kept and Update returns that error. Otherwise all of
	// it is kept. Update may call f more than once; f must use nothing of the
	// DB but its Tx, and be quick.
	Update(ctx context.Context, f func(Tx) error) error

	// Query yields the documents that match q, in its order, or one error at
	// the end. What changes meanwhile may be seen as it was or as it is.
	Query(ctx context.Context, q Query) iter.Seq2[Doc, error]

	// Count returns how many documents match q, its Limit and cursor aside.
	Count(ctx context.Context, q Query) (int, error)

	// Watch yields the document at p as it is, then each time after it has
	// changed; while it is not there, a Doc with a nil Decode. Changes that
	// follow each other quickly may be seen as one, and an expiry alone is no
	// change. The sequence ends with ctx, or with an error when the backend
	// stays out of reach.
	Watch(ctx context.Context, p Path) iter.Seq2[Doc, error]

	// WatchQuery yields all the documents that match q, then all of them again
	// each time after one has come, gone or changed.
	WatchQuery(ctx context.Context, q Query) iter.Seq2[[]Doc, error]

	// Close releases the database. Calls under way may fail.
	Close() error
}

// A Tx is a transaction. All its reads come before its first write. A write
// that fails fails the transaction, and may do so only when it ends. It writes
// at most [MaxUpdate] bytes, or fails with ErrTooLarge.
type Tx interface {
	Get(p Path, doc any) error
	GetAll(ps []Path) ([]Doc, error)
	Create(p Path, doc any) error
	Set(p Path, doc any) error
	Delete(p Path) error
	Increment(p Path, add map[string]int64) error
}

// A Doc is a document found by a query, or the place where none was found.
type Doc struct {
	Path   Path
	ID     string              // the last segment of Path
	Decode func(doc any) error // nil when there is no document
}

// A Query selects documents of one collection.
//
// Ordered by a field, it finds those that have it: nulls first, then bools,
// numbers and strings (by their UTF-8 bytes); lists and maps come last in no
// set order. Ties are ordered by id, in the same direction.
type Query struct {
	Collection Path
	Where      []Filter // all of them hold
	OrderBy    string   // a field; empty orders by id
	Desc       bool
	After      []any // start after this position: the OrderBy value and the id, or the id alone
	Limit      int   // 0 means all
}

// A Filter compares a field with a value. A document without the field, or
// with a value of another type, does not match. A comparison other than Eq, In
// and Contains is of the field that orders the query, and at most one filter
// is an In.
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
