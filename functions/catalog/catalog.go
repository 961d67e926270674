// Package catalog is the function that searches the catalog and shows
// channels.
//
// It answers from the catalog, the guide and the community counters in memory.
// Only the favorites of a caller and the health panel of a channel read the
// database; while it does not answer, the panel falls back to the counters in
// memory. Pages of search results are rendered by the index straight to JSON; the
// function adds the address of the next page.
package catalog

import (
	"context"
	"encoding/binary"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/encoding"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/catalog/similar"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/nowplaying"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/environment"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/works"
)

// Endpoints is this function's part of the API.
var Endpoints = slices.Concat([]api.Endpoint{
	api.Bind((*Server).search, api.Endpoint{
		Name: "search_channels", Tool: true,
		Brief: "total next_offset items.id items.name items.kind items.country items.language_labels items.category_labels " +
			"items.quality items.has_guide items.radio.tags",
		Method:  "GET",
		Path:    catalog.ChannelsPath,
		Auth:    api.None,
		Summary: "Search channels and radio stations",
		Doc: "Returns a page of the channels that match q and every filter, with the number of all matches and of those in each " +
			"category. Radio stations are included only with kind=radio or kind=all. It has no quota and needs no credential; the " +
			"streams of a channel are in GET /api/channels/{id}.",
		Faults:     []*fault.Error{catalog.ErrNotLoaded},
		Cache:      api.Private,
		Credential: api.CatalogToken,
	}),
	api.Bind((*Server).channel, api.Endpoint{
		Name: "get_channel", Tool: true,
		Brief: "id name kind country language_labels category_labels website has_guide replaced_by guide_now streams.id " +
			"streams.play_url streams.kind streams.quality streams.label streams.playable_hint _links.app",
		Method:  "GET",
		Path:    catalog.ChannelsPath + api.ByID,
		Auth:    api.None,
		Summary: "Get a channel with its streams",
		Doc: "Returns the detail record of a channel or radio station: every field of a search result, the programme on air, and its " +
			"streams, the best one for the caller's country first. An earlier id of a channel finds it too. For a channel that is known " +
			"but not shown, the 404 has a member gone with its name, the reason and what replaced it.",
		Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded},
		Cache:  api.Private,
	}),
	api.Bind((*Server).health, api.Endpoint{
		Name: "get_channel_health", Tool: true,
		Brief: "channel_id plays fails favorites comments health last_ok_at last_fail_at reasons.label reasons.count geo.tipo " +
			"geo.bloqueado_em geo.funciona_em pra_voce",
		Method:  "GET",
		Path:    catalog.ChannelsPath + "/{id}/health",
		Auth:    api.None,
		Summary: "Get a channel's playback health",
		Doc: "Returns what listeners and viewers reported of a channel: successes and failures by country, browser and system, the " +
			"causes of failures, playlist latency by country, and a forecast for the caller's own country and browser. A channel " +
			"without reports has an empty panel. It never contains network addresses.",
		Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded, fault.ErrUnavailable},
		Cache:  api.Private,
	}),
	api.Bind((*Server).legacy, api.Endpoint{
		Name:    "get_legacy_stream",
		Method:  "GET",
		Path:    catalog.LegacyPath + "{id}",
		Auth:    api.None,
		Summary: "Get a stream for the legacy player",
		Doc: "Returns the name and the addresses of a stream whose media come over plain HTTP, for the isolated player that opens " +
			"such streams. Any other stream answers 404: play its url instead.",
		Faults: []*fault.Error{catalog.ErrNoStream, catalog.ErrNotLoaded},
		Cache:  api.Public(time.Minute),
	}),
	api.Bind((*Server).geo, api.Endpoint{
		Name: "get_geo", Tool: true,
		Method:  "GET",
		Path:    "/api/geo",
		Auth:    api.None,
		Summary: "Suggest the caller's country and language",
		Doc: "Returns the country of the caller's network and the first language of the Accept-Language header, or BR and por where " +
			"they cannot be detected. Both can be used as filters of a search.",
		Cache: api.Private,
	}),
}, guides, lists, bulks, []api.Endpoint{playing, oembed, similarChannels})

