package health

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

func moment(minutes int) *store.Time {
	return ptr(store.At(noon.Add(time.Duration(minutes) * time.Minute)))
}

// said makes reports of words such as "BR+ BR-geo US+": a country, and whether
// it played there or why not. They come a minute apart, each from a network of its own,
// from Chrome on Windows, or with an f before the country from Firefox on Linux.
func said(words string) (list []social.Report) {
	for i, w := range strings.Fields(words) {
		r := social.Report{Browser: "Chrome", OS: "Windows", At: noon.Add(time.Duration(i) * time.Minute), Network: network(i)}
		if rest, ok := strings.CutPrefix(w, "f"); ok {
			r.Browser, r.OS, w = "Firefox", "Linux", rest
		}
		r.Country, r.OK = w[:2], w[2] == '+'
		if !r.OK {
			r.Code = w[3:]
		}
		list = append(list, r)
	}
	return list
}

// network returns the name of the network n of a day.
func network(n int) string {
	return social.NetworkOf([16]byte{byte(n), byte(n >> 8), byte(n >> 16)}, "A.br")
}

func counted(list []social.Report, waits ...social.Latency) social.Counts {
	var c social.Counted
	for _, r := range list {
		c.Apply(r)
	}
	for _, w := range waits {
		c.Apply(w)
	}
	return c.Counts
}

// waited tells of playlists that people of BR waited for.
func waited(samples int, sumMS int64) social.Latency {
	return social.Latency{Country: "BR", Samples: samples, SumMS: sumMS, LastAt: noon}
}

var here = Reader{social.Place{Browser: "Chrome", OS: "Windows", Country: "BR"}, i18n.EN}

