// Package trace records what a request led to, in which process, and how long each part
// took, and sends that to a collector of OpenTelemetry.
//
// A nil [Tracer] records nothing and costs a comparison. What is recorded holds patterns
// of routes, names of the service's own and ids of requests, but no address, query,
// credential or text of a caller.
package trace

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"miramundo.dev/shared/bus"
)

// Options say what is traced, and where traces go.
type Options struct {
	Endpoint string  // address of the collector, which takes OTLP over HTTP; traces go to the path v1/traces below it
	Process  string  // name of the process
	Build    string  // short id of the commit
	Share    float64 // of the requests that are traced, from 0 to 1
	Log      *slog.Logger
}

// A Tracer records spans and sends them, in the background. When the collector does not
// take them, they are dropped.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	carrier  propagation.TextMapPropagator
	share    float64
}

// sendTime is how long one attempt to send spans may take, and how long the last spans may
// take when the process ends.
const sendTime = 5 * time.Second

// Bounds of what the collector answers, in bytes.
const (
	maxAnswer = 64 << 10 // that is read
	maxCause  = 500      // of an error, which repeats the answer, that is logged
)

// New returns a tracer. The clients of the cloud record their calls with it too, as parts
// of the requests that made them: OpenTelemetry has one tracer a process for that.
func New(ctx context.Context, o Options) (*Tracer, error) {
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(strings.TrimSuffix(o.Endpoint, "/")+"/v1/traces"), otlptracehttp.WithTimeout(sendTime),
		otlptracehttp.WithMaxResponseSize(maxAnswer))
	if err != nil {
		return nil, err
	}
	t := NewTo(exporter, o)
	otel.SetTracerProvider(t.provider)
	otel.SetTextMapPropagator(t.carrier)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		cause := err.Error()
		o.Log.Warn("traces were not sent", "cause", strings.ToValidUTF8(cause[:min(len(cause), maxCause)], ""))
	}))
	return t, nil
}

// NewTo returns a tracer that sends spans to an exporter, whatever the endpoint of o is.
func NewTo(exporter sdk.SpanExporter, o Options) *Tracer {
	// The random id of a trace that begins here decides whether it is recorded, and Serve
	// decides for a trace that a caller names. All spans below follow the first one.
	provider := sdk.NewTracerProvider(sdk.WithBatcher(discreet{exporter}),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Share))),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.namespace", "miramundo"),
			attribute.String("service.name", o.Process),
			attribute.String("service.version", o.Build),
		)))
	return &Tracer{provider: provider, tracer: provider.Tracer(scope), carrier: propagation.TraceContext{}, share: o.Share}
}

// scope is the instrumentation scope of the spans that this package begins.
const scope = "miramundo.dev"

// A discreet exporter leaves out the texts of errors in the spans of the clients of the
// cloud: they name documents, whose names hold ids of owners and hashes of credentials.
type discreet struct{ sdk.SpanExporter }

// ExportSpans implements [sdk.SpanExporter].
func (d discreet) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	spans = slices.Clone(spans)
	for i, s := range spans {
		if s.InstrumentationScope().Name != scope {
			spans[i] = textless{s}
		}
	}
	return d.SpanExporter.ExportSpans(ctx, spans)
}

// A textless span has neither the events, which hold errors, nor the description of its
// status.
type textless struct{ sdk.ReadOnlySpan }

// Events implements [sdk.ReadOnlySpan].
func (textless) Events() []sdk.Event { return nil }

// Status implements [sdk.ReadOnlySpan].
func (s textless) Status() sdk.Status { return sdk.Status{Code: s.ReadOnlySpan.Status().Code} }

// Close sends what is left, and drops what the collector does not take within sendTime.
// That is logged, and is not an error: a process ends well without its collector.
func (t *Tracer) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	err := t.provider.Shutdown(ctx)
	if ctx.Err() != nil {
		otel.Handle(err)
		return nil
	}
	return err
}

// A Span is one part of a trace while it lasts. The nil Span records nothing.
type Span struct{ span trace.Span }

