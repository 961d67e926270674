package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// This is the one place where a token of the operator is compared: those of metrics and
// of the catalog, those of pushed events and, where no scheduler signs tokens, of jobs.
//
// A wrong token is answered 401 until its network has shown too many, or all networks
// together have, and then 429. A right token is always accepted, also from a network that
// is refused: whoever guesses behind the operator's address cannot lock the operator out,
// nor stop the events that the platform pushes. That gives guesses no chance: with the 16
// characters that a token has at least, the speed at which tokens can be tried does not
// matter. The limit keeps a guesser from going on unnoticed and at full speed.

// Names of the operator's tokens, for [Endpoint.Credential].
const (
	CatalogToken = "CATALOGO_TOKEN"
	MetricsToken = "METRICS_TOKEN"
	EventsToken  = "EVENTS_TOKEN"
	JobsToken    = "JOBS_TOKEN"
)

// ErrNoOperatorToken means that the service has no operator token configured.
var ErrNoOperatorToken = fault.New(fault.Unavailable, "operator_token_unavailable")

// A Guesses limits wrong tokens of the operator in this process. Its methods may be
// called concurrently. A nil Guesses has no limit.
type Guesses struct {
	networks *budget.Limiter[netip.Prefix]
	all      *budget.Limiter[struct{}]
	log      *cloudlog.Repeats
	count    func(name string) // counts a guess of the token with a name; may be nil
}

// NewGuesses returns a Guesses that logs which tokens are guessed, and how often, once a
// minute. It calls count, which may be nil, for each guess with the name of the token,
// also where the guess is answered 429.
func NewGuesses(log *slog.Logger, now func() time.Time, count func(name string)) *Guesses {
	return &Guesses{
		networks: budget.NewLimiter[netip.Prefix](budget.Guesses, now),
		all:      budget.NewLimiter[struct{}](budget.AllGuesses, now),
		log:      cloudlog.NewRepeats(log, "wrong tokens of the operator were shown", "token"),
		count:    count,
	}
}

// Flush logs the guesses that are not logged yet.
func (g *Guesses) Flush() error {
	g.log.Flush()
	return nil
}

// wrong counts a wrong token with a name, and returns the fault that answers it.
func (g *Guesses) wrong(name string, a netip.Addr) error {
	if g == nil {
		return fault.ErrOperatorToken
	}
	g.log.Add(name)
	if g.count != nil {
		g.count(name)
	}
	if err := g.networks.Take(identity.Network(a)); err != nil {
		return err
	}
	if err := g.all.Take(struct{}{}); err != nil {
		return err
	}
	return fault.ErrOperatorToken
}

// CheckToken compares a token that r shows with the operator's token of a name, in
// constant time. It returns nil when they are equal, else a fault. A request without a
// token is refused, and is no guess.
func (g *Gate) CheckToken(name, token string, r Request) error {
	want := g.Tokens[name]
	if want == "" {
		return ErrNoOperatorToken
	}
	shown, known := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(want))
	switch {
	case subtle.ConstantTimeCompare(shown[:], known[:]) == 1:
		return nil
	case token == "":
		return fault.ErrOperatorToken
	}
	return g.Guesses.wrong(name, r.Addr())
}

// CheckOperator returns nil when the request in ctx shows the operator's token of a
// name as its bearer token, else the fault that an endpoint of Auth Operator would answer
// with. The name must be the Credential of the endpoint. Outside of a request nobody is
// the operator.
func CheckOperator(ctx context.Context, name string) error {
	r, ok := requestOf(ctx)
	if !ok {
		return fault.ErrOperatorToken
	}
	return r.CheckToken(name, bearer(r.Credentials().Authorization))
}

// CheckToken is CheckOperator for a token that the request shows in another place.
func CheckToken(ctx context.Context, name, token string) error {
	r, ok := requestOf(ctx)
	if !ok {
		return fault.ErrOperatorToken
	}
	return r.CheckToken(name, token)
}

// bearer returns the bearer token in a header Authorization; "" for any other scheme.
func bearer(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
