package web

import (
	"context"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/social"
)

// Pages that are read. What they say is texts; what stands here is which of them
// there are, and in what order.

// A keyRow is a key, or several, and the text of what it does.
type keyRow struct {
	Keys []string
	Text string
}

// A guideBody is what the page of use shows besides its texts.
type guideBody struct {
	Sections []string // ids, which texts begin with
	Keys     []keyRow
	Players  []string
	Codes    []string
}

// guideTexts are the parts of the page of use.
var guideTexts = guideBody{
	Sections: []string{"find", "play", "keys", "library", "players", "trouble", "programs"},
	Keys: []keyRow{
		{[]string{"/"}, "search"}, {[]string{"←", "→"}, "move"}, {[]string{"↑", "↓"}, "zap"}, {[]string{"0", "…", "9"}, "digits"}, {[]string{"Space"}, "pause"},
		{[]string{"F"}, "fullscreen"}, {[]string{"M"}, "mute"}, {[]string{"P"}, "pip"}, {[]string{"C"}, "captions"}, {[]string{"L"}, "favorite"},
		{[]string{"Backspace"}, "last"}, {[]string{"?"}, "help"},
	},
	Players: []string{"vlc", "kodi", "tivimate", "jellyfin"},
	Codes:   social.Codes,
}

func (s *Server) guide(_ context.Context, l i18n.Locale, _ struct{}) (*sheet, error) {
	return s.view(site.Guide, l, guideTexts).show()
}

// An origin is a source of the catalog, by the name that records have in origem.
type origin struct {
	ID      string // also of its place in the page
	Name    string
	Home    string // where it is
	Report  string // where its mistakes are mended
	Items   int
	Missing int    // files of it that were never fetched
	Oldest  string // when the file was fetched that was fetched longest ago, in UTC; empty when none was
}

// origins are the sources that the service knows. Their licences are texts.
var origins = []origin{
	{ID: "iptv-org", Name: "iptv-org", Home: "https://github.com/iptv-org", Report: "https://github.com/iptv-org/database/issues/new/choose"},
	{ID: "radio-browser", Name: "Radio Browser", Home: "https://www.radio-browser.info/", Report: "https://www.radio-browser.info/"},
}

// guides is the id of the origin of programmes, of which there may be several.
const guides = "guides"

// A credit is software or a set of pictures that the pages use.
type credit struct{ Name, Home, Licence, Text string }

var credits = []credit{
	{"hls.js", "https://github.com/video-dev/hls.js", "Apache-2.0", "player"},
	{"mpegts.js", "https://github.com/xqq/mpegts.js", "Apache-2.0", "player"},
	{"dash.js", "https://github.com/Dash-Industry-Forum/dash.js", "BSD-3-Clause", "player"},
	{"SortableJS", "https://github.com/SortableJS/Sortable", "MIT", "sort"},
	{"qrcode-generator", "https://github.com/kazuhikoarase/qrcode-generator", "MIT", "qr"},
	{"Lucide", "https://lucide.dev/", "ISC", "icons"},
	{"country-flag-icons", "https://gitlab.com/catamphetamine/country-flag-icons", "MIT", "flags"},
	{"Go fonts", "https://go.dev/blog/go-fonts", "BSD-3-Clause", "fonts"},
}

// An aboutBody is what the page of credits shows besides its texts.
type aboutBody struct {
	Origins []origin
	Guides  origin
	Credits []credit
	Contact string
	Claims  string // where the registry of channels takes complaints
}

const claims = "https://github.com/iptv-org/iptv/issues/new/choose"

func (s *Server) about(_ context.Context, l i18n.Locale, _ struct{}) (*sheet, error) {
	body := aboutBody{Credits: credits, Contact: s.Contact, Claims: claims, Guides: origin{ID: guides}}
	files := s.Catalog.Sources()
	for _, o := range origins {
		body.Origins = append(body.Origins, o.with(slices.DeleteFunc(slices.Clone(files), func(f catalog.Source) bool {
			return !strings.HasPrefix(f.Name, o.ID+"/")
		})))
	}
	body.Guides = body.Guides.with(s.Guides.Sources())
	return s.view(site.About, l, body).show()
}

// with returns o with what is known of its files.
func (o origin) with(files []catalog.Source) origin {
	var oldest time.Time
	for _, f := range files {
		if f.Missing || f.FetchedAt.IsZero() {
			o.Missing++
			continue
		}
		o.Items += f.Items
		if oldest.IsZero() || f.FetchedAt.Before(oldest) {
			oldest = f.FetchedAt
		}
	}
	if !oldest.IsZero() {
		o.Oldest = oldest.UTC().Format("2006-01-02 15:04")
	}
	return o
}

// Moment returns Oldest for machines.
func (o origin) Moment() string { return strings.Replace(o.Oldest, " ", "T", 1) + "Z" }

// Of returns the view with another body, for a part of the page.
func (v *view) Of(body any) *view {
	part := *v
	part.Body = body
	return &part
}

// API returns the path of the index of the API.
func (v *view) API() string { return apiPath }

// OpenAPI returns the path of its description.
func (v *view) OpenAPI() string { return api.DescriptionPath }
