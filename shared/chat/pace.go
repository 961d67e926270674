package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social/speech"
	"miramundo.dev/shared/store"
)

// A rate is kept as one moment: that at which a message would be due if all came
// evenly. Each message moves it on by Every; a message is accepted while the moment is
// less than Burst messages ahead of the clock. (This is the generic cell rate
// algorithm, which accepts what a token bucket does.)

// A Rate accepts one message every so often, and Burst at once after a pause.
type Rate struct {
	Every time.Duration
	Burst int
}

// Take returns the moment to store after a message at now, or how long to wait. A
// moment that is further ahead than a burst was stored by a clock that was wrong, and
// counts as now: otherwise all messages would be refused until the clock reaches it.
func (r Rate) Take(next, now time.Time) (after time.Time, wait time.Duration) {
	if next.Before(now) || next.Sub(now) > time.Duration(r.Burst)*r.Every {
		next = now
	}
	if wait = next.Sub(now) - time.Duration(r.Burst-1)*r.Every; wait > 0 {
		return next, wait
	}
	return next.Add(r.Every), 0
}

// limited returns ErrLimit with a reason.
func limited(reason string, wait time.Duration) error {
	seconds := int((min(wait, time.Hour) + time.Second - 1) / time.Second)
	return ErrLimit.With("reason", reason).With("retry_after", max(seconds, 1))
}

// maxTexts is how many of an owner's last texts are compared with a new one.
const maxTexts = 5

// A pace is how fast an owner wrote lately, as it is stored.
type pace struct {
	Next  store.Time `json:"next"`  // see Rate
	Texts []said     `json:"texts"` // the newest last
	Rooms []Place    `json:"rooms,omitempty"`
}

// A said is a text with its time: by its hash and, for a long text, by its print.
type said struct {
	Hash  string       `json:"hash"`
	Print speech.Print `json:"print,omitempty"`
	At    store.Time   `json:"at"`
}

// newSaid returns a text that is written now.
func newSaid(body string, now time.Time) said {
	sum := sha256.Sum256([]byte(body))
	s := said{Hash: hex.EncodeToString(sum[:8]), At: store.At(now)}
	if p := speech.PrintOf(body); p.Long() {
		s.Print = p
	}
	return s
}

// repeats reports whether one of two texts repeats the other: a short one exactly, since
// a conversation has many that are alike, and a long one up to case and punctuation. A
// text with other words is no repetition: people correct what they wrote.
func (s said) repeats(t said) bool { return s.Hash == t.Hash || s.Print.Same(t.Print) }

// pacePath returns where the pace of an owner is.
func pacePath(owner identity.Owner) store.Path {
	return store.Path("owners").Join(string(owner), "kept", "chat")
}

// add notes a message, or returns ErrLimit.
func (p *pace) add(body string, now time.Time, l Limits) error {
	after, wait := l.Owner.Take(p.Next.Time, now)
	if wait > 0 {
		return limited(TooFast, wait)
	}
	text := newSaid(body, now)
	p.Texts = slices.DeleteFunc(p.Texts, func(s said) bool { return now.Sub(s.At.Time).Abs() >= l.Repeat })
	if i := slices.IndexFunc(p.Texts, text.repeats); i >= 0 {
		return limited(Repeated, l.Repeat-now.Sub(p.Texts[i].At.Time))
	}
	p.Next = store.At(after)
	p.Texts = append(p.Texts, text)
	p.Texts = p.Texts[max(0, len(p.Texts)-maxTexts):]
	return nil
}

// maxPaces bounds the networks that are remembered.
const maxPaces = 50_000

// paces are the rates of networks in memory. A network is limited by each process on
// its own: the limit is one against floods, and not worth a write for each message.
type paces struct {
	rate Rate
	mu   sync.Mutex
	next map[string]time.Time // guarded by mu
}

func newPaces(r Rate) *paces { return &paces{rate: r, next: map[string]time.Time{}} }

// take notes a message from a network, or returns ErrLimit.
func (p *paces) take(network string, now time.Time) error {
	if network == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	after, wait := p.rate.Take(p.next[network], now)
	if wait > 0 {
		return limited(TooFast, wait)
	}
	if len(p.next) >= maxPaces {
		p.forget(now)
	}
	p.next[network] = after
	return nil
}

// forget drops the networks that may send a whole burst again. When too many remain it
// drops all.
func (p *paces) forget(now time.Time) {
	for network, next := range p.next {
		if !next.After(now) {
			delete(p.next, network)
		}
	}
	if len(p.next) >= maxPaces {
		clear(p.next)
	}
}
