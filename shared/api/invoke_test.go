package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
)

// A shop has one endpoint of each kind.
type shop struct{}

type itemIn struct {
	ID     string  `path:"id" maxLength:"8" description:"Id."`
	Limit  int     `query:"limit" default:"20" minimum:"1" cap:"50" description:"Items."`
	Exact  bool    `query:"exact" default:"0" description:"Flag."`
	Rate   float64 `query:"rate" maximum:"2" description:"Rate."`
	Order  string  `query:"order" enum:"name,price" default:"name" description:"Order."`
	Locale string  `query:"lang" description:"Language."`
	Mark   string  `header:"X-Mark" description:"Mark."`
}

type item struct {
	itemIn
	Language, Country, Addr, Agent, Owner string
}

func (shop) item(ctx context.Context, in itemIn) (item, error) {
	if in.ID == "lost" {
		return item{}, fault.ErrNotFound.Because(errors.New("secret"))
	}
	if in.ID == "broken" {
		return item{}, errors.New("secret")
	}
	speaker, _ := identity.SpeakerOf(ctx)
	return item{in, api.LocaleOf(ctx).Tag(), api.CountryOf(ctx), api.AddrOf(ctx).String(), api.UserAgentOf(ctx), string(speaker.Owner)}, nil
}

type noteIn struct {
	ID   string   `path:"id" description:"Id."`
	Text string   `json:"text" required:"true" maxLength:"9" description:"Text."`
	Tags []string `json:"tags" maxItems:"2" description:"Tags."`
	Size *int     `json:"size" minimum:"0" description:"Size."`
}

func (shop) note(_ context.Context, in noteIn) (noteIn, error) { return in, nil }

type sheetIn struct {
	Sheet []byte `body:"text/csv" description:"Rows."`
	List  []byte `body:"application/json" description:"Rows."`
	Name  string `query:"name" description:"Name."`
}

func (shop) sheet(_ context.Context, in sheetIn) (sheetIn, error) { return in, nil }

func (shop) picture(context.Context, struct{}) (api.Content, error) {
	return api.Content{Type: "image/png", Data: []byte("pixels"), Tag: "v1", File: "a.png"}, nil
}

// An echo is a Reply that repeats the query of its request.
type echo struct{}

func (echo) Reply(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Get("order") == "price" {
		return fault.ErrUnavailable
	}
	return api.WriteJSON(w, r, []byte(`{"path":"`+r.URL.Path+`","query":"`+r.URL.RawQuery+`"}`))
}

func (shop) echo(context.Context, itemIn) (echo, error) { return echo{}, nil }

type priceIn struct {
	Cost  bool `query:"cost" default:"0" description:"1 adds what the shop paid; of operators."`
	Other bool `query:"other" default:"0" description:"1 asks for a token that is not configured."`
}

func (shop) price(ctx context.Context, in priceIn) (api.NoContent, error) {
	switch {
	case in.Other:
		return api.NoContent{}, api.CheckOperator(ctx, api.MetricsToken)
	case in.Cost:
		return api.NoContent{}, api.CheckOperator(ctx, api.CatalogToken)
	}
	return api.NoContent{}, nil
}

func (shop) clear(context.Context, struct{}) (api.NoContent, error) { return api.NoContent{}, nil }

