package throttle

import (
	"slices"
	"time"

	"miramundo.dev/shared/store"
)

// Familiar is how long a browser stays familiar to a subject after its last success.
const Familiar = 90 * 24 * time.Hour

// maxFamiliar is how many browsers a subject remembers; the one whose success is
// longest ago gives way to a new one.
const maxFamiliar = 8

// A record is the document of a subject.
type record struct {
	counter             // of all browsers that are not familiar
	Browsers []familiar `json:"browsers,omitempty"` // newest success first
	WholeAt  store.Time `json:"whole_at,omitzero"`  // of a budget: when it is whole again
	ExpireAt store.Time `json:"expire_at"`
}

// A familiar is a browser in which an attempt succeeded.
type familiar struct {
	Browser  string     `json:"browser"` // a MAC
	PassedAt store.Time `json:"passed_at"`
	counter
}

// A counter counts attempts.
type counter struct {
	Attempts int        `json:"attempts"`
	LastAt   store.Time `json:"last_at"`
	WaitTo   store.Time `json:"wait_to"` // the time of the next attempt
}

// wait returns how long the next attempt must wait. A time that a clock which was ahead
// has stored does not count.
func (c *counter) wait(l Limit, now time.Time) time.Duration {
	return min(c.WaitTo.Left(now, l.Most), l.Most)
}

// count adds an attempt.
func (c *counter) count(l Limit, now time.Time) {
	c.Attempts++
	c.LastAt, c.WaitTo = store.At(now), store.At(now.Add(l.wait(c.Attempts)))
}

// counterOf returns the counter for attempts from a browser.
func (r *record) counterOf(browser string) *counter {
	if i := r.index(browser); i >= 0 {
		return &r.Browsers[i].counter
	}
	return &r.counter
}

// index returns the index of a browser in r, or -1.
func (r *record) index(browser string) int {
	return slices.IndexFunc(r.Browsers, func(f familiar) bool { return browser != "" && f.Browser == browser })
}

// pass notes a success from a browser.
func (r *record) pass(browser string, now time.Time) {
	if i := r.index(browser); i >= 0 {
		r.Browsers = slices.Delete(r.Browsers, i, i+1)
	} else {
		r.counter = counter{}
	}
	if browser == "" {
		return
	}
	r.Browsers = slices.Insert(r.Browsers, 0, familiar{Browser: browser, PassedAt: store.At(now)})
	r.Browsers = r.Browsers[:min(len(r.Browsers), maxFamiliar)]
}

// forget removes counts that are older than the limit remembers, and browsers that
// are not familiar any more.
func (r *record) forget(l Limit, now time.Time) {
	r.counter.forget(l, now)
	r.Browsers = slices.DeleteFunc(r.Browsers, func(f familiar) bool { return !now.Before(f.PassedAt.Add(Familiar)) })
	for i := range r.Browsers {
		r.Browsers[i].forget(l, now)
	}
}

func (c *counter) forget(l Limit, now time.Time) {
	if !c.LastAt.Recent(now, l.Forget) {
		*c = counter{}
	}
}

// expiry returns when nothing in r counts any more.
func (r *record) expiry(l Limit) time.Time {
	end := r.LastAt.Add(l.Forget)
	if len(r.Browsers) > 0 {
		if familiar := r.Browsers[0].PassedAt.Add(Familiar + l.Forget); familiar.After(end) {
			return familiar
		}
	}
	return end
}