// TestVerdicts takes each rule at its edge.
func TestVerdicts(t *testing.T) {
	const downEverywhere = "Fails everywhere there are reports from."
	times := func(n int, word string) string { return strings.Repeat(word+" ", n) }
	for _, c := range []struct {
		name, reports string
		waits         []social.Latency
		geo           GeoVerdict
		forYou        string
	}{
		{"nothing", "", nil, GeoVerdict{Kind: "unknown"}, "sem_dado"},
		{"two that played", "BR+ BR+", nil, GeoVerdict{Kind: "unknown"}, "sem_dado"},
		{"two that failed", "BR-geo BR-geo", nil, GeoVerdict{Kind: "unknown"}, "sem_dado"},
		{"three that played", "BR+ BR+ BR+", nil, GeoVerdict{Kind: "ok", WorksIn: []string{"BR"}}, "boa"},
		{"three that failed", "BR-geo BR-geo BR-geo", nil, GeoVerdict{Kind: "down", BlockedIn: []string{"BR"}, Label: downEverywhere}, "geo_bloqueado"},
		{"three countries that failed once", "BR-geo US-geo PT-geo", nil, GeoVerdict{Kind: "down", Label: downEverywhere}, "sem_dado"},
		{"here only failures", times(3, "BR-geo") + times(3, "US+"), nil,
			GeoVerdict{Kind: "geo", BlockedIn: []string{"BR"}, WorksIn: []string{"US"}, Label: "Seems blocked in: Brazil. Works in: United States."}, "geo_bloqueado"},
		{"here only failures, elsewhere few", times(3, "BR-geo") + "US+ PT+", nil,
			GeoVerdict{Kind: "geo", BlockedIn: []string{"BR"}, Label: "Seems blocked in: Brazil."}, "geo_bloqueado"},
		{"here only failures, elsewhere one", times(3, "BR-geo") + "US+", nil, GeoVerdict{Kind: "down", BlockedIn: []string{"BR"}, Label: downEverywhere}, "geo_bloqueado"},
		{"here two failures", "BR-geo BR-geo " + times(3, "US+"), nil, GeoVerdict{Kind: "ok", WorksIn: []string{"US"}}, "sem_dado"},
		{"elsewhere only failures", "US-geo US-geo US-geo BR+ BR+ BR+", nil,
			GeoVerdict{Kind: "geo", BlockedIn: []string{"US"}, WorksIn: []string{"BR"}, Label: "Seems blocked in: United States. Works in: Brazil."}, "boa"},
		{"one success does not lift the block", times(3, "BR-geo") + "BR+ " + times(3, "US+"), nil,
			GeoVerdict{Kind: "geo", BlockedIn: []string{"BR"}, WorksIn: []string{"US"}, Label: "Seems blocked in: Brazil. Works in: United States."}, "geo_bloqueado"},
		{"two successes lift the block", times(3, "BR-geo") + "BR+ BR+ " + times(3, "US+"), nil, GeoVerdict{Kind: "ok", WorksIn: []string{"BR", "US"}}, "instavel"},
		{"unknown country", times(3, "ZZ-cors") + times(3, "BR+"), nil,
			GeoVerdict{Kind: "geo", BlockedIn: []string{"ZZ"}, WorksIn: []string{"BR"}, Label: "Seems blocked in: unknown country. Works in: Brazil."}, "boa"},
		{"only an unknown country", times(3, "ZZ-cors"), nil, GeoVerdict{Kind: "down", BlockedIn: []string{"ZZ"}, Label: downEverywhere}, "sem_dado"},
		{"seven of ten", times(7, "BR+") + times(3, "BR-outro"), nil, GeoVerdict{Kind: "ok", WorksIn: []string{"BR"}}, "boa"},
		{"six of ten", times(6, "BR+") + times(4, "BR-outro"), nil, GeoVerdict{Kind: "ok", WorksIn: []string{"BR"}}, "instavel"},
		{"the environment before the country", times(9, "fBR+") + times(3, "BR-codec"), nil, GeoVerdict{Kind: "ok", WorksIn: []string{"BR"}}, "instavel"},
		{"the country for a small environment", times(9, "fBR+") + times(2, "BR-codec"), nil, GeoVerdict{Kind: "ok", WorksIn: []string{"BR"}}, "boa"},
		{"the rest of the world says nothing of here", times(9, "US+"), nil, GeoVerdict{Kind: "ok", WorksIn: []string{"US"}}, "sem_dado"},
		{"slow", "BR+ BR+ BR+", []social.Latency{waited(3, 3*1500)}, GeoVerdict{Kind: "ok", WorksIn: []string{"BR"}}, "lenta"},
		{"nearly slow", "BR+ BR+ BR+", []social.Latency{waited(3, 3*1499)}, GeoVerdict{Kind: "ok", WorksIn: []string{"BR"}}, "boa"},
		{"slow, said by two", "BR+ BR+ BR+", []social.Latency{waited(2, 20_000)}, GeoVerdict{Kind: "ok", WorksIn: []string{"BR"}}, "boa"},
		{"slow, without reports", "", []social.Latency{waited(3, 20_000)}, GeoVerdict{Kind: "unknown"}, "lenta"},
		{"slow, while it is down", times(3, "US-geo"), []social.Latency{waited(3, 20_000)}, GeoVerdict{Kind: "down", BlockedIn: []string{"US"}, Label: downEverywhere}, "sem_dado"},
		{"fast, without reports", "", []social.Latency{waited(9, 9)}, GeoVerdict{Kind: "unknown"}, "sem_dado"},
		{"failing comes before slow", "BR+ BR+ BR-codec BR-codec", []social.Latency{waited(3, 20_000)}, GeoVerdict{Kind: "ok", WorksIn: []string{"BR"}}, "instavel"},
		{"blocked comes before slow", times(3, "BR-geo") + times(3, "US+"), []social.Latency{waited(3, 20_000)},
			GeoVerdict{Kind: "geo", BlockedIn: []string{"BR"}, WorksIn: []string{"US"}, Label: "Seems blocked in: Brazil. Works in: United States."}, "geo_bloqueado"},
	} {
		p := PanelOf("A.br", counted(said(c.reports), c.waits...), here)
		c.geo.BlockedIn, c.geo.WorksIn = append([]string{}, c.geo.BlockedIn...), append([]string{}, c.geo.WorksIn...)
		if d := cmp.Diff(c.geo, p.Geo); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		if p.ForYou != c.forYou {
			t.Errorf("%s is %s, want %s", c.name, p.ForYou, c.forYou)
		}
	}
}

