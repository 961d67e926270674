// Package radiobrowser is the function that answers as the read API of radio-browser does,
// for programs that know that API: with the host name changed, they find the radio stations
// of this catalog.
//
// Paths, parameters, fields and formats are those of radio-browser 0.7. What differs:
// an answer has at most [MaxStations] stations, and an unknown value of a parameter is refused
// where radio-browser ignores it. Votes, new stations, and lists of single checks and clicks
// are not offered. The address of a station plays through the hop.
package radiobrowser

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social/played"
)

// MaxStations is how many stations an answer has at most.
const MaxStations = 10_000

// Media types of the formats. Programs expect those that radio-browser sends.
const (
	xmlType  = "text/xml"
	csvType  = "text/csv"
	m3uType  = "audio/mpegurl"
	plsType  = "audio/x-scpls"
	xspfType = "application/xspf+xml"
)

const (
	ofStations = "/{format}/stations"
	ofURL      = "/{format}/url/{uuid}"
)

// ErrNoList answers for a search or a ranking that the API does not have.
var ErrNoList = fault.New(fault.NotFound, "radio_list_not_found")

// Endpoints is this function's part of the API. Each takes POST too, with the parameters
// in the body: some clients send nothing else.
var Endpoints = slices.Concat(
	both((*Server).stations, (*Server).stationsBy, stationsEndpoint("list_radio_browser_stations", ofStations, "List radio stations",
		"Returns the radio stations in the format of radio-browser, by name unless another order is asked for. An answer has at most 10,000; "+
			"offset leads to the others.")),
	both((*Server).search, (*Server).searchBy, stationsEndpoint("search_radio_browser", ofStations+"/{by}", "Search radio stations",
		"Returns the stations of a search, a ranking or a list of ids, as radio-browser does. search takes every filter; byuuid takes uuids, byurl "+
			"takes url; the rankings take none.")),
	both((*Server).term, (*Server).termBy, stationsEndpoint("find_radio_browser_stations", ofStations+"/{by}/{term}", "List radio stations by one value",
		"Returns the stations with a value, such as bytagexact/jazz or bycountrycodeexact/PT, or the first of a ranking, such as topclick/10. "+
			"A value that no station has gives an empty list.")),
	both((*Server).click, (*Server).clickBy, api.Endpoint{
		Name: "count_radio_browser_click", Path: ofURL, Summary: "Get the address of a station",
		Doc: "Returns the address that plays a station, as JSON, XML or a playlist of one, and counts that the caller plays it: once a person, station and " +
			"day, as a play of the catalog.",
		Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded}, Produces: []string{xmlType, m3uType, plsType}, Uncrawled: true,
	}),
	lists(),
	both((*Server).stats, (*Server).statsBy, api.Endpoint{
		Name: "get_radio_browser_stats", Path: "/{format}/stats", Summary: "Get the numbers of radio stations",
		Doc: "Returns how many stations, broken stations, tags, languages and countries there are. clicks_last_day is the sum that the sources counted; " +
			"clicks of the last hour are not known and are 0.",
		Faults: []*fault.Error{catalog.ErrNotLoaded}, Cache: api.Private, Produces: []string{xmlType}, Uncrawled: true,
	}),
	both((*Server).servers, (*Server).serversBy, api.Endpoint{
		Name: "list_radio_browser_servers", Path: "/json/servers", Summary: "List the radio servers",
		Doc:   "Returns this host alone, for clients that ask one server for the names of all. Its address is not told: ip is empty.",
		Cache: api.Public(time.Hour), Uncrawled: true,
	}),
)

// stationsEndpoint returns an endpoint whose answers are lists of stations.
func stationsEndpoint(name, path, summary, doc string) api.Endpoint {
	return api.Endpoint{
		Name: name, Path: path, Summary: summary, Doc: doc, Cache: api.Private, Uncrawled: true,
		Faults: []*fault.Error{ErrNoList, catalog.ErrNotLoaded, fault.ErrUnavailable}, Produces: []string{xmlType, csvType, m3uType, plsType, xspfType},
	}
}

// both returns an endpoint for GET, and one for POST, whose body may have the parameters.
func both[In, Form, Out any](get func(*Server, context.Context, In) (Out, error), post func(*Server, context.Context, Form) (Out, error), e api.Endpoint) []api.Endpoint {
	e.Method, e.Auth = "GET", api.None
	p := e
	p.Method, p.Name, p.Summary = "POST", e.Name+"_by_form", e.Summary+" (form)"
	p.Doc = "The same as by GET, with the parameters in a form or in a JSON object. " + e.Doc
	p.Cache, p.Repeatable = api.NoStore, true
	return []api.Endpoint{api.Bind(get, e), api.Bind(post, p)}
}

// Options are what a Server uses.
type Options struct {
	Catalog index.Viewer
	Bus     bus.Bus
	People  *identity.People // names who plays
	Log     *slog.Logger
	Base    string // address of the service
	Now     func() time.Time
}

