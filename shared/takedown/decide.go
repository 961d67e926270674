package takedown

import (
	"context"
	"errors"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/store"
)

// A Verb is a decision of the operator.
type Verb string

// The verbs.
const (
	Block  Verb = "block"  // blocks what a request names
	Refuse Verb = "refuse" // leaves everything as it is
	Ask    Verb = "ask"    // asks the sender for more
	Lift   Verb = "lift"   // lifts what a request blocked
	Accept Verb = "accept" // accepts a counter-notice, and lifts what the request that it answers blocked
)

var verbs = []Verb{Block, Refuse, Ask, Lift, Accept}

// A step is what a verb makes of a case.
type step struct {
	request, notice []State // from which states, of a request and of a counter-notice
	to              State
	log             act.Verb
}

var waiting = []State{Received, Asked}

var steps = map[Verb]step{
	Block:  {[]State{Received, Asked, Refused, Lifted}, nil, Blocked, act.TakedownBlock},
	Refuse: {waiting, waiting, Refused, act.TakedownRefuse},
	Ask:    {waiting, waiting, Asked, act.TakedownAsk},
	Lift:   {[]State{Blocked}, nil, Lifted, act.TakedownLift},
	Accept: {nil, []State{Received, Asked, Refused}, Accepted, act.TakedownAccept},
}

// from returns the states of c from which the step can be taken.
func (s step) from(c *Case) []State {
	if c.Answers != 0 {
		return s.notice
	}
	return s.request
}

// An Order is a decision as the operator gives it. Its texts are checked by the caller.
type Order struct {
	Number  int
	Verb    Verb
	Targets []Blocking // what Block blocks; nil for all that was found of what the request names
	Answer  string     // is sent to the sender; empty sends nothing
	Reason  string     // for the log of moderation
	By      string     // names the operator
}

// Decide carries out an order in one transaction and returns the case. It reports false,
// and changes nothing, when the case is decided so already: an order that is repeated
// does no harm. It returns ErrNoCase, ErrDecided, ErrNoTargets or block.ErrInvalid.
func (d *Desk) Decide(ctx context.Context, o Order) (c Case, changed bool, err error) {
	var sent []string
	err = d.DB.Update(ctx, func(tx store.Tx) error {
		g := &deciding{d: d, tx: tx, order: o}
		err := g.decide()
		c, changed, sent = g.c, g.changed, g.sent
		return err
	})
	if err != nil {
		return Case{}, false, err
	}
	d.sendAll(ctx, sent)
	return c, changed, nil
}

// deciding is one run of the transaction of a decision.
type deciding struct {
	d     *Desk
	tx    store.Tx
	order Order

	c       Case
	request *Request // nil when it was deleted
	about   *Case    // the case that an accepted counter-notice answers; else nil
	of      *Request // what the sender of that case wrote; nil when it was deleted
	totals  Totals
	blocks  *block.Change
	changed bool
	sent    []string
}

// decide reads everything, and then writes everything.
func (g *deciding) decide() (err error) {
	if g.c, g.request, err = g.read(g.order.Number); err != nil {
		return err
	}
	do := steps[g.order.Verb]
	if g.c.State == do.to && g.order.Verb != Ask {
		if g.order.Verb == Block && slices.ContainsFunc(g.order.Targets, g.spares) {
			return ErrDecided.With("state", string(g.c.State)) // what else is to be blocked needs the block lifted first
		}
		return nil
	}
	if !slices.Contains(do.from(&g.c), g.c.State) {
		return ErrDecided.With("state", string(g.c.State))
	}
	if g.totals, err = readTotals(g.tx); err != nil {
		return err
	}
	if err := g.change(); err != nil {
		return err
	}
	g.changed = true
	return g.write(do)
}

// spares reports whether the case, which is blocked, does not block t.
func (g *deciding) spares(t Blocking) bool {
	return !slices.ContainsFunc(g.c.Blocked, func(b Blocking) bool {
		return b.Kind == t.Kind && strings.EqualFold(b.Value, strings.TrimSuffix(t.Value, "."))
	})
}

