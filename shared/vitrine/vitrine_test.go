package vitrine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/visit"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func number(n int64) Number { return &n }

// TestRound rounds to two significant digits, and halves up.
func TestRound(t *testing.T) {
	for n, want := range map[int64]int64{
		0: 0, 7: 7, 99: 99, 100: 100, 104: 100, 105: 110, 994: 990, 995: 1000, 999: 1000, 1049: 1000, 1050: 1100, 123456: 120000, 1<<62 + 1: 4600000000000000000,
	} {
		if got := round(n); got != want {
			t.Errorf("round(%d) = %d, want %d", n, got, want)
		}
	}
	p := Public{
		Name: "x", Today: &DayNumbers{"2026-11-23", NumberSums{Pages: number(1234)}}, Days: []DayNumbers{{"2026-11-23", NumberSums{API: number(555)}}},
		Windows: &NumberWindows{Week: WindowNumbers{Days: 123}}, Agents: &AgentNumbers{NumberSpans{Today: number(987)}, []NamedNumber{{"a", number(1001)}}},
	}
	want := Public{
		Name: "x", Today: &DayNumbers{"2026-11-23", NumberSums{Pages: number(1200)}}, Days: []DayNumbers{{"2026-11-23", NumberSums{API: number(560)}}},
		Windows: &NumberWindows{Week: WindowNumbers{Days: 123}}, Agents: &AgentNumbers{NumberSpans{Today: number(990)}, []NamedNumber{{"a", number(1000)}}},
	}
	if d := cmp.Diff(want, p.Rounded()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if *p.Today.Pages != 1234 || *p.Agents.Families[0].Count != 1001 {
		t.Error("rounding changes the exact numbers")
	}
}

// TestQuantile finds the bucket of the median and of the slow end.
func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		times   usage.Times
		percent int64
		want    Number
	}{
		{usage.Times{}, 50, nil},
		{usage.Times{1}, 50, number(5)},
		{usage.Times{50, 50}, 50, number(5)},
		{usage.Times{49, 51}, 50, number(10)},
		{usage.Times{94, 0, 6}, 95, number(25)},
		{usage.Times{0, 0, 0, 0, 0, 0, 0, 0, 0, 3}, 95, nil},
	} {
		if d := cmp.Diff(test.want, quantile(test.times, test.percent)); d != "" {
			t.Errorf("%d%% of %v (-want +got):\n%s", test.percent, test.times, d)
		}
	}
}

// TestHead shows the five fields that are always there.
func TestHead(t *testing.T) {
	for _, test := range []struct {
		at, now time.Time
		want    string
	}{
		{time.Time{}, noon, `{"v":1,"produto":"Miramundo","publicado":false,"atualizado_em":null,"stale":false}`},
		{noon, noon.Add(26 * time.Hour), `{"v":1,"produto":"Miramundo","publicado":true,"atualizado_em":"2026-11-23T12:00:00Z","stale":false}`},
		{noon, noon.Add(26*time.Hour + 1), `{"v":1,"produto":"Miramundo","publicado":true,"atualizado_em":"2026-11-23T12:00:00Z","stale":true}`},
	} {
		got, err := json.Marshal(HeadOf(test.at, test.now))
		if err != nil || string(got) != test.want {
			t.Errorf("%s, %v, want %s", got, err, test.want)
		}
	}
	if text, err := json.Marshal(Public{}); err != nil || string(text) != "{}" {
		t.Errorf("numbers before the first publication are %s, %v", text, err)
	}
}

// A line is a bus that counts what it gets at once.
type line struct {
	bus.Bus
	t       *testing.T
	counter *fact.Counter[*usage.Counted]
}

func (l line) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	for _, e := range events {
		if err := l.counter.Count(ctx, topic, e); err != nil {
			l.t.Error(err)
		}
	}
	return nil
}

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"
	gptbot  = "Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://x)"
)

// world is a database in which some days are counted, with a job.
type world struct {
	db    *storetest.Meter
	clock time.Time
	job   job.Job
}

func newWorld(t *testing.T) *world {
	w := &world{db: storetest.NewMeter(wiretest.OpenDB(t)), clock: noon}
	w.job = NewJob(Options{
		DB: w.db, Now: func() time.Time { return w.clock }, Uses: Uses{Favorites: []string{"PUT /fav", "POST /fav"}},
		Catalog: func(context.Context) (*CatalogNumbers, error) { return &CatalogNumbers{Channels: number(12345)}, nil },
	})
	return w
}

