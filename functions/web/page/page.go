// Package page renders the HTML pages that visitors see, and serves the files
// that pages load.
//
// A page package makes a [View], the values that a page shows, and renders it
// with the template named like its page. The layout around every page, the head
// for search engines, the Content-Security-Policy and the built scripts and
// styles are the same for all pages and come from here.
//
// A page is rendered into memory before its first byte is written, so that an
// error of a template is answered by an error page and never by half a page. The
// bytes are then hashed: the hash is the ETag, and a browser that has the page
// already receives 304.
package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"html/template"
	"io"
	"net/http"
	"strings"
	"sync"

	"miramundo.dev/functions/web/markdown"
	"miramundo.dev/functions/web/static"
	"miramundo.dev/functions/web/templates"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// A Renderer renders pages. It may be used concurrently.
type Renderer struct {
	links  catalog.LinkBase // base URLs of the service and its parts
	assets assets           // the built files, read once
	policy string           // Content-Security-Policy of every page
}

// NewRenderer returns a renderer for a service whose parts are at links. It reads
// the embedded files, and panics when their list cannot be parsed.
func NewRenderer(links catalog.LinkBase) *Renderer {
	return &Renderer{links: links, assets: loadAssets(static.FS), policy: policyFor(links, "")}
}

// Base returns the base URL of the service.
func (r *Renderer) Base() string { return r.links.Base }

// Asset returns the path of a built file; empty when nothing was built.
func (r *Renderer) Asset(name string) string { return r.assets.address[name] }

// cache lets shared caches keep a page for a minute: it is the same for every
// visitor. Browsers revalidate each time, because a build replaces the files that
// a page names, and because a list that was ten minutes old would be continued
// by a script with newer parts.
const cache api.Cache = "public, max-age=0, s-maxage=60"

// Endpoints returns the endpoints of a page, one for each locale, at the paths that
// package site gives to the page. show renders the page in a locale for an input.
// A page that is the same for every visitor is also rendered as Markdown, for callers
// that prefer it. The tag of the locale is added to the summary, which must be unique.
func Endpoints[S, In any](p site.Page, summary, doc string, show func(S, context.Context, i18n.Locale, In) (*Rendered, error), faults ...*fault.Error) []api.Endpoint {
	var all []api.Endpoint
	for _, l := range i18n.Locales {
		e := api.Endpoint{
			Method: "GET", Path: pattern(p, l), Auth: api.None, Page: true,
			Summary: summary + " (" + l.Tag() + ")", Doc: doc,
			Faults: faults, Cache: cache, Produces: []string{htmlMedia},
		}
		if hasMarkdown(p) {
			e.Produces = append(e.Produces, markdown.Media)
		}
		all = append(all, api.Bind(func(s S, ctx context.Context, in In) (*Rendered, error) {
			asMarkdown := hasMarkdown(p) && api.Prefers(ctx, markdown.Media, htmlMedia)
			rendered, err := show(s, ctx, l, in)
			if err != nil || !asMarkdown {
				return rendered, err
			}
			return rendered.asMarkdown()
		}, e))
	}
	return all
}

const htmlMedia = "text/html"

// hasMarkdown reports whether a page is also rendered as Markdown: all but those that show
// the visitor's own data.
func hasMarkdown(p site.Page) bool { return !p.Personal() }

// pattern returns the path of the endpoint of a page in a locale.
func pattern(p site.Page, l i18n.Locale) string {
	path := p.Template(l)
	if path == "/" {
		return api.Root // without what is below it
	}
	return path
}

// boot is the only inline script. It runs before the first paint: it sets the theme
// that the visitor chose, so that a dark page does not flash white, and adds the
// class js, by which styles show controls that need scripts, the class in where the
// script has noted that this browser is signed in, and the class chatting where the
// visitor has left the chat open, and the class watched where something was watched. Where the
// reader has none of the languages of the page and another of ours, and was not asked before,
// it names that language in data-offer, by which styles show the offer of the layout: it has
// its room before anything is painted. A browser that stores nothing would be asked on every
// page, so it never is. The policy allows the script by its hash.
const boot = `(d=>{d.classList.add("js");try{let s=localStorage,t=s.getItem("mm-theme");if(t==="dark"||t==="light")d.dataset.theme=t;if(!d.dataset.visitor&&s.getItem("mm-account")!==null)d.classList.add("in");if(s.getItem("mm-chat")!==null)d.classList.add("chatting");if(s.getItem("mm-watched")!==null)d.classList.add("watched");let n=navigator.languages.map(l=>l.toLowerCase().split("-")[0]),o=n.find(l=>"pt en es fr de".split(" ").includes(l));if(o&&s.getItem("mm-offered")===null&&!n.includes(d.lang.slice(0,2)))d.dataset.offer=o}catch{}})(document.documentElement)`

// Boot returns the inline script.
func (v *View) Boot() template.JS { return boot }

// policyFor returns the Content-Security-Policy of the pages of a service whose
// parts are at links. Pages load their own files, play media from any https
// origin, and embed one video platform. A local service, which is served by http,
// may also play media from http origins. The page of a form also loads the widget of
// a provider from its origin; empty for every other page.
func policyFor(links catalog.LinkBase, provider string) string {
	own := "'self'"
	if provider != "" {
		own += " " + provider
	}
	sum := sha256.Sum256([]byte(boot))
	media := "https:"
	if strings.HasPrefix(links.Base, "http:") {
		media = "http: https:"
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + own + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		"style-src 'self'",
		"img-src 'self' data: " + links.Base,
		"connect-src " + own + " " + media,
		"media-src blob: data: " + media, // hls.js starts captions with a data: URL
		"worker-src 'self'",
		strings.TrimSpace("frame-src https://www.youtube-nocookie.com " + provider),
		"manifest-src 'self'",
		"form-action 'self'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
	}, "; ")
}

