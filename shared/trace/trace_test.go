package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"miramundo.dev/shared/bus"
)

// begin returns a tracer, and what returns its spans when it is closed.
func begin(t *testing.T, share float64) (*Tracer, func() tracetest.SpanStubs) {
	t.Helper()
	kept := &keeper{InMemoryExporter: tracetest.NewInMemoryExporter()}
	tracer := NewTo(kept, Options{Process: "catalog", Build: "abc1234", Share: share})
	return tracer, func() tracetest.SpanStubs {
		if err := tracer.Close(); err != nil {
			t.Fatal(err)
		}
		return kept.spans
	}
}

// A keeper keeps the spans when it is shut down.
type keeper struct {
	*tracetest.InMemoryExporter
	spans tracetest.SpanStubs
}

func (k *keeper) Shutdown(ctx context.Context) error {
	k.spans = k.GetSpans()
	return k.InMemoryExporter.Shutdown(ctx)
}

const (
	parent   = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	parentID = "0af7651916cd43dd8448eb211c80319c"
)

// fake is a bus that keeps what is published.
type fake struct {
	bus.Bus
	events []bus.Event
	err    error
}

func (f *fake) Publish(_ context.Context, _ string, events ...bus.Event) error {
	f.events = append(f.events, events...)
	return f.err
}

func (f *fake) Receive(ctx context.Context, _ string, h bus.Handler) error {
	for _, e := range f.events {
		_ = h(ctx, e) // what it returns is recorded
	}
	return nil
}