var (
	itemEndpoint    = api.Bind(shop.item, api.Endpoint{Method: "GET", Path: "/items/{id}", Auth: api.None, Summary: "An item", Doc: "An item."})
	seenEndpoint    = api.Bind(shop.item, api.Endpoint{Method: "GET", Path: "/seen/{id}", Auth: api.None, Speaker: true, Summary: "An item", Doc: "An item."})
	mineEndpoint    = api.Bind(shop.item, api.Endpoint{Method: "GET", Path: "/mine/{id}", Auth: api.Guest, Summary: "An item", Doc: "An item."})
	accountEndpoint = api.Bind(shop.item, api.Endpoint{Method: "GET", Path: "/account/{id}", Auth: api.Session, Summary: "An item", Doc: "An item."})
	noteEndpoint    = api.Bind(shop.note, api.Endpoint{Method: "POST", Path: "/items/{id}/notes", Auth: api.None, Summary: "A note", Doc: "A note.", Status: 201, MaxBody: 99})
	sheetEndpoint   = api.Bind(shop.sheet, api.Endpoint{Method: "POST", Path: "/sheets", Auth: api.None, Summary: "A sheet", Doc: "A sheet."})
	pictureEndpoint = api.Bind(shop.picture, api.Endpoint{Method: "GET", Path: "/picture", Auth: api.None, Summary: "A picture", Doc: "A picture."})
	echoEndpoint    = api.Bind(shop.echo, api.Endpoint{Method: "GET", Path: "/echo/{id}", Auth: api.None, Summary: "An echo", Doc: "An echo."})
	clearEndpoint   = api.Bind(shop.clear, api.Endpoint{Method: "DELETE", Path: "/items", Auth: api.Operator, Summary: "Nothing", Doc: "Nothing."})
	numbersEndpoint = api.Bind(shop.clear, api.Endpoint{Method: "GET", Path: "/numbers", Auth: api.Operator, Credential: api.MetricsToken, Summary: "Nothing", Doc: "Nothing."})
	priceEndpoint   = api.Bind(shop.price, api.Endpoint{Method: "GET", Path: "/price", Auth: api.None, Credential: api.CatalogToken, Summary: "A price", Doc: "A price."})

	shopTable = []api.Endpoint{
		priceEndpoint, itemEndpoint, seenEndpoint, mineEndpoint, accountEndpoint, noteEndpoint, sheetEndpoint, pictureEndpoint, echoEndpoint, clearEndpoint, numbersEndpoint,
	}
)

// guests identifies callers by guest tokens, and no account.
type guests struct{}

func (guests) Speaker(_ context.Context, shown identity.Credentials, accepted identity.Class) (identity.Speaker, error) {
	if shown.GuestToken == "" || accepted == identity.Account {
		return identity.Speaker{}, identity.ErrCredential
	}
	return identity.Speaker{Owner: identity.Owner(shown.GuestToken), Guest: true}, nil
}

var shopTokens = map[string]string{api.CatalogToken: "operator-token"}

