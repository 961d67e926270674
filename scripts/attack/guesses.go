package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/budget"
)

// The attacks of this file guess the tokens of the operator.

// doors are the endpoints that ask for the tokens, and the function that must be started
// where the stack does not show it.
var doors = map[string]try{
	api.MetricsToken: {call: "get_operator_numbers"},
	api.CatalogToken: {call: "get_catalog_state"},
	api.EventsToken:  {base: "aggregate", call: "receive_event", body: `{}`},
	api.JobsToken:    {base: "jobs", call: "run_scheduled_job", id: "none"},
}

// guess returns an attack that shows wrong tokens from one network, and then the right one
// from that network and from another.
func guess(name string) func(context.Context, *target) (result, error) {
	return func(ctx context.Context, t *target) (r result, err error) {
		y := doors[name]
		if y.base == "" {
			y.base = t.stack.URL
		} else if y.base, err = t.function(ctx, y.base, 0); err != nil {
			return r, err
		}
		y.from = t.network()
		start, answered := time.Now(), 0
		for n := range t.tries(5_000, 500) {
			status, body, err := t.send(ctx, y.with(name, fmt.Sprintf("a-guess-of-the-attacker-%d", n)))
			if err != nil {
				return r, err
			}
			r.tried++
			switch status {
			case http.StatusTooManyRequests:
				r.refused++
			case http.StatusUnauthorized:
				answered++
			default:
				r.through = append(r.through, fmt.Sprintf("guess %d is answered %d %.100s", n, status, body))
			}
		}
		if most := budget.Guesses.AtOnce + 1 + int(time.Since(start)/budget.Guesses.Every); answered > most {
			r.through = append(r.through, fmt.Sprintf("%d guesses were not refused, want at most %d", answered, most))
		}
		for _, from := range []string{y.from, t.network()} {
			y.from = from
			status, _, err := t.send(ctx, y.with(name, t.tokens[name]))
			if err != nil {
				return r, err
			}
			if status == http.StatusUnauthorized || status == http.StatusTooManyRequests {
				r.through = append(r.through, fmt.Sprintf("the operator was locked out: the right token is answered %d", status))
			}
		}
		if log := t.stack.Said.String() + t.said.String(); strings.Contains(log, t.tokens[name]) || strings.Contains(log, "guess-of-the") {
			r.through = append(r.through, "the log shows a token")
		}
		return r, nil
	}
}

// with returns y with a token where the endpoint takes it.
func (y try) with(name, token string) try {
	if name == api.EventsToken {
		y.query = "?token=" + token
	} else {
		y.header = [2]string{"Authorization", "Bearer " + token}
	}
	return y
}
