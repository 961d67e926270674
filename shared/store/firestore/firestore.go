// Package firestore implements [store.DB] in Cloud Firestore.
//
// A document has the fields of its JSON there; expire_at is a timestamp, as
// the deletion policy requires. Expired documents that are not deleted yet
// are filtered out by every read.
package firestore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	fs "cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"miramundo.dev/shared/store"
)

const (
	callTime = 20 * time.Second // for one call, with the client's retries
	longTime = 60 * time.Second // for a read of many documents
	getMax   = 500              // documents read in one request

	// A watch on a connection that was cut would wait forever. So a
	// connection that is silent for pingAfter is pinged, and closed when no
	// answer comes within pingTimeout: 40 s together, as the Firestore client
	// of Android does it. The emulator closes a connection that is pinged
	// more than once in five minutes.
	pingAfter         = 30 * time.Second
	pingTimeout       = 10 * time.Second
	pingAfterEmulator = 5 * time.Minute
)

// Config selects a database.
type Config struct {
	Project  string
	Database string // empty is the project's default
	Emulator string // host:port; empty is the cloud

	Now func() time.Time // decides which documents have expired; nil is time.Now
}

// A DB stores documents in Firestore. See [store.DB].
type DB struct {
	client *fs.Client
	turns  *turns
	now    func() time.Time
	close  func() error // once
}

var _ store.DB = (*DB)(nil)

// Open returns the database that c selects. It does not wait for the database
// to answer.
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Database == "" {
		c.Database = fs.DefaultDatabaseID
	}
	opts := []option.ClientOption{option.WithGRPCDialOption(pingIdle(pingAfter))}
	if c.Emulator != "" {
		conn, err := grpc.NewClient(c.Emulator, pingIdle(pingAfterEmulator),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithPerRPCCredentials(owner{}))
		if err != nil {
			return nil, fmt.Errorf("firestore emulator at %s: %w", c.Emulator, err)
		}
		opts = []option.ClientOption{option.WithGRPCConn(conn)}
	}
	client, err := fs.NewClientWithDatabase(ctx, c.Project, c.Database, opts...)
	if err != nil {
		return nil, fmt.Errorf("firestore of project %s: %w", c.Project, err)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &DB{client: client, turns: newTurns(), now: c.Now, close: sync.OnceValue(client.Close)}, nil
}

// pingIdle pings a connection that was silent for a time, also while no call
// is in progress: after a pause of the container, a dead connection should be
// noticed before the next answer.
func pingIdle(after time.Duration) grpc.DialOption {
	return grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: after, Timeout: pingTimeout, PermitWithoutStream: true})
}

// owner makes the emulator ignore security rules.
type owner struct{}

func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

func (owner) RequireTransportSecurity() bool { return false }

// Close implements [store.DB].
func (db *DB) Close() error { return db.close() }

// ref returns the reference of the document at p.
func (db *DB) ref(p store.Path) (*fs.DocumentRef, error) {
	if _, _, err := p.Split(); err != nil {
		return nil, err
	}
	return db.client.Doc(string(p)), nil
}

func (db *DB) refs(ps []store.Path) ([]*fs.DocumentRef, error) {
	refs := make([]*fs.DocumentRef, len(ps))
	for i, p := range ps {
		var err error
		if refs[i], err = db.ref(p); err != nil {
			return nil, err
		}
	}
	return refs, nil
}

// call runs f with a deadline, and converts its error to an error of package
// store.
func call(ctx context.Context, what string, limit time.Duration, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := f(inner)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return explain(what, err)
}