// A Server answers as radio-browser does.
type Server struct {
	o      Options
	tables tables
	counts counts
	plays  *played.Plays

	writing chan struct{} // has an element for each list that is being written
}

// remembered is how many plays of a day are remembered, in 1 MiB. Those of the hop's
// players are remembered there.
const remembered = 1 << 17

// New returns a server.
func New(o Options) *Server {
	return &Server{o: o, plays: played.New(o.People, remembered), writing: make(chan struct{}, 3)}
}

// page is the part of a result that is asked for.
type page struct {
	Offset int `query:"offset" default:"0" minimum:"0" maximum:"100000000" description:"Number of stations or values to skip."`
	Limit  int `query:"limit" default:"10000" minimum:"0" cap:"10000" description:"Number of stations or values to return; more than 10,000 is reduced to 10,000."`
}

// partOf returns the part of the rows that is asked for.
func partOf(all []int32, p page) []int32 {
	all = all[min(p.Offset, len(all)):]
	return all[:min(p.Limit, len(all))]
}

// on is a flag that is set, as most clients write it.
const on = "true"

func isOn(value string) bool { return value == on || value == "1" }

// shape is what the answers of a list of stations have in common.
type shape struct {
	Format     string `path:"format" enum:"json,xml,csv,m3u,pls,xspf" description:"Format of the answer."`
	Order      string `query:"order" default:"name" enum:"name,url,homepage,favicon,tags,country,state,language,votes,codec,bitrate,lastcheckok,lastchecktime,clicktimestamp,clickcount,clicktrend,changetimestamp,random" description:"Order of the stations. All stations are equal by url, favicon, clicktimestamp, clicktrend and the times here, which give the order of names."`
	Reverse    string `query:"reverse" default:"false" enum:"true,false,1,0" description:"true reverses the order."`
	HideBroken string `query:"hidebroken" default:"false" enum:"true,false,1,0" description:"true leaves out the stations that did not play at the last check."`
	page
}

type stationsIn struct{ shape }

type stationsForm struct {
	input.Form
	stationsIn
}

func (s *Server) stations(_ context.Context, in stationsIn) (stationList, error) {
	return s.answer(&in.shape, nil)
}

func (s *Server) stationsBy(ctx context.Context, in stationsForm) (stationList, error) {
	return s.stations(ctx, in.stationsIn)
}

// answer returns the stations that meet all conditions.
func (s *Server) answer(in *shape, all []condition) (stationList, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return stationList{}, err
	}
	t := s.tables.of(v)
	most := len(t.stations)
	if in.Order == "name" && !isOn(in.Reverse) {
		most = in.Offset + in.Limit // the others need not be found
	}
	rows := t.where(v, t.byName, isOn(in.HideBroken), most, all...)
	t.order(v, rows, in.Order, isOn(in.Reverse))
	return s.write(v, t, partOf(rows, in.page), in.Format, nil)
}

type searchIn struct {
	By string `path:"by" enum:"search,byuuid,byurl,topclick,topvote,lastclick,lastchange,broken" description:"Kind of search: search by all filters, byuuid, byurl, or a ranking. lastclick and lastchange list by name."`
	shape
	Name          string   `query:"name" maxLength:"200" description:"Part of the name."`
	NameExact     string   `query:"nameExact" default:"false" enum:"true,false,1,0" description:"true takes name as the whole name."`
	Country       string   `query:"country" maxLength:"100" description:"Part of the English name of the country."`
	CountryExact  string   `query:"countryExact" default:"false" enum:"true,false,1,0" description:"true takes country as the whole name."`
	CountryCode   string   `query:"countrycode" maxLength:"2" description:"ISO 3166-1 alpha-2."`
	State         string   `query:"state" maxLength:"100" description:"Part of the name of the state."`
	StateExact    string   `query:"stateExact" default:"false" enum:"true,false,1,0" description:"true takes state as the whole name."`
	Language      string   `query:"language" maxLength:"100" description:"Part of the English name of a language."`
	LanguageExact string   `query:"languageExact" default:"false" enum:"true,false,1,0" description:"true takes language as the whole name."`
	Tag           string   `query:"tag" maxLength:"100" description:"Part of the tags."`
	TagExact      string   `query:"tagExact" default:"false" enum:"true,false,1,0" description:"true takes tag as a whole tag."`
	TagList       string   `query:"tagList" maxLength:"1000" description:"Tags with commas between them, all of which a station must have."`
	Codec         string   `query:"codec" maxLength:"40" description:"Codec, such as MP3."`
	BitrateMin    int      `query:"bitrateMin" default:"0" minimum:"0" maximum:"1000000" description:"Least bitrate in kbit/s."`
	BitrateMax    int      `query:"bitrateMax" default:"1000000" minimum:"0" maximum:"1000000" description:"Greatest bitrate in kbit/s."`
	HasGeo        string   `query:"has_geo_info" default:"both" enum:"both,true,false" description:"true keeps stations whose position is known, false the others."`
	HasExtended   string   `query:"has_extended_info" default:"both" enum:"both,true,false" description:"true finds nothing: no station here describes itself."`
	IsHTTPS       string   `query:"is_https" default:"both" enum:"both,true,false" description:"true keeps stations whose stream uses HTTPS, false the others."`
	Lat           *float64 `query:"geo_lat" minimum:"-90" maximum:"90" description:"Latitude in degrees from which distances are measured."`
	Lon           *float64 `query:"geo_long" minimum:"-180" maximum:"180" description:"Longitude in degrees from which distances are measured."`
	Distance      float64  `query:"geo_distance" default:"0" minimum:"0" maximum:"25000000" description:"Greatest distance in metres; 0 sets no limit."`
	UUIDs         string   `query:"uuids" maxLength:"4000" description:"Ids of stations with commas between them, for byuuid."`
	URL           string   `query:"url" maxLength:"2000" description:"Address of a stream, for byurl."`
}

