package jobs

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"sync"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/origin"
)

// An asked is a task with what its source answered.
type asked struct {
	task
	err            error // it failed
	reached        bool  // it answered anything at all
	unchanged      bool
	etag, modified string
	id             string     // of picture; empty when none is made
	picture        logo.Image // made of the file
	skipped        string     // why none is
	format         string     // of the file
	bytes          int
}

// logoTimeout is how long a source may take to send its file, unless the limits
// say otherwise.
const logoTimeout = 10 * time.Second

// A queue gives out lanes to workers, as many tasks as the run may ask.
type queue struct {
	mu    sync.Mutex
	lanes [][]task
	left  int // tasks that may still be asked
}

// turn is how many tasks of a lane are done before it is another's turn.
const turn = 8

// next takes the first lane, nil when all that are left are in work.
func (q *queue) next() []task {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lanes) == 0 || q.left == 0 {
		return nil
	}
	lane := q.lanes[0]
	q.lanes = q.lanes[1:]
	return lane
}

// back puts what is left of a lane behind the others.
func (q *queue) back(lane []task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(lane) > 0 {
		q.lanes = append(q.lanes, lane)
	}
}

// spend reports whether one more task may be asked.
func (q *queue) spend() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.left == 0 {
		return false
	}
	q.left--
	return true
}

// answers yields what the sources of a plan answer, until all are asked, the
// run's limit is reached, or ctx ends. Those that were not tried are not
// yielded. A loop that is left waits for what is under way.
func (r *logoRun) answers(ctx context.Context, p *plan) iter.Seq[asked] {
	q := &queue{lanes: p.lanes, left: cmp.Or(r.Limits.Sources, logoSources)}
	out := make(chan asked)
	making := make(chan struct{}, 1) // one file is decoded at a time: each may take 64 MiB
	var workers sync.WaitGroup
	for range cmp.Or(r.Limits.Workers, logoWorkers) {
		workers.Go(func() { r.work(ctx, q, making, out) })
	}
	return func(yield func(asked) bool) {
		go func() {
			workers.Wait()
			close(out)
		}()
		more := true
		for a := range out {
			more = more && yield(a)
		}
	}
}

// work asks the sources of lanes until none is left.
func (r *logoRun) work(ctx context.Context, q *queue, making chan struct{}, out chan<- asked) {
	for lane := q.next(); lane != nil; lane = q.next() {
		for n := 0; n < turn && len(lane) > 0; n++ {
			if ctx.Err() != nil || !q.spend() {
				return
			}
			if a, tried := r.fetch(ctx, lane[0], making); tried {
				out <- a
			}
			lane = lane[1:]
		}
		q.back(lane)
	}
}

// fetch asks a source. It reports false when the source was not tried: the run
// has ended, or there was no place for the request.
func (r *logoRun) fetch(ctx context.Context, t task, making chan struct{}) (asked, bool) {
	req := origin.Request{
		URL: t.address, MaxBytes: logo.MaxSource, Timeout: cmp.Or(r.Limits.Answer, logoTimeout),
		Header: http.Header{"Accept": {"image/png,image/webp,image/jpeg,image/*;q=0.8"}},
	}
	req.IfNoneMatch, req.IfModifiedSince = t.conditional()
	a := asked{task: t}
	res, data, err := r.Client.Fetch(ctx, req)
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, origin.ErrBusy)):
		return a, false
	case errors.Is(err, origin.ErrLimit):
		a.reached, a.skipped = true, logo.TooManyBytes
		return a, true
	case err != nil:
		a.err = err
		a.reached = !errors.Is(err, origin.ErrUnreachable) && !errors.Is(err, origin.ErrTimeout)
		return a, true
	case res.Status == http.StatusNotModified:
		a.reached, a.unchanged = true, true
		return a, true
	}
	a.reached, a.bytes = true, len(data)
	a.etag, a.modified = res.Header.Get("ETag"), res.Header.Get("Last-Modified")
	making <- struct{}{}
	defer func() { <-making }()
	a.make(data)
	return a, true
}

// make makes the logo of a file.
func (a *asked) make(data []byte) {
	im, err := logo.Make(data)
	if errors.Is(err, logo.ErrSkipped) {
		a.skipped = logo.Reason(err)
		return
	}
	if err != nil {
		a.err = err
		return
	}
	a.picture, a.id, a.format = im, im.ID(), logo.Format(data)
}

// count adds an answer to the report.
func (r *logoRun) count(a asked) {
	rep := r.report
	rep.BytesIn += int64(a.bytes)
	switch {
	case a.err != nil:
		rep.Failed[fault.From(a.err).Code]++
		return
	case a.unchanged:
		rep.Unchanged++
		return
	}
	rep.Fetched++
	if a.skipped != "" {
		rep.Skipped[a.skipped]++
		return
	}
	rep.Made[a.format]++
	rep.Kept[a.picture.Type]++
	rep.BytesOut += int64(len(a.picture.Data))
}
