package budget

import (
	"context"
	"sync"
	"time"
)

// An instance counts every call of a shared allowance in its own memory first, so that a
// caller who goes on after a refusal costs no document. Beyond the calls that it allows
// unasked, it takes a chunk of calls from the document of the subject and uses that up.
// While the ledger cannot be reached, each instance counts alone.

const (
	drawTimeout = 2 * time.Second  // for one document; the caller waits
	ledgerPause = 10 * time.Second // after a failure of the ledger, until it is asked again
)

// An account is an allowance for each subject of one kind.
type account[K comparable] struct {
	*Options
	kind  string
	a     Allowance
	local *Limiter[K] // nil: there is no limit

	mu     sync.Mutex
	shares map[K]*share // guarded by mu
	swept  time.Time    // guarded by mu
	down   time.Time    // the ledger is not asked until then; guarded by mu
}

// A share is what this instance has taken from the document of one subject.
type share struct {
	mu      sync.Mutex // held while the document is asked, so that calls at a time take one chunk
	left    int
	until   time.Time // when the rest of the chunk is void: the document has it again
	refused time.Time // the document has no call left until then
}

func newAccount[K comparable](o *Options, kind string, a Allowance) *account[K] {
	c := &account[K]{Options: o, kind: kind, a: a, shares: map[K]*share{}}
	if a.AtOnce > 0 {
		c.local = NewLimiter[K](a, o.Now)
	}
	return c
}

// check returns ErrTooMany when this process knows that a subject has no call left.
func (c *account[K]) check(subject K) error {
	if c.local == nil {
		return nil
	}
	if err := c.local.Check(subject); err != nil {
		return err
	}
	c.mu.Lock()
	s := c.shares[subject]
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wait(c.Now())
}

// wait returns ErrTooMany while the document is known to have no call left.
func (s *share) wait(now time.Time) error {
	if wait := s.refused.Sub(now); wait > 0 {
		return TooMany(wait)
	}
	return nil
}

// take takes one call of a subject, which the ledger knows by name.
func (c *account[K]) take(ctx context.Context, subject K, name string) error {
	if c.local == nil {
		return nil
	}
	if err := c.check(subject); err != nil {
		return err
	}
	used, err := c.local.take(subject)
	if err != nil || c.a.Chunk == 0 || c.Ledger == nil || used <= c.a.Unasked {
		return err
	}
	s := c.share(subject)
	if s == nil {
		return nil
	}
	return c.takeShared(ctx, s, name)
}

// takeShared takes one call from what this instance has of the document, and asks for
// more where nothing is left. Calls that waited for one that the ledger failed do not ask
// it again, which would make each of them wait longer than the one before.
func (c *account[K]) takeShared(ctx context.Context, s *share, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := c.Now()
	if s.left > 0 && now.Before(s.until) {
		s.left--
		return nil
	}
	if err := s.wait(now); err != nil { // refused while this call waited for the document
		return err
	}
	if c.isDown(now) {
		return nil
	}
	return c.draw(ctx, s, name)
}

// isDown reports whether the ledger failed so lately that it is not asked.
func (c *account[K]) isDown(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return now.Before(c.down)
}

// draw takes a chunk from the document of a subject, and one call from the chunk. It goes
// on when the caller hangs up: that must not look like a ledger that fails.
func (c *account[K]) draw(ctx context.Context, s *share, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drawTimeout)
	defer cancel()
	n, wait, err := c.Ledger.Draw(ctx, c.kind, c.a, name, c.a.Chunk)
	now := c.Now()
	switch {
	case err != nil:
		c.fail(err, now)
		return nil
	case n == 0:
		s.refused = now.Add(wait)
		return TooMany(wait)
	}
	s.left, s.until = n-1, now.Add(time.Duration(n)*c.a.Every)
	return nil
}

// fail notes that the ledger cannot be reached, and logs it once in each pause.
func (c *account[K]) fail(err error, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Before(c.down) {
		return
	}
	c.down = now.Add(ledgerPause)
	c.Log.Warn("a budget is counted by this instance alone, because the database fails", "budget", c.kind, "cause", err.Error())
}

// share returns the share of a subject; nil while the ledger cannot be reached, or when
// there is no room for one more.
func (c *account[K]) share(subject K) *share {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	if now.Before(c.down) {
		return nil
	}
	s := c.shares[subject]
	if s == nil {
		if len(c.shares) >= maxSubjects {
			c.sweep(now)
		}
		if len(c.shares) >= maxSubjects {
			return nil
		}
		s = &share{}
		c.shares[subject] = s
	}
	return s
}

// sweep forgets the shares that mean nothing any more. It does so at most once in the time
// in which an allowance grows by one call, since it looks at every share. The caller holds
// c.mu.
func (c *account[K]) sweep(now time.Time) {
	if now.Sub(c.swept) < c.a.Every {
		return
	}
	c.swept = now
	for subject, s := range c.shares {
		if !s.mu.TryLock() {
			continue // a call uses it
		}
		if !now.Before(s.until) && !now.Before(s.refused) {
			delete(c.shares, subject)
		}
		s.mu.Unlock()
	}
}
