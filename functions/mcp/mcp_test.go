package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/api/tool"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/identity"
)

const home = "https://mira.example"

// things answers the tools of the tests.
type things struct{}

type thing struct {
	ID string `json:"id"`
}

type thingIn struct {
	ID string `path:"id" description:"Id of the thing."`
}

func (things) get(_ context.Context, in thingIn) (thing, error) {
	switch in.ID {
	case "panic":
		panic("a defect with a secret")
	case "error":
		return thing{}, errors.New("a defect with a secret")
	}
	return thing(in), nil
}

type names struct {
	Items []name `json:"items"`
}

type name struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

func (things) names(context.Context, struct{}) (names, error) {
	return names{[]name{{"BR", "Brazil"}, {"ES", "Spain"}}}, nil
}

// serve returns the server of two tools, what it logs, and the names that it counts.
func serve(t *testing.T) (h http.Handler, log *bytes.Buffer, called *[]string) {
	t.Helper()
	table := []api.Endpoint{api.Bind(things.get, api.Endpoint{
		Name: "get_channel", Tool: true, Method: "GET", Path: "/things/{id}", Auth: api.None, Summary: "Get a thing", Doc: "Returns a thing.",
	}), api.Bind(things.names, api.Endpoint{
		Name: "list_countries", Tool: true, Method: "GET", Path: "/countries", Auth: api.None, Summary: "List countries", Doc: "Returns countries.",
	})}
	tools, err := tool.New(table)
	if err != nil {
		t.Fatal(err)
	}
	log, called = &bytes.Buffer{}, &[]string{}
	pages := &identity.Pages{Origins: []string{home}}
	s, err := New(Options{
		Tools: tools, Groups: []Group{{things{}, table}}, Gate: &api.Gate{}, Pages: pages, Log: slog.New(slog.NewTextHandler(log, nil)),
		Build: "abc1234", Base: home, Icon: "/icon.png", Called: func(name string) { *called = append(*called, name) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return request.Handler(request.Options{Pages: pages}, s, Endpoints), log, called
}

// post sends a message and returns the status and the body of the answer.
func post(t *testing.T, h http.Handler, message string, headers ...string) (int, string) {
	t.Helper()
	res, body := apitest.Do(t, h, "POST", path, message, append([]string{"Content-Type", "application/json"}, headers...)...)
	return res.StatusCode, body
}

// TestDefects checks that a panic and an unknown error of a tool end in a result that
// does not say what happened, and in the log.
func TestDefects(t *testing.T) {
	h, log, called := serve(t)
	for _, id := range []string{"panic", "error"} {
		log.Reset()
		status, body := post(t, h, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_channel","arguments":{"id":"`+id+`"}}}`)
		if status != http.StatusOK || !strings.Contains(body, `"isError":true`) || !strings.Contains(body, `internal`) || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", id, status, body)
		}
		if !strings.Contains(log.String(), "a defect with a secret") || !strings.Contains(log.String(), "get_channel") {
			t.Errorf("%s is logged as %s", id, log)
		}
		status, body = post(t, h, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"miramundo://channel/`+id+`"}}`)
		if status != http.StatusOK || !strings.Contains(body, `"code":-32603`) || strings.Contains(body, "secret") {
			t.Errorf("the resource %s: %d %s", id, status, body)
		}
	}
	if diff := cmp.Diff([]string{"get_channel", "get_channel"}, *called); diff != "" {
		t.Errorf("counted calls (-want +got):\n%s", diff)
	}
}

// TestListResource checks that a resource without variables is read, and that the same
// list completes a variable.
func TestListResource(t *testing.T) {
	h, log, _ := serve(t)
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"miramundo://countries"}}`: `{\"code\":\"BR\",\"name\":\"Brazil\"}`,
		`{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"miramundo://search"},` +
			`"argument":{"name":"country","value":"sp"}}}`: `"values":["ES"]`,
	} {
		if status, body := post(t, h, message); status != http.StatusOK || !strings.Contains(body, want) || log.Len() > 0 {
			t.Errorf("%s: %d %s, want %s; logged %s", message, status, body, want, log)
		}
	}
}

// TestMessages checks what JSON-RPC says of bodies that are no message.
func TestMessages(t *testing.T) {
	h, _, _ := serve(t)
	batch := "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, maxBatch) + `{"jsonrpc":"2.0","id":2,"method":"ping"}]`
	for _, test := range []struct {
		message string
		status  int
		want    string
	}{
		{``, 400, `"id":null,"error":{"code":-32700`},
		{`{`, 400, `"id":null,"error":{"code":-32700`},
		{"\xff", 400, `"code":-32700`},
		{`1`, 400, `"code":-32600`},
		{`[]`, 400, `"code":-32600`},
		{batch, 400, `"code":-32600`},
		{`{"jsonrpc":"1.0","id":3,"method":"ping"}`, 400, `"id":3,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":4}`, 400, `"id":4,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":"x","method":"prompts/list"}`, 200, `"id":"x","error":{"code":-32601`},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"none"}}`, 200, `"code":-32602`},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":1,"arguments":{"guest_token":"ipt_x"}}}`, 200, `"id":8,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":9,"method":"completion/complete","params":{"ref":{"type":"ipt_x"}}}`, 200, `"id":9,"error":{"code":-32602`},
		{`[{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":1,"arguments":{"guest_token":"ipt_x"}}}]`, 200, `[{"jsonrpc":"2.0","id":10,"error":{"code":-32602`},
		{`[{"jsonrpc":"2.0","id":11,"method":"ping"},{"jsonrpc":"2.0","id":11,"method":"ping"}]`, 400, `"code":-32600`},
		{`[{"jsonrpc":"2.0","id":12,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled"},{"jsonrpc":"2.0","method":"notifications/cancelled"}]`, 200, `"id":12`},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, ``},
		{`[{"jsonrpc":"2.0","id":6,"method":"ping"},{"jsonrpc":"2.0","id":7,"method":"ping"}]`, 200, `"id":7`},
	} {
		if status, body := post(t, h, test.message); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%.60s: %d %s, want %d %s", test.message, status, body, test.status, test.want)
		} else if strings.Contains(body, "ipt_x") || strings.Contains(body, "Go ") {
			t.Errorf("%.60s: the answer %s repeats the parameters or names types of the program", test.message, body)
		}
	}
}