type searchForm struct {
	input.Form
	searchIn
}

func (s *Server) searchBy(ctx context.Context, in searchForm) (stationList, error) {
	return s.search(ctx, in.searchIn)
}

func (s *Server) search(_ context.Context, in searchIn) (stationList, error) {
	switch in.By {
	case "search":
		return s.filtered(&in)
	case "byuuid":
		return s.byUUID(&in.shape, in.UUIDs)
	case "byurl":
		return s.byURL(&in.shape, in.URL)
	}
	return s.ranking(in.By, &in.shape)
}

type termIn struct {
	By   string `path:"by" enum:"byuuid,byname,bynameexact,bycodec,bycodecexact,bycountry,bycountryexact,bycountrycodeexact,bystate,bystateexact,bylanguage,bylanguageexact,bytag,bytagexact,topclick,topvote,lastclick,lastchange,broken" description:"Field that has the value, or name of a ranking."`
	Term string `path:"term" maxLength:"200" description:"The value; in a ranking, the number of stations."`
	shape
}

type termForm struct {
	input.Form
	termIn
}

func (s *Server) termBy(ctx context.Context, in termForm) (stationList, error) {
	return s.term(ctx, in.termIn)
}

func (s *Server) term(_ context.Context, in termIn) (stationList, error) {
	meets, ok := conditionOf(in.By, in.Term)
	switch {
	case ok:
		return s.answer(&in.shape, []condition{meets})
	case in.By == "byuuid":
		return s.byUUID(&in.shape, in.Term)
	}
	n, ok := countOf(in.Term)
	if !ok {
		return stationList{}, ErrNoList
	}
	in.Limit = n
	return s.ranking(in.By, &in.shape)
}

// countOf returns the number of stations that a path asks for, at most MaxStations.
func countOf(text string) (n int, ok bool) {
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(10*n+int(c-'0'), MaxStations)
	}
	return n, text != ""
}

// byUUID returns the stations with ids of radio-browser, in the order of names.
func (s *Server) byUUID(in *shape, uuids string) (stationList, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return stationList{}, err
	}
	t := s.tables.of(v)
	var rows []int32
	for uuid := range strings.SplitSeq(uuids, ",") {
		if doc, ok := v.Number(idOf(uuid)); ok {
			if i, ok := t.find(doc); ok {
				rows = append(rows, i)
			}
		}
	}
	slices.Sort(rows)
	rows = t.where(v, slices.Compact(rows), isOn(in.HideBroken), len(rows))
	t.order(v, rows, in.Order, isOn(in.Reverse))
	return s.write(v, t, partOf(rows, in.page), in.Format, nil)
}

// byURL returns the stations with a stream of an address: the provider's or the hop's.
func (s *Server) byURL(in *shape, address string) (stationList, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return stationList{}, err
	}
	t := s.tables.of(v)
	if address == "" {
		return s.write(v, t, nil, in.Format, nil)
	}
	var rows []int32
	for _, i := range t.where(v, t.byName, isOn(in.HideBroken), len(t.stations)) {
		r, _ := v.Reception(t.stations[i].Doc)
		if r.Stream != nil && (r.Stream.URL == address || v.Links().Play(r.Stream) == address) {
			rows = append(rows, i)
		}
	}
	t.order(v, rows, in.Order, isOn(in.Reverse))
	return s.write(v, t, partOf(rows, in.page), in.Format, nil)
}

// ranking returns a list that takes no filter. Of clicks and changes no times are known:
// their lists are in the order of names.
func (s *Server) ranking(by string, in *shape) (stationList, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return stationList{}, err
	}
	t := s.tables.of(v)
	rows, all := t.byName, []condition(nil)
	switch by {
	case "topclick":
		rows = t.byClicks
	case "topvote":
		rows = t.byVotes
	case "broken":
		all = append(all, func(r *row) bool { return !v.IsPlayable(r.Doc) })
	}
	return s.write(v, t, partOf(t.where(v, rows, isOn(in.HideBroken), in.Offset+in.Limit, all...), in.page), in.Format, nil)
}

// idOf returns the catalog id of a station by its id at radio-browser.
func idOf(uuid string) string {
	return catalog.StationPrefix + strings.ToLower(strings.TrimSpace(uuid))
}
