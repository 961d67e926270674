package budget

import (
	"sync"
	"time"
)

// maxSubjects is how many subjects a limiter counts separately, in about 2 MiB. Subjects
// beyond that share one allowance until others have theirs whole again.
const maxSubjects = 1 << 14

// A Limiter counts the calls of subjects in the memory of this process. Its methods may
// be called concurrently.
type Limiter[K comparable] struct {
	a      Allowance
	now    func() time.Time
	mu     sync.Mutex
	due    map[K]time.Time // when the allowance of each subject is whole again; guarded by mu
	others time.Time       // likewise, of the subjects beyond maxSubjects; guarded by mu
	swept  time.Time       // guarded by mu
}

// NewLimiter returns a limiter that gives each subject the allowance a.
func NewLimiter[K comparable](a Allowance, now func() time.Time) *Limiter[K] {
	return &Limiter[K]{a: a, now: now, due: map[K]time.Time{}}
}

// Take takes one call of a subject, or returns ErrTooMany.
func (l *Limiter[K]) Take(subject K) error {
	_, err := l.take(subject)
	return err
}

// take takes one call, and returns how many calls of the allowance are used now.
func (l *Limiter[K]) take(subject K) (used int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	due, counted := l.due[subject]
	if !counted && len(l.due) >= maxSubjects {
		l.sweep(now)
	}
	room := counted || len(l.due) < maxSubjects
	if !room {
		due = l.others
	}
	granted, due, wait := l.a.Grant(due, now, 1)
	if granted == 0 {
		return l.a.AtOnce, TooMany(wait)
	}
	if room {
		l.due[subject] = due
	} else {
		l.others = due
	}
	return int((due.Sub(now) + l.a.Every - 1) / l.a.Every), nil
}

// Check returns what Take would return, and takes nothing.
func (l *Limiter[K]) Check(subject K) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	due, counted := l.due[subject]
	if !counted && len(l.due) >= maxSubjects {
		due = l.others
	}
	if granted, _, wait := l.a.Grant(due, l.now(), 1); granted == 0 {
		return TooMany(wait)
	}
	return nil
}

// sweep forgets the subjects whose allowance is whole again. It does so at most once in
// the time in which an allowance grows by one call.
func (l *Limiter[K]) sweep(now time.Time) {
	if now.Sub(l.swept) < l.a.Every {
		return
	}
	l.swept = now
	for subject, due := range l.due {
		if !due.After(now) {
			delete(l.due, subject)
		}
	}
}
