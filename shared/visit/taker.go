package visit

import (
	"context"
	"sync"
	"time"

	"miramundo.dev/shared/agent"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/identity"
)

// Reasons why a view is not counted, as the API shows them.
const (
	Again       = "ja_contado_hoje" // the person was counted on this day
	Smoke       = "smoke"           // the caller says that it is a test
	Bot         = "robo"            // the User-Agent is that of a crawler
	Agent       = "agente"          // the User-Agent is that of a program and not of a browser
	Unavailable = "indisponivel"    // the event could not be published
)

// remembered is how many persons of a day a Taker remembers, in about 4 MiB. Beyond that
// it publishes again what is counted already, which changes no count.
const remembered = 1 << 17

// A Taker publishes the visits of persons. Its methods may be called concurrently.
type Taker struct {
	box    *outbox.Outbox
	people *identity.People
	now    func() time.Time
	marks  identity.Marks

	mu   sync.Mutex
	day  identity.Day
	seen map[uint64]struct{} // marks of the day; guarded by mu
}

// NewTaker returns a Taker that publishes by box and names persons by people.
func NewTaker(box *outbox.Outbox, people *identity.People, now func() time.Time) *Taker {
	return &Taker{box: box, people: people, now: now, marks: identity.NewMarks()}
}

// Take publishes that a person saw something, when it is the first time of the day, and
// returns why it did not otherwise; empty when it did. The caller's guest is left out: a
// person has none on the first page, and would be counted again with it.
func (t *Taker) Take(ctx context.Context, c identity.Caller, k Kind) (reason string, err error) {
	if reason := refusals[agent.Classify(c.UserAgent).Kind]; reason != "" {
		return reason, nil
	}
	c.Guest = ""
	now := t.now()
	day := identity.DayOf(now)
	mark := t.marks.Person(c, day, string(k))
	if !t.remember(mark, day) {
		return Again, nil
	}
	published, err := t.box.Publish(ctx, Visit{Key: keyOf(t.people.Person(c, day), k), Kind: k, At: now.UTC()})
	if err == nil && published {
		return "", nil
	}
	t.forget(mark)
	return Unavailable, err
}

// remember notes a mark of a day, and reports whether it is new. Marks of another day,
// and those of a day with too many, are forgotten.
func (t *Taker) remember(mark uint64, day identity.Day) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil || t.day != day || len(t.seen) >= remembered {
		t.day, t.seen = day, map[uint64]struct{}{}
	}
	if _, ok := t.seen[mark]; ok {
		return false
	}
	t.seen[mark] = struct{}{}
	return true
}

func (t *Taker) forget(mark uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.seen, mark)
}

// refusals are why a view by a caller of a kind is not counted. People are counted.
var refusals = [agent.Kinds]string{
	agent.Program: Agent, agent.Assistant: Agent, agent.Player: Agent, agent.Crawler: Bot, agent.Test: Smoke,
}
