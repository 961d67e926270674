// Package block stores the operator's blocks of the catalog: of single channels,
// of single streams, and of all streams of a host.
//
// A block hides its object within seconds on every instance, without a reload:
// instances watch the blocks and apply them to the catalog in memory. Removing a
// block shows the object again.
//
// It keeps these documents:
//
//	blocks/{id}       a Block
//	catalog/blocks    a revision that each change of a block increments
package block

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of blocks. The detail "param" of ErrInvalid names the invalid parameter.
var (
	ErrInvalid = fault.New(fault.Invalid, "invalid_block")
	ErrNoBlock = fault.New(fault.NotFound, "block_not_found")
)

// The kinds of blocks.
const (
	Channel = "channel" // a channel or station, by its id
	Stream  = "stream"  // one stream, by its id
	Host    = "host"    // every stream of a host and of the hosts below it
)

// MaxReason is the longest reason, in characters.
const MaxReason = 500

// A Block is a hidden channel, stream or host with the reason. The document has
// the fields of the wire, which may gain more.
type Block struct {
	ID     string     `json:"id" description:"Id of the block, derived from kind and value."`
	Kind   string     `json:"kind" enum:"channel,stream,host"`
	Value  string     `json:"value" description:"Channel id, stream id or host name."`
	Reason string     `json:"reason" maxLength:"500" description:"Reason for the block, for the operator."`
	At     store.Time `json:"at" type:"string" format:"date-time"`

	Takedowns []int `json:"takedowns,omitempty" nullable:"false" description:"Numbers of the takedown requests that the block follows; it is removed with the last of them. Absent for other blocks."`
}

// New returns the block of value, or ErrInvalid. The reason is required. Equal
// values have equal ids, so that blocking something twice leaves one block; the
// host is normalized before.
func New(kind, value, reason string, at time.Time) (Block, error) {
	value, ok := normal(kind, strings.TrimSpace(value))
	if !ok {
		return Block{}, ErrInvalid.With("param", "value")
	}
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n == 0 || n > MaxReason || strings.ContainsFunc(reason, unicode.IsControl) {
		return Block{}, ErrInvalid.With("param", "reason")
	}
	sum := sha256.Sum256([]byte(kind + "\n" + value))
	return Block{ID: "blk_" + hex.EncodeToString(sum[:8]), Kind: kind, Value: value, Reason: reason, At: store.At(at)}, nil
}

// normal returns value as the catalog writes it. It reports false for a text
// that cannot be the id of a channel or stream, or a host name. It does not check
// that the object exists: it may come with the next reload.
func normal(kind, value string) (string, bool) {
	switch kind {
	case Channel:
		return value, value != "" && len(value) <= 128 && !strings.ContainsFunc(value, unicode.IsControl)
	case Stream:
		_, ok := catalog.ParseStreamID(value)
		return value, ok
	case Host:
		return catalog.Hostname(value)
	}
	return "", false
}

// A List is the list of all blocks in a database. Its methods may be called
// concurrently.
type List struct {
	db store.DB
}

// NewList returns the list of the blocks in db.
func NewList(db store.DB) *List { return &List{db} }

var all = store.Query{Collection: "blocks"}

// Head is the document that changes with every block: an instance that reads it
// unchanged has all of them.
const Head = store.Path("catalog/blocks")

// Add stores b. It replaces an earlier block of the same object.
func (l *List) Add(ctx context.Context, b Block) error {
	return l.db.Update(ctx, func(tx store.Tx) error {
		if err := tx.Set(path(b.ID), b); err != nil {
			return err
		}
		return raise(tx)
	})
}

// raise increments the revision of the blocks.
func raise(tx store.Tx) error { return tx.Increment(Head, map[string]int64{"revision": 1}) }

// A Change is a change of several blocks within a transaction.
type Change struct {
	kept   map[string]Block // the stored ones that the change may concern, by id
	set    map[string]Block
	remove map[string]bool
}

// Read reads what is stored of the blocks with some ids, for a change within tx.
func Read(tx store.Tx, ids []string) (*Change, error) {
	c := &Change{map[string]Block{}, map[string]Block{}, map[string]bool{}}
	paths := make([]store.Path, len(ids))
	for i, id := range ids {
		paths[i] = path(id)
	}
	docs, err := tx.GetAll(paths)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		if d.Decode == nil {
			continue
		}
		var b Block
		if err := d.Decode(&b); err != nil {
			return nil, err
		}
		c.kept[b.ID] = b
	}
	return c, nil
}

// Hold adds b, whose id was read, for a takedown request. A block of the same object
// that follows other requests also follows this one from then on; one of the operator's
// own stays as it is, so that Release never removes it.
func (c *Change) Hold(b Block, request int) {
	kept, found := c.kept[b.ID]
	if found && len(kept.Takedowns) == 0 {
		return
	}
	if !found {
		kept = b
	}
	if !slices.Contains(kept.Takedowns, request) {
		kept.Takedowns = append(slices.Clone(kept.Takedowns), request)
		c.kept[b.ID], c.set[b.ID] = kept, kept
	}
}

// Release ends the hold of a takedown request on the block with an id, and removes the
// block when no other request holds it.
func (c *Change) Release(id string, request int) {
	kept := c.kept[id]
	if !slices.Contains(kept.Takedowns, request) {
		return
	}
	kept.Takedowns = slices.DeleteFunc(slices.Clone(kept.Takedowns), func(n int) bool { return n == request })
	c.kept[id] = kept
	if len(kept.Takedowns) > 0 {
		c.set[id] = kept
		return
	}
	delete(c.set, id)
	c.remove[id] = true
}

// Write writes the change. It must follow all reads of tx.
func (c *Change) Write(tx store.Tx) error {
	if len(c.set)+len(c.remove) == 0 {
		return nil
	}
	var errs []error
	for id, b := range c.set {
		errs = append(errs, tx.Set(path(id), b))
	}
	for id := range c.remove {
		errs = append(errs, tx.Delete(path(id)))
	}
	return errors.Join(append(errs, raise(tx))...)
}

// Remove deletes the block with an id, or returns ErrNoBlock.
func (l *List) Remove(ctx context.Context, id string) error {
	if strings.ContainsAny(id, "/") || id == "" {
		return ErrNoBlock
	}
	err := l.db.Update(ctx, func(tx store.Tx) error {
		var b Block
		if err := tx.Get(path(id), &b); err != nil {
			return err
		}
		if err := tx.Delete(path(id)); err != nil {
			return err
		}
		return raise(tx)
	})
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrPath) {
		return ErrNoBlock.Because(err)
	}
	return err
}

// All returns every block, in the order of the ids.
func (l *List) All(ctx context.Context) ([]Block, error) {
	var docs []store.Doc
	for d, err := range l.db.Query(ctx, all) {
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return decode(docs)
}

// Watch yields all blocks at once, and again after each change, until ctx is
// done. The first error ends it; the caller must watch again.
func (l *List) Watch(ctx context.Context) iter.Seq2[[]Block, error] {
	return func(yield func([]Block, error) bool) {
		for docs, err := range l.db.WatchQuery(ctx, all) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(decode(docs)) {
				return
			}
		}
	}
}

func decode(docs []store.Doc) ([]Block, error) {
	blocks := make([]Block, len(docs))
	for i, d := range docs {
		if err := d.Decode(&blocks[i]); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

func path(id string) store.Path { return store.Path("blocks/" + id) }
