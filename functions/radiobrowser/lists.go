package radiobrowser

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
)

// listShape is what the answers of a list of values have in common.
type listShape struct {
	Format     string `path:"format" enum:"json,xml,csv" description:"Format of the answer."`
	Order      string `query:"order" default:"name" enum:"name,stationcount" description:"Order of the values."`
	Reverse    string `query:"reverse" default:"false" enum:"true,false,1,0" description:"true reverses the order."`
	HideBroken string `query:"hidebroken" default:"false" enum:"true,false,1,0" description:"true counts only stations that played at the last check."`
	page
}

type (
	listIn   struct{ listShape }
	listForm struct {
		input.Form
		listIn
	}
	listOfIn struct {
		listShape
		Filter string `path:"filter" maxLength:"100" description:"Part of the names; case does not matter."`
	}
	listOfForm struct {
		input.Form
		listOfIn
	}
	statesIn struct {
		listShape
		Country string `path:"country" maxLength:"100" description:"English name of a country; case does not matter."`
		Filter  string `path:"filter" maxLength:"100" description:"Part of the names; case does not matter."`
	}
	statesForm struct {
		input.Form
		statesIn
	}
)

// A kind is a list of values that stations have.
type kind struct {
	name      string // in the path
	singular  string // of its elements in XML
	what      string // in sentences
	operation string
}

var kinds = []kind{
	{"countries", "country", "countries", "countries"},
	{"countrycodes", "countrycode", "country codes", "country_codes"},
	{"states", "state", "states", "states"},
	{"languages", "language", "languages", "languages"},
	{"tags", "tag", "tags", "tags"},
	{"codecs", "codec", "codecs", "codecs"},
}

// lists returns the endpoints of the lists of values.
func lists() (all []api.Endpoint) {
	for _, k := range kinds {
		e := api.Endpoint{
			Name: "list_radio_browser_" + k.operation, Path: "/{format}/" + k.name, Summary: "List " + k.what + " of stations",
			Doc:    "Returns the " + k.what + " of radio stations with the number of stations of each, as radio-browser does.",
			Faults: []*fault.Error{catalog.ErrNotLoaded}, Cache: api.Private, Produces: []string{xmlType, csvType}, Uncrawled: true,
		}
		list := func(s *Server, _ context.Context, in listIn) (valueList, error) {
			return s.values(&in.listShape, &k, "", "")
		}
		all = append(all, both(list, func(s *Server, ctx context.Context, in listForm) (valueList, error) { return list(s, ctx, in.listIn) }, e)...)

		e.Name, e.Path, e.Summary = "search_radio_browser_"+k.operation, e.Path+"/{filter}", "Search "+k.what+" of stations"
		e.Doc = "Returns the " + k.what + " of radio stations whose name contains a text, with the number of stations of each, as radio-browser does."
		of := func(s *Server, _ context.Context, in listOfIn) (valueList, error) {
			return s.values(&in.listShape, &k, "", in.Filter)
		}
		all = append(all, both(of, func(s *Server, ctx context.Context, in listOfForm) (valueList, error) { return of(s, ctx, in.listOfIn) }, e)...)

		if k.name == "states" {
			e.Name, e.Path, e.Summary = "search_radio_browser_states_of_country", "/{format}/states/{country}/{filter}", "Search states of one country"
			e.Doc = "Returns the states of a country whose name contains a text, with the number of stations of each, as radio-browser does."
			in := func(s *Server, _ context.Context, in statesIn) (valueList, error) {
				return s.values(&in.listShape, &k, in.Country, in.Filter)
			}
			all = append(all, both(in, func(s *Server, ctx context.Context, form statesForm) (valueList, error) {
				return in(s, ctx, form.statesIn)
			}, e)...)
		}
	}
	return all
}

// A value is a value that stations have, with how many have it.
type value struct {
	Name     string  `json:"name" description:"The value, such as a name or a code."`
	Country  string  `json:"country,omitempty" description:"English name of the country; only for states."`
	ISO3166  string  `json:"iso_3166_1,omitempty" description:"ISO 3166-1 alpha-2; only for countries."`
	ISO639   *string `json:"iso_639,omitempty" description:"ISO 639-1 code, or ISO 639-3 for a language without one; only for languages."`
	Stations int     `json:"stationcount" description:"Number of stations."`
}