// TestTrace follows a request to the event that it publishes, to what handles the event,
// and to the origin that this asks: all of it is one trace, with names of our own only.
func TestTrace(t *testing.T) {
	var header http.Header
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		w.WriteHeader(http.StatusTeapot)
	}))
	defer origin.Close()
	tracer, spans := begin(t, 1)
	b := &fake{}
	traced := tracer.Bus(b)
	client := http.Client{Transport: tracer.Transport(http.DefaultTransport)}

	ctx, served := tracer.Serve(t.Context(), http.Header{"Traceparent": {parent}}, "POST /api/favorites", "id1")
	event := bus.Event{ID: "e1", Attributes: map[string]string{"a": "b"}}
	given := []bus.Event{event}
	if err := traced.Publish(ctx, "favorites", given...); err != nil {
		t.Fatal(err)
	}
	served.Answered(http.StatusOK, "")
	if len(event.Attributes) != 1 || b.events[0].Attributes["a"] != "b" {
		t.Errorf("the attributes are %v, and the caller's %v", b.events[0].Attributes, event.Attributes)
	}
	failure := errors.New("of a caller at 198.51.100.7")
	err := traced.Receive(t.Context(), "favorites", func(ctx context.Context, _ bus.Event) error {
		r, _ := http.NewRequestWithContext(ctx, "GET", origin.URL+"/secret?token=1", nil)
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return failure
	})
	if err != nil {
		t.Fatal(err)
	}
	if header.Get("Traceparent") != "" {
		t.Error("an origin is told of the trace")
	}
	type span struct {
		Name, Parent string
		Failed       bool
	}
	var got []span
	names := map[string]string{}
	all := spans()
	for _, s := range all {
		names[s.SpanContext.SpanID().String()] = s.Name
		if id := s.SpanContext.TraceID().String(); id != parentID {
			t.Errorf("%s is in the trace %s", s.Name, id)
		}
		for _, a := range s.Attributes {
			if text := a.Value.String(); strings.Contains(text, "secret") || strings.Contains(text, "198.51") {
				t.Errorf("%s records %s", s.Name, text)
			}
		}
		if strings.Contains(s.Status.Description, "198.51") {
			t.Errorf("%s records the text of an error", s.Name)
		}
	}
	for _, s := range all {
		got = append(got, span{s.Name, names[s.Parent.SpanID().String()], s.Status.Code == codes.Error})
	}
	want := []span{
		{"publish favorites", "POST /api/favorites", false}, {"POST /api/favorites", "", false},
		{"fetch", "handle favorites", false}, {"handle favorites", "publish favorites", true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFailures checks which answers and errors mark a span as failed.
func TestFailures(t *testing.T) {
	tracer, spans := begin(t, 1)
	for _, status := range []int{200, 404, 503, 0} {
		_, s := tracer.Serve(t.Context(), http.Header{}, "GET /", "id")
		s.Answered(status, "")
	}
	b := tracer.Bus(&fake{err: errors.New("down")})
	if err := b.Publish(t.Context(), "plays", bus.Event{}); err == nil {
		t.Error("the error of the bus is lost")
	}
	_, s := tracer.Begin(t.Context(), "job probe")
	s.End(nil)
	var got []bool
	for _, s := range spans() {
		got = append(got, s.Status.Code == codes.Error)
	}
	if diff := cmp.Diff([]bool{false, false, true, true, true, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestShare checks that a caller decides neither by the flag of a trace nor by its id
// whether a request is recorded.
func TestShare(t *testing.T) {
	const requests = 1000
	for _, test := range []struct {
		share       float64
		header      string // none when empty
		least, most int    // spans
	}{
		{0, parent, 0, 0},
		{0.1, "", 20, 300},
		{0.1, "00-0af7651916cd43dd0000000000000001-b7ad6b7169203331-01", 20, 300}, // the lowest number that an id gives
		{0.1, "00-0af7651916cd43ddffffffffffffffff-b7ad6b7169203331-00", 20, 300}, // the highest
		{1, strings.TrimSuffix(parent, "1") + "0", requests, requests},
	} {
		tracer, spans := begin(t, test.share)
		for range requests {
			_, s := tracer.Serve(t.Context(), http.Header{"Traceparent": {test.header}}, "GET /", "id")
			s.Answered(200, "")
		}
		if n := len(spans()); n < test.least || n > test.most {
			t.Errorf("of a share of %g of requests with the header %q, %d of %d are recorded", test.share, test.header, n, requests)
		}
	}
}

// TestState checks that the header tracestate of a caller gets into no span and into no
// event, which it would make too large for a bus.
func TestState(t *testing.T) {
	tracer, spans := begin(t, 1)
	b := &fake{}
	long := strings.Repeat("v", 250)
	state := "a=" + long + ",b=" + long + ",c=" + long + ",d=" + long + ",e=" + long
	ctx, s := tracer.Serve(t.Context(), http.Header{"Traceparent": {parent}, "Tracestate": {state}}, "POST /", "id")
	if err := tracer.Bus(b).Publish(ctx, "plays", bus.Event{Data: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	s.Answered(200, "")
	if err := b.events[0].Check(); err != nil {
		t.Errorf("the event is not valid: %v", err)
	}
	for _, s := range spans() {
		if state := s.SpanContext.TraceState().String(); state != "" {
			t.Errorf("%s records the state %s", s.Name, state)
		}
	}
}

// TestDelivered checks that what handles an event is recorded when what published it is.
func TestDelivered(t *testing.T) {
	for flag, want := range map[string]int{"0": 0, "1": 1} {
		tracer, spans := begin(t, 0.5)
		_, s := tracer.Handle(t.Context(), "plays", bus.Event{Attributes: map[string]string{"traceparent": strings.TrimSuffix(parent, "1") + flag}})
		s.End(nil)
		if n := len(spans()); n != want {
			t.Errorf("with the flag %s %d spans are recorded", flag, n)
		}
	}
}

// TestClients records a failed call as the clients of the cloud do: the error, which names
// a document, is not sent.
func TestClients(t *testing.T) {
	tracer, spans := begin(t, 1)
	err := errors.New(`"projects/p/databases/d/documents/owners/alice" not found`)
	_, s := tracer.provider.Tracer("cloud.google.com/go").Start(t.Context(), "cloud.google.com/go/firestore.DocumentRef.Get")
	s.SetStatus(codes.Error, err.Error())
	s.RecordError(err)
	s.End()
	all := spans()
	if len(all) != 1 || all[0].Status.Code != codes.Error {
		t.Fatalf("the spans are %+v, want one that failed", all)
	}
	if text := fmt.Sprintf("%+v", all[0]); strings.Contains(text, "alice") {
		t.Errorf("the collector is sent %s", text)
	}
}

// A stuck exporter does not return before it must.
type stuck struct{ *tracetest.InMemoryExporter }

func (stuck) ExportSpans(ctx context.Context, _ []sdk.ReadOnlySpan) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestStuck checks that closing a tracer whose collector does not answer takes no longer
// than it may, and does not make the process fail.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tracer := NewTo(stuck{tracetest.NewInMemoryExporter()}, Options{Process: "catalog", Share: 1})
		_, s := tracer.Begin(t.Context(), "job probe")
		s.End(nil)
		began := time.Now()
		if err := tracer.Close(); err != nil || time.Since(began) > sendTime {
			t.Errorf("closing it returns %v after %s", err, time.Since(began))
		}
		time.Sleep(time.Minute) // until the attempt to send gives up
	})
}

// TestGarbage checks that the answer of a collector does not fill the log.
func TestGarbage(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, strings.Repeat("é", 30_000)) // the client may hang up
	}))
	defer collector.Close()
	var said bytes.Buffer
	tracer, err := New(t.Context(), Options{Endpoint: collector.URL, Process: "catalog", Share: 1, Log: slog.New(slog.NewTextHandler(&said, nil))})
	if err != nil {
		t.Fatal(err)
	}
	_, s := tracer.Begin(t.Context(), "job probe")
	s.End(nil)
	if err := tracer.Close(); err != nil {
		t.Error(err)
	}
	if n := said.Len(); n < 100 || n > 2*maxCause {
		t.Errorf("%d bytes are logged", n)
	}
}