// count counts some calls on the day of the clock: an hour's work of a process.
func (w *world) count(t *testing.T, answers ...usage.Answer) {
	t.Helper()
	now := func() time.Time { return w.clock }
	m := usage.NewMeter(usage.Options{
		Bus: line{t: t, counter: fact.NewCounter(usage.Book, fact.Options[*usage.Counted]{DB: w.db, Now: now})}, Now: now,
		People: identity.NewPeople(keyringtest.Ring(strings.Repeat("k", 32))),
	})
	for _, a := range answers {
		a.At = w.clock
		if m.Answered(a); a.Surface == usage.Site {
			m.Visitor(identity.Caller{UserAgent: a.Agent}, w.clock)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
}

func (w *world) publish(t *testing.T) (Public, OperatorNumbers) {
	t.Helper()
	if _, err := w.job.Run(t.Context(), job.Order{}); err != nil {
		t.Fatal(err)
	}
	p, err := Read(t.Context(), w.db)
	if err != nil || !p.At.Equal(w.clock) {
		t.Fatalf("published at %s, %v", p.At, err)
	}
	public, operator, err := p.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return public, operator
}

// TestJob publishes days as they come: what was not counted is null, what was counted
// and did not happen is zero, and running the job again changes nothing.
func TestJob(t *testing.T) {
	w := newWorld(t)
	if _, err := Read(t.Context(), w.db); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("before the first publication: %v", err)
	}
	public, operator := w.publish(t)
	if public.Since != "" || len(public.Days) != 0 || public.Today.Pages != nil || public.Windows.Month.Days != 0 || operator.Cursor != nil {
		t.Errorf("without counts: %+v", public)
	}
	w.clock = noon.AddDate(0, 0, -2)
	w.count(t, usage.Answer{Route: "GET /", Surface: usage.Site, Agent: firefox, Status: 200, Took: 30 * time.Millisecond})
	w.clock = noon
	for range 3 { // three processes
		w.count(t,
			usage.Answer{Route: "GET /", Surface: usage.Site, Agent: firefox, Status: 200},
			usage.Answer{Route: "GET /", Surface: usage.Site, Agent: gptbot, Status: 200},
			usage.Answer{Route: "POST /fav", Agent: "curl/8", Status: 200},
			usage.Answer{Route: "POST /fav", Agent: "curl/8", Status: 400},
			usage.Answer{Route: "GET /api", Agent: gptbot, Status: 500, Bytes: 7},
			usage.Answer{Route: "POST /mcp", Surface: usage.MCP, Agent: "curl/8", Status: 200},
		)
	}
	public, operator = w.publish(t)
	zero, three := number(0), number(3)
	today := NumberSums{Pages: three, API: number(12), AI: number(6), Machine: number(3 + 0), Visitors: number(2), Use: zero}
	before := NumberSums{Pages: number(1), API: zero, AI: zero, Machine: zero, Visitors: number(1), Use: zero}
	days := []DayNumbers{{"2026-11-21", before}, {Day: "2026-11-22"}, {"2026-11-23", today}}
	if d := cmp.Diff(days, operator.Days); d != "" {
		t.Errorf("days (-want +got):\n%s", d)
	}
	if d := cmp.Diff(&DayNumbers{"2026-11-23", today}, public.Today); d != "" {
		t.Errorf("today (-want +got):\n%s", d)
	}
	if w := public.Windows.Week; w.Days != 2 || *w.Pages != 4 || *w.Visitors != 3 {
		t.Errorf("the week is %+v", w)
	}
	for name, check := range map[string]struct{ got, want Number }{
		"favorites":        {public.Use.Favorites, three},
		"failures":         {operator.Quality.Failures, number(157895)},
		"rounded failures": {public.Quality.Failures, number(160000)},
		"agents":           {public.Agents.Today, number(9)},
		"OpenAI":           {public.Agents.Families[0].Count, number(6)},
		"MCP":              {public.Surfaces.MCP, three},
		"channels":         {operator.Catalog.Channels, number(12345)},
		"rounded channels": {public.Catalog.Channels, number(12000)},
		"people":           {public.People.Month, zero},
		"median":           {public.Quality.Median, number(5)},
	} {
		if d := cmp.Diff(check.want, check.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	route := operator.Routes[0]
	if want := (RouteNumbers{Route: "GET /", Calls: 7, Median: number(5), Slow: number(50), Times: []int64{6, 0, 0, 1, 0, 0, 0, 0, 0, 0}}); !cmp.Equal(want, route) {
		t.Errorf("the first route (-want +got):\n%s", cmp.Diff(want, route))
	}
	again, _ := w.publish(t)
	if d := cmp.Diff(public, again); d != "" {
		t.Errorf("the second run publishes other numbers:\n%s", d)
	}
	w.clock = noon.AddDate(0, 0, 40) // the first days are not listed any more
	public, _ = w.publish(t)
	if public.Since != "2026-11-21" || len(public.Days) != Series || public.Days[0].Pages != nil {
		t.Errorf("after 40 days: since %s, %d days", public.Since, len(public.Days))
	}
}

// TestVisits shows the people whose browsers reported a visit, and those who were
// shown a price.
func TestVisits(t *testing.T) {
	in := Input{Now: noon, Days: []Measured{
		{"2026-11-22", usage.Day{ChangedAt: noon}, visit.Counts{Pages: 5, Charges: 2}}, {"2026-11-23", usage.Day{ChangedAt: noon}, visit.Counts{Pages: 3}},
	}}
	o := Fold(in)
	if d := cmp.Diff(&NumberSpans{number(3), number(8), number(8)}, o.People); d != "" {
		t.Errorf("people (-want +got):\n%s", d)
	}
	if *o.Supporters.Prices != 2 {
		t.Errorf("%d were shown a price", *o.Supporters.Prices)
	}
}

// TestCost checks that a run reads eight documents for each day and the last
// publication, and writes one.
func TestCost(t *testing.T) {
	w := newWorld(t)
	before := w.db.Ops()
	w.publish(t)
	if got, want := w.db.Ops().Less(before), (storetest.Ops{Reads: 8*Series + 2, Writes: 1}); got != want {
		t.Errorf("a run and a reader cost %+v, want %+v", got, want)
	}
}
