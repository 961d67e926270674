// Package aggregate is the function that counts: it takes the events of what
// people do and keeps the counts of channels, in documents and in overlays.
//
// Nobody else writes these documents:
//
//	counts/{channel}                      social.Counted
//	counts/{channel}/seen/{day}-{n}       keys counted that have no room there
//	overlays/social/shards/{n}            what overlays show
package aggregate

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fault"
)

// Endpoints is this function's part of the API: none of the public's.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).push, api.Endpoint{
		Method:  "POST",
		Path:    "/events",
		Auth:    api.None,
		Summary: "Count a pushed event",
		Doc: "Counts an event of a play report, a favorite or a comment and answers 204 once the count is stored. Only push " +
			"subscriptions call it, with their token. An event that was counted before changes nothing; after any other answer the " +
			"subscription sends the event again.",
		Faults:     []*fault.Error{fault.ErrOperatorToken, api.ErrNoOperatorToken, bus.ErrEvent, bus.ErrSubscription, fault.ErrUnavailable},
		SameOrigin: true,
	}),
}

// A Server takes pushed events.
type Server struct {
	counter *Counter
	token   [sha256.Size]byte
	ready   bool
}

// New returns a server that has c count what is pushed with a token. With an
// empty one it refuses all.
func New(c *Counter, token string) *Server {
	return &Server{counter: c, token: sha256.Sum256([]byte(token)), ready: token != ""}
}

type pushIn struct {
	Token    string `query:"token" description:"The secret in the address that the subscription pushes to."`
	Envelope []byte `body:"application/json" description:"An event, as Pub/Sub pushes it."`
}

// An envelope is what Pub/Sub sends to a push endpoint.
type envelope struct {
	Message struct {
		Data        []byte            `json:"data"`
		Attributes  map[string]string `json:"attributes"`
		MessageID   string            `json:"messageId"`
		PublishTime time.Time         `json:"publishTime"`
	} `json:"message"`
	Subscription string `json:"subscription"` // projects/{project}/subscriptions/{name}
	Attempt      int    `json:"deliveryAttempt"`
}

// push counts one event. Whatever is answered but a success has the event come
// again, and in the end moves it to the dead letters.
func (s *Server) push(ctx context.Context, in pushIn) (api.NoContent, error) {
	if err := s.check(in.Token); err != nil {
		return api.NoContent{}, err
	}
	var env envelope
	if err := json.Unmarshal(in.Envelope, &env); err != nil {
		return api.NoContent{}, bus.ErrEvent.Because(err)
	}
	m := env.Message
	e := bus.Event{ID: m.MessageID, Data: m.Data, Attributes: m.Attributes, At: m.PublishTime, Attempt: env.Attempt}
	name := env.Subscription[strings.LastIndexByte(env.Subscription, '/')+1:]
	if err := s.counter.Count(ctx, name, e); err != nil {
		return api.NoContent{}, told(err)
	}
	return api.NoContent{}, nil
}

// check compares a token in constant time.
func (s *Server) check(token string) error {
	if !s.ready {
		return api.ErrNoOperatorToken
	}
	sum := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(sum[:], s.token[:]) != 1 {
		return fault.ErrOperatorToken
	}
	return nil
}

// told makes what comes from below the domain a fault.
func told(err error) error {
	if f := fault.From(err); f.Kind != fault.Internal {
		return err
	}
	return fault.ErrUnavailable.Because(err)
}

// Receive counts the events of subscriptions until ctx is done, when it
// returns nil, or until one of them stays out of reach.
func (c *Counter) Receive(ctx context.Context, b bus.Bus, subscriptions ...string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error)
	for _, name := range subscriptions {
		go func() {
			err := b.Receive(ctx, name, func(ctx context.Context, e bus.Event) error { return c.Count(ctx, name, e) })
			if err != nil {
				err = fmt.Errorf("receive %s: %w", name, err)
			}
			ended <- err
		}()
	}
	var first error
	for range subscriptions {
		if err := <-ended; err != nil && first == nil {
			first = err
			stop()
		}
	}
	return first
}
