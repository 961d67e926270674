// Package block knows what the operator has taken out of the catalog: single
// channels, single streams, and all that comes from a host.
//
// It keeps these documents:
//
//	blocks/{id}       a Block
//	catalog/blocks    a revision that every change of a block raises
package block

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of blocks. ErrInvalid names what is wrong in its field "param".
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

// A Block is one thing taken out, and why. As a document it keeps its wire
// names, which may gain fields.
type Block struct {
	ID     string     `json:"id" description:"Id of the block, derived from kind and value."`
	Kind   string     `json:"kind" enum:"channel,stream,host"`
	Value  string     `json:"value" description:"Channel id, stream id or host name."`
	Reason string     `json:"reason" maxLength:"500"`
	At     store.Time `json:"at" type:"string" format:"date-time"`
}

// New returns the block of value, or ErrInvalid.
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

// normal returns value as the catalog writes it. It reports false for what no
// channel, stream or host can be called.
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

// A List is all the blocks, kept in a database.
type List struct {
	db store.DB
}

// NewList returns the blocks kept in db.
func NewList(db store.DB) *List { return &List{db} }

var all = store.Query{Collection: "blocks"}

// Head is the document that changes with every block, so that one read confirms
// all of them.
const Head = store.Path("catalog/blocks")

// Add keeps b, in place of an earlier block of the same thing.
func (l *List) Add(ctx context.Context, b Block) error {
	return l.db.Update(ctx, func(tx store.Tx) error {
		if err := tx.Set(path(b.ID), b); err != nil {
			return err
		}
		return raise(tx)
	})
}

// raise raises the revision of the blocks.
func raise(tx store.Tx) error { return tx.Increment(Head, map[string]int64{"revision": 1}) }

// Remove lifts the block with the given id, or returns ErrNoBlock.
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

// All returns every block, in the order of their ids.
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

// Watch yields every block, then all of them again after each change.
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
