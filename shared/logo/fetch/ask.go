package fetch

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"sync"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/logo/thumbnail"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/raster"
)

// Requests of a host go one after the other within a lane, and a host has at most
// two lanes. Lanes are passed between workers through a queue: a worker does a
// few tasks of one lane and puts it back, so that the lanes advance evenly and a
// slow host holds up at most two workers. Pictures are decoded one at a time,
// which bounds the memory of a run whatever the number of workers.

// An answer is a task with the response of its source.
type answer struct {
	task
	err            error // the request failed
	reached        bool  // the host responded at all
	unchanged      bool
	etag, modified string
	id             string     // of picture; empty when no logo was made
	picture        logo.Image // made from the file
	skipped        string     // why no logo was made
	format         string     // of the file
	bytes          int
}

// A queue hands lanes to workers until the run's limit of sources is reached. A
// worker takes a lane, so that no other worker requests the same host at that
// time, and puts it back after some tasks.
type queue struct {
	mu    sync.Mutex
	lanes [][]task
	left  int // sources that may still be requested
}

// turn is how many tasks of a lane a worker does before it puts the lane back.
const turn = 8

// next removes and returns the first lane; nil when the queue is empty.
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

// back puts the rest of a lane at the end of the queue.
func (q *queue) back(lane []task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(lane) > 0 {
		q.lanes = append(q.lanes, lane)
	}
}

// spend reports whether one more source may be requested, and counts it.
func (q *queue) spend() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.left == 0 {
		return false
	}
	q.left--
	return true
}

// answers yields the answers of a plan's sources, until all were requested, the
// run's limit is reached, or ctx ends. Sources that were not tried are not
// yielded. Leaving the loop early waits for the requests under way.
func (r *run) answers(ctx context.Context, p *plan) iter.Seq[answer] {
	q := &queue{lanes: p.lanes, left: cmp.Or(r.Limits.Sources, defaultSources)}
	out := make(chan answer)
	making := make(chan struct{}, 1) // one file is decoded at a time, since each may take 64 MiB
	var workers sync.WaitGroup
	for range cmp.Or(r.Limits.Workers, defaultWorkers) {
		workers.Go(func() { r.work(ctx, q, making, out) })
	}
	return func(yield func(answer) bool) {
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

// work requests the sources of lanes until the queue is empty.
func (r *run) work(ctx context.Context, q *queue, making chan struct{}, out chan<- answer) {
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

// fetch requests a source. It reports false when the source was not tried, since
// the run has ended or the client is busy.
func (r *run) fetch(ctx context.Context, t task, making chan struct{}) (answer, bool) {
	req := origin.Request{
		URL: t.address, MaxBytes: thumbnail.MaxSource, Timeout: cmp.Or(r.Limits.Answer, defaultAnswer),
		Header: http.Header{"Accept": {"image/png,image/webp,image/jpeg,image/*;q=0.8"}},
	}
	req.IfNoneMatch, req.IfModifiedSince = t.conditional()
	a := answer{task: t}
	res, data, err := r.Client.Fetch(ctx, req)
	switch {
	case err != nil && (ctx.Err() != nil || errors.Is(err, origin.ErrBusy)):
		return a, false
	case errors.Is(err, origin.ErrLimit):
		a.reached, a.skipped = true, raster.TooManyBytes
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

// make makes a logo from a file.
func (a *answer) make(data []byte) {
	im, err := thumbnail.Make(data)
	if errors.Is(err, raster.ErrRefused) {
		a.skipped = raster.Reason(err)
		return
	}
	if err != nil {
		a.err = err
		return
	}
	a.picture, a.id, a.format = im, im.ID(), raster.Format(data)
}

// count adds an answer to the report.
func (r *run) count(a answer) {
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
