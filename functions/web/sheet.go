package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

//go:embed templates/*.html
var templates embed.FS

// A view is what a page shows: what is around every page, and its own Body. Its
// methods are the words of the templates.
type view struct {
	Page        site.Page
	Name        string // of what the page is about, as its address has it; empty for most
	Locale      i18n.Locale
	Title       string // without that of the service
	Description string
	NoIndex     bool     // search engines are to leave it out
	Image       string   // absolute address of a picture that stands for the page; empty for the service's own
	JSONLD      any      // what search engines are told of the page, by schema.org; nil for nothing
	Data        any      // what the script of the page is told, as JSON; nil for nothing
	Areas       []string // of texts
	Modules     []string // that the script loads; nil for those of the names of Areas
	Body        any

	server *Server
}

// view returns the view of a page, whose title and description are the texts
// of its name.
func (s *Server) view(p site.Page, l i18n.Locale, body any) *view {
	return &view{
		Page: p, Locale: l, Body: body, server: s,
		Title: l.T(p.String()+".title", nil), Description: l.T(p.String()+".description", nil), Areas: []string{p.String()},
	}
}

// T returns a text in the language of the page. The rest are names and values
// of its fields, by turns.
func (v *view) T(key string, fields ...any) string { return v.Locale.T(key, pairs(fields)) }

// N returns the text for n things, likewise.
func (v *view) N(key string, n int, fields ...any) string { return v.Locale.N(key, n, pairs(fields)) }

func pairs(fields []any) map[string]any {
	if len(fields) == 0 {
		return nil
	}
	m := make(map[string]any, len(fields)/2)
	for i := 1; i < len(fields); i += 2 {
		m[fmt.Sprint(fields[i-1])] = fields[i]
	}
	return m
}

// Asset returns the address of a file; empty when the build lacks it.
func (v *view) Asset(name string) string { return v.server.assets.address[name] }

// Scripts lists what the page runs besides the entry, which would ask for it only
// when it is there itself.
func (v *view) Scripts() []string {
	if v.Modules != nil {
		return v.server.assets.scripts(v.Modules)
	}
	return v.server.assets.scripts(v.Areas)
}

// Icon returns the address of an icon, by the name that the build gives it.
func (v *view) Icon(name string) string { return v.Asset("icons.svg") + "#" + name }

// Path returns the path of another page that takes no name, in the same
// language.
func (v *view) Path(page string) string {
	for _, p := range site.Pages {
		if p.String() == page {
			return p.Path(v.Locale, "")
		}
	}
	return ""
}

// Channel returns the path of the page of a channel.
func (v *view) Channel(id string) string { return site.Channel.Path(v.Locale, id) }

// Country returns the path of the page of a country; empty when it has none.
func (v *view) Country(code string) string {
	path, _ := site.CountryPath(v.Locale, code)
	return path
}

// Flag returns the path of the flag of a country.
func (v *view) Flag(code string) string { return catalog.LinkBase{}.Flag(code) }

// CountryName returns the name of a country; its code when it has none.
func (v *view) CountryName(code string) string {
	if name, ok := i18n.CountryName(code, v.Locale); ok {
		return name
	}
	return code
}

// Locales returns the languages that the page can be read in.
func (v *view) Locales() []i18n.Locale { return i18n.Locales }

// In returns the path of the same page in another language.
func (v *view) In(l i18n.Locale) string {
	if v.Page == site.Country {
		path, _ := site.CountryPath(l, v.Name)
		return path
	}
	return v.Page.Path(l, v.Name)
}

// Query returns the words that the search field holds: those that the page was
// found by.
func (v *view) Query() string {
	if q, ok := v.Body.(interface{ Words() string }); ok {
		return q.Words()
	}
	return ""
}

// Base returns the address of the service.
func (v *view) Base() string { return v.server.Links.Base }

// Texts returns what scripts show, as JSON: the texts of the page's areas and
// of the layout whose keys go on with "ui.".
func (v *view) Texts() template.JS { return textsOf(v.Locale, strings.Join(v.Areas, ",")) }

type textsKey struct {
	locale i18n.Locale
	areas  string
}

// kept are texts as they stand in pages, by textsKey: one for each kind of page
// and locale.
var kept sync.Map

