package probe

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"miramundo.dev/shared/catalog"
)

// A Keeper keeps what a round finds. Book is the one of the service.
type Keeper interface {
	States(ctx context.Context) (map[catalog.StreamID]State, error)
	Keep(ctx context.Context, changed []Entry, now time.Time, present func(catalog.StreamID) bool) error
}

// A Round measures the streams that are due. It may be stopped at any point:
// what it has kept is not due in the next one.
type Round struct {
	Measurer Measurer
	Keeper   Keeper
	Targets  []Target
	Own      []string // addresses as they stand in URLs that are reached without a network
	Trust    bool     // keep what is found even if it looks as if the own network fails
	Now      func() time.Time
	Limits   Limits
}

// Limits bound a round. The zero value of each has a meaning.
type Limits struct {
	Workers int           // measurements at a time; the zero is 64
	PerHost int           // of them of one host; the zero is 4
	Rate    float64       // requests in a second, on average; the zero is 20
	Streams int           // measurements; the zero is 10,000
	Time    time.Duration // after which none begins; the zero is 4.5 minutes
	Batch   int           // results kept together; the zero is 200
	Pause   time.Duration // after which they are kept even if they are fewer; the zero is 30 s
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

// burst is how many requests may be spent at once: more than one measurement
// takes.
const burst = 64

// Run measures what is due until all is done or a limit is reached, and reports
// on it also when it fails. When ctx ends it stops, keeps what it has found and
// returns the error of ctx.
func (r *Round) Run(ctx context.Context) (*Report, error) {
	x := &round{Round: r, limits: r.Limits.orDefaults(), report: NewReport()}
	began := r.Now()
	states, err := r.Keeper.States(ctx)
	if err != nil {
		return x.report, err
	}
	for id, s := range states {
		if s.foretold(began) {
			states[id] = s.till(began)
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

// present returns the targets.
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
	states  map[catalog.StreamID]State
	limiter *rate.Limiter
	report  *Report

	begun   int                              // measurements
	present func() map[catalog.StreamID]bool // the targets
	pending []outcome
	hearing hearing
	cleared time.Time // until when the network is known to work
	busy    int       // tasks under way
	doubt   bool      // what was found waits for what is under way
	spent   bool      // no time or no budget is left to begin more
	over    bool      // the results are void or cannot be kept
	err     error
}

// An outcome is what a worker brings back of a task.
type outcome struct {
	task   *task
	begun  bool // or no time, or no budget, was left
	took   time.Duration
	result Result
}

// measureAll gives tasks to workers and keeps what they bring back.
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

// next returns the task to give out, nil when there is none at the moment.
func (x *round) next(beginning context.Context) *task {
	if x.over || x.doubt || x.spent || x.begun >= x.limits.Streams || beginning.Err() != nil {
		return nil
	}
	return x.agenda.next()
}

// measure does a task as soon as the budget of requests allows, unless the time
// to begin is over before. What it took beyond one request is taken from the
// budget of those that follow.
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
	if ctx.Err() != nil && !o.result.Status.tells() {
		o.begun = false // says nothing of the stream, not even that it was tried
	}
	return o
}

// take has an outcome among those to keep, and keeps them when they are many or
// give rise to doubt.
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

func (x *round) add(o outcome) {
	x.pending = append(x.pending, o)
	x.hearing.add(o.task, &o.result)
	x.report.add(&o)
}

// keep keeps what was found since it last did, unless that is not to be
// believed. What little gives rise to doubt waits for more, but not for ever;
// what is doubted waits for what is under way, since who does not answer is
// often known first.
func (x *round) keep(ctx context.Context, last bool) {
	if len(x.pending) == 0 || x.over {
		return
	}
	suspect := x.suspect(fewTargets, fewHosts)
	if x.doubt = suspect && (x.doubt || !x.heard(ctx)); x.doubt {
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
	x.pending, x.hearing = nil, hearing{}
}

// suspect reports whether what was found since it was last kept gives rise to
// doubt, when it is of so many targets and hosts.
func (x *round) suspect(targets, hosts int) bool {
	return !x.Trust && x.Now().After(x.cleared) && x.hearing.suspect(targets, hosts)
}

// void drops what is not to be believed, and ends the round: what is reached
// without a network is kept.
func (x *round) void() {
	x.over = true
	x.report.Void = "nearly no origin answers: the own network is thought to fail"
	all := len(x.pending)
	x.pending = slices.DeleteFunc(x.pending, func(o outcome) bool { return o.task.outside })
	x.report.Dropped = all - len(x.pending)
}

// heard reports whether the network works although nearly nobody answered. It
// asks witnesses for that, and when they are few says what is likelier.
func (x *round) heard(ctx context.Context) bool {
	asked := x.witnesses(x.Now())
	outcomes := make([]outcome, len(asked))
	var group sync.WaitGroup
	for i, k := range asked {
		group.Go(func() { outcomes[i] = x.measure(ctx, ctx, k) })
	}
	group.Wait()
	told, cleared := 0, false
	for i := range outcomes {
		o := &outcomes[i]
		if !o.begun || !o.result.Status.tells() {
			continue
		}
		told++
		cleared = cleared || vouches(&o.result)
		x.add(*o)
	}
	if cleared {
		x.cleared = x.Now().Add(clearFor)
	}
	return cleared || told < leastWitnesses && !x.hearing.suspect(manyTargets, manyHosts)
}

// storing is how long a round that was told to stop may take to keep what it
// has found.
const storing = 30 * time.Second

// store keeps what was found.
func (x *round) store(ctx context.Context) error {
	changed := make([]Entry, len(x.pending))
	for i, o := range x.pending {
		id := o.task.ID
		x.states[id] = x.states[id].After(o.result)
		changed[i] = Entry{id, x.states[id]}
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

var errLate = errors.New("probe: results could not be kept in time")
