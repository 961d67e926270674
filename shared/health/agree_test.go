package health

import (
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/social"
)

// TestVerdictsAgree goes through all small mixtures of successes and failures in three
// countries, with a slow playlist or not, and checks at every place that bloqueado_em,
// funciona_em, tipo, pra_voce and your_geo_ok do not contradict each other.
func TestVerdictsAgree(t *testing.T) {
	countries := []string{"BR", "US", "ZZ"}
	few := []int{0, 1, 2, 3}
	mixtures := 0
	var mix func(words string, left []string)
	mix = func(words string, left []string) {
		if len(left) > 0 {
			for _, plays := range few {
				for _, fails := range few {
					mix(words+strings.Repeat(left[0]+"+ ", plays)+strings.Repeat(left[0]+"-geo ", fails), left[1:])
				}
			}
			return
		}
		mixtures++
		for _, waits := range [][]social.Latency{nil, {waited(3, 20_000)}} {
			c := counted(said(words), waits...)
			for _, country := range append(countries, "JP") {
				agree(t, words, c, social.Place{Browser: "Chrome", OS: "Windows", Country: country})
			}
		}
	}
	mix("", countries)
	if mixtures != 16*16*16 {
		t.Errorf("%d mixtures were tried", mixtures)
	}
}

// agree checks the verdicts about c for a caller at p.
func agree(t *testing.T, words string, c social.Counts, p social.Place) {
	t.Helper()
	panel, s := PanelOf("A.br", c, Reader{p, i18n.EN}), Social(c, p)
	geo := panel.Geo
	refused, works := slices.Contains(geo.BlockedIn, p.Country), slices.Contains(geo.WorksIn, p.Country)
	no, yes := s.YourGeoOK != nil && !*s.YourGeoOK, s.YourGeoOK != nil && *s.YourGeoOK
	measured := panel.YourCountry.Health != nil
	for promise, kept := range map[string]bool{
		"your_geo_ok is false where it is blocked":              no == refused,
		"your_geo_ok is true where it works":                    yes == works,
		"your_geo_ok is null where nothing is measured":         measured == (no || yes),
		"pra_voce is geo_bloqueado where it is blocked":         (panel.ForYou == blocked) == refused,
		"pra_voce is boa only where it works":                   panel.ForYou != steady || works,
		"pra_voce is instavel only where it works":              panel.ForYou != unstable || works,
		"pra_voce is not lenta for what is down":                panel.ForYou != dragging || geo.Kind != geoDown,
		"geo has countries that block":                          geo.Kind != geoSome || len(geo.BlockedIn) > 0,
		"ok has none":                                           geo.Kind != geoOK || len(geo.BlockedIn) == 0,
		"down works nowhere":                                    geo.Kind != geoDown || len(geo.WorksIn) == 0,
		"unknown has no country":                                geo.Kind != geoUnknown || len(geo.WorksIn)+len(geo.BlockedIn) == 0,
		"what works somewhere and fails somewhere is geo":       len(geo.WorksIn) == 0 || len(geo.BlockedIn) == 0 || geo.Kind == geoSome,
		"health is null while it is unknown":                    (panel.Health == nil) == (geo.Kind == geoUnknown),
		"health is 0 when it is down":                           panel.Health == nil || (*panel.Health == 0) == (geo.Kind == geoDown),
		"the label says what there is to say":                   (geo.Label != "") == (geo.Kind == geoSome || geo.Kind == geoDown),
		"the health of a country is 0 where it is blocked":      !measured || (*panel.YourCountry.Health == 0) == refused,
		"the panel and the detail record have the same figures": shown(panel.Health) == shown(s.Health) && shown(panel.LastFailCode) == shown(s.LastFailCode),
	} {
		if !kept {
			t.Fatalf("%s, at %s of %q: %+v, %s, your_geo_ok %s", promise, p.Country, words, geo, panel.ForYou, shown(s.YourGeoOK))
		}
	}
}
