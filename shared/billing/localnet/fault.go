package localnet

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/x402"
)

// A Fault is a way in which a facilitator fails. The chain, which answers at /rpc and
// /balance, goes on without it.
//
// Faults never wait for a time: one that is slow holds the call until the caller closes
// the connection, so that a test lasts as long as the timeout that it sets.
type Fault string

// The faults.
const (
	None       Fault = ""
	Down       Fault = "down"        // closes the connection
	Busy       Fault = "busy"        // answers 503
	Page       Fault = "page"        // answers with a page of HTML
	Slow       Fault = "slow"        // does nothing, and does not answer until the caller gives up
	VerifyLie  Fault = "verify_lie"  // says the opposite of what is true of each payment
	SettleLie  Fault = "settle_lie"  // says that a payment was settled, and moves no money
	SettleDeny Fault = "settle_deny" // settles, and says that it did not
	SettleLate Fault = "settle_late" // settles, and does not answer until the caller gives up
	SettleDrop Fault = "settle_drop" // settles, and closes the connection
)

var allFaults = []Fault{None, Down, Busy, Page, Slow, VerifyLie, SettleLie, SettleDeny, SettleLate, SettleDrop}

// A switchboard holds the fault that is switched on.
type switchboard struct {
	mu    sync.Mutex
	fault Fault
	left  int // calls that it strikes; 0 for all
}

// Fail switches a fault on for a number of calls that it can strike, or with 0 until
// the next call of Fail.
func (n *Net) Fail(f Fault, calls int) {
	n.fault.mu.Lock()
	defer n.fault.mu.Unlock()
	n.fault.fault, n.fault.left = f, calls
}

// take returns the fault that strikes a call of a path.
func (s *switchboard) take(path string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fault
	if f == VerifyLie && path != facilitator.VerifyPath || strings.HasPrefix(string(f), "settle_") && path != facilitator.SettlePath {
		return None
	}
	if s.left > 0 {
		if s.left--; s.left == 0 {
			s.fault = None
		}
	}
	return f
}

// before fails a call before anything was done. It returns nil and no error when the
// call goes on.
func (f Fault) before(r *http.Request) (answer any, err error) {
	switch f {
	case Down:
		panic(http.ErrAbortHandler)
	case Busy:
		return nil, problem{http.StatusServiceUnavailable, "busy"}
	case Page:
		return text("<!doctype html><title>Welcome</title>"), nil
	case Slow:
		untilGone(r)
	}
	return nil, nil
}

// after fails a call after it was settled.
func (f Fault) after(r *http.Request, s x402.Settlement) (any, error) {
	switch f {
	case SettleLie:
		if s.Success {
			s.Transaction = "0x" + strings.Repeat("f", 64)
		}
	case SettleDeny:
		s = x402.Settlement{Reason: x402.ReasonFunds, Payer: s.Payer, Network: s.Network}
	case SettleLate:
		untilGone(r)
	case SettleDrop:
		panic(http.ErrAbortHandler)
	}
	return s, nil
}

// untilGone waits until the caller gives up, which the server notices once the body is
// read, and ends the call.
func untilGone(r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err == nil {
		<-r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}

func (n *Net) setFault(r *http.Request) (any, error) {
	var in struct {
		Fault Fault `json:"fault"`
		Calls int   `json:"calls"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if !slices.Contains(allFaults, in.Fault) || in.Calls < 0 {
		return nil, problem{http.StatusBadRequest, "fault must be a fault of package localnet, and calls at least 0"}
	}
	n.Fail(in.Fault, in.Calls)
	return in, nil
}