// TestInvoke runs endpoints of each kind by their arguments, and by the HTTP
// request that stands for the same: both ways answer alike, bad inputs included.
func TestInvoke(t *testing.T) {
	gate := &api.Gate{Auth: guests{}, Tokens: shopTokens}
	h := request.Handler(request.Options{Auth: guests{}, Tokens: shopTokens, CountryHeader: "X-Country"}, shop{}, shopTable)
	const json, csv = "application/json", "text/csv"
	for _, test := range []struct {
		endpoint             api.Endpoint
		arguments            string
		target, body, media  string // of the HTTP request
		guest, authorization string
		mark                 string
		status               int
		code                 string
	}{
		{endpoint: itemEndpoint, arguments: `{"id":"a"}`, target: "/items/a", status: 200},
		{endpoint: itemEndpoint, arguments: `{"id":"a","limit":99,"exact":true,"rate":1.5,"order":"price","lang":"de","X-Mark":"m","more":[1]}`,
			target: "/items/a?limit=99&exact=1&rate=1.5&order=price&lang=de&more=1", mark: "m", status: 200},
		{endpoint: itemEndpoint, arguments: `{"id":"a b/{id}&x","limit":null,"exact":"1","order":""}`, target: "/items/a%20b%2F%7Bid%7D&x?exact=1", status: 400, code: "invalid_request"},
		{endpoint: itemEndpoint, arguments: `{"id":"é/{%\"&"}`, target: "/items/%C3%A9%2F%7B%25%22&", status: 200},
		{endpoint: itemEndpoint, arguments: `{"id":"a","limit":0}`, target: "/items/a?limit=0", status: 400, code: "invalid_request"},
		{endpoint: itemEndpoint, arguments: `{"id":"a","limit":"many"}`, target: "/items/a?limit=many", status: 400, code: "invalid_request"},
		{endpoint: itemEndpoint, arguments: `{"id":"a","limit":1.5}`, target: "/items/a?limit=1.5", status: 400, code: "invalid_request"},
		{endpoint: itemEndpoint, arguments: `{"id":"a","exact":"yes"}`, target: "/items/a?exact=yes", status: 400, code: "invalid_request"},
		{endpoint: itemEndpoint, arguments: `{"id":"a","rate":3}`, target: "/items/a?rate=3", status: 400, code: "invalid_request"},
		{endpoint: itemEndpoint, arguments: `{"id":"a","order":"size"}`, target: "/items/a?order=size", status: 400, code: "invalid_request"},
		{endpoint: itemEndpoint, arguments: `{"id":"far too long"}`, target: "/items/far%20too%20long", status: 400, code: "invalid_request"},
		{endpoint: itemEndpoint, arguments: `{"id":"a\u0000"}`, target: "/items/a%00", status: 400, code: "invalid_request"},
		{endpoint: itemEndpoint, arguments: `{"id":"lost"}`, target: "/items/lost", status: 404, code: "not_found"},
		{endpoint: itemEndpoint, arguments: `{"id":"broken"}`, target: "/items/broken", status: 500, code: "internal"},
		{endpoint: noteEndpoint, arguments: `{"id":"a","text":"t<","tags":["x"],"size":4}`, target: "/items/a/notes", body: `{"text":"t<","tags":["x"],"size":4}`, media: json, status: 201},
		{endpoint: noteEndpoint, arguments: `{"id":"a","text":"t","size":null}`, target: "/items/a/notes", body: `{"text":"t","size":null}`, media: json, status: 201},
		{endpoint: noteEndpoint, arguments: `{"id":"a"}`, target: "/items/a/notes", body: `{}`, media: json, status: 400, code: "invalid_body"},
		{endpoint: noteEndpoint, arguments: `{"id":"a","text":null}`, target: "/items/a/notes", body: `{"text":null}`, media: json, status: 400, code: "invalid_body"},
		{endpoint: noteEndpoint, arguments: `{"id":"a","text":7}`, target: "/items/a/notes", body: `{"text":7}`, media: json, status: 400, code: "invalid_body"},
		{endpoint: noteEndpoint, arguments: `{"id":"a","text":"t","tags":["x","y","z"]}`, target: "/items/a/notes", body: `{"text":"t","tags":["x","y","z"]}`, media: json, status: 400, code: "invalid_body"},
		{endpoint: noteEndpoint, arguments: `{"id":"a","text":"` + strings.Repeat("t", 99) + `"}`, target: "/items/a/notes", body: `{"text":"` + strings.Repeat("t", 99) + `"}`, media: json, status: 413, code: "body_too_large"},
		{endpoint: sheetEndpoint, arguments: `{"body":"a,b\n","name":"n"}`, target: "/sheets?name=n", body: "a,b\n", media: csv, status: 200},
		{endpoint: sheetEndpoint, arguments: `{"body":"[]","media_type":"application/json"}`, target: "/sheets", body: "[]", media: json, status: 200},
		{endpoint: sheetEndpoint, arguments: `{"body":"x","media_type":"text/html"}`, target: "/sheets", body: "x", media: "text/html", status: 415, code: "unsupported_media_type"},
		{endpoint: sheetEndpoint, target: "/sheets", status: 400, code: "invalid_body"},
		{endpoint: pictureEndpoint, target: "/picture", status: 200},
		{endpoint: echoEndpoint, arguments: `{"id":"a","limit":5,"exact":false}`, target: "/echo/a?exact=0&limit=5", status: 200},
		{endpoint: echoEndpoint, arguments: `{"id":"a","order":"price"}`, target: "/echo/a?order=price", status: 503, code: "unavailable"},
		{endpoint: mineEndpoint, arguments: `{"id":"a"}`, target: "/mine/a", guest: "g_1", status: 200},
		{endpoint: mineEndpoint, arguments: `{"limit":"bad"}`, target: "/mine/a?limit=bad", status: 401, code: "invalid_session"},
		{endpoint: seenEndpoint, arguments: `{"id":"a"}`, target: "/seen/a", guest: "g_1", status: 200},
		{endpoint: seenEndpoint, arguments: `{"id":"a"}`, target: "/seen/a", status: 200},
		{endpoint: accountEndpoint, arguments: `{"id":"a"}`, target: "/account/a", guest: "g_1", status: 401, code: "invalid_session"},
		{endpoint: clearEndpoint, target: "/items", status: 401, code: "invalid_token"},
		{endpoint: clearEndpoint, target: "/items", authorization: "Bearer operator-toke", status: 401, code: "invalid_token"},
		{endpoint: clearEndpoint, target: "/items", authorization: "Bearer operator-token", status: 204},
		{endpoint: numbersEndpoint, target: "/numbers", authorization: "Bearer operator-token", status: 503, code: "operator_token_unavailable"},
		{endpoint: priceEndpoint, target: "/price", status: 204},
		{endpoint: priceEndpoint, target: "/price", authorization: "Bearer wrong", status: 204},
		{endpoint: priceEndpoint, arguments: `{"cost":true}`, target: "/price?cost=1", status: 401, code: "invalid_token"},
		{endpoint: priceEndpoint, arguments: `{"cost":true}`, target: "/price?cost=1", authorization: "Bearer operator-toke", status: 401, code: "invalid_token"},
		{endpoint: priceEndpoint, arguments: `{"cost":true}`, target: "/price?cost=1", authorization: "Bearer operator-token", status: 204},
		{endpoint: priceEndpoint, arguments: `{"other":true}`, target: "/price?other=1", authorization: "Bearer operator-token", status: 503, code: "operator_token_unavailable"},
	} {
		caller := api.Caller{
			Credentials: identity.Credentials{GuestToken: test.guest, Authorization: test.authorization},
			Addr:        netip.MustParseAddr("192.0.2.1"), Country: "BR", UserAgent: "VLC/3.0", Locale: i18n.EN,
		}
		answer, body := apitest.Do(t, h, test.endpoint.Method, test.target, test.body, "Content-Type", test.media, "X-Country", "BR",
			"User-Agent", "VLC/3.0", "Accept-Language", "en", "X-Guest-Token", test.guest, "Authorization", test.authorization, "X-Mark", test.mark)
		name := test.endpoint.Pattern() + " " + test.arguments
		got, err := gate.Invoke(t.Context(), test.endpoint, shop{}, []byte(test.arguments), caller)
		if err != nil {
			got = faulty(t, err)
		}
		if answer.StatusCode != test.status || !strings.Contains(body, test.code) {
			t.Errorf("%s: the request is answered %d %s, want %d %s", name, answer.StatusCode, body, test.status, test.code)
		}
		if got.Status != answer.StatusCode || got.Header.Get("Content-Type") != answer.Header.Get("Content-Type") {
			t.Errorf("%s: invoked %d %s, want %d %s", name, got.Status, got.Header.Get("Content-Type"), answer.StatusCode, answer.Header.Get("Content-Type"))
		}
		if diff := cmp.Diff(body, string(got.Body)); diff != "" {
			t.Errorf("%s (-by request +invoked):\n%s", name, diff)
		}
	}
}

