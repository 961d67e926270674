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
// the operator's blocks and what layers know. It follows them all, and swaps
// what it shows whole, so that a request sees one state from start to end.
//
// When the database does not answer, or a release cannot be loaded, it goes on
// showing what it has and says so in State.
type Live struct {
	archive *Archive
	blocks  *block.List
	layers  []Layer
	links   catalog.LinkBase
	log     *slog.Logger
	now     func() time.Time

	shown atomic.Pointer[state]

	// Held from reading what the database says until it is shown, so that what
	// was read earlier is never shown later.
	readingPointer, readingBlocks sync.Mutex

	mu      sync.Mutex // held while a new state is made, never while the database is asked
	pointer Pointer
	index   *index.Index
	list    []block.Block
	listed  bool // the blocks were read: nothing is shown before
	stale   bool // a layer changed after it was last laid
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
	Layers  []Layer
	Pause   time.Duration // from a change of a layer until it is shown, and at least between two such changes; 8 s when zero
}

// Follow returns a Live that follows the archive until ctx is done. It loads
// what is there before it returns; an empty or absent database is no error.
func Follow(ctx context.Context, o Options) *Live {
	l := &Live{archive: o.Archive, blocks: o.Blocks, layers: o.Layers, links: o.Links, log: o.Log, now: o.Now}
	l.shown.Store(&state{})
	if err := l.Refresh(ctx); err != nil {
		l.log.WarnContext(ctx, "catalog not loaded", "err", err)
	}
	retry := cmp.Or(o.Retry, 5*time.Second)
	go again(ctx, retry, l.followPointer)
	go again(ctx, retry, l.followBlocks)
	go l.followLayers(ctx, cmp.Or(o.Pause, 8*time.Second))
	return l
}

// longestPause is between tries when many have failed: each may read a whole
// release, which is paid for.
const longestPause = time.Minute

// again runs f until ctx is done, pausing between failures: each time twice as
// long, until f has gone well for a while.
func again(ctx context.Context, pause time.Duration, f func(context.Context) error) {
	for wait := pause; ctx.Err() == nil; wait = min(2*wait, longestPause) {
		start := time.Now()
		_ = f(ctx) // f has said in the state what failed
		if time.Since(start) > longestPause {
			wait = pause
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
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
	if err := l.refreshBlocks(ctx); err != nil {
		return err
	}
	return l.refreshPointer(ctx)
}

func (l *Live) refreshBlocks(ctx context.Context) error {
	l.readingBlocks.Lock()
	defer l.readingBlocks.Unlock()
	blocks, err := l.blocks.All(ctx)
	if err != nil {
		l.fail(err)
		return err
	}
	l.showBlocks(blocks)
	return nil
}

func (l *Live) refreshPointer(ctx context.Context) error {
	l.readingPointer.Lock()
	defer l.readingPointer.Unlock()
	p, err := l.archive.Current(ctx)
	if err == nil {
		err = l.show(ctx, p)
	}
	if errors.Is(err, ErrNoVersion) && p.Version == "" {
		l.settle()
		return nil
	}
	if err != nil {
		l.fail(err)
	}
	return err
}

// followPointer takes each change as word that there is something to read.
func (l *Live) followPointer(ctx context.Context) error {
	for _, err := range l.archive.DB.Watch(ctx, pointerPath) {
		if err != nil {
			l.fail(err)
			return err
		}
		if err := l.refreshPointer(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (l *Live) followBlocks(ctx context.Context) error {
	for _, err := range l.blocks.Watch(ctx) {
		if err != nil {
			l.fail(err)
			return err
		}
		if err := l.refreshBlocks(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// show makes the release of p the one that is shown, unless it is already. The
// caller holds readingPointer.
func (l *Live) show(ctx context.Context, p Pointer) error {
	ix := l.loaded()
	if ix == nil || ix.Version() != p.Version {
		var err error
		if ix, err = l.load(ctx, p.Version); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.index = ix
	if l.shownAs(p) {
		return nil
	}
	l.pointer = p
	l.swap()
	return nil
}

func (l *Live) loaded() *index.Index {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.index
}

func (l *Live) load(ctx context.Context, version string) (*index.Index, error) {
	data, err := l.archive.Load(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("load release %s: %w", version, err)
	}
	ix, err := index.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("read release %s: %w", version, err)
	}
	return ix, nil
}

// shownAs reports whether p is what is shown, without a problem.
func (l *Live) shownAs(p Pointer) bool {
	s := l.shown.Load()
	return s.view != nil && s.problem == "" && s.version == p.Version && reflect.DeepEqual(s.pointer, p)
}

// showBlocks shows the catalog under blocks. The caller holds readingBlocks.
func (l *Live) showBlocks(blocks []block.Block) {
	l.mu.Lock()
	defer l.mu.Unlock()
	same := l.listed && slices.EqualFunc(l.list, blocks, func(a, b block.Block) bool { return a.ID == b.ID })
	l.list, l.listed = blocks, true
	if l.index != nil && (!same || l.shown.Load().problem != "") {
		l.swap()
	}
}

// settle forgets the problem of a database that now says that there is no
// release.
func (l *Live) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index == nil {
		l.shown.Store(&state{})
	}
}

// swap shows the index under the blocks, once it is known what is blocked. The
// caller holds mu.
func (l *Live) swap() {
	if !l.listed {
		return
	}
	l.shown.Store(&state{
		view:     l.made(),
		pointer:  l.pointer,
		version:  l.index.Version(),
		loadedAt: l.now(),
	})
}

// made returns a view of the index as it is to be shown. The caller holds mu.
func (l *Live) made() *index.View {
	o := overlay(l.list)
	o.OnlineSince = l.pointer.SyncedAt.Add(-catalog.StaleAfter)
	l.lay(&o)
	return index.NewView(l.index, o, l.links)
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
	if errors.Is(err, context.Canceled) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := *l.shown.Load()
	if s.problem != err.Error() {
		l.log.Error("catalog not refreshed", "err", err)
	}
	s.problem = err.Error()
	l.shown.Store(&s)
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
