package world

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// measuredJSON is what scale -measure wrote.
//
//go:embed measured.json
var measuredJSON []byte

// GoldenFile is where the tests of ./functions pin the documents of each endpoint, from
// the root of the repository.
const GoldenFile = "functions/testdata/costs.golden"

// A Call is one kind of request that people make.
type Call struct {
	Name  string // its name in world.json
	Part  string // that answers it
	Route string // method and path, as the metrics and costs.golden name it
	Page  bool   // a page for people, which costs.golden leaves out
	Facts int    // events that are published
	Looks bool   // it searches by relevance, which takes longer in a larger catalog than in the sample
	Once  bool   // only the first call of a person on a day publishes them
	Shown bool   // its facts are shown in the overlay of counts

	Assumed bool // nobody measured its processor time and bytes: world.json has them in mail
}

// Playlist is the call of a player for a playlist, of which the number follows from the
// time for which people watch.
const Playlist = "playlist"

// Parts of the service that answer calls.
const (
	PartSearch   = "search"
	PartPages    = "pages"
	PartHop      = "hop"
	PartFeeds    = "feeds"
	PartReports  = "reports"
	PartPeople   = "libraries"
	PartChat     = "chat"
	PartAccounts = "accounts"
)

// Calls are all kinds of requests.
var Calls = []Call{
	{Name: "home", Part: PartPages, Route: "GET /en", Page: true},
	{Name: "results", Part: PartPages, Route: "GET /en", Page: true, Looks: true},
	{Name: "watch", Part: PartPages, Route: "GET /en/channel/{id}", Page: true},
	{Name: "record", Part: PartSearch, Route: "GET /api/channels/{id}"},
	{Name: "search", Part: PartSearch, Route: "GET /api/channels", Looks: true},
	{Name: "facets", Part: PartSearch, Route: "GET /api/countries"},
	{Name: "guide", Part: PartSearch, Route: "GET /api/guide/now"},
	{Name: "comments", Part: PartPeople, Route: "GET /api/channels/{id}/comments"},
	{Name: "history", Part: PartPeople, Route: "POST /api/history"},
	{Name: "favorite", Part: PartPeople, Route: "POST /api/favorites", Facts: 1, Shown: true},
	{Name: "library", Part: PartPeople, Route: "GET /api/library"},
	{Name: "folder", Part: PartPeople, Route: "POST /api/categories"},
	{Name: "guest", Part: PartPeople, Route: "POST /api/guest"},
	{Name: "feed", Part: PartFeeds, Route: "GET /f/{token}/{file}"},
	{Name: "report", Part: PartReports, Route: "POST /api/play-report", Facts: 1, Shown: true},
	{Name: "visit", Part: PartReports, Route: "POST /api/visit", Facts: 1, Once: true},
	{Name: "room", Part: PartChat, Route: "GET /api/chat/{channel_id}/mensagens"},
	{Name: "sign_in", Part: PartAccounts, Route: "POST /api/auth/email/start", Assumed: true},
	{Name: "code", Part: PartAccounts, Route: "POST /api/auth/email/finish", Assumed: true},
	{Name: Playlist, Part: PartHop, Route: "GET /api/s/{id}"},
}

// Documents are operations on documents.
type Documents struct {
	Reads   float64 `json:"reads"`
	Writes  float64 `json:"writes"`
	Deletes float64 `json:"deletes"`
}

// A Span is the least and the most documents that one call takes, of each operation.
type Span struct{ Least, Most Documents }

// clamp returns d, moved into the span.
func (s Span) clamp(d Documents) Documents {
	in := func(v, least, most float64) float64 { return max(least, min(v, most)) }
	return Documents{in(d.Reads, s.Least.Reads, s.Most.Reads), in(d.Writes, s.Least.Writes, s.Most.Writes), in(d.Deletes, s.Least.Deletes, s.Most.Deletes)}
}

// LoadGolden returns the spans of GoldenFile below the root of the repository, by route.
func LoadGolden(root string) (map[string]Span, error) {
	text, err := os.ReadFile(filepath.Join(root, GoldenFile))
	if err != nil {
		return nil, err
	}
	return ReadGolden(string(text))
}

// ReadGolden returns the spans of costs.golden, by route.
func ReadGolden(text string) (map[string]Span, error) {
	spans := map[string]Span{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 8 || f[2] != "reads" || f[4] != "writes" || f[6] != "deletes" {
			return nil, fmt.Errorf("%s: a line is not METHOD PATH reads N writes N deletes N: %q", GoldenFile, line)
		}
		var s Span
		err := errors.Join(span(f[3], &s.Least.Reads, &s.Most.Reads), span(f[5], &s.Least.Writes, &s.Most.Writes), span(f[7], &s.Least.Deletes, &s.Most.Deletes))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", GoldenFile, err)
		}
		spans[f[0]+" "+f[1]] = s
	}
	return spans, nil
}

