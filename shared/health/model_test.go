package health

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/social"
)

// A model is what was reported, one by one: what is counted of it is found by
// going through all of it.
type model struct {
	reports  []social.Report
	waits    []social.Latency
	networks int
}

// count returns how many reports that pass played, and how many did not.
func (m model) count(pass func(social.Report) bool) (plays, fails int) {
	for _, r := range m.reports {
		switch {
		case pass(r) && r.OK:
			plays++
		case pass(r):
			fails++
		}
	}
	return plays, fails
}

// heard returns the voices of the reports that pass, in halves, as the rule of package
// health says, for reports of one day.
func (m model) heard(pass func(social.Report) bool) (plays, fails int) {
	played, failed := map[string]int{}, map[string]int{}
	for _, r := range m.reports {
		if !pass(r) {
			continue
		}
		voice := 2
		if r.Doubtful {
			voice = 1
		}
		by := failed
		if r.OK {
			by = played
		}
		by[r.Network] = max(by[r.Network], voice)
	}
	voices := 0
	for n := range m.networks {
		voices += max(played[network(n)], failed[network(n)])
		plays, fails = plays+played[network(n)], fails+failed[network(n)]
	}
	if len(played) < 2 {
		plays = 0
	}
	if len(failed) < 2 {
		fails = 0
	}
	if voices < 6 {
		return 0, 0
	}
	return plays, fails
}

func percent(plays, fails int) *int {
	n := plays + fails
	if n == 0 {
		return nil
	}
	return ptr((200*plays + n) / (2 * n))
}

func everywhere(social.Report) bool { return true }

func in(country string) func(social.Report) bool {
	return func(r social.Report) bool { return r.Country == country }
}

func at(p social.Place) func(social.Report) bool {
	return func(r social.Report) bool { return r.Browser == p.Browser && r.OS == p.OS && r.Country == p.Country }
}

func lastCode(list []social.Report, pass func(social.Report) bool) *string {
	for _, r := range slices.Backward(list) {
		if pass(r) && !r.OK {
			return &r.Code
		}
	}
	return nil
}

// wait returns the mean wait in a country, and whether 3 samples say that it is
// slow.
func (m model) wait(country string) (ms *int, grade *string, isSlow bool) {
	sum, n := 0, 0
	for _, w := range m.waits {
		if w.Country == country {
			sum, n = sum+int(w.SumMS), n+w.Samples
		}
	}
	if n == 0 {
		return nil, nil, false
	}
	mean := (2*sum + n) / (2 * n)
	switch {
	case mean < 600:
		return &mean, ptr("otima"), false
	case mean < 1500:
		return &mean, ptr("boa"), false
	case mean < 3500:
		return &mean, ptr("lenta"), n >= 3
	}
	return &mean, ptr("ruim"), n >= 3
}

func (m model) social(p social.Place) catalog.Social {
	var s catalog.Social
	s.Plays, s.Fails = m.count(everywhere)
	s.Health, s.LastFailCode = percent(m.heard(everywhere)), m.agreed()
	s.YourPlays, s.YourFails = m.count(at(p))
	s.YourFailCode = lastCode(m.reports, at(p))
	s.YourCountryOK, s.YourCountryFail = m.count(in(p.Country))
	if plays, fails := m.heard(in(p.Country)); plays+fails > 0 {
		s.YourGeoOK = ptr(plays != 0)
	}
	s.YourLatencyMS, s.YourLatencyGrade, _ = m.wait(p.Country)
	return s
}

// refused returns the countries where failures alone are heard.
func (m model) refused() map[string]bool {
	refused := map[string]bool{}
	for _, r := range m.reports {
		if plays, fails := m.heard(in(r.Country)); plays == 0 && fails > 0 {
			refused[r.Country] = true
		}
	}
	return refused
}

// agreed returns the failure code of most voices, when they are three.
func (m model) agreed() *string {
	voice, naming := map[string]int{}, map[string]map[string]bool{}
	for _, r := range m.reports {
		if r.OK {
			continue
		}
		voice[r.Network] = max(voice[r.Network], map[bool]int{true: 1, false: 2}[r.Doubtful])
		if naming[r.Code] == nil {
			naming[r.Code] = map[string]bool{}
		}
		naming[r.Code][r.Network] = true
	}
	best, most := "", 6
	for code, networks := range naming {
		fails := 0
		for n := range networks {
			fails += voice[n]
		}
		if fails > most || fails == most && code > best {
			best, most = code, fails
		}
	}
	return catalog.TextOrNil(best)
}

