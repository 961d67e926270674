// Package budget limits how many calls an owner and a network may make.
//
// An endpoint declares its [Budget] as data, and package api takes each call from it
// before anything is read or written for that call. The budgets of the service stand in
// table.go, with their reasons. An allowance is a token bucket: some calls at once, and
// then one more in each interval.
//
// Each process counts in its own memory, which costs no document. Where that would
// allow too much on many instances, the allowance has a Chunk: instances then take calls
// from one document for each subject (package throttle keeps it), several at a time.
package budget

import (
	"fmt"
	"math"
	"time"

	"miramundo.dev/shared/fault"
)

// ErrTooMany refuses a call. Its field "retry_after" is in seconds.
var ErrTooMany = fault.New(fault.Limited, "too_many_requests")

// TooMany returns ErrTooMany for a caller that may call again after wait.
func TooMany(wait time.Duration) error {
	return ErrTooMany.With("retry_after", int(math.Ceil(wait.Seconds())))
}

// A Budget is the allowance of each owner and of each network for the endpoints that
// declare it. Endpoints with the same Budget draw on the same allowance.
type Budget struct {
	Name    string    // names its documents
	Of      string    // the calls that draw on it, in English
	Owner   Allowance // of each owner; zero where the caller is not identified
	Network Allowance // of each network, see identity.Network; wider ones of IPv6 have several times that
}

// Shared reports whether instances share a part of b.
func (b *Budget) Shared() bool { return b != nil && (b.Owner.Chunk > 0 || b.Network.Chunk > 0) }

// An Allowance is how many calls one subject may make. The zero Allowance sets no limit.
type Allowance struct {
	AtOnce int           // calls at once, after a pause
	Every  time.Duration // after that, one more call in each such time

	// Chunk is how many calls an instance takes from the document of a subject at a
	// time; 0 means that each instance counts alone. A transaction of one read and one
	// write pays for Chunk calls. Calls that an instance took and did not make are lost
	// to the subject until the bucket has them again.
	Chunk int
	// Unasked is how many calls an instance allows to a subject before it asks the
	// document. Such calls are not counted in it: they make the limit Unasked higher
	// for each instance, and ordinary people make no more of them.
	Unasked int
}

// String describes a in English, such as "30, then one every 20s".
func (a Allowance) String() string { return fmt.Sprintf("%d, then one every %s", a.AtOnce, a.Every) }

// whole returns the time after which an unused allowance is whole again.
func (a Allowance) whole() time.Duration { return time.Duration(a.AtOnce) * a.Every }

// skew is how far the clocks of two machines may differ.
const skew = time.Minute

// Grant takes up to n calls from a bucket and returns how many it took. due is when the
// bucket is whole again, and the zero time for a bucket that was never used; next is its
// new value. When no call is left, Grant returns the time until there is one.
func (a Allowance) Grant(due, now time.Time, n int) (granted int, next time.Time, wait time.Duration) {
	most := now.Add(a.whole())
	switch {
	case due.Before(now), due.After(most.Add(skew)): // stored by a clock that was ahead, and that no time would reach
		due = now
	case due.After(most):
		due = most
	}
	left := int((a.whole() - due.Sub(now)) / a.Every)
	if left <= 0 {
		return 0, due, due.Sub(now) + a.Every - a.whole()
	}
	granted = min(n, left)
	return granted, due.Add(time.Duration(granted) * a.Every), 0
}

// times returns a for factor times as many people.
func (a Allowance) times(factor int) Allowance {
	if factor > 1 {
		a.AtOnce, a.Every = a.AtOnce*factor, max(a.Every/time.Duration(factor), 1)
	}
	return a
}
