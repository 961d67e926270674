package visit

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

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
	if reason := kindOfAgent(c.UserAgent); reason != "" {
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

// Parts of User-Agents, in lower case.
var (
	smokes   = []string{"mm-smoke"}
	crawlers = []string{"bot", "crawl", "spider", "slurp", "facebookexternalhit", "preview", "monitor", "lighthouse", "headless"}
	programs = []string{"gptbot", "chatgpt", "claude", "perplexity", "openai", "anthropic", "agent", "mcp"}
)

// browserPrefix begins the User-Agent of every browser.
const browserPrefix = "mozilla/"

// maxAgent is how many bytes of a User-Agent are read.
const maxAgent = 512

// kindOfAgent returns why a view by a User-Agent is not counted, or "".
func kindOfAgent(agent string) string {
	agent = strings.ToLower(agent[:min(len(agent), maxAgent)])
	agent = strings.ReplaceAll(agent, "cubot", "") // a maker of phones
	has := func(parts []string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(agent, part) })
	}
	switch {
	case has(smokes):
		return Smoke
	case has(programs):
		return Agent
	case has(crawlers):
		return Bot
	case !strings.HasPrefix(agent, browserPrefix):
		return Agent
	}
	return ""
}
