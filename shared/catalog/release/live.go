package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
)

// A Live is the catalog as this instance shows it: the current release with the
// operator's blocks and what layers add. It follows them all as members of an
// [overlay.Set]: the release by its pointer, the blocks by their head. It
// replaces what it shows as a whole, so that a request sees one state from start
// to end.
//
// When the database does not answer, or a release cannot be loaded, it goes on
// showing what it has, and State says why.
type Live struct {
	archive *Archive
	blocks  *block.List
	layers  []Layer
	links   catalog.LinkBase
	set     *overlay.Set

	pointers, lists *overlay.Following // of the pointer and of the blocks

	shown atomic.Pointer[state]

	mu      sync.Mutex // held while a new state is made, never while the database is asked
	pointer Pointer
	index   *index.Index
	list    []block.Block
	listed  bool // the blocks were read: nothing is shown before
	stale   bool // a layer has changed since the view was made
}

// state is what requests read.
type state struct {
	view     *index.View
	pointer  Pointer
	version  string // of the view; differs from the pointer's when that cannot be loaded
	loadedAt time.Time
	problem  string
}

// Options are what a Live is made from.
type Options struct {
	Archive *Archive
	Blocks  *block.List
	Links   catalog.LinkBase
	Retry   time.Duration // before the first repetition of what failed; 5 s when zero
	Layers  []Layer
	Pause   time.Duration // from a change of a layer until it is shown, and at least between two such changes; 8 s when zero
}

// Follow returns a Live that follows the archive as a part of set until ctx is
// done. It loads what is there before it returns. An empty database is no error,
// nor is one that does not answer, for which Follow waits as [overlay.Set.Follow]
// does.
func Follow(ctx context.Context, set *overlay.Set, o Options) *Live {
	l := &Live{archive: o.Archive, blocks: o.Blocks, layers: o.Layers, links: o.Links, set: set}
	l.shown.Store(&state{})
	pause := cmp.Or(o.Retry, 5*time.Second)
	l.lists = set.Follow(ctx, overlay.Subject{
		Name: "blocks", Head: block.Head, Load: l.loadBlocks, Watch: l.watchBlocks, Failed: l.failed, Pause: pause,
	})
	l.pointers = set.Follow(ctx, overlay.Subject{
		Name: "catalog", Head: pointerPath, Load: l.loadPointer, Failed: l.failed, Pause: pause,
	})
	go l.followLayers(ctx, cmp.Or(o.Pause, 8*time.Second))
	return l
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
	if err := l.lists.Refresh(ctx); err != nil {
		return err
	}
	return l.pointers.Refresh(ctx)
}

// loadBlocks shows the blocks. Their head has only a revision.
func (l *Live) loadBlocks(ctx context.Context, _ store.Doc) error {
	blocks, err := l.blocks.All(ctx)
	if err == nil {
		l.showBlocks(blocks)
	}
	return err
}

// watchBlocks yields after each change of a block. It watches the blocks and not
// their head, so that it also sees blocks of writers that do not raise a
// revision.
func (l *Live) watchBlocks(ctx context.Context) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		for _, err := range l.blocks.Watch(ctx) {
			if !yield(store.Doc{}, err) {
				return
			}
		}
	}
}

// loadPointer shows the release that the pointer in doc names.
func (l *Live) loadPointer(ctx context.Context, doc store.Doc) error {
	if doc.Decode == nil {
		l.clearProblem()
		return nil
	}
	var p Pointer
	if err := doc.Decode(&p); err != nil {
		return err
	}
	return l.show(ctx, p)
}

// show makes the release of p the one that is shown, unless it is already.
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

// showBlocks shows the catalog under blocks.
func (l *Live) showBlocks(blocks []block.Block) {
	l.mu.Lock()
	defer l.mu.Unlock()
	same := l.listed && slices.EqualFunc(l.list, blocks, func(a, b block.Block) bool { return a.ID == b.ID })
	l.list, l.listed = blocks, true
	if l.index != nil && (!same || l.shown.Load().problem != "") {
		l.swap()
	}
}

// clearProblem clears the problem of a database that answers now and has no
// release.
func (l *Live) clearProblem() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index == nil {
		l.shown.Store(&state{})
	}
}

// swap shows the index under the blocks, once the blocks are loaded. The caller
// holds mu.
func (l *Live) swap() {
	if !l.listed {
		return
	}
	l.shown.Store(&state{
		view:     l.newView(),
		pointer:  l.pointer,
		version:  l.index.Version(),
		loadedAt: l.set.Now(),
	})
}

// newView returns a view of the index under the blocks and the layers. The caller
// holds mu.
func (l *Live) newView() *index.View {
	o := blocked(l.list)
	o.OnlineSince = l.pointer.SyncedAt.Add(-catalog.StaleAfter)
	l.addLayers(&o)
	return index.NewView(l.index, o, l.links)
}

// blocked returns the overlay that takes blocks out of the catalog.
func blocked(blocks []block.Block) index.Overlay {
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

// failed notes in the state that err keeps newer data out.
func (l *Live) failed(_ context.Context, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := *l.shown.Load()
	if s.problem != err.Error() {
		l.set.Log().Error("catalog not refreshed", "err", err)
	}
	s.problem = err.Error()
	l.shown.Store(&s)
}

// A State is what an instance shows.
type State struct {
	Version  string     `json:"version" description:"Version of the release that this instance answers from; empty before the first."`
	LoadedAt store.Time `json:"loaded_at" type:"string" format:"date-time" description:"Time at which this instance loaded the release, in UTC."`
	Problem  string     `json:"problem,omitempty" description:"Reason for which a newer release is not shown."`
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

// Sources returns the state of the sources of the current release.
func (l *Live) Sources() []catalog.Source { return l.shown.Load().pointer.Sources }

// Database returns an error when the database does not answer, or when it takes no
// writes and reports so. It reads one document.
func (l *Live) Database(ctx context.Context) error {
	if local, ok := store.LocalOf(l.archive.DB); ok {
		if err := local.Problem(); err != nil {
			return err
		}
	}
	_, err := l.archive.Current(ctx)
	if errors.Is(err, ErrNoVersion) {
		return nil
	}
	return err
}
