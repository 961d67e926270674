// Package legacy is the function that serves the isolated player: a page of
// its own host that plays the media of plain HTTP origins, which no secure page
// may load.
//
// The page receives only a stream id. Its script requests the stream from the
// main host (GET /api/legacy/{id}), plays it, and stores nothing; that host has
// no account, no cookie and no other page.
package legacy

import (
	"bytes"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Endpoints are the endpoints of this function on its own host. They are not
// part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).page, api.Endpoint{
		Name:    "get_legacy_player",
		Method:  "GET",
		Path:    api.Root,
		Auth:    api.None,
		Summary: "Show the legacy player",
		Doc: "Returns the page of the isolated player for the stream, language and theme in the query. A query that names no stream " +
			"still returns the page, which then says so.",
		Cache:      api.Revalidate,
		Produces:   []string{"text/html"},
		SameOrigin: true,
	}),
	api.Bind((*Server).asset, api.Endpoint{
		Name:       "get_legacy_player_file",
		Method:     "GET",
		Path:       site.AssetsPath + "{file}",
		Auth:       api.None,
		Summary:    "Get a file of the player",
		Doc:        "Returns a script, style or image of the player. The name contains a hash of the content, so a file never changes.",
		Faults:     []*fault.Error{fault.ErrNotFound},
		Cache:      api.Immutable,
		Produces:   []string{"text/javascript", "text/css", "text/plain", "image/svg+xml"},
		SameOrigin: true,
	}),
}

// A Server serves the player. It is not changed after New, and safe for concurrent
// use.
type Server struct {
	baseURL string                   // of the main host, without a trailing slash
	assets  map[string]*api.Document // by the hashed name in their address
	address map[string]string        // by the original name of an asset
}

// New returns a server of a player that requests streams from the main host at
// baseURL.
func New(baseURL string) *Server {
	s := &Server{baseURL: baseURL, assets: map[string]*api.Document{}, address: map[string]string{}}
	s.load(files, "assets")
	s.load(files, "players")
	return s
}

// page declares no input, so that no query is refused: a visitor with a wrong
// address gets a page that explains the problem.
func (s *Server) page(ctx context.Context, _ struct{}) (page, error) {
	return page{s, api.AcceptLanguageOf(ctx)}, nil
}

// A page is the player for a caller with an Accept-Language header.
type page struct {
	server *Server
	accept string
}

// headers isolate the page: it may load its own files and the media of any
// origin, no other page may embed it, and it has no access to devices. Even a
// script that an origin smuggled into the page would find no cookie and no
// account on this host.
var headers = http.Header{
	"Content-Security-Policy": {"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; worker-src 'self'; " +
		"connect-src http: https:; media-src http: https: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Permissions-Policy":           {"camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()"},
	"Referrer-Policy":              {"no-referrer"},
	"X-Robots-Tag":                 {"noindex"},
}

// Reply writes the page.
func (p page) Reply(w http.ResponseWriter, r *http.Request) error {
	var b bytes.Buffer
	if err := pages.Execute(&b, p.server.view(r.URL.Query(), p.accept)); err != nil {
		return err
	}
	for name, values := range headers {
		w.Header()[name] = values
	}
	return api.Write(w, r, "text/html; charset=utf-8", b.Bytes())
}

// A view is what the page shows.
type view struct {
	Locale i18n.Locale
	Theme  string // light or dark; empty for the preference of the browser
	Stream string // the stream id of the query, which may not exist; empty without one
	API    string
	Texts  map[string]string // by key: the texts that the script shows
	server *Server
}

// themes are the values of the parameter theme.
var themes = map[string]bool{"light": true, "dark": true}

// view returns the view for a query. Invalid parameters are ignored.
func (s *Server) view(q url.Values, accept string) view {
	v := view{Theme: q.Get("theme"), Stream: q.Get("stream"), API: s.baseURL + catalog.LegacyPath, server: s}
	if !themes[v.Theme] {
		v.Theme = ""
	}
	if len(v.Stream) > catalog.MaxStreamName {
		v.Stream = ""
	}
	v.Stream = strings.ToValidUTF8(v.Stream, "")
	var ok bool
	if v.Locale, ok = i18n.Find(q.Get("lang")); !ok {
		v.Locale = i18n.Match(accept)
	}
	v.Texts = make(map[string]string, len(scriptTexts))
	for _, key := range scriptTexts {
		v.Texts[key] = v.T(key)
	}
	return v
}

// scriptTexts are the keys of the texts that the script shows. A test compares
// them with the keys in the script.
var scriptTexts = []string{
	"loading", "connecting", "ready", "playing", "paused", "buffering", "ended", "external", "radio", "tv", "title",
	"fail.cors", "fail.geo", "fail.sumiu", "fail.codec", "fail.playlist", "fail.sem_resposta", "fail.protocolo",
	"fail.sem_stream", "fail.outro", "fail.limite",
}

// T returns a text of the page in its language.
func (v view) T(key string) string { return v.Locale.T("legacy."+key, nil) }

// Asset returns the address of a file, or "" when the build lacks it: players are
// copied in by make generate.
func (v view) Asset(name string) string { return v.server.address[name] }

// Locales returns the languages of the page.
func (v view) Locales() []i18n.Locale { return i18n.Locales }

// With returns the address of the same page in a language and a theme.
func (v view) With(l i18n.Locale, theme string) string {
	q := url.Values{"lang": {l.Tag()}}
	if v.Stream != "" {
		q.Set("stream", v.Stream)
	}
	if theme != "" {
		q.Set("theme", theme)
	}
	return "/?" + q.Encode()
}

var pages = template.Must(template.ParseFS(files, "page.html"))
