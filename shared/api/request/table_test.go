package request_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

var errNoThing = fault.New(fault.NotFound, "channel_not_found")

// table has an endpoint of every sort.
var table = []api.Endpoint{
	api.Bind((*Server).list, api.Endpoint{
		Name: "list_things", Method: "GET", Path: "/api/things", Auth: api.None, Summary: "The things", Doc: "The things.", Cache: api.Private,
	}),
	api.Bind((*Server).thing, api.Endpoint{
		Name: "get_thing", Method: "GET", Path: "/api/things/{id}", Auth: api.None, Summary: "A thing", Doc: "A thing.", Cache: api.Public(time.Minute),
		Faults: []*fault.Error{errNoThing}, Expose: []string{"X-Thing"},
	}),
	api.Bind((*Server).create, api.Endpoint{
		Name: "create_thing", Method: "POST", Path: "/api/things", Auth: api.None, Summary: "The new thing", Doc: "The new thing.", Status: 201, MaxBody: 1024,
	}),
	api.Bind((*Server).remove, api.Endpoint{
		Name: "delete_thing", Method: "DELETE", Path: "/api/things/{id}", Auth: api.Operator, Summary: "Nothing", Doc: "Nothing.",
	}),
	api.Bind((*Server).numbers, api.Endpoint{
		Name: "get_numbers", Method: "GET", Path: "/api/numbers", Auth: api.Operator, Summary: "The numbers", Doc: "The numbers.", Credential: api.MetricsToken,
	}),
	api.Bind((*Server).mine, api.Endpoint{
		Name: "get_mine", Method: "GET", Path: "/api/mine", Auth: api.Guest, Summary: "What is the caller's", Doc: "What is the caller's.",
	}),
	api.Bind((*Server).mine, api.Endpoint{
		Name: "get_caller", Method: "GET", Path: "/api/seen/{anything}", Auth: api.None, Summary: "Who the caller is, if known", Doc: "Who the caller is, if known.", Speaker: true, Cache: api.Private,
	}),
	api.Bind((*Server).account, api.Endpoint{
		Name: "get_account", Method: "GET", Path: "/api/account", Auth: api.Session, Summary: "The account", Doc: "The account.",
	}),
	api.Bind((*Server).prepare, api.Endpoint{
		Name: "prepare_browser", Method: "GET", Path: "/api/prepare", Auth: api.None, Summary: "Prepares a browser", Doc: "Prepares a browser.", SameOrigin: true,
	}),
	api.Bind((*Server).image, api.Endpoint{
		Name: "get_image", Method: "GET", Path: "/images/{file}", Auth: api.None, Summary: "An image", Doc: "An image.", Cache: api.Immutable,
		Produces: []string{"image/svg+xml"},
	}),
	api.Bind((*Server).page, api.Endpoint{
		Name: "get_page", Method: "GET", Path: "/page", Auth: api.None, Summary: "A page that is rendered already", Doc: "A page that is rendered already.",
	}),
	api.Bind((*Server).document, api.Endpoint{
		Name: "get_document", Method: "GET", Path: "/doc/{$}", Auth: api.None, Summary: "A document", Doc: "A document.",
	}),
	api.Bind((*Server).breaks, api.Endpoint{
		Name: "get_nothing", Method: "GET", Path: "/api/breaks", Auth: api.None, Summary: "Nothing good", Doc: "Nothing good.",
	}),
	api.Bind((*Server).moved, api.Endpoint{
		Name: "follow_redirect", Method: "GET", Path: "/moved", Auth: api.None, Summary: "The way to elsewhere", Doc: "The way to elsewhere.", Status: http.StatusFound,
	}),
}

// Server answers for the table.
type Server struct {
	doc *api.Document
}

func newServer() *Server {
	return &Server{api.NewDocument("application/json", []byte(`{"text":"`+strings.Repeat("all the same ", 400)+`"}`))}
}

