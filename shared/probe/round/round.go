package round

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/probe"
)

// A round has three kinds of goroutines. Workers measure tasks and send their
// outcomes. The goroutine of Run hands out tasks, collects outcomes and stores
// them in batches; all fields of a round belong to it, so that there are no
// locks. While it measures witnesses, it waits for a few goroutines of its own.
//
// A result is pending until it is stored. Pending results are stored when there
// is a batch of them, after a pause, and at the end, but only after they pass the
// rule of network.go: while they are in doubt no new task starts, and when the
// doubt is confirmed they are dropped and the round ends. Stored results are
// never taken back.
//
// The rate of requests is limited on average. A task waits for one request before
// it starts, and is charged for the others afterwards, since their number is not
// known before.

// A Keeper stores the states of streams. The service uses a probe.Book.
type Keeper interface {
	States(ctx context.Context) (map[catalog.StreamID]probe.State, error)
	Keep(ctx context.Context, changed []probe.Entry, now time.Time, present func(catalog.StreamID) bool) error
}

// A Round measures the streams that are due. It may be stopped at any point:
// what it has stored is not due in the next round.
type Round struct {
	Measurer probe.Measurer
	Keeper   Keeper
	Targets  []probe.Target
	Own      []string // addresses, as written in URLs, that are reached without a network
	Trust    bool     // believe results even when our own network seems to fail
	Now      func() time.Time
	Limits   Limits
}

// Limits bound a round. Each has a default, which its zero value means.
type Limits struct {
	Workers int           // measurements at a time; 64 by default
	PerHost int           // measurements of one host at a time; 4 by default
	Rate    float64       // requests a second on average; 20 by default
	Streams int           // measurements; 10,000 by default
	Time    time.Duration // after which no measurement starts; 4.5 minutes by default
	Batch   int           // results stored together; 200 by default
	Pause   time.Duration // after which fewer results are stored; 30 s by default
}

func (l Limits) orDefaults() Limits {
	return Limits{
		Workers: cmp.Or(l.Workers, 64),
		PerHost: cmp.Or(l.PerHost, 4),
		Rate:    cmp.Or(l.Rate, 20),
		Streams: cmp.Or(l.Streams, 10_000),
		Time:    cmp.Or(l.Time, 4*time.Minute+30*time.Second),
		Batch:   cmp.Or(l.Batch, 200),
		Pause:   cmp.Or(l.Pause, 30*time.Second),
	}
}

// burst is how many requests may be made at once. It must be more than one
// measurement makes.
const burst = 64

// Run measures the streams that are due until all are measured or a limit is
// reached. It returns a report also with an error. When ctx ends it stops, stores
// its results and returns the error of ctx.
func (r *Round) Run(ctx context.Context) (*Report, error) {
	x := &round{Round: r, limits: r.Limits.orDefaults(), report: NewReport()}
	began := r.Now()
	states, err := r.Keeper.States(ctx)
	if err != nil {
		return x.report, err
	}
	for id, s := range states {
		if s.InFuture(began) {
			states[id] = s.Until(began)
		}
	}
	x.states, x.present = states, sync.OnceValue(r.present)
	x.agenda = newAgenda(r.Targets, states, r.Own, x.limits.PerHost, began)
	x.limiter = rate.NewLimiter(rate.Limit(x.limits.Rate), burst)
	x.report.Targets, x.report.Due = len(r.Targets), len(x.agenda.waiting)
	x.report.step("plan", r.Now().Sub(began))
	x.measureAll(ctx)
	x.report.Left = x.report.Due - x.report.Measured
	x.report.hosts(x.agenda)
	x.report.step("whole", r.Now().Sub(began))
	return x.report, cmp.Or(x.err, ctx.Err())
}

// present returns the ids of the targets.
func (r *Round) present() map[catalog.StreamID]bool {
	ids := make(map[catalog.StreamID]bool, len(r.Targets))
	for _, t := range r.Targets {
		ids[t.ID] = true
	}
	return ids
}

// A round is a Round under way. Its fields belong to the goroutine of Run.
type round struct {
	*Round
	limits  Limits
	agenda  *agenda
	states  map[catalog.StreamID]probe.State
	limiter *rate.Limiter
	report  *Report

	begun    int                              // tasks handed out
	present  func() map[catalog.StreamID]bool // the ids of the targets, computed once
	pending  []outcome                        // not stored yet
	evidence evidence                         // the evidence in pending
	cleared  time.Time                        // until when our own network counts as working
	busy     int                              // tasks under way
	doubt    bool                             // the pending results are doubted, and wait for the tasks under way
	spent    bool                             // no time or budget is left to start more tasks
	over     bool                             // the results are void or cannot be stored
	err      error                            // of the first write that failed; it ends the round
}

// An outcome is the result of a task that a worker measured.
type outcome struct {
	task   *task
	begun  bool // false when no time or budget was left
	took   time.Duration
	result probe.Result
}