// TestGeoLists checks that lists hold 8 regions, those of most reports first.
func TestGeoLists(t *testing.T) {
	var words []string
	for i, country := range strings.Fields("AR BO CL CO CR CU EC GT HN MX") {
		words = append(words, slices.Repeat([]string{country + "-geo"}, 3+i)...)
	}
	for i, country := range strings.Fields("AT BE CH DE DK ES FI FR GB GR") {
		words = append(words, slices.Repeat([]string{country + "+"}, 3+i)...)
	}
	v := PanelOf("A.br", counted(said(strings.Join(words, " "))), here).Geo
	want := GeoVerdict{
		Kind: "geo", Label: v.Label,
		BlockedIn: strings.Fields("MX HN GT EC CU CR CO CL"), WorksIn: strings.Fields("GR GB FR FI ES DK DE CH"),
	}
	if d := cmp.Diff(want, v); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestPanel shows a whole panel.
func TestPanel(t *testing.T) {
	c := counted(said("BR+ BR+ fBR-geo US-codec BR-geo ZZ-geo"), waited(4, 2401))
	c.Favorites, c.Comments = 5, -1
	want := &Panel{
		ChannelID: "A.br", Plays: 2, Fails: 4, Favorites: 5, Health: ptr(33),
		LastOKAt: moment(1), LastFailAt: moment(5), LastFailCode: ptr("geo"), MinReports: 3,
		Reasons: []FailureReason{
			{Code: "geo", Label: "Blocked in this region", Hint: "The broadcaster limits the channel to some countries. Try another stream or the official site.", Count: 3, LastAt: moment(5)},
			{Code: "codec", Label: "This device cannot decode the format", Hint: "Try another browser or a player such as VLC, which reads more formats.", Count: 1, LastAt: moment(3)},
		},
		Environments: []Environment{
			{Browser: "Chrome", OS: "Windows", Country: "BR", Label: "Chrome · Windows · Brazil", Plays: 2, Fails: 1, Health: ptr(100), LastFailCode: ptr("geo"), LastAt: moment(4)},
			{Browser: "Chrome", OS: "Windows", Country: "ZZ", Label: "Chrome · Windows · unknown country", Fails: 1, LastFailCode: ptr("geo"), LastAt: moment(5)},
			{Browser: "Chrome", OS: "Windows", Country: "US", Label: "Chrome · Windows · United States", Fails: 1, LastFailCode: ptr("codec"), LastAt: moment(3)},
			{Browser: "Firefox", OS: "Linux", Country: "BR", Label: "Firefox · Linux · Brazil", Fails: 1, LastFailCode: ptr("geo"), LastAt: moment(2)},
		},
		YourEnvironment: Environment{Browser: "Outro", OS: "Outro", Country: "BR", Label: "Another browser · another system · Brazil"},
		Regions: []Region{
			{Country: "BR", Plays: 2, Fails: 2, Health: ptr(50)}, {Country: "US", Fails: 1}, {Country: "ZZ", Fails: 1},
		},
		Geo:         GeoVerdict{Kind: "ok", BlockedIn: []string{}, WorksIn: []string{"BR"}},
		Latency:     []CountryLatency{{Country: "BR", Samples: 4, AvgMS: 600, Grade: "boa", GradeLabel: "Good", LastAt: moment(0)}},
		YourCountry: Region{Country: "BR", Plays: 2, Fails: 2, Health: ptr(50), LatencyMS: ptr(600), LatencyGrade: ptr("boa")},
		ForYou:      "instavel", Codes: social.Codes,
	}
	r := Reader{social.Place{Browser: social.Other, OS: social.Other, Country: "BR"}, i18n.EN}
	if d := cmp.Diff(want, PanelOf("A.br", c, r)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestSocial(t *testing.T) {
	c := counted(said("BR+ BR+ fBR-geo US-codec BR-geo US-geo US-geo"), waited(3, 1800))
	c.Favorites, c.Comments = 5, 7
	all := catalog.Social{Plays: 2, Fails: 5, Favorites: 5, Comments: 7, LastFailCode: ptr("geo"), Health: ptr(29)}
	with := func(change func(*catalog.Social)) catalog.Social {
		s := all
		change(&s)
		return s
	}
	for _, test := range []struct {
		browser, country string
		want             catalog.Social
	}{
		{"Chrome", "BR", with(func(s *catalog.Social) {
			s.YourPlays, s.YourFails, s.YourFailCode = 2, 1, ptr("geo")
			s.YourCountryOK, s.YourCountryFail, s.YourGeoOK = 2, 2, ptr(true)
			s.YourLatencyMS, s.YourLatencyGrade = ptr(600), ptr("boa")
		})},
		{"Safari", "US", with(func(s *catalog.Social) { s.YourCountryFail, s.YourGeoOK = 3, ptr(false) })},
		{"Chrome", "PT", all},
	} {
		p := social.Place{Browser: test.browser, OS: "Windows", Country: test.country}
		for how, got := range map[string]catalog.Social{"counts": Social(c, p), "an overlay": SocialOf(social.NewShown(c), p)} {
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("%s in %s, of %s (-want +got):\n%s", test.browser, test.country, how, d)
			}
		}
	}
	if d := cmp.Diff(catalog.Social{}, Social(social.Counts{}, here.Place)); d != "" {
		t.Errorf("of nothing (-want +got):\n%s", d)
	}
}

func TestGrade(t *testing.T) {
	for ms, want := range map[int]string{
		-1: "otima", 0: "otima", 599: "otima", 600: "boa", 1499: "boa", 1500: "lenta", 3499: "lenta", 3500: "ruim", 1 << 40: "ruim",
	} {
		if got := Grade(ms); got != want {
			t.Errorf("Grade(%d) = %s, want %s", ms, got, want)
		}
	}
}

// TestTexts checks that everything that a panel names is told in every locale.
func TestTexts(t *testing.T) {
	keys := []string{"health.other_browser", "health.other_system", "health.unknown_country", "health.geo.some", "health.geo.blocked", "health.geo.down"}
	for _, code := range social.Codes {
		keys = append(keys, "health.reason."+code+".label", "health.reason."+code+".hint")
	}
	for _, grade := range []string{great, good, slow, bad} {
		keys = append(keys, "health.latency."+grade)
	}
	seen := map[string]string{}
	for _, l := range i18n.Locales {
		for _, key := range keys {
			text := l.T(key, nil)
			if text == key {
				t.Errorf("%s has no text %s", l, key)
			}
			if other := seen[l.Tag()+text]; other != "" && strings.HasSuffix(key, "label") {
				t.Errorf("%s: %s and %s are told alike", l, key, other)
			}
			seen[l.Tag()+text] = key
		}
	}
}

// TestCountryWithoutName checks that a country without a name is told by its
// code.
func TestCountryWithoutName(t *testing.T) {
	for _, l := range i18n.Locales {
		r := Reader{Locale: l}
		if got := r.country("QZ"); got != "QZ" {
			t.Errorf("%s: %q", l, got)
		}
	}
}

func BenchmarkSocial(b *testing.B) {
	for _, n := range []int{1, 20, social.MaxEnvironments} {
		c := counted(manyReports(n))
		b.Run(fmt.Sprintf("%d environments", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Social(c, here.Place)
			}
		})
		shown := social.NewShown(c)
		b.Run(fmt.Sprintf("%d environments, shown", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				SocialOf(shown, here.Place)
			}
		})
	}
}

func BenchmarkPanel(b *testing.B) {
	c := counted(manyReports(social.MaxEnvironments))
	b.ReportAllocs()
	for b.Loop() {
		PanelOf("A.br", c, here)
	}
}

// manyReports returns reports of n environments.
func manyReports(n int) (list []social.Report) {
	r := rand.New(rand.NewPCG(8, 8))
	countries := strings.Fields("BR US PT DE FR ES GB AR MX IT")
	for i := range n {
		list = append(list, social.Report{
			OK: r.IntN(4) > 0, Browser: fmt.Sprint("Browser ", i/len(countries)), OS: "Windows", Country: countries[i%len(countries)], At: noon, Network: network(i),
		})
		if !list[i].OK {
			list[i].Code = social.OtherCode
		}
	}
	return list
}