func (m model) geo() string {
	plays, fails := m.heard(everywhere)
	if plays+fails == 0 {
		return "unknown"
	}
	if plays == 0 {
		return "down"
	}
	if len(m.refused()) > 0 {
		return "geo"
	}
	return "ok"
}

func (m model) forYou(p social.Place) string {
	if m.refused()[p.Country] {
		return "geo_bloqueado"
	}
	share := percent(m.heard(at(p)))
	if share == nil {
		share = percent(m.heard(in(p.Country)))
	}
	if share != nil && *share < 70 {
		return "instavel"
	}
	if _, _, isSlow := m.wait(p.Country); isSlow && m.geo() != "down" {
		return "lenta"
	}
	if share != nil {
		return "boa"
	}
	return "sem_dado"
}

// made returns a model made up by chance, its reports in the order of time.
func made(r *rand.Rand) (m model) {
	countries := strings.Fields("BR US PT DE ZZ AR MX IT FR ES GB CH")[:1+r.IntN(12)]
	luck := r.IntN(5) // of four
	m.networks = 1 + r.IntN(12)
	for i := range r.IntN(60) {
		rep := social.Report{
			Browser: []string{"Chrome", "Firefox"}[r.IntN(2)], OS: []string{"Windows", "Android"}[r.IntN(2)],
			Network: network(r.IntN(m.networks)), Doubtful: r.IntN(4) == 0,
			Country: countries[r.IntN(len(countries))], OK: r.IntN(4) < luck, At: noon.Add(time.Duration(i) * time.Second),
		}
		if !rep.OK {
			rep.Code = social.Codes[r.IntN(len(social.Codes))]
		}
		m.reports = append(m.reports, rep)
	}
	for range r.IntN(6) {
		n := 1 + r.IntN(4)
		m.waits = append(m.waits, social.Latency{
			Country: countries[r.IntN(len(countries))], Samples: n, SumMS: int64(n * r.IntN(5000)), LastAt: noon,
		})
	}
	return m
}

// counts returns what is counted of m, which comes in any order.
func (m model) counts(r *rand.Rand) social.Counts {
	list, waits := slices.Clone(m.reports), slices.Clone(m.waits)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	r.Shuffle(len(waits), func(i, j int) { waits[i], waits[j] = waits[j], waits[i] })
	return counted(list, waits...)
}

// TestModel compares all that is concluded from counts with what the reports
// themselves say.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]int{}
	for i := range 3000 {
		m := made(r)
		c := m.counts(r)
		p := social.Place{Browser: "Chrome", OS: "Windows", Country: []string{"BR", "US", "ZZ", "JP"}[r.IntN(4)]}
		panel := PanelOf("A.br", c, Reader{p, i18n.Locales[i%5]})
		if d := cmp.Diff(m.social(p), Social(c, p)); d != "" {
			t.Fatalf("social of %+v at %+v (-model +got):\n%s", m, p, d)
		}
		if want := m.geo(); panel.Geo.Kind != want {
			t.Fatalf("%+v is %s, want %s", m, panel.Geo.Kind, want)
		}
		if want := m.forYou(p); panel.ForYou != want {
			t.Fatalf("%+v is %s at %+v, want %s", m, panel.ForYou, p, want)
		}
		kinds[panel.Geo.Kind]++
		kinds[panel.ForYou]++
		comparePanel(t, m, panel)
	}
	for _, kind := range strings.Fields("geo down ok unknown geo_bloqueado lenta instavel boa sem_dado") {
		if kinds[kind] < 50 {
			t.Errorf("%s came %d times only: the test does not test", kind, kinds[kind])
		}
	}
}

