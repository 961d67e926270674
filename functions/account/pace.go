package account

import (
	"time"

	"miramundo.dev/shared/account/devicelink"
	"miramundo.dev/shared/budget"
)

// Some requests come often by their nature, and each costs a document. Two devices ask
// for minutes whether the other has acted; a page starts a sign-in by passkey whenever
// its field gets the focus. A pace bounds how often. This process alone counts: what it
// guards against is a page or a program that asks without a pause. Attempts that
// could guess something are counted by package throttle.
type pace = budget.Limiter[string]

// early is how much sooner than due a question of a device may arrive: networks delay
// one question more than the next.
const early = 500 * time.Millisecond

// newPolls returns the pace of the devices of a link.
func newPolls(now func() time.Time) *pace {
	return budget.NewLimiter[string](budget.Allowance{AtOnce: 1, Every: devicelink.PollEvery - early}, now)
}

// newStarts returns the pace at which a network starts sign-ins by passkey: as often
// as an office does in the morning.
func newStarts(now func() time.Time) *pace {
	return budget.NewLimiter[string](budget.Allowance{AtOnce: 30, Every: 500 * time.Millisecond}, now)
}