type listIn struct {
	Q        string `query:"q" maxLength:"20" description:"Words."`
	Country  string `query:"country" description:"Code."`
	Category string `query:"category" description:"Id."`
	Language string `query:"language" description:"Code."`
	Network  string `query:"network" description:"Name."`
	Quality  string `query:"quality" description:"Name."`
	Guide    bool   `query:"guide" default:"0" description:"Flag."`
	Region   string `query:"subdivision" description:"Code."`
	City     string `query:"city" description:"Code."`
	Playable bool   `query:"playable" default:"1" description:"Flag."`
	Sort     string `query:"sort" default:"name" enum:"name,score,votes" description:"Order."`
	Online   *bool  `query:"online" description:"Flag."`
	Kind     string `query:"kind" default:"tv" enum:"tv,radio,all" description:"Kind."`
	Tag      string `query:"tag" pattern:"^[a-z]*$" description:"Tag."`
	Limit    int    `query:"limit" default:"20" minimum:"1" cap:"50" description:"Items."`
	Offset   int    `query:"offset" default:"0" minimum:"0" maximum:"1000" description:"Skipped."`
	Lang     string `query:"lang" description:"Language."`
}

type list struct {
	Q        string   `json:"q"`
	Playable bool     `json:"playable"`
	Sort     string   `json:"sort" enum:"name,score,votes"`
	Online   *bool    `json:"online"`
	Limit    int      `json:"limit"`
	Offset   int      `json:"offset"`
	Locale   string   `json:"locale"`
	Country  string   `json:"country"`
	Items    []string `json:"items" nullable:"false"`
}

func (s *Server) list(ctx context.Context, in listIn) (*list, error) {
	return &list{
		Q: in.Q, Playable: in.Playable, Sort: in.Sort, Online: in.Online, Limit: in.Limit, Offset: in.Offset,
		Locale: api.LocaleOf(ctx).Tag(), Country: api.CountryOf(ctx), Items: []string{},
	}, nil
}

type thingIn struct {
	ID string `path:"id" maxLength:"40" description:"Id."`
}

type thing struct {
	ID   string  `json:"id"`
	Note *string `json:"note" enum:"old,new"`
	Size int     `json:"size,omitempty"`
}

// ETag makes the answer to a caller who has it a 304.
func (t *thing) ETag() string {
	if t == nil {
		return ""
	}
	return "v-" + t.ID
}

func (s *Server) thing(_ context.Context, in thingIn) (*thing, error) {
	if in.ID == "none" {
		return nil, errNoThing.Because(errors.New("secret detail"))
	}
	return &thing{ID: in.ID}, nil
}

type createIn struct {
	Name string   `json:"name" required:"true" minLength:"1" maxLength:"10" description:"Name."`
	Kind string   `json:"kind" enum:"a,b" default:"a" description:"Kind."`
	Size *int     `json:"size" minimum:"0" maximum:"9" description:"Size."`
	Live bool     `json:"live" description:"Flag."`
	Tags []string `json:"tags" maxItems:"2" maxLength:"5" description:"Tags."`
	Rate float64  `json:"rate" minimum:"-1" maximum:"1.5" description:"Rate."`
}

type created struct {
	Name string   `json:"name"`
	Kind string   `json:"kind"`
	Size *int     `json:"size"`
	Live bool     `json:"live"`
	Tags []string `json:"tags"`
	Rate float64  `json:"rate"`
}

func (s *Server) create(_ context.Context, in createIn) (created, error) {
	return created(in), nil
}

func (s *Server) remove(context.Context, thingIn) (api.NoContent, error) {
	return api.NoContent{}, nil
}

type number struct {
	N int `json:"n"`
}

func (s *Server) numbers(context.Context, struct{}) (number, error) { return number{1}, nil }

func (s *Server) mine(ctx context.Context, _ struct{}) (thing, error) {
	caller, _ := identity.SpeakerOf(ctx)
	who := string(caller.Owner)
	return thing{ID: who}, nil
}

func (s *Server) account(context.Context, struct{}) (thing, error) { return thing{ID: "account"}, nil }

func (s *Server) prepare(ctx context.Context, _ struct{}) (thing, error) {
	return thing{ID: api.RequestIDOf(ctx)}, nil
}

type fileIn struct {
	File string `path:"file" description:"Name."`
}

func (s *Server) image(_ context.Context, in fileIn) (api.Content, error) {
	return api.Content{Type: "image/svg+xml", Data: []byte("<svg>" + in.File + "</svg>"), Tag: "v1"}, nil
}