// Options are the parts that a Server answers from. All but Guide are required.
type Options struct {
	Catalog    index.DatedViewer
	DB         store.DB           // of counts and favorites; only requests for them read it
	Overlay    *social.Overlay    // the counts of every channel, in memory
	Guide      Guide              // nil is a guide without programmes
	Playing    *nowplaying.Reader // of what stations play; nil knows nothing
	Companions similar.Companions // the channels that people keep together; nil for none
	Links      catalog.LinkBase
	Now        func() time.Time
	Build      string // of the program, which may render the same state in another way than the last
}

// A Server answers requests for the catalog. It may be used concurrently.
type Server struct {
	Options
	agents environment.Reader
	works  *works.Countries // what plays where
	pages  *encoding.Memory // of search results

	writing chan struct{}  // has an element for each whole list that is being written
	guides  *writtenGuides // of whole lists
}

// pageMemory is what the pages that are kept take together, in bytes.
const pageMemory = 16 << 20

// New returns a server of the catalog that o shows.
func New(o Options) *Server {
	if o.Guide == nil {
		o.Guide = (*guide.Live)(nil)
	}
	return &Server{
		Options: o, works: works.New(o.Overlay, o.Now), pages: encoding.NewMemory(pageMemory), writing: make(chan struct{}, 2),
		guides: newWrittenGuides(),
	}
}

type searchIn struct {
	filter.Selection
	Limit  int    `query:"limit" default:"20" minimum:"1" cap:"50" description:"Number of items on the page; more than 50 is reduced to 50."`
	Offset int    `query:"offset" default:"0" minimum:"0" maximum:"100000000" description:"Number of matches to skip."`
	Lang   string `query:"lang" maxLength:"16" description:"Language of the labels: pt, en, es, fr or de. Without it, Accept-Language decides."`

	Explain bool `query:"explain" default:"0" operator:"true" description:"Operators only: 1 adds the member explain to each item. It needs the operator's token, as Authorization: Bearer."`
}

// query returns the normalized search for a selection. When the catalog is stale,
// a search for channels online finds none: the measurements are too old.
func (s *Server) query(selection filter.Selection, limit, offset int) index.Query {
	q := index.Query{Selection: selection, Limit: limit, Offset: offset}
	q.Normalize()
	if q.Online {
		q.Stalled = index.Stale(s.Catalog, s.Now())
	}
	return q
}

// A page is the answer of a search. It is rendered when it is sent, because the
// address of its next page repeats the query of the request, unless the same page is
// kept.
type page struct {
	view   *index.View
	query  index.Query
	locale i18n.Locale
	crowd  crowd
	server *Server
}

// Schema returns the shape of the page.
func (page) Schema() any { return catalog.Page{} }

// ETag returns the version of the page, from that of everything that it is rendered from
// besides its address, so that a caller that has it is answered without a search. The
// explanations for operators have none.
func (p page) ETag() string {
	if p.query.Explain {
		return ""
	}
	var d xxhash.Digest
	d.Reset()
	var numbers [18]byte
	binary.LittleEndian.PutUint64(numbers[:], p.view.Fingerprint())
	binary.LittleEndian.PutUint64(numbers[8:], p.crowd.overlay.Version())
	numbers[16] = byte(p.locale)
	if p.query.Stalled {
		numbers[17] = 1
	}
	_, _ = d.Write(numbers[:]) // a digest never fails
	place := p.crowd.place
	if p.query.Works != nil { // verdicts change with the day
		_, _ = d.WriteString(p.query.Works.Country + p.server.Now().UTC().Format(time.DateOnly))
	}
	for _, text := range [...]string{p.server.Build, p.query.Home, p.query.Speaks, place.Browser, place.OS, place.Country} {
		_, _ = d.WriteString(text)
		_, _ = d.WriteString("\n")
	}
	return strconv.FormatUint(d.Sum64(), 36)
}

// Reply renders the page.
func (p page) Reply(w http.ResponseWriter, r *http.Request) error {
	if api.NotModified(w, r) {
		return nil
	}
	p.server.pages.Renew(p.view.Fingerprint() ^ p.crowd.overlay.Version())
	return api.WriteRendered(w, r, p.server.pages, func(b []byte) []byte {
		p.query.More = nextQuery(r.URL.RawQuery)
		if p.crowd.overlay != nil {
			p.query.Crowd = &p.crowd
		}
		return p.view.Search(p.query, int(p.locale), b)
	})
}