// Serve begins the span of a request that is answered, in the trace that its header names.
// The name is the pattern of its route, and id that of the request in the log.
//
// A caller names the trace that its request belongs to, but does not decide whether the
// request is recorded, neither by the flag of the trace nor by its id: that would let
// anybody fill the collector, or hide from it. The header tracestate is ignored. Its text
// is the caller's, and may be too long for an attribute of an event.
func (t *Tracer) Serve(ctx context.Context, h http.Header, name, id string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	ctx = t.carrier.Extract(ctx, propagation.HeaderCarrier(h))
	if given := trace.SpanContextFromContext(ctx); given.IsRemote() {
		flags := given.TraceFlags().WithSampled(rand.Float64() < t.share)
		ctx = trace.ContextWithRemoteSpanContext(ctx, given.WithTraceFlags(flags).WithTraceState(trace.TraceState{}))
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.route", name), attribute.String("miramundo.request_id", id)))
	return ctx, &Span{span}
}

// Begin begins the span of a part of what ctx is about, such as a job.
func (t *Tracer) Begin(ctx context.Context, name string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	ctx, span := t.tracer.Start(ctx, name)
	return ctx, &Span{span}
}

// Answered ends the span of a request that was answered with a status, and with a fault
// by its code; empty: without one.
func (s *Span) Answered(status int, fault string) {
	if s == nil {
		return
	}
	s.span.SetAttributes(attribute.Int("http.response.status_code", status))
	if fault != "" {
		s.span.SetAttributes(attribute.String("error.type", fault))
	}
	if status >= http.StatusInternalServerError || status == 0 {
		s.span.SetStatus(codes.Error, fault)
	}
	s.span.End()
}

// End ends a span, with the error of what it is about; the text of the error is not
// recorded, since it may name a caller.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	if err != nil {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// Transport returns a transport that records each request to an origin, by its host
// alone, and sends no trace to it. It returns next when t is nil.
func (t *Tracer) Transport(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return transport{t, next}
}

type transport struct {
	t    *Tracer
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (r transport) RoundTrip(q *http.Request) (*http.Response, error) {
	ctx, span := r.t.tracer.Start(q.Context(), "fetch", trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("server.address", q.URL.Hostname())))
	res, err := r.next.RoundTrip(q.WithContext(ctx))
	if err != nil {
		span.SetStatus(codes.Error, "")
	} else {
		span.SetAttributes(attribute.Int("http.response.status_code", res.StatusCode))
	}
	span.End()
	return res, err
}

// Bus returns a bus whose events carry the trace that led to them: what handles an event
// is recorded as a part of that. It returns b when t is nil.
func (t *Tracer) Bus(b bus.Bus) bus.Bus {
	if t == nil || b == nil {
		return b
	}
	return tracedBus{b, t}
}

type tracedBus struct {
	bus.Bus
	t *Tracer
}

// Publish implements [bus.Bus].
func (b tracedBus) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	ctx, span := b.t.tracer.Start(ctx, "publish "+topic, trace.WithSpanKind(trace.SpanKindProducer))
	for i := range events {
		attributes := maps.Clone(events[i].Attributes)
		if attributes == nil {
			attributes = map[string]string{}
		}
		b.t.carrier.Inject(ctx, propagation.MapCarrier(attributes))
		events[i].Attributes = attributes
	}
	err := b.Bus.Publish(ctx, topic, events...)
	(&Span{span}).End(err)
	return err
}

// Receive implements [bus.Bus].
func (b tracedBus) Receive(ctx context.Context, subscription string, h bus.Handler) error {
	return b.Bus.Receive(ctx, subscription, func(ctx context.Context, e bus.Event) error {
		ctx, span := b.t.Handle(ctx, subscription, e)
		err := h.Try(ctx, e) // a panic ends the span too
		span.End(err)
		return err
	})
}

// Handle begins the span of an event that a subscription delivered, in the trace that led
// to the event.
func (t *Tracer) Handle(ctx context.Context, subscription string, e bus.Event) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	ctx = t.carrier.Extract(ctx, propagation.MapCarrier(e.Attributes))
	ctx, span := t.tracer.Start(ctx, "handle "+subscription, trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attribute.String("messaging.message.id", e.ID), attribute.Int("messaging.delivery_attempt", e.Attempt)))
	return ctx, &Span{span}
}