func textsOf(l i18n.Locale, areas string) template.JS {
	key := textsKey{l, areas}
	if js, ok := kept.Load(key); ok {
		return js.(template.JS)
	}
	all := l.Under("layout.ui.")
	for area := range strings.SplitSeq(areas, ",") {
		for key, text := range l.Under(area + ".ui.") {
			all[key] = text
		}
	}
	data, err := json.Marshal(all) // in which nothing can end the element
	if err != nil {
		panic(err) // never: it is a map of texts
	}
	js, _ := kept.LoadOrStore(key, template.JS(data))
	return js.(template.JS)
}

// boot is the one script within pages: it sets the theme that was chosen before
// anything is painted, and says that scripts run.
const boot = `(d=>{d.classList.add("js");try{let t=localStorage.getItem("mm-theme");if(t==="dark"||t==="light")d.dataset.theme=t}catch{}})(document.documentElement)`

// Boot returns that script.
func (v *view) Boot() template.JS { return boot }

// policyFor returns the Content-Security-Policy of pages whose parts are at
// links: they load their own files, play media of any secure origin, and embed
// the one video platform. A service that is not secure itself, which is a local
// one, may play media that is not.
func policyFor(links catalog.LinkBase) string {
	sum := sha256.Sum256([]byte(boot))
	media := "https:"
	if strings.HasPrefix(links.Base, "http:") {
		media = "http: https:"
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		"style-src 'self'",
		"img-src 'self' data: " + links.Base,
		"connect-src 'self' " + media,
		"media-src blob: data: " + media, // data: is where hls.js has captions begin
		"worker-src 'self'",
		"frame-src https://www.youtube-nocookie.com",
		"manifest-src 'self'",
		"form-action 'self'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
	}, "; ")
}

// pages are the templates, by the names of their files.
var pages = parsePages()

// parsePages parses each page with the layout and the parts, which begin with
// an underscore.
func parsePages() map[string]*template.Template {
	base := template.Must(template.ParseFS(templates, "templates/_*.html"))
	all := map[string]*template.Template{}
	entries, err := templates.ReadDir("templates")
	if err != nil {
		panic(err) // never: the folder is embedded
	}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".html"); ok && name[0] != '_' {
			t := template.Must(template.Must(base.Clone()).ParseFS(templates, "templates/"+entry.Name()))
			all[name] = t
		}
	}
	return all
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// show renders a view with the page of its name.
func (v *view) show() (*sheet, error) { return v.showAs(v.Page.String(), http.StatusOK) }

// showAs renders a view with a template.
func (v *view) showAs(name string, status int) (*sheet, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if err := pages[name].ExecuteTemplate(b, "_layout.html", v); err != nil {
		return nil, err
	}
	data := bytes.Clone(b.Bytes())
	sum := sha256.Sum256(data)
	return &sheet{data: data, tag: hex.EncodeToString(sum[:8]), status: status, locale: v.Locale, policy: v.server.policy}, nil
}

// A sheet is a page as it is sent.
type sheet struct {
	data   []byte
	tag    string
	status int
	locale i18n.Locale
	policy string
	moved  string // where the page is now; then there is nothing else
}

// movedTo leads to the page that is at another path of this site for good.
func movedTo(path string) *sheet { return &sheet{moved: path} }

// ETag returns a hash of the page.
func (s *sheet) ETag() string { return s.tag }

// headers keep every page apart from others.
var headers = http.Header{
	"Cross-Origin-Opener-Policy": {"same-origin"},
	"Permissions-Policy":         {"camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()"},
	"Referrer-Policy":            {"strict-origin-when-cross-origin"},
	"X-Frame-Options":            {"DENY"},
}

// Reply writes the page.
func (s *sheet) Reply(w http.ResponseWriter, r *http.Request) error {
	if s.moved != "" {
		return api.Redirect(w, s.moved, http.StatusMovedPermanently)
	}
	h := w.Header()
	for name, values := range headers {
		h[name] = values
	}
	h["Content-Security-Policy"] = []string{s.policy}
	h["Content-Language"] = []string{s.locale.HTML()}
	return api.WriteStatus(w, r, s.status, "text/html; charset=utf-8", s.data)
}