// measureAll hands tasks to workers and collects their outcomes.
func (x *round) measureAll(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	beginning, end := context.WithTimeout(ctx, x.limits.Time)
	defer end()
	work, outcomes := make(chan *task), make(chan outcome, x.limits.Workers)
	var workers sync.WaitGroup
	for range x.limits.Workers {
		workers.Go(func() {
			for k := range work {
				outcomes <- x.measure(ctx, beginning, k)
			}
		})
	}
	defer workers.Wait()
	defer close(work)
	pause := time.NewTicker(x.limits.Pause)
	defer pause.Stop()
	for {
		next, to := x.next(beginning), work
		if next == nil {
			if to = nil; x.busy == 0 {
				break
			}
		}
		select {
		case to <- next:
			x.agenda.take()
			x.begun++
			x.busy++
		case o := <-outcomes:
			x.busy--
			x.take(ctx, o)
		case <-pause.C:
			x.keep(ctx, false)
		}
		if x.err != nil {
			cancel()
		}
	}
	x.keep(ctx, true)
}

// next returns the next task; nil when none may start now.
func (x *round) next(beginning context.Context) *task {
	if x.over || x.doubt || x.spent || x.begun >= x.limits.Streams || beginning.Err() != nil {
		return nil
	}
	return x.agenda.next()
}

// measure does a task as soon as the rate of requests allows, unless beginning ends
// before. Its requests beyond the first are charged to the tasks that follow.
func (x *round) measure(ctx, beginning context.Context, k *task) outcome {
	if x.limiter.Wait(beginning) != nil {
		return outcome{task: k}
	}
	start := time.Now()
	o := outcome{task: k, begun: true, result: x.Measurer.Measure(ctx, k.Target)}
	o.took = time.Since(start)
	if more := min(o.result.Requests-1, burst); more > 0 {
		x.limiter.ReserveN(time.Now(), more)
	}
	if o.result.At.IsZero() {
		o.result.At = x.Now()
	}
	if ctx.Err() != nil && !o.result.Status.Conclusive() {
		o.begun = false // interrupted, so the stream was not tried
	}
	return o
}

// take adds an outcome to the pending ones, and stores them when they are many or
// doubtful.
func (x *round) take(ctx context.Context, o outcome) {
	x.agenda.done(o.task)
	x.spent = x.spent || !o.begun
	if o.begun && x.err == nil {
		x.add(o)
	}
	if len(x.pending) >= x.limits.Batch || x.suspect(manyTargets, manyHosts) || x.doubt {
		x.keep(ctx, false)
	}
}

// add adds an outcome to the pending ones, to the report, and to what is known of
// the network.
func (x *round) add(o outcome) {
	x.pending = append(x.pending, o)
	x.evidence.add(o.task, &o.result)
	x.report.add(&o)
}

// keep stores the pending results, unless they are not to be believed. A few
// doubtful results wait for more, and doubted ones wait for the tasks under way,
// since failures often arrive before successes.
func (x *round) keep(ctx context.Context, last bool) {
	if len(x.pending) == 0 || x.over {
		return
	}
	suspect := x.suspect(fewTargets, fewHosts)
	if x.doubt = suspect && (x.doubt || !x.networkWorks(ctx)); x.doubt {
		if x.busy > 0 {
			return
		}
		x.void()
	}
	if !suspect && x.suspect(1, 1) && !last && len(x.pending) < x.limits.Batch {
		return
	}
	begun := x.Now()
	x.err = x.store(ctx)
	x.over = x.over || x.err != nil
	x.report.step("keep", x.Now().Sub(begun))
	x.pending, x.evidence = nil, evidence{}
}

// suspect reports whether the pending results are doubtful, given that they are of
// at least so many targets and hosts.
func (x *round) suspect(targets, hosts int) bool {
	return !x.Trust && x.Now().After(x.cleared) && x.evidence.suspect(targets, hosts)
}

// void drops results that are not to be believed, except those of addresses that
// are reached without a network, and ends the round.
func (x *round) void() {
	x.over = true
	x.report.Void = "nearly no origin answers: the own network is thought to fail"
	all := len(x.pending)
	x.pending = slices.DeleteFunc(x.pending, func(o outcome) bool { return o.task.outside })
	x.report.Dropped = all - len(x.pending)
}

// networkWorks reports whether our own network works although nearly no origin answered.
// It measures witnesses, and goes by the number of results when there are too few
// witnesses.
func (x *round) networkWorks(ctx context.Context) bool {
	tasks := x.witnesses(x.Now())
	outcomes := make([]outcome, len(tasks))
	var group sync.WaitGroup
	for i, k := range tasks {
		group.Go(func() { outcomes[i] = x.measure(ctx, ctx, k) })
	}
	group.Wait()
	conclusive, cleared := 0, false
	for i := range outcomes {
		o := &outcomes[i]
		if !o.begun || !o.result.Status.Conclusive() {
			continue
		}
		conclusive++
		cleared = cleared || vouches(&o.result)
		x.add(*o)
	}
	if cleared {
		x.cleared = x.Now().Add(clearFor)
	}
	return cleared || conclusive < leastWitnesses && !x.evidence.suspect(manyTargets, manyHosts)
}

// storing is how long a stopped round may take to store its results.
const storing = 30 * time.Second

// store stores the pending results, also after ctx has ended.
func (x *round) store(ctx context.Context) error {
	changed := make([]probe.Entry, len(x.pending))
	for i, o := range x.pending {
		id := o.task.ID
		x.states[id] = x.states[id].After(o.result)
		changed[i] = probe.Entry{ID: id, State: x.states[id]}
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), storing)
	defer cancel()
	err := x.Keeper.Keep(within, changed, x.Now(), func(id catalog.StreamID) bool { return x.present()[id] })
	if err == nil {
		x.report.Kept += len(changed)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(errLate, err)
	}
	return err
}

var errLate = errors.New("round: results could not be stored in time")