// TestOrigins checks which pages may call the server.
func TestOrigins(t *testing.T) {
	h, _, _ := serve(t)
	for origin, want := range map[string]int{"": 200, home: 200, "https://evil.example": 403, "null": 403, "http://mira.example": 403} {
		if status, body := post(t, h, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Origin", origin); status != want {
			t.Errorf("from %q: %d %s, want %d", origin, status, body, want)
		}
	}
}

// TestTurns checks that requests wait for a turn, and that one too many is refused.
func TestTurns(t *testing.T) {
	turns := &turns{running: make(chan struct{}, 1), waiting: make(chan struct{}, 1)}
	end, err := turns.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	turns.waiting <- struct{}{}
	if _, err := turns.take(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	<-turns.waiting
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turns.take(ctx); !errors.Is(err, ErrBusy) || !errors.Is(err, context.Canceled) {
		t.Errorf("one that hung up: %v", err)
	}
	waited := make(chan error)
	go func() {
		_, err := turns.take(t.Context())
		waited <- err
	}()
	end()
	if err := <-waited; err != nil {
		t.Errorf("one that waited: %v", err)
	}
}

func TestVariables(t *testing.T) {
	for _, test := range []struct{ template, uri, want string }{
		{"m://a/{id}", "m://a/x%20y", "map[id:x y]"},
		{"m://a/{id}", "m://a/x/y", ""},
		{"m://a/{id}", "m://a/", ""},
		{"m://a/{id}/b", "m://a/x/b", "map[id:x]"},
		{"m://s{?q,country}", "m://s?country=BR&q=a&other=1", "map[country:BR q:a]"},
		{"m://s{?q,country}", "m://s", "map[]"},
		{"m://c", "m://c", "map[]"},
		{"m://c", "m://d", ""},
	} {
		got, ok := variablesOf(test.template, test.uri)
		if ok != (test.want != "") || ok && fmt.Sprint(got) != test.want {
			t.Errorf("%s of %s: %v, %t", test.uri, test.template, got, ok)
		}
	}
}

func TestCardName(t *testing.T) {
	for base, want := range map[string]string{
		"https://miramundo.dev": "dev.miramundo/miramundo", "http://127.0.0.1:8787": "1.0.0.127/miramundo", "http://[::1]:80": "1/miramundo",
	} {
		if got := cardName(base); got != want {
			t.Errorf("cardName(%q) = %q, want %q", base, got, want)
		}
	}
}
