package overlay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/store"
)

// This file is the one loop that follows something in the database. A subject
// has a head: a document that changes whenever the subject does. The follower
// loads the subject once, watches it, and loads it again after each change. It
// repeats a load that failed, and a watch that ended, after pauses that double.
//
// Loads of one subject run one at a time, and each reads the head while it
// holds the lock, so that an older state never replaces a newer one. A watch
// may lag behind such a read: its event is used as it is only when Older shows
// that it is not older than what was loaded, and is otherwise only a reason to
// read the head.

// Bounds of what a follower waits for.
const (
	// FirstWord is how long Follow waits for the first answer of the database.
	// After that it returns with nothing loaded, and loads in the background.
	FirstWord = time.Second

	loadTime   = 30 * time.Second // for one load, such as of a whole release
	firstPause = time.Second      // before the first repetition
	lastPause  = time.Minute      // before each repetition after many: a load may cost many reads
)

// A Subject is something in the database that a process keeps in memory.
type Subject struct {
	Name string     // in logs and in [Set.Stale]
	Head store.Path // the document that changes whenever the subject does

	// Load reads the rest of the subject and shows it, given its head. When it
	// fails, what was shown stays. An error that wraps ErrPartial says that all
	// the rest is shown. Calls do not overlap.
	Load func(ctx context.Context, head store.Doc) error

	// Failed, when set, is called with each error of Load and of the watch.
	Failed func(ctx context.Context, err error)

	// Older, when set, reports whether a head is older than the last one that
	// Load was given. Without it each change costs one more read of the head.
	Older func(head store.Doc) bool

	// Watch, when set, yields at first and after each change of the subject;
	// it takes the place of the watch of Head.
	Watch func(context.Context) iter.Seq2[store.Doc, error]

	// Unchecked leaves the subject to its watch: it is not loaded before the
	// watch yields, and [Set.Confirm] does not read its head.
	Unchecked bool

	Pause time.Duration // before the first repetition; one second when zero
}

// ErrPartial is wrapped by an error of Load after which everything is shown but
// a part that cannot be read, such as a broken shard.
var ErrPartial = errors.New("overlay: a part is not shown")

// A Following keeps one subject up to date. See [Set.Follow].
type Following struct {
	Subject
	set     *Set
	ctx     context.Context // ends the loads that [Set.Confirm] starts
	began   time.Time
	repeat  chan struct{} // holds a token after a load has failed
	loading sync.Mutex    // held from reading the head until the subject is shown
	loaded  atomic.Bool   // something of the subject is shown
	pending atomic.Bool   // a check waits for a load

	heard atomic.Int64 // when the database last confirmed what is shown, in Unix nanoseconds; 0 for never
	lost  atomic.Int64 // since when the watch has been failing; 0 while it is open

	mu      sync.Mutex
	seen    *head // the last head that Load was given; guarded by mu
	failed  bool  // Load has failed with it; guarded by mu
	renewed bool  // the watch has failed since the last load: load even the same head; guarded by mu
}

// A head is the content of a head document, nil when there is no document.
type head struct{ content any }

func newHead(doc store.Doc) (*head, error) {
	h := &head{}
	if doc.Decode == nil {
		return h, nil
	}
	err := doc.Decode(&h.content)
	return h, err
}

// Follow loads a subject and follows it until ctx is done. It waits at most
// FirstWord for the database to answer, and then until the subject is loaded;
// an error of either is given to Failed and repeated in the background.
func (s *Set) Follow(ctx context.Context, subject Subject) *Following {
	f := s.join(ctx, subject)
	f.first(ctx)
	go f.run(ctx)
	return f
}

func (s *Set) join(ctx context.Context, subject Subject) *Following {
	if subject.Pause == 0 {
		subject.Pause = firstPause
	}
	f := &Following{Subject: subject, set: s, ctx: ctx, began: s.now(), repeat: make(chan struct{}, 1)}
	s.add(f)
	return f
}

// first loads the subject, unless the database does not answer in time.
func (f *Following) first(ctx context.Context) {
	if f.Unchecked || f.set.Unreachable() {
		return
	}
	f.loading.Lock()
	defer f.loading.Unlock()
	asked := f.set.now().UnixNano()
	doc, err := f.read(ctx, FirstWord)
	if err != nil {
		f.set.miss(err)
		f.fail(ctx, err, false)
		return
	}
	_ = f.load(ctx, doc, asked) // Failed was given the error, and run repeats it
}

// run follows the subject until ctx is done, and repeats what failed.
func (f *Following) run(ctx context.Context) {
	events := make(chan store.Doc)
	var watching sync.WaitGroup
	watching.Go(func() { f.watch(ctx, events) })
	defer watching.Wait()
	pause, repeat := f.Pause, (<-chan time.Time)(nil)
	for {
		select {
		case <-ctx.Done():
			return
		case doc := <-events:
			f.take(ctx, doc)
		case <-f.repeat:
			if repeat == nil {
				repeat = time.After(pause)
				pause = min(2*pause, lastPause)
			}
		case <-repeat:
			repeat = nil
			if f.failing() {
				_ = f.Refresh(ctx) // Failed was given the error, and repeat has a token
			}
		}
		if !f.failing() {
			pause, repeat = f.Pause, nil
		}
	}
}

// watch sends each event of the watch to events until ctx is done.
func (f *Following) watch(ctx context.Context, events chan<- store.Doc) {
	for pause := f.Pause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		for doc, err := range f.watched(ctx) {
			if err != nil {
				f.lose(ctx, err)
				break
			}
			pause = f.Pause
			f.lost.Store(0)
			select {
			case events <- doc:
			case <-ctx.Done():
				return
			}
		}
		hold(ctx, pause)
	}
}