// faulty returns the answer to an English caller that an error stands for.
func faulty(t *testing.T, err error) *api.Result {
	t.Helper()
	f := fault.From(err)
	members := map[string]any{"error": f.Code, "message": api.Message(i18n.EN, f)}
	for name, value := range f.Fields {
		members[name] = value
	}
	body, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return &api.Result{Status: api.Status(f.Kind), Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, Body: body}
}

// TestInvokeRefuses checks arguments that no HTTP request could hold.
func TestInvokeRefuses(t *testing.T) {
	gate := &api.Gate{}
	for arguments, reason := range map[string]string{
		`{"id":["a"]}`: "wrong_type", `{"id":{}}`: "wrong_type", `{"id":true}`: "wrong_type", `{"limit":5}`: "missing", `{}`: "missing",
		`[]`: "not_object", `null`: "not_object", `{"id":`: "syntax", "{\"id\":\"\xff\"}": "encoding",
		strings.Repeat("[", 99) + strings.Repeat("]", 99): "too_deep",
	} {
		_, err := gate.Invoke(t.Context(), itemEndpoint, shop{}, []byte(arguments), api.Caller{})
		if f := fault.From(err); f.Kind != fault.Invalid || f.Fields["reason"] != reason {
			t.Errorf("%s: %v, want the reason %s", arguments, err, reason)
		}
	}
	_, err := gate.Invoke(t.Context(), itemEndpoint, shop{}, []byte(`{"id":"`+strings.Repeat("x", 1<<20)+`"}`), api.Caller{})
	if !errors.Is(err, fault.ErrBodyTooLarge) {
		t.Errorf("a megabyte of arguments: %v", err)
	}
	if _, err := gate.Invoke(t.Context(), mineEndpoint, shop{}, nil, api.Caller{}); !errors.Is(err, identity.ErrUnavailable) {
		t.Errorf("without an authenticator: %v", err)
	}
}

