// Package aggregate is the function to which subscriptions push the events of
// facts. It counts each and then acknowledges it. An event that can never be counted
// becomes a dead letter at once; any other that is not counted comes again later.
package aggregate

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/trace"
)

// Endpoints is this function's part of the API, which is not public.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).push, api.Endpoint{
		Name:    "receive_event",
		Method:  "POST",
		Path:    "/events",
		Auth:    api.None,
		Summary: "Count a pushed event",
		Doc: "Counts an event of a play report, a favorite or a comment and answers 204 once the count is stored, or once an event " +
			"without a valid fact is stored as a dead letter. Only push subscriptions call it, with their token. An event that was " +
			"counted before changes nothing; after any other answer the subscription sends the event again.",
		Credential: api.EventsToken,
		Faults:     []*fault.Error{bus.ErrEvent, bus.ErrSubscription, fault.ErrUnavailable},
		SameOrigin: true,
	}),
}

// A Counter counts the fact of an event. The counters of package fact do.
type Counter interface {
	Count(ctx context.Context, subscription string, e bus.Event) error
}

// A Rejecter stores an event as a dead letter. A [bus.Bus] does.
type Rejecter interface {
	Reject(ctx context.Context, subscription string, e bus.Event) error
}

// A Server takes pushed events.
type Server struct {
	counter Counter
	dead    Rejecter
	trace   *trace.Tracer
}

// New returns a server that has c count the events that are pushed with the token
// [api.EventsToken], and dead store those that can never be counted. A tracer records
// each event; nil records nothing.
func New(c Counter, dead Rejecter, t *trace.Tracer) *Server {
	return &Server{counter: c, dead: dead, trace: t}
}

type pushIn struct {
	Token    string `query:"token" description:"Token of the subscriptions, part of their push address."`
	Envelope []byte `body:"application/json" description:"An event in the envelope of a Pub/Sub push."`
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

// push counts one event. After any answer but a success the event comes again.
func (s *Server) push(ctx context.Context, in pushIn) (_ api.NoContent, err error) {
	if err := api.CheckToken(ctx, api.EventsToken, in.Token); err != nil {
		return api.NoContent{}, err
	}
	var env envelope
	if err := json.Unmarshal(in.Envelope, &env); err != nil {
		return api.NoContent{}, bus.ErrEvent.Because(err)
	}
	m := env.Message
	e := bus.Event{ID: m.MessageID, Data: m.Data, Attributes: m.Attributes, At: m.PublishTime, Attempt: env.Attempt}
	name := env.Subscription[strings.LastIndexByte(env.Subscription, '/')+1:]
	ctx, span := s.trace.Handle(ctx, name, e)
	defer func() { span.End(err) }()
	err = s.counter.Count(ctx, name, e)
	if bus.Rejects(err) {
		e.Failure = err.Error()
		err = s.dead.Reject(ctx, name, e)
	}
	return api.NoContent{}, fault.OrUnavailable(err)
}