// read returns a case and what its sender wrote.
func (g *deciding) read(number int) (Case, *Request, error) {
	docs, err := g.tx.GetAll([]store.Path{casePath(number), recordPath(number)})
	if err != nil {
		return Case{}, nil, err
	}
	return decode(docs)
}

// change prepares what the verb changes of blocks, and of the case that a counter-notice
// answers.
func (g *deciding) change() (err error) {
	switch g.order.Verb {
	case Block:
		return g.block()
	case Lift:
		return g.lift(&g.c)
	case Accept:
		about, of, err := g.read(g.c.Answers)
		if err != nil || about.State != Blocked { // it was lifted meanwhile, by itself or for another notice
			return err
		}
		g.about, g.of = &about, of
		return g.lift(g.about)
	}
	return nil
}

// block prepares the blocks of the case.
func (g *deciding) block() error {
	targets := g.order.Targets
	if targets == nil && g.request != nil {
		for _, t := range g.request.Targets {
			if t.Kind != "" {
				targets = append(targets, Blocking{t.Kind, t.Value})
			}
		}
	}
	if len(targets) == 0 || len(targets) > MaxTargets {
		return ErrNoTargets.With("max", MaxTargets)
	}
	var list []block.Block
	var ids []string
	for _, t := range targets {
		b, err := blockOf(t, &g.c, g.d.Now())
		if err != nil {
			return err
		}
		if !slices.Contains(ids, b.ID) {
			list, ids = append(list, b), append(ids, b.ID)
		}
	}
	change, err := block.Read(g.tx, ids)
	if err != nil {
		return err
	}
	g.c.Blocked = nil
	for _, b := range list {
		change.Hold(b, g.c.Number)
		g.c.Blocked = append(g.c.Blocked, Blocking{b.Kind, b.Value})
	}
	g.blocks = change
	return nil
}

// lift prepares that the blocks of a case end, unless other cases hold them.
func (g *deciding) lift(c *Case) error {
	var ids []string
	for _, t := range c.Blocked {
		b, err := blockOf(t, c, g.d.Now())
		if err != nil {
			return err
		}
		ids = append(ids, b.ID)
	}
	change, err := block.Read(g.tx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		change.Release(id, c.Number)
	}
	g.blocks = change
	return nil
}

// write writes the decision.
func (g *deciding) write(do step) error {
	now := store.At(g.d.Now())
	g.move(&g.c, do.to)
	errs := []error{g.tx.Set(casePath(g.c.Number), g.c), g.keep(&g.c, g.request, Decision{g.order.Verb, g.order.Answer, now})}
	if g.about != nil {
		g.move(g.about, Lifted)
		errs = append(errs, g.tx.Set(casePath(g.about.Number), *g.about))
		if g.of != nil {
			errs = append(errs, g.keep(g.about, g.of, Decision{Lift, Draft(g.of.Locale, Lift, g.about.Number), now}))
		}
	}
	if g.blocks != nil {
		errs = append(errs, g.blocks.Write(g.tx))
	}
	entry := act.Entry{Verb: do.log, Takedown: g.c.Number, Reason: g.order.Reason, By: g.order.By, At: now}
	return errors.Join(append(errs, g.tx.Set(totalPath, g.totals), act.Note(g.tx, entry))...)
}

// move gives a case another state.
func (g *deciding) move(c *Case, to State) {
	before := c.State
	c.State, c.DecidedAt, c.Open = to, store.At(g.d.Now()), to == Asked
	g.totals.move(c, before)
}

// keep stores a decision with the request of its case, and has the answer sent.
func (g *deciding) keep(c *Case, r *Request, made Decision) error {
	if r == nil {
		return nil
	}
	r.Decisions = append(r.Decisions, made)
	r.Decisions = r.Decisions[max(0, len(r.Decisions)-maxDecisions):]
	kept, err := r.record(g.d.Now())
	if err != nil {
		return err
	}
	if made.Text != "" {
		ids, err := g.d.post(g.tx, envelope{
			To: r.Email, Locale: r.Locale, Number: c.Number, Link: g.d.link(r.Locale, c.Number, r.Secret), What: answer, Text: made.Text,
		})
		if err != nil {
			return err
		}
		g.sent = append(g.sent, ids...)
	}
	return g.tx.Set(recordPath(c.Number), kept)
}
