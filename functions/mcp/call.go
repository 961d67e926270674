package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/tool"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

// A tool is called for the caller of the HTTP request. What a browser adds by itself
// does not count: a page of another site could otherwise act for an account whose
// cookie the browser sends along. Failures are results of the tool and no errors of
// the protocol, so that the model sees their code and what would be right.

// callTool runs a tool. The SDK calls it in a goroutine of its own, in which a panic
// would end the process.
func (s *Server) callTool(ctx context.Context, r *mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
	t := s.tools[r.Params.Name]
	e := exchangeOf(ctx)
	defer func() {
		if p := recover(); p != nil {
			result = s.failure(e, t.Tool, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
		if s.o.Called != nil {
			s.o.Called(t.Name)
		}
	}()
	result, err = s.run(e, t, r.Params)
	if err != nil {
		result = s.failure(e, t.Tool, err)
	}
	return result, nil
}

// run calls the endpoint of a tool and returns its result.
func (s *Server) run(e *exchange, t *operation, p *mcp.CallToolParamsRaw) (*mcp.CallToolResult, error) {
	call, err := t.Call(p.Arguments)
	if err != nil {
		return nil, err
	}
	caller := callerOf(e.ctx)
	if err := addPayment(&caller.Credentials, p.Meta); err != nil {
		return nil, err
	}
	if call.GuestToken != "" {
		actAs(&caller.Credentials, call.GuestToken)
	}
	answer, err := s.o.Gate.Invoke(e.ctx, t.Endpoint, t.server, call.Arguments, caller)
	if err != nil {
		return nil, err
	}
	return resultOf(t, &call, answer)
}

// callerOf returns the caller of the request in ctx, without what its browser sends by
// itself.
func callerOf(ctx context.Context) api.Caller {
	c := api.CallerOf(ctx)
	c.Browser = identity.Browser{}
	c.Credentials.Session, c.Credentials.Organization = "", ""
	return c
}

// actAs sets the guest that calls. A key in the headers, which would count first, does
// not count then; a credit and a payment still pay.
func actAs(c *identity.Credentials, guest string) {
	c.GuestToken, c.Authorization, c.APIKey = guest, "", ""
}

// resultOf returns the result of a tool from the answer of its endpoint: an object as
// structured content, and the same as text for clients and models that read only text.
func resultOf(t *operation, call *tool.Call, answer *api.Result) (*mcp.CallToolResult, error) {
	text := string(answer.Body)
	result := &mcp.CallToolResult{Meta: receiptOf(answer.Header)}
	if isJSON(answer.Header) {
		shaped, err := call.Shape(answer.Body)
		if err != nil {
			return nil, fmt.Errorf("the result of %s: %w", t.Name, err)
		}
		text = string(shaped)
		if strings.HasPrefix(text, "{") {
			result.StructuredContent = shaped
		}
	}
	if text == "" {
		text = http.StatusText(answer.Status)
	}
	result.Content = []mcp.Content{&mcp.TextContent{Text: text}}
	return result, nil
}

func isJSON(h http.Header) bool { return strings.HasPrefix(h.Get("Content-Type"), "application/json") }

// failure returns the result of a call that failed: the body that the endpoint would
// answer with, and its status. Structured content is left out where the tool declares
// a schema of its result, which a failure does not match. A defect of ours is logged.
func (s *Server) failure(e *exchange, t *tool.Tool, err error) *mcp.CallToolResult {
	f := fault.From(err)
	s.logDefect(e, t.Name, f, err)
	h := http.Header{}
	for _, value := range f.Fields {
		if field, ok := value.(api.HeaderField); ok {
			field.AddTo(h)
		}
	}
	body := api.Body(api.LocaleOf(e.ctx), f)
	body["status"] = api.Status(f.Kind)
	text, err := json.Marshal(body)
	if err != nil { // a field of a fault that is no JSON
		text = []byte(`{"error":"` + fault.ErrInternal.Code + `"}`)
	}
	result := &mcp.CallToolResult{IsError: true, Meta: receiptOf(h), Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
	if t.Output == nil {
		result.StructuredContent = json.RawMessage(text)
	}
	return result
}

// logDefect logs a failure of a tool that is a defect of ours.
func (s *Server) logDefect(e *exchange, tool string, f *fault.Error, err error) {
	if f.Kind == fault.Internal {
		s.o.Log.LogAttrs(e.ctx, slog.LevelError, "tool failed", slog.String("tool", tool),
			slog.String("request_id", api.RequestIDOf(e.ctx)), slog.String("cause", err.Error()))
	}
}

// Members of _meta by which x402 pays for a call of a tool.
const (
	paymentMeta  = "x402/payment"
	responseMeta = "x402/payment-response"
	requiredMeta = "x402/payment-required"
)

// addPayment adds the payment in _meta, an object, to the credentials, as the header
// of its version of x402 would show it.
func addPayment(c *identity.Credentials, meta mcp.Meta) error {
	payment, ok := meta[paymentMeta]
	if !ok {
		return nil
	}
	text, err := json.Marshal(payment)
	members, isObject := payment.(map[string]any)
	if err != nil || !isObject {
		return fault.ErrInvalid.With("param", paymentMeta).With("reason", "not_object")
	}
	c.Payment, c.Signature = "", ""
	if version, _ := members["x402Version"].(float64); version == 2 {
		c.Signature = base64.StdEncoding.EncodeToString(text)
	} else {
		c.Payment = base64.StdEncoding.EncodeToString(text)
	}
	return nil
}

// receiptOf returns the _meta of a result from the headers of its answer: the
// settlement of a payment, and the terms of version 2, of which the result holds those
// of version 1. It returns nil without them.
func receiptOf(h http.Header) mcp.Meta {
	meta := mcp.Meta{}
	for _, from := range []struct{ header, member string }{
		{"PAYMENT-REQUIRED", requiredMeta}, {"PAYMENT-RESPONSE", responseMeta}, {"X-PAYMENT-RESPONSE", responseMeta},
	} {
		text, err := base64.StdEncoding.DecodeString(h.Get(from.header))
		if err == nil && json.Valid(text) && meta[from.member] == nil {
			meta[from.member] = json.RawMessage(text)
		}
	}
	if len(meta) == 0 {
		return nil
	}
	return meta
}
