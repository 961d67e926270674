package throttle

import "time"

// MaxWait is the longest wait between two attempts at an account. It bounds what
// somebody else can do to the owner of an address.
const MaxWait = 15 * time.Minute

// A Limit says how attempts of one kind are slowed down.
type Limit struct {
	Kind   string        // names the counters
	Free   int           // how many attempts do not make the next one wait
	First  time.Duration // the first wait; each further one is twice as long
	Forget time.Duration // how long after the last attempt the count starts again; more than Most
	Most   time.Duration // the longest wait
}

// The limits. An attempt at an account is counted for the address or the account, and
// for the network that it comes from. Networks have more attempts free, because many
// people share one.
//
// An address has 5 attempts free and then about 96 a day, in which no password that
// package password accepts can be guessed. A one-time code has 5 attempts of its own
// (package challenge), so there are at most 5 guesses at one of a million codes for
// each mail that is sent to an address.
var (
	PasswordOfAddress = Limit{"password/address", 5, 30 * time.Second, 24 * time.Hour, MaxWait}
	PasswordOfNetwork = Limit{"password/network", 20, 10 * time.Second, time.Hour, MaxWait}
	MailOfAddress     = Limit{"mail/address", 3, time.Minute, 6 * time.Hour, MaxWait}
	MailOfNetwork     = Limit{"mail/network", 15, 15 * time.Second, time.Hour, MaxWait}
	CodeOfNetwork     = Limit{"code/network", 30, 10 * time.Second, time.Hour, MaxWait}
	FactorOfAccount   = Limit{"factor/account", 5, 30 * time.Second, 24 * time.Hour, MaxWait}
	FactorOfNetwork   = Limit{"factor/network", 20, 10 * time.Second, time.Hour, MaxWait}
	PasskeyOfNetwork  = Limit{"passkey/network", 60, 5 * time.Second, time.Hour, MaxWait}
	ChangeOfAccount   = Limit{"change/account", 10, 30 * time.Second, time.Hour, MaxWait} // of the password, the address or a factor
	InviteOfAccount   = Limit{"invite/account", 20, time.Minute, 24 * time.Hour, MaxWait}
	InviteOfAddress   = Limit{"invite/address", 3, MaxWait, 24 * time.Hour, MaxWait}
	LinkOfAccount     = Limit{"link/account", 10, 15 * time.Second, time.Hour, MaxWait} // of another device
	LinkOfNetwork     = Limit{"link/network", 30, 10 * time.Second, time.Hour, MaxWait}
	PhotoOfAccount    = Limit{"photo/account", 10, 10 * time.Second, time.Hour, MaxWait}
	ContactOfNetwork  = Limit{"contact/network", 5, time.Minute, 6 * time.Hour, MaxWait}  // by people, whom a provider verifies
	ContactOfPayer    = Limit{"contact/payer", 1, time.Minute, 24 * time.Hour, time.Hour} // by programs; the network where nothing is sold
	TakedownOfNetwork = Limit{"takedown/network", 5, time.Minute, 6 * time.Hour, MaxWait}
	TakedownOfAddress = Limit{"takedown/address", 5, time.Minute, 6 * time.Hour, MaxWait} // which is sent a receipt
	ExportOfAccount   = Limit{"export/account", 2, 5 * time.Minute, 24 * time.Hour, MaxWait}
)

// wait returns how long the next attempt waits after n attempts.
func (l Limit) wait(n int) time.Duration {
	if n < l.Free {
		return 0
	}
	wait := l.First
	for range n - l.Free {
		if wait *= 2; wait >= l.Most {
			break
		}
	}
	return min(wait, l.Most)
}