// nextQuery returns the part of a query that the address of another page repeats: all
// parameters but offset, each followed by &. Parameters with characters that must
// not stand in an address within JSON are escaped again.
func nextQuery(rawQuery string) string {
	if rawQuery == "" {
		return ""
	}
	var b strings.Builder
	for pair := range strings.SplitSeq(rawQuery, "&") {
		if pair == "" || pair == "offset" || strings.HasPrefix(pair, "offset=") {
			continue
		}
		if strings.ContainsFunc(pair, unsafe) {
			name, value, _ := strings.Cut(pair, "=")
			pair = escape(name) + "=" + escape(value)
		}
		b.WriteString(pair)
		b.WriteByte('&')
	}
	return b.String()
}

// unsafe reports whether r must not stand in an address within JSON.
func unsafe(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r)
}

// escape returns part of a query escaped once, whether or not it was escaped.
func escape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		s = plain
	}
	return url.QueryEscape(s)
}

func (s *Server) search(ctx context.Context, in searchIn) (page, error) {
	if in.Explain {
		if err := api.CheckOperator(ctx, api.CatalogToken); err != nil {
			return page{}, err
		}
	}
	v, err := s.Catalog.View()
	if err != nil {
		return page{}, err
	}
	q := s.query(in.Selection, in.Limit, in.Offset)
	if err := q.CheckOrder(); err != nil {
		return page{}, err
	}
	q.Explain = in.Explain
	setCaller(ctx, &q, in.Lang)
	err = s.setWorks(ctx, v, &q)
	return page{v, q, api.LocaleOf(ctx), s.crowd(ctx), s}, err
}

type channelIn struct {
	ID   string `path:"id" description:"The channel's catalog id."`
	Feed string `query:"feed" maxLength:"100" description:"Feed whose best stream comes first, before the usual order; see matched of a search. An unknown feed changes nothing."`
	Lang string `query:"lang" maxLength:"16" description:"Language of the labels: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

func (s *Server) channel(ctx context.Context, in channelIn) (*catalog.ChannelFull, error) {
	v, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	c, ok := v.Channel(in.ID, int(api.LocaleOf(ctx)), rank.Caller{Country: api.CountryOf(ctx), Now: s.Now()})
	if !ok {
		return nil, v.NotFound(in.ID)
	}
	if in.Feed != "" {
		rank.FeedFirst(c.Streams, in.Feed)
	}
	if counters := s.crowd(ctx); counters.overlay != nil {
		*c.Social, _ = counters.Social([]byte(c.ID))
	}
	c.GuideNow = s.Guide.Detail(c.ID, s.Now())
	return c, nil
}

type legacyIn struct {
	ID string `path:"id" maxLength:"400" description:"The stream id."`
}

func (s *Server) legacy(_ context.Context, in legacyIn) (*catalog.Legacy, error) {
	v, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	l, ok := v.Legacy(in.ID)
	if !ok {
		return nil, catalog.ErrNoStream
	}
	return l, nil
}

// Values of GET /api/geo.
const (
	sourceEdge      = "gcp" // the platform of the edge, which detects countries
	sourceFallback  = "fallback"
	defaultCountry  = "BR"
	defaultLanguage = "por"
)

type geo struct {
	Country          string  `json:"country" description:"ISO 3166-1 alpha-2; BR when none is detected."`
	Detected         *string `json:"detected" description:"Country of the caller's network; null when not detected."`
	Language         string  `json:"language" description:"ISO 639-3; por when none is detected."`
	LanguageDetected *string `json:"language_detected" description:"First language of Accept-Language; null when not detected."`
	Source           string  `json:"source" enum:"gcp,fallback" description:"gcp when the country was detected at the edge, fallback when it is the default."`
	API              string  `json:"api" format:"uri"`
}

func (s *Server) geo(ctx context.Context, _ struct{}) (geo, error) {
	g := geo{Country: defaultCountry, Language: defaultLanguage, Source: sourceFallback, API: s.Links.Base + "/api/geo"}
	if c := api.CountryOf(ctx); c != "" {
		g.Country, g.Detected, g.Source = c, &c, sourceEdge
	}
	if code, ok := firstLanguage(api.AcceptLanguageOf(ctx)); ok {
		g.Language, g.LanguageDetected = code, &code
	}
	return g, nil
}