// A valueList is a list of values in a format.
type valueList struct{ api.Content }

// Schema returns the shape of a list in JSON.
func (valueList) Schema() any { return []value{} }

// values returns the values of a list whose names contain a part, of a country where one
// is named.
func (s *Server) values(in *listShape, k *kind, country, part string) (valueList, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return valueList{}, err
	}
	part, country = strings.ToLower(part), strings.ToLower(country)
	counted := s.counts.of(v, s.tables.of(v), countKey{k.name, isOn(in.HideBroken)})
	order := counted.byName
	if in.Order == "stationcount" {
		order = counted.byStations
	}
	each := slices.All(order)
	if isOn(in.Reverse) {
		each = slices.Backward(order)
	}
	all, skip := []value{}, in.Offset
	for _, one := range each {
		if len(all) >= in.Limit {
			break
		}
		if part != "" && !strings.Contains(strings.ToLower(one.Name), part) || country != "" && strings.ToLower(one.Country) != country {
			continue
		}
		if skip--; skip < 0 {
			all = append(all, one)
		}
	}
	var c api.Content
	switch in.Format {
	case "xml":
		c = elements(k.singular, all, (*value).pairs)
	case "csv":
		c, err = inCSV(all, (*value).pairs)
	default:
		c, err = inJSON(all)
	}
	return valueList{c}, err
}

// pairs returns the fields of a value in their order.
func (v *value) pairs() []pair {
	all := []pair{{"name", v.Name}}
	if v.Country != "" {
		all = append(all, pair{"country", v.Country})
	}
	if v.ISO3166 != "" {
		all = append(all, pair{"iso_3166_1", v.ISO3166})
	}
	if v.ISO639 != nil {
		all = append(all, pair{"iso_639", *v.ISO639})
	}
	return append(all, pair{"stationcount", strconv.Itoa(v.Stations)})
}

// Counts keeps the values of lists as they were counted, until a view shows something else.
type counts struct {
	mu    sync.Mutex
	shown uint64 // fingerprint of the view
	lists map[countKey]counted
}

type countKey struct {
	list       string
	hideBroken bool
}

// Counted is the values of a list, in each order that requests may ask for.
type counted struct {
	byName     []value
	byStations []value // those of fewest stations first
}

// of returns the values of a list with how many stations of t have each. The caller must
// not change them. While one caller counts, others wait.
func (c *counts) of(v *index.View, t *table, key countKey) counted {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil || c.shown != v.Fingerprint() {
		c.shown, c.lists = v.Fingerprint(), map[countKey]counted{}
	}
	all, ok := c.lists[key]
	if !ok {
		all.byName = t.count(v, key.list, key.hideBroken)
		slices.SortFunc(all.byName, compareNames)
		all.byStations = slices.Clone(all.byName)
		slices.SortStableFunc(all.byStations, func(a, b value) int { return cmp.Compare(a.Stations, b.Stations) })
		c.lists[key] = all
	}
	return all
}

func compareNames(a, b value) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Country, b.Country), strings.Compare(a.ISO3166, b.ISO3166))
}

// count returns the values of a list with how many stations have each, in any order.
func (t *table) count(v *index.View, list string, hideBroken bool) []value {
	known := map[value]int{} // by the value without its count
	add := func(of value) {
		if of.Name != "" {
			known[of]++
		}
	}
	codes := map[string]*string{} // shared, so that equal values have one key
	for _, i := range t.where(v, t.byName, hideBroken, len(t.stations)) {
		r := &t.stations[i]
		switch list {
		case "countries":
			add(value{Name: r.CountryName, ISO3166: r.Country})
		case "countrycodes":
			add(value{Name: r.Country})
		case "states":
			add(value{Name: r.State, Country: r.CountryName})
		case "codecs":
			add(value{Name: r.Codec})
		case "tags":
			for tag := range strings.SplitSeq(r.Tags, ",") {
				add(value{Name: tag})
			}
		case "languages":
			codesOf := strings.Split(r.LanguageCodes, ",")
			for k, name := range strings.Split(r.Languages, ",") {
				code := codesOf[min(k, len(codesOf)-1)]
				if codes[code] == nil {
					short := i18n.ShortCode(code)
					codes[code] = &short
				}
				add(value{Name: name, ISO639: codes[code]})
			}
		}
	}
	all := make([]value, 0, len(known))
	for of, n := range known {
		of.Stations = n
		all = append(all, of)
	}
	return all
}