// TestNil checks that nothing is traced by a nil tracer.
func TestNil(t *testing.T) {
	var tracer *Tracer
	ctx, s := tracer.Serve(t.Context(), http.Header{}, "GET /", "id")
	s.Answered(200, "")
	_, s = tracer.Begin(ctx, "job probe")
	s.End(nil)
	_, s = tracer.Handle(ctx, "plays", bus.Event{})
	s.End(nil)
	b := &fake{}
	if tracer.Bus(b) != bus.Bus(b) || tracer.Transport(http.DefaultTransport) != http.DefaultTransport || tracer.Close() != nil {
		t.Error("a nil tracer changes something")
	}
}

// TestPanic checks that the span of an event whose handler panics is recorded as failed.
func TestPanic(t *testing.T) {
	tracer, spans := begin(t, 1)
	b := tracer.Bus(&fake{events: []bus.Event{{ID: "e1"}}})
	err := b.Receive(t.Context(), "plays", func(context.Context, bus.Event) error { panic("defect") })
	if err != nil {
		t.Fatal(err)
	}
	if all := spans(); len(all) != 1 || all[0].Status.Code != codes.Error {
		t.Errorf("the spans are %+v, want one that failed", all)
	}
}

// TestCollector sends spans to a collector, and checks that a collector that cannot be
// reached is logged and fails nothing.
func TestCollector(t *testing.T) {
	got := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.Method + " " + r.URL.Path
		if len(body) == 0 {
			t.Error("nothing is sent")
		}
	}))
	defer collector.Close()
	for _, endpoint := range []string{collector.URL, "http://127.0.0.1:1"} {
		var said bytes.Buffer
		tracer, err := New(t.Context(), Options{Endpoint: endpoint, Process: "catalog", Share: 1, Log: slog.New(slog.NewTextHandler(&said, nil))})
		if err != nil {
			t.Fatal(err)
		}
		_, s := tracer.Begin(t.Context(), "job probe")
		s.End(nil)
		if err := tracer.Close(); err != nil {
			t.Errorf("closing it, with the collector at %s, returns %v", endpoint, err)
		}
		if want := endpoint != collector.URL; strings.Contains(said.String(), "traces were not sent") != want {
			t.Errorf("with the collector at %s the log says %q", endpoint, said.String())
		}
	}
	if line := <-got; line != "POST /v1/traces" {
		t.Errorf("the collector gets %s", line)
	}
}