// span reads a number, or two with a hyphen between them.
func span(text string, least, most *float64) (err error) {
	from, to, ranges := strings.Cut(text, "-")
	if !ranges {
		to = from
	}
	if *least, err = strconv.ParseFloat(from, 64); err != nil {
		return err
	}
	*most, err = strconv.ParseFloat(to, 64)
	return err
}

// A Measurement is what scale -measure found.
type Measurement struct {
	Date    string          `json:"date"`
	Commit  string          `json:"commit"`
	Machine string          `json:"machine"`
	Factor  float64         `json:"factor"` // times slower than the machine of the goals; see docs/performance.md
	Calls   map[string]Cost `json:"calls"`
	// Decode is the time in which an instance reads the presence of one other, with
	// 1,000 sockets in as many rooms, in µs of the machine of the goals.
	Decode float64 `json:"decode"`
	// ChannelBytes is what a channel with counts takes in the overlay, without detail.
	ChannelBytes float64 `json:"channel_bytes"`
}

// A Cost is what one call takes.
type Cost struct {
	Requests  int       `json:"requests"`  // that were measured
	Processor float64   `json:"processor"` // µs of the machine of the goals, with what follows from the call
	Bytes     float64   `json:"bytes"`     // of the body of the answer
	Documents Documents `json:"documents"` // of the call itself, as the metrics count them
}

// LoadMeasurement returns what was measured last.
func LoadMeasurement() (*Measurement, error) {
	m := &Measurement{}
	if err := json.Unmarshal(measuredJSON, m); err != nil {
		return nil, fmt.Errorf("measured.json: %w", err)
	}
	return m, nil
}

// A Priced call is one with what it takes and how often it is made.
type Priced struct {
	Call
	PerDay float64 // of one person
	Cost
	Pinned bool // by costs.golden to one number of reads and of writes
}

// Price returns all calls with what they take. Documents are those of costs.golden; where
// that has a range, the measured number says where in it. A call that is missing in the
// world, the measurement or the golden is an error.
func (w *World) Price(m *Measurement, golden map[string]Span) ([]Priced, error) {
	var all []Priced
	var errs []error
	for _, c := range Calls {
		p, err := w.price(c, m, golden)
		errs = append(errs, err)
		all = append(all, p)
	}
	for _, section := range []struct {
		name  string
		calls map[string]Value
	}{{"day", w.Day}, {"full", w.Full}} {
		for name := range section.calls {
			if !slices.ContainsFunc(Calls, func(c Call) bool { return c.Name == name }) {
				errs = append(errs, fmt.Errorf("world.json: no call is named %s.%s", section.name, name))
			}
		}
	}
	return all, errors.Join(errs...)
}

func (w *World) price(c Call, m *Measurement, golden map[string]Span) (Priced, error) {
	p := Priced{Call: c}
	perDay, known := w.Day[c.Name]
	p.PerDay = perDay.Value
	if c.Name == Playlist {
		p.PerDay, known = w.Playlists(), true
	}
	if !known {
		return p, fmt.Errorf("world.json has no day.%s", c.Name)
	}
	cost, measured := m.Calls[c.Name]
	if c.Assumed {
		cost, measured = Cost{Processor: w.Mail.Processor.Value, Bytes: w.Mail.Bytes.Value}, true
	}
	if !measured {
		return p, fmt.Errorf("measured.json has no call %s: run make scale ARGS=-measure", c.Name)
	}
	p.Cost = cost
	if c.Page {
		return p, nil
	}
	s, pinned := golden[c.Route]
	if !pinned {
		return p, fmt.Errorf("%s has no line %s", GoldenFile, c.Route)
	}
	p.Documents, p.Pinned = s.clamp(cost.Documents), s.Least == s.Most
	return p, nil
}

// FactsPerDay returns how many facts a person publishes by the call on a day.
func (p Priced) FactsPerDay() float64 {
	if p.Once {
		return float64(p.Facts) * min(p.PerDay, 1)
	}
	return float64(p.Facts) * p.PerDay
}

// Playlists returns how many playlists a person asks for on a day: the people who watch at
// the peak say for how long each of them watches.
func (w *World) Playlists() float64 {
	watching := w.People.Watching.Value / w.People.Peak.Value // on average
	return watching / w.People.Day.Value * 86400 / w.Play.Refetch.Value
}