// explain converts an error of Firestore to a fault of the store.
func explain(what string, err error) error {
	switch status.Code(err) {
	case codes.NotFound:
		return store.ErrNotFound.Because(err)
	case codes.AlreadyExists:
		return store.ErrExists.Because(err)
	case codes.Aborted, codes.ResourceExhausted:
		return store.ErrBusy.Because(err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Get implements [store.DB].
func (db *DB) Get(ctx context.Context, p store.Path, doc any) error {
	ref, err := db.ref(p)
	if err != nil {
		return err
	}
	return call(ctx, "get "+string(p), callTime, func(ctx context.Context) error {
		snap, err := ref.Get(ctx)
		if err != nil {
			return err
		}
		return db.decode(snap, doc)
	})
}

// GetAll implements [store.DB]. Several documents are read in a transaction,
// so that they are of one moment. A single one needs none, which saves two
// requests.
func (db *DB) GetAll(ctx context.Context, ps []store.Path) (docs []store.Doc, err error) {
	refs, err := db.refs(ps)
	if err != nil || len(ps) == 0 {
		return nil, err
	}
	if len(ps) == 1 {
		err = call(ctx, "get "+string(ps[0]), callTime, func(ctx context.Context) error {
			snaps, err := db.client.GetAll(ctx, refs)
			if err == nil {
				docs = []store.Doc{db.document(ps[0], snaps[0])}
			}
			return err
		})
		return docs, err
	}
	err = call(ctx, "get documents", longTime, func(ctx context.Context) error {
		return db.client.RunTransaction(ctx, func(_ context.Context, tx *fs.Transaction) error {
			docs, err = db.getAll(tx, ps, refs)
			return err
		}, fs.ReadOnly)
	})
	return docs, err
}

func (db *DB) getAll(tx *fs.Transaction, ps []store.Path, refs []*fs.DocumentRef) ([]store.Doc, error) {
	docs := make([]store.Doc, 0, len(ps))
	for part := range slices.Chunk(refs, getMax) {
		snaps, err := tx.GetAll(part)
		if err != nil {
			return nil, err
		}
		for _, snap := range snaps {
			docs = append(docs, db.document(ps[len(docs)], snap))
		}
	}
	return docs, nil
}

// Create implements [store.DB]. The plain call fails if an expired document
// is not deleted yet; then a transaction decides.
func (db *DB) Create(ctx context.Context, p store.Path, doc any) error {
	ref, fields, err := db.prepare(p, doc)
	if err != nil {
		return err
	}
	err = put(ctx, "create "+string(p), func(ctx context.Context) error {
		_, err := ref.Create(ctx, fields)
		return err
	})
	if errors.Is(err, store.ErrExists) {
		return db.Update(ctx, func(tx store.Tx) error { return tx.Create(p, doc) })
	}
	return err
}

// Set implements [store.DB].
func (db *DB) Set(ctx context.Context, p store.Path, doc any) error {
	ref, fields, err := db.prepare(p, doc)
	if err != nil {
		return err
	}
	return put(ctx, "set "+string(p), func(ctx context.Context) error {
		_, err := ref.Set(ctx, fields)
		return err
	})
}

// prepare returns the reference and the fields of a write.
func (db *DB) prepare(p store.Path, doc any) (*fs.DocumentRef, map[string]any, error) {
	ref, err := db.ref(p)
	if err != nil {
		return nil, nil, err
	}
	fields, _, err := encode(doc)
	return ref, fields, err
}

// Delete implements [store.DB].
func (db *DB) Delete(ctx context.Context, p store.Path) error {
	ref, err := db.ref(p)
	if err != nil {
		return err
	}
	return put(ctx, "delete "+string(p), func(ctx context.Context) error {
		_, err := ref.Delete(ctx)
		return err
	})
}

// Increment implements [store.DB].
func (db *DB) Increment(ctx context.Context, p store.Path, add map[string]int64) error {
	ref, err := db.ref(p)
	if err == nil {
		err = store.CheckIncrement(add)
	}
	if err != nil || len(add) == 0 {
		return err
	}
	return put(ctx, "increment "+string(p), func(ctx context.Context) error {
		_, err := ref.Set(ctx, increments(add), fs.MergeAll)
		return err
	})
}