// Numbers are the counts of the service as radio-browser tells them.
type numbers struct {
	Supported int    `json:"supported_version" description:"Version of this answer."`
	Software  string `json:"software_version" description:"Version of radio-browser's API that is answered for."`
	Status    string `json:"status" enum:"OK" description:"State of the service."`
	Stations  int    `json:"stations" description:"Stations that played at the last check."`
	Broken    int    `json:"stations_broken" description:"Stations that did not."`
	Tags      int    `json:"tags" description:"Different tags."`
	LastHour  int    `json:"clicks_last_hour" description:"Always 0: not known."`
	LastDay   int    `json:"clicks_last_day" description:"Clicks in 24 hours that the sources counted."`
	Languages int    `json:"languages" description:"Different languages."`
	Countries int    `json:"countries" description:"Different countries."`
}

// A numbersAnswer is numbers in a format.
type numbersAnswer struct{ api.Content }

// Schema returns the shape of the numbers in JSON.
func (numbersAnswer) Schema() any { return numbers{} }

type statsIn struct {
	Format string `path:"format" enum:"json,xml" description:"Format of the answer."`
}

type statsForm struct {
	input.Form
	statsIn
}

func (s *Server) statsBy(ctx context.Context, in statsForm) (numbersAnswer, error) {
	return s.stats(ctx, in.statsIn)
}

// apiVersion is the version of radio-browser's API whose paths and fields these are.
const apiVersion = "0.7"

func (s *Server) stats(_ context.Context, in statsIn) (numbersAnswer, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return numbersAnswer{}, err
	}
	t := s.tables.of(v)
	n := numbers{Supported: 1, Software: apiVersion, Status: "OK"}
	for _, i := range t.where(v, t.byName, false, len(t.stations)) {
		r := &t.stations[i]
		n.LastDay += r.Clicks
		if v.IsPlayable(r.Doc) {
			n.Stations++
		} else {
			n.Broken++
		}
	}
	count := func(list string) int { return len(s.counts.of(v, t, countKey{list: list}).byName) }
	n.Tags, n.Languages, n.Countries = count("tags"), count("languages"), count("countrycodes")
	if in.Format == "xml" {
		return numbersAnswer{elements("stats", []numbers{n}, (*numbers).pairs)}, nil
	}
	c, err := inJSON(n)
	return numbersAnswer{c}, err
}

func (n *numbers) pairs() []pair {
	return []pair{
		{"supported_version", strconv.Itoa(n.Supported)}, {"software_version", n.Software}, {"status", n.Status}, {"stations", strconv.Itoa(n.Stations)},
		{"stations_broken", strconv.Itoa(n.Broken)}, {"tags", strconv.Itoa(n.Tags)}, {"clicks_last_hour", strconv.Itoa(n.LastHour)},
		{"clicks_last_day", strconv.Itoa(n.LastDay)}, {"languages", strconv.Itoa(n.Languages)}, {"countries", strconv.Itoa(n.Countries)},
	}
}

// A host is a server of the API.
type host struct {
	IP   string `json:"ip" description:"Always empty."`
	Name string `json:"name" description:"Host name, with the port where it is not that of HTTPS."`
}

func (s *Server) serversBy(ctx context.Context, _ struct{ input.Form }) ([]host, error) {
	return s.servers(ctx, struct{}{})
}

func (s *Server) servers(context.Context, struct{}) ([]host, error) {
	base, err := url.Parse(s.o.Base)
	if err != nil {
		return nil, err
	}
	return []host{{Name: base.Host}}, nil
}