// comparePanel compares the lists of p with m.
func comparePanel(t *testing.T, m model, p *Panel) {
	t.Helper()
	refused := m.refused()
	for _, country := range p.Geo.BlockedIn {
		if !refused[country] {
			t.Fatalf("%+v is not blocked in %s", m, country)
		}
	}
	if len(p.Geo.BlockedIn) != min(len(refused), 8) || len(p.Geo.WorksIn) > 8 {
		t.Fatalf("%+v is blocked in %v, works in %v", m, p.Geo.BlockedIn, p.Geo.WorksIn)
	}
	if said := p.Geo.Kind == "geo" || p.Geo.Kind == "down"; (p.Geo.Label != "") != said {
		t.Fatalf("%s is told as %q", p.Geo.Kind, p.Geo.Label)
	}
	for _, region := range p.Regions {
		plays, fails := m.count(in(region.Country))
		if d := cmp.Diff(Region{Country: region.Country, Plays: plays, Fails: fails, Health: percent(m.heard(in(region.Country)))}, region); d != "" {
			t.Fatalf("region (-model +got):\n%s", d)
		}
		if works, _ := m.heard(in(region.Country)); slices.Contains(p.Geo.WorksIn, region.Country) && works == 0 {
			t.Fatalf("%+v does not work in %s", m, region.Country)
		}
	}
	reports := 0
	for _, e := range p.Environments {
		place := social.Place{Browser: e.Browser, OS: e.OS, Country: e.Country}
		plays, fails := m.count(at(place))
		reports += plays + fails
		want := Environment{
			Browser: e.Browser, OS: e.OS, Country: e.Country, Label: e.Label, Plays: plays, Fails: fails,
			Health: percent(m.heard(at(place))), LastFailCode: lastCode(m.reports, at(place)), LastAt: e.LastAt,
		}
		if d := cmp.Diff(want, e); d != "" || e.LastAt == nil {
			t.Fatalf("environment (-model +got):\n%s", d)
		}
	}
	for _, why := range p.Reasons {
		_, n := m.count(func(r social.Report) bool { return r.Code == why.Code })
		reports -= n
		if n != why.Count {
			t.Fatalf("reason %s has %d, want %d", why.Code, why.Count, n)
		}
	}
	if reports != p.Plays || p.Plays+p.Fails != len(m.reports) {
		t.Fatalf("%d and %d of %d reports, %d that played by lists", p.Plays, p.Fails, len(m.reports), reports)
	}
	ordered(t, p)
}

// ordered checks that the most come first.
func ordered(t *testing.T, p *Panel) {
	t.Helper()
	if !slices.IsSortedFunc(p.Reasons, func(a, b FailureReason) int { return b.Count - a.Count }) ||
		!slices.IsSortedFunc(p.Regions, func(a, b Region) int { return b.Plays + b.Fails - a.Plays - a.Fails }) ||
		!slices.IsSortedFunc(p.Environments, func(a, b Environment) int { return b.Plays + b.Fails - a.Plays - a.Fails }) ||
		!slices.IsSortedFunc(p.Latency, func(a, b CountryLatency) int { return b.Samples - a.Samples }) {
		t.Fatalf("out of order: %+v", p)
	}
}

// FuzzCounts reads documents that nobody should have written.
func FuzzCounts(f *testing.F) {
	f.Add("Chrome|Windows|BR", "geo", int64(3), int64(0), int64(1), int64(-5))
	f.Add("|||", "", int64(-1), int64(-1), int64(0), int64(9))
	f.Add("BR", "nobody.knows", int64(1)<<40, int64(1), int64(-3), int64(1)<<60)
	f.Add("", "outro", int64(2), int64(0), int64(1), int64(0))
	f.Fuzz(func(t *testing.T, key, code string, plays, fails, samples, sum int64) {
		if max(plays, fails) > 1<<50 {
			t.Skip("more than can be counted")
		}
		c := social.Counts{
			Plays: plays, Fails: fails, Favorites: plays, Comments: fails, LastFailCode: code,
			Reasons:      map[string]social.Reason{code: {Count: fails}},
			Environments: map[string]social.Environment{key: {Plays: plays, Fails: fails, LastFailCode: code}},
			Latency:      map[string]social.Wait{social.PlaceOf(key).Country: {Samples: samples, SumMS: sum}},
			Heard: social.Heard{
				World: social.Tally{Plays: plays, Fails: fails}, FailCode: code,
				Countries: map[string]social.Tally{social.PlaceOf(key).Country: {Plays: plays, Fails: fails}},
			},
		}
		place := social.PlaceOf(key)
		p, s := PanelOf("A.br", c, Reader{place, i18n.DE}), Social(c, place)
		for _, share := range []*int{p.Health, s.Health, p.YourEnvironment.Health, p.YourCountry.Health} {
			if share != nil && (*share < 0 || *share > 100) {
				t.Errorf("%d percent of %+v", *share, c)
			}
		}
		if (max(plays, 0)+max(fails, 0) == 0) != (p.Health == nil) {
			t.Errorf("health %v of %+v", p.Health, c)
		}
		if s.Plays < 0 || s.Fails < 0 || p.Favorites < 0 || p.Comments < 0 || p.YourCountry.Plays < 0 {
			t.Errorf("counts below zero: %+v", p)
		}
	})
}