func (f *Following) watched(ctx context.Context) iter.Seq2[store.Doc, error] {
	if f.Watch != nil {
		return f.Watch(ctx)
	}
	return f.set.db.Watch(ctx, f.Head)
}

func hold(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// lose notes that the watch has ended with err.
func (f *Following) lose(ctx context.Context, err error) {
	f.lost.CompareAndSwap(0, f.set.now().UnixNano())
	f.mu.Lock()
	f.renewed = true
	f.mu.Unlock()
	f.fail(ctx, err, false)
}

// take loads what an event of the watch announces.
func (f *Following) take(ctx context.Context, doc store.Doc) {
	switch {
	case f.Watch != nil:
		_ = f.Refresh(ctx) // Failed was given the error
	case f.isSeen(doc):
		f.hear(f.set.now().UnixNano())
	case f.Unchecked || f.Older != nil:
		f.takeHead(ctx, doc)
	default:
		_ = f.Refresh(ctx)
	}
}

// takeHead loads the subject with the head of an event, or with the head as it
// is now when that of the event has been overtaken by a read.
func (f *Following) takeHead(ctx context.Context, doc store.Doc) {
	f.loading.Lock()
	defer f.loading.Unlock()
	asked := f.set.now().UnixNano()
	if f.Older != nil && f.Older(doc) {
		var err error
		if doc, err = f.read(ctx, loadTime); err != nil {
			f.fail(ctx, err, true)
			return
		}
	}
	_ = f.load(ctx, doc, asked) // Failed was given the error, and run repeats it
}

// confirm notes that doc was the head when the database was asked, and loads it
// when it is not what is shown. A head that could not be loaded is left to run.
func (f *Following) confirm(doc store.Doc, asked int64) error {
	switch {
	case f.isSeen(doc):
		f.hear(asked)
		return nil
	case f.awaitsRepeat(doc):
		return fmt.Errorf("the last change of %s could not be loaded", f.Name)
	case !f.pending.CompareAndSwap(false, true): // loads that hang must not pile up
		return fmt.Errorf("a change of %s is still being loaded", f.Name)
	}
	defer f.pending.Store(false)
	return f.Refresh(f.ctx)
}

// Refresh reads the subject now, and shows it before it returns.
func (f *Following) Refresh(ctx context.Context) error {
	f.loading.Lock()
	defer f.loading.Unlock()
	asked := f.set.now().UnixNano()
	doc, err := f.read(ctx, loadTime)
	if err != nil {
		f.fail(ctx, err, true)
		return err
	}
	return f.load(ctx, doc, asked)
}

// read returns the head. The caller holds loading.
func (f *Following) read(ctx context.Context, limit time.Duration) (store.Doc, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	docs, err := f.set.db.GetAll(ctx, []store.Path{f.Head})
	if err != nil {
		return store.Doc{}, err
	}
	return docs[0], nil
}

// load shows the subject with a head that the database was asked for at a
// moment. The caller holds loading.
func (f *Following) load(ctx context.Context, doc store.Doc, asked int64) error {
	h, err := &head{}, error(nil)
	if !f.Unchecked {
		h, err = newHead(doc)
	}
	if err == nil {
		inner, cancel := context.WithTimeout(ctx, loadTime)
		err = f.Load(inner, doc)
		cancel()
	}
	if err == nil || errors.Is(err, ErrPartial) {
		f.loaded.Store(true)
	}
	if ctx.Err() != nil { // the caller has left: this says nothing of the subject
		return err
	}
	f.mu.Lock()
	f.seen, f.failed, f.renewed = h, err != nil, false
	f.mu.Unlock()
	if err != nil {
		f.fail(ctx, err, true)
		return err
	}
	f.hear(asked)
	return nil
}

// fail gives err to Failed, and asks for a repetition when a load has failed.
func (f *Following) fail(ctx context.Context, err error, loading bool) {
	if ctx.Err() != nil {
		return
	}
	if f.Failed != nil {
		f.Failed(ctx, err)
	}
	if !loading {
		return
	}
	f.mu.Lock()
	f.failed = true
	f.mu.Unlock()
	select {
	case f.repeat <- struct{}{}:
	default: // it holds one
	}
}

func (f *Following) failing() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// isSeen reports whether doc is the head that is shown, so that nothing is to
// be loaded. It is false for an unchecked subject, whose head may be a whole
// shard and is not kept.
func (f *Following) isSeen(doc store.Doc) bool {
	if f.Unchecked {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.failed && !f.renewed && f.same(doc)
}

// awaitsRepeat reports whether doc is a head that could not be loaded, which run
// repeats.
func (f *Following) awaitsRepeat(doc store.Doc) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed && f.same(doc)
}

// same reports whether doc is the head that Load was last given. The caller
// holds mu.
func (f *Following) same(doc store.Doc) bool {
	h, err := newHead(doc)
	return err == nil && f.seen != nil && reflect.DeepEqual(*f.seen, *h)
}

// hear notes that the database confirmed at a moment what is shown.
func (f *Following) hear(at int64) { f.heard.Store(at) }

// lag returns the age of the last word, and whether it is too old.
func (f *Following) lag(now time.Time) (age time.Duration, stale bool) {
	heard, lost := f.heard.Load(), f.lost.Load()
	switch {
	case heard == 0:
		return now.Sub(f.began), true
	case !f.Unchecked:
		age = now.Sub(time.Unix(0, heard))
	case lost != 0:
		age = now.Sub(time.Unix(0, lost))
	}
	return age, age > staleAge
}