// TestCallerOf passes the caller of a request on to an endpoint that it invokes,
// as a tool server does.
func TestCallerOf(t *testing.T) {
	gate := &api.Gate{Auth: guests{}}
	var got api.Caller
	tool := api.Bind(func(_ shop, ctx context.Context, _ struct{}) (api.Content, error) {
		got = api.CallerOf(ctx)
		result, err := gate.Invoke(ctx, mineEndpoint, shop{}, []byte(`{"id":"a"}`), got)
		if err != nil {
			return api.Content{}, err
		}
		return api.Content{Type: "application/json", Data: result.Body}, nil
	}, api.Endpoint{Method: "POST", Path: "/tool", Auth: api.None, Summary: "A tool", Doc: "A tool."})
	h := request.Handler(request.Options{CountryHeader: "X-Country"}, shop{}, []api.Endpoint{tool})
	answer, body := apitest.Do(t, h, "POST", "/tool", "", "X-Guest-Token", "g_1", "X-Country", "PT", "User-Agent", "agent", "Accept-Language", "fr")
	want := api.Caller{
		Credentials: identity.Credentials{GuestToken: "g_1"}, Addr: netip.MustParseAddr("192.0.2.1"), Country: "PT", UserAgent: "agent",
		Locale: i18n.FR, AcceptLanguage: "fr", RequestID: answer.Header.Get("X-Request-Id"),
	}
	if got != want {
		t.Errorf("the caller is %+v, want %+v", got, want)
	}
	if answer.StatusCode != 200 || !strings.Contains(body, `"Owner":"g_1"`) || !strings.Contains(body, `"Country":"PT"`) {
		t.Errorf("answered %d %s", answer.StatusCode, body)
	}
	if api.CallerOf(t.Context()) != (api.Caller{}) {
		t.Error("outside of a request there is a caller")
	}
}

// TestBindPanics checks that Bind refuses invalid declarations.
func TestBindPanics(t *testing.T) {
	good := api.Endpoint{Method: "GET", Path: "/x/{id}", Auth: api.None, Summary: "X", Doc: "X."}
	for name, change := range map[string]func(*api.Endpoint){
		"no summary":         func(e *api.Endpoint) { e.Summary = "" },
		"no doc":             func(e *api.Endpoint) { e.Doc = "" },
		"no auth":            func(e *api.Endpoint) { e.Auth = "" },
		"an unnamed tool":    func(e *api.Endpoint) { e.Tool = true },
		"a name in capitals": func(e *api.Endpoint) { e.Name = "getX" },
		"a speaker, cached":  func(e *api.Endpoint) { e.Speaker, e.Cache = true, api.Public(time.Minute) },
		"a speaker, needed":  func(e *api.Endpoint) { e.Speaker, e.Auth = true, api.Guest },
		"no id":              func(e *api.Endpoint) { e.Path = "/x" },
	} {
		e := good
		change(&e)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: Bind does not panic", name)
				}
			}()
			api.Bind(shop.item, e)
		}()
	}
}