// A rendered page writes itself and says what it is like.
type rendered struct{ data string }

func (rendered) Schema() any { return number{} }

func (p rendered) Reply(w http.ResponseWriter, r *http.Request) error {
	return api.WriteJSON(w, r, []byte(p.data))
}

func (s *Server) page(context.Context, struct{}) (rendered, error) {
	return rendered{`{"n":7` + strings.Repeat(" ", 5000) + `}`}, nil
}

func (s *Server) document(context.Context, struct{}) (document, error) { return document{s.doc}, nil }

type document struct{ *api.Document }

func (document) Schema() any { return map[string]string{} }

type breaksIn struct {
	How string `query:"how" enum:"error,panic,abort,late" description:"Manner."`
}

// late fails when it has written a part of its answer.
type late struct{}

func (late) Schema() any { return number{} }

func (late) Reply(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"n":1}`))
	return errors.New("too late")
}

func (s *Server) breaks(_ context.Context, in breaksIn) (late, error) {
	switch in.How {
	case "panic":
		panic("secret panic")
	case "abort":
		panic(http.ErrAbortHandler)
	case "late":
		return late{}, nil
	}
	return late{}, errors.New("secret error")
}

type away struct{}

func (away) Reply(w http.ResponseWriter, _ *http.Request) error {
	return api.Redirect(w, "https://elsewhere.example/", http.StatusFound)
}

func (s *Server) moved(context.Context, struct{}) (away, error) { return away{}, nil }

// header identifies the caller that the header X-Guest-Token names, and the kind
// of credential that was asked for.
type header struct{}

func (header) Speaker(_ context.Context, shown identity.Credentials, accepted identity.Class) (identity.Speaker, error) {
	if shown.GuestToken == "" {
		return identity.Speaker{}, identity.ErrCredential
	}
	class := map[identity.Class]api.Auth{identity.Anyone: api.Guest, identity.Account: api.Session}[accepted]
	return identity.Speaker{Owner: identity.Owner(shown.GuestToken + " as " + string(class))}, nil
}

func spec(t testing.TB) []byte {
	t.Helper()
	doc, err := openapi.Document(openapi.Info{
		Title: "Things", Description: "Things, for tests.", Version: "abc1234", BaseURL: "https://things.example",
	}, table)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

type formatIn struct {
	Format string `path:"format" enum:"json,xml" description:"Format."`
	Name   string `path:"name" maxLength:"8" description:"Name."`
}

func (*Server) formatted(_ context.Context, in formatIn) (string, error) {
	return in.Format + " " + in.Name, nil
}

// TestFirstParam serves a path that begins with an enumerated parameter: by its values
// alone, so that other endpoints have the other folders. It is logged and counted by its
// pattern.
func TestFirstParam(t *testing.T) {
	e := api.Bind((*Server).formatted, api.Endpoint{
		Name: "get_formatted", Method: "GET", Path: "/{format}/of/{name}", Auth: api.None, Summary: "A thing in a format", Doc: "A thing in a format.",
	})
	other := api.Bind((*Server).page, api.Endpoint{
		Name: "get_other", Method: "GET", Path: "/page/{anything...}", Auth: api.None, Summary: "A page", Doc: "A page.",
	})
	if diff := cmp.Diff([]string{"/json/of/{name}", "/xml/of/{name}"}, e.Paths()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{other.Path}, other.Paths()); diff != "" {
		t.Error(diff)
	}
	var counted []string
	o := request.Options{Count: func(c *request.Call) { counted = append(counted, c.Pattern()) }}
	h := request.Handler(o, new(Server), []api.Endpoint{e, other})
	for path, want := range map[string]string{"/json/of/a": `"json a"`, "/xml/of/b": `"xml b"`} {
		if res, text := apitest.Do(t, h, "GET", path, ""); res.StatusCode != 200 || strings.TrimSpace(text) != want {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
	for path, status := range map[string]int{"/csv/of/a": 404, "/{format}/of/a": 404, "/page/of/a": 200} {
		if res, text := apitest.Do(t, h, "GET", path, ""); res.StatusCode != status {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
	if len(counted) < 2 || counted[0] != e.Pattern() || counted[1] != e.Pattern() {
		t.Errorf("counted as %q", counted)
	}
}
