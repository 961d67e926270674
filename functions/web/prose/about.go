package prose

import (
	"context"
	"slices"
	"strings"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// The page of credits names each source with its freshness, which is computed from
// the files of the current release at every request: the page shows an outdated
// source without anyone editing it.

// A source is a register that the catalog is made from, or all guides together.
type source struct {
	ID      string // id of the source, and of its section on the page
	Name    string
	Home    string // URL of its website
	Report  string // URL where mistakes in it are reported
	Items   int    // number of records in its files
	Missing int    // files that were never fetched
	Oldest  string // the fetch time in UTC of the file that was fetched longest ago; empty when none was fetched
}

// sources are the registers. Their licences are messages of package i18n.
var sources = []source{
	{ID: "iptv-org", Name: "iptv-org", Home: "https://github.com/iptv-org", Report: "https://github.com/iptv-org/database/issues/new/choose"},
	{ID: "radio-browser", Name: "Radio Browser", Home: "https://www.radio-browser.info/", Report: "https://www.radio-browser.info/"},
}

// guides is the id of the source that stands for all guides.
const guides = "guides"

// A credit names software or pictures that the pages use. Licence is an SPDX
// identifier; Text is the last part of the key of the text with their purpose.
type credit struct{ Name, Home, Licence, Text string }

var credits = []credit{
	{"hls.js", "https://github.com/video-dev/hls.js", "Apache-2.0", "player"},
	{"mpegts.js", "https://github.com/xqq/mpegts.js", "Apache-2.0", "player"},
	{"dash.js", "https://github.com/Dash-Industry-Forum/dash.js", "BSD-3-Clause", "player"},
	{"SortableJS", "https://github.com/SortableJS/Sortable", "MIT", "sort"},
	{"qrcode-generator", "https://github.com/kazuhikoarase/qrcode-generator", "MIT", "qr"},
	{"Swagger UI", "https://github.com/swagger-api/swagger-ui", "Apache-2.0", "reference"},
	{"Lucide", "https://lucide.dev/", "ISC", "icons"},
	{"country-flag-icons", "https://gitlab.com/catamphetamine/country-flag-icons", "MIT", "flags"},
	{"D3, TopoJSON", "https://d3js.org/", "ISC", "maps"},
	{"world-atlas, Natural Earth", "https://github.com/topojson/world-atlas", "ISC", "maps"},
	{"GeoNames", "https://www.geonames.org/", "CC-BY-4.0", "cities"},
	{"Go fonts", "https://go.dev/blog/go-fonts", "BSD-3-Clause", "fonts"},
}

// An aboutBody is the body of the page of credits.
type aboutBody struct {
	Origins []source
	Guides  source
	Credits []credit
	Contact string // mail address of the service; empty to show none
	Claims  string // URL where the registry of channels accepts complaints
}

const claims = "https://github.com/iptv-org/iptv/issues/new/choose"

// about shows the credits. A file of the release belongs to the source whose id is
// the first part of its name.
func (s *Server) about(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	body := aboutBody{Credits: credits, Contact: s.Contact, Claims: claims, Guides: source{ID: guides}}
	files := s.Sources.Sources()
	for _, o := range sources {
		body.Origins = append(body.Origins, o.with(slices.DeleteFunc(slices.Clone(files), func(f catalog.Source) bool {
			return !strings.HasPrefix(f.Name, o.ID+"/")
		})))
	}
	body.Guides = body.Guides.with(s.Guides.Sources())
	return s.Pages.View(site.About, l, body).Show()
}

// with returns o with the number of records in its files, the number of missing
// files, and the time of the oldest one.
func (o source) with(files []catalog.Source) source {
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

// Moment returns Oldest in RFC 3339, for the time element of the page.
func (o source) Moment() string { return strings.Replace(o.Oldest, " ", "T", 1) + "Z" }
