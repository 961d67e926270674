package functions

import (
	"testing"
	"time"

	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/store"
)

// keepGuide keeps what some channels of the fixture show, around noon.
func keepGuide(t testing.TB, db store.DB) {
	t.Helper()
	at := func(hours float64) time.Time { return noon.Add(time.Duration(hours * float64(time.Hour))) }
	w, grids := guide.WindowOf(noon), map[string]guide.Grid{}
	for channel, ps := range map[string][]guide.Programme{
		"Aurora.br": {
			{Start: at(-0.5), Stop: at(1), Title: "Jornal da Manhã", Desc: "As notícias do dia & o tempo.", Category: "Notícias"},
			{Start: at(1), Stop: at(3), Title: `Filme: "Ouro" <2>`},
			{Start: at(11), Stop: at(13), Title: "Sessão da Meia-Noite"},
			{Start: at(23.5), Stop: at(24.5), Title: "Jornal da Manhã"},
		},
		"Beacon.uk":  {{Start: at(6), Stop: at(7), Title: "News at Six", Category: "News"}},
		"Novosti.ru": {{Start: at(-12), Stop: at(6), Title: "Вести"}},
		"Listed.us":  {{Start: at(-1), Stop: at(1), Title: "Never seen"}},
		"rb.00000000-0000-4000-8000-000000000002": {{Start: at(-1), Stop: at(1), Title: "Frühstück"}},
	} {
		g, ok := guide.NewGrid("test", "guia.example", w, ps)
		if !ok {
			t.Fatalf("%s has no guide", channel)
		}
		grids[channel] = g
	}
	c := guide.Change{Window: w, Sources: []string{"test"}}
	c.Add("test", grids)
	if _, err := c.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
}