// pages are the parsed templates, by the names of their files.
var pages = parsePages()

// parsePages parses each page together with the layout and the parts. Pages are
// parsed into clones of the common templates, because each of them defines a
// template named "main".
func parsePages() map[string]*template.Template {
	base := template.Must(template.ParseFS(templates.FS, "_*.html"))
	all := map[string]*template.Template{}
	entries, err := templates.FS.ReadDir(".")
	if err != nil {
		panic(err) // never: the folder is embedded
	}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".html"); ok && name[0] != '_' {
			t := template.Must(template.Must(base.Clone()).ParseFS(templates.FS, entry.Name()))
			all[name] = t
		}
	}
	return all
}

// buffers are reused between pages: the cards of a list alone are 50 kB.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Fill executes the template of a part, such as _card.html, with a value. Parts are
// common to all pages.
func Fill(w io.Writer, part string, value any) error {
	return pages[site.Home.String()].ExecuteTemplate(w, part, value)
}

// Show renders the view with the template named like its page and status 200.
func (v *View) Show() (*Rendered, error) { return v.ShowAs(v.Page.String(), http.StatusOK) }

// ShowAs renders the view with another template and status. The result does not
// refer to the view, which may be changed or rendered again afterwards.
func (v *View) ShowAs(name string, status int) (*Rendered, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if err := pages[name].ExecuteTemplate(b, "_layout.html", v); err != nil {
		return nil, err
	}
	return v.rendered(b.Bytes(), status), nil
}

// ShowPart renders the view with the template of a part, such as _near.html: a piece of
// HTML that a script puts into a page.
func (v *View) ShowPart(part string) (*Rendered, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if err := Fill(b, part, v); err != nil {
		return nil, err
	}
	return v.rendered(b.Bytes(), http.StatusOK), nil
}

// rendered returns a copy of HTML as an answer.
func (v *View) rendered(text []byte, status int) *Rendered {
	data := bytes.Clone(text)
	policy := v.renderer.policy
	if v.Provider != "" {
		policy = policyFor(v.renderer.links, v.Provider)
	}
	return &Rendered{
		locates: v.Locates, unshared: v.Unshared,
		data: data, tag: tagOf(data), media: htmlMedia, status: status, locale: v.Locale, policy: policy, base: v.renderer.links.Base,
	}
}

// tagOf returns the version of a page: a hash of its bytes.
func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// A Rendered is a rendered page, or a redirect to another page.
type Rendered struct {
	data   []byte
	tag    string
	media  string // media type of data
	status int
	locale i18n.Locale
	policy string
	base   string // address of the service
	moved  string // the path of a redirect; then the other fields but own are empty
	own    bool   // the redirect is for this visitor alone
	framed bool   // any site may frame the page

	locates, unshared bool // as in a View
}

// MovedTo returns a permanent redirect to another path of this site.
func MovedTo(path string) *Rendered { return &Rendered{moved: path} }

// SeeOther returns a redirect to another path of this site that depends on the visitor, so
// that no cache may keep it.
func SeeOther(path string) *Rendered { return &Rendered{moved: path, own: true} }

// asMarkdown returns the page as Markdown, which has a version of its own. A redirect
// stays as it is.
func (s *Rendered) asMarkdown() (*Rendered, error) {
	if s.moved != "" {
		return s, nil
	}
	text, err := markdown.Of(s.data, s.base)
	if err != nil {
		return nil, err
	}
	other := *s
	other.data, other.tag, other.media = text, tagOf(text), markdown.Media
	return &other, nil
}

// ETag returns a hash of the page, without quotes; empty for a redirect.
func (s *Rendered) ETag() string { return s.tag }

// locating is the value of Permissions-Policy of the pages that may ask the browser where
// the visitor is.
var locating = []string{strings.Replace(headers.Get("Permissions-Policy"), "geolocation=()", "geolocation=(self)", 1)}

// unshared is the Cache-Control of pages that no shared cache may keep.
var unshared = []string{"private, max-age=0"}

// headers isolate pages from other sites: no site may frame a page or share its
// browsing context, and a page may use none of the named device features.
var headers = http.Header{
	"Cross-Origin-Opener-Policy": {"same-origin"},
	"Permissions-Policy":         {"camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()"},
	"Referrer-Policy":            {"strict-origin-when-cross-origin"},
	"X-Frame-Options":            {"DENY"},
}

// Reply writes the page or the redirect, and 304 when the client has the page.
func (s *Rendered) Reply(w http.ResponseWriter, r *http.Request) error {
	if s.own {
		w.Header().Set("Cache-Control", "private, no-store")
		return api.Redirect(w, s.moved, http.StatusSeeOther)
	}
	if s.moved != "" {
		return api.Redirect(w, s.moved, http.StatusMovedPermanently)
	}
	h := w.Header()
	own := headers
	if s.framed {
		own = frameHeaders
	}
	for name, values := range own {
		h[name] = values
	}
	if s.locates {
		h["Permissions-Policy"] = locating
	}
	if s.unshared {
		h["Cache-Control"] = unshared
	}
	h["Content-Security-Policy"] = []string{s.policy}
	h["Content-Language"] = []string{s.locale.HTML()}
	return api.WriteStatus(w, r, s.status, s.media+"; charset=utf-8", s.data)
}
