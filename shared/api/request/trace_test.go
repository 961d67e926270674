package request_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/trace"
)

// fake is a bus that keeps the last event.
type fake struct {
	bus.Bus
	event bus.Event
}

func (f *fake) Publish(_ context.Context, _ string, events ...bus.Event) error {
	f.event = events[0]
	return nil
}

// TestTrace checks that what a handler does belongs to the trace of its request, by the
// context of the call and by that of the request alike.
func TestTrace(t *testing.T) {
	tracer, err := trace.New(t.Context(), trace.Options{Endpoint: "http://127.0.0.1:1", Process: "things", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	events := &fake{}
	traced := tracer.Bus(events)
	for name, of := range map[string]func(*request.Call) context.Context{
		"call":    func(c *request.Call) context.Context { return c },
		"request": func(c *request.Call) context.Context { return c.Request.Context() },
	} {
		o := options()
		o.Trace = tracer
		h := request.New(o, []request.Route{{Method: "GET", Path: "/stream", Serve: func(c *request.Call) error {
			return traced.Publish(of(c), "plays", bus.Event{Data: []byte("{}")})
		}}})
		const id = "4bf92f3577b34da6a3ce929d0e0e4736"
		if answer, body := apitest.Do(t, h, "GET", "/stream", "", "Traceparent", "00-"+id+"-00f067aa0ba902b7-01"); answer.StatusCode != http.StatusOK {
			t.Errorf("%s: it is answered with %d %s", name, answer.StatusCode, body)
		}
		if parent := events.event.Attributes["traceparent"]; !strings.Contains(parent, id) {
			t.Errorf("with the context of the %s the event belongs to %s", name, parent)
		}
	}
}
