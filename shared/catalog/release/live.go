package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/store"
)

// A Live is the catalog as this instance shows it: the current release with
// the operator's blocks. It follows both, and swaps what it shows whole, so
// that a request sees one state from start to end.
//
// When the database does not answer, or a release cannot be loaded, it goes on
// showing what it has and says so in State.
type Live struct {
	archive *Archive
	blocks  *block.List
	links   catalog.LinkBase
	log     *slog.Logger
	now     func() time.Time

	shown atomic.Pointer[state]

	mu      sync.Mutex // held while a new state is made
	pointer Pointer
	index   *index.Index
	list    []block.Block
}

// state is what requests read.
type state struct {
	view     *index.View
	pointer  Pointer
	version  string // of the view; differs from the pointer's when that cannot be loaded
	loadedAt time.Time
	problem  string
}

// Options says what a Live is made from.
type Options struct {
	Archive *Archive
	Blocks  *block.List
	Links   catalog.LinkBase
	Log     *slog.Logger
	Now     func() time.Time
	Retry   time.Duration // between tries to reach a database that does not answer; 5 s when zero
}

// Follow returns a Live that follows the archive until ctx is done. It loads
// what is there before it returns; an empty or absent database is no error.
func Follow(ctx context.Context, o Options) *Live {
	l := &Live{archive: o.Archive, blocks: o.Blocks, links: o.Links, log: o.Log, now: o.Now}
	l.shown.Store(&state{})
	if err := l.Refresh(ctx); err != nil {
		l.log.WarnContext(ctx, "catalog not loaded", "err", err)
	}
	retry := cmp.Or(o.Retry, 5*time.Second)
	go again(ctx, retry, l.followPointer)
	go again(ctx, retry, l.followBlocks)
	return l
}

// again runs f until ctx is done, pausing between failures.
func again(ctx context.Context, pause time.Duration, f func(context.Context) error) {
	for ctx.Err() == nil {
		_ = f(ctx) // f has said in the state what failed
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// View returns the catalog to read, or ErrNotLoaded before the first release.
func (l *Live) View() (*index.View, error) {
	if v := l.shown.Load().view; v != nil {
		return v, nil
	}
	return nil, catalog.ErrNotLoaded
}

// Refresh reads the pointer and the blocks now and shows what they say before
// it returns.
func (l *Live) Refresh(ctx context.Context) error {
	blocks, err := l.blocks.All(ctx)
	if err == nil {
		err = l.showBlocks(blocks)
	}
	if err != nil {
		l.fail(err)
		return err
	}
	p, err := l.archive.Current(ctx)
	if errors.Is(err, ErrNoVersion) {
		return nil
	}
	if err != nil {
		l.fail(err)
		return err
	}
	return l.show(ctx, p)
}

func (l *Live) followPointer(ctx context.Context) error {
	for d, err := range l.archive.DB.Watch(ctx, pointerPath) {
		if err != nil {
			l.fail(err)
			return err
		}
		if d.Decode == nil {
			continue
		}
		var p Pointer
		if err := d.Decode(&p); err != nil {
			l.fail(err)
			return err
		}
		if err := l.show(ctx, p); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (l *Live) followBlocks(ctx context.Context) error {
	for blocks, err := range l.blocks.Watch(ctx) {
		if err == nil {
			err = l.showBlocks(blocks)
		}
		if err != nil {
			l.fail(err)
			return err
		}
	}
	return ctx.Err()
}

// show makes the release of p the one that is shown, unless it is already.
func (l *Live) show(ctx context.Context, p Pointer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index == nil || l.index.Version() != p.Version {
		data, err := l.archive.Load(ctx, p.Version)
		if err != nil {
			return l.failLocked(fmt.Errorf("load release %s: %w", p.Version, err))
		}
		ix, err := index.Decode(data)
		if err != nil {
			return l.failLocked(fmt.Errorf("read release %s: %w", p.Version, err))
		}
		l.index = ix
	}
	if l.shownAs(p) {
		return nil
	}
	l.pointer = p
	l.swap()
	return nil
}

// shownAs reports whether p is what is shown, without a problem.
func (l *Live) shownAs(p Pointer) bool {
	s := l.shown.Load()
	return s.view != nil && s.problem == "" && s.version == p.Version && reflect.DeepEqual(s.pointer, p)
}

func (l *Live) showBlocks(blocks []block.Block) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	same := slices.EqualFunc(l.list, blocks, func(a, b block.Block) bool { return a.ID == b.ID })
	l.list = blocks
	if l.index != nil && (!same || l.shown.Load().problem != "") {
		l.swap()
	}
	return nil
}

// swap shows the index under the blocks. The caller holds mu.
func (l *Live) swap() {
	l.shown.Store(&state{
		view:     index.NewView(l.index, overlay(l.list), l.links),
		pointer:  l.pointer,
		version:  l.index.Version(),
		loadedAt: l.now(),
	})
}

func overlay(blocks []block.Block) index.Overlay {
	var o index.Overlay
	for _, b := range blocks {
		switch b.Kind {
		case block.Channel:
			o.BlockedChannels = append(o.BlockedChannels, b.Value)
		case block.Stream:
			if id, ok := catalog.ParseStreamID(b.Value); ok {
				o.BlockedStreams = append(o.BlockedStreams, id)
			}
		case block.Host:
			o.BlockedHosts = append(o.BlockedHosts, b.Value)
		}
	}
	return o
}

// fail notes in the state that err keeps newer data out.
func (l *Live) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.failLocked(err)
}

func (l *Live) failLocked(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	s := *l.shown.Load()
	if s.problem != err.Error() {
		l.log.Error("catalog not refreshed", "err", err)
	}
	s.problem = err.Error()
	l.shown.Store(&s)
	return err
}

// A State says what an instance shows.
type State struct {
	Version  string     `json:"version" description:"Release that answers come from; empty before the first."`
	LoadedAt store.Time `json:"loaded_at" type:"string" format:"date-time"`
	Problem  string     `json:"problem,omitempty" description:"What keeps newer data out."`
}

// State returns what this instance shows.
func (l *Live) State() State {
	s := l.shown.Load()
	return State{s.version, store.At(s.loadedAt), s.problem}
}

// Synced returns when the sources of the current release were last confirmed.
// It reports false before the first release.
func (l *Live) Synced() (time.Time, bool) {
	s := l.shown.Load()
	return s.pointer.SyncedAt.Time, s.view != nil
}

// Sources returns how the sources of the current release stand.
func (l *Live) Sources() []catalog.Source { return l.shown.Load().pointer.Sources }

// Database returns an error when the database does not answer.
func (l *Live) Database(ctx context.Context) error {
	_, err := l.archive.Current(ctx)
	if errors.Is(err, ErrNoVersion) {
		return nil
	}
	return err
}
