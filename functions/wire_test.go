package functions

import (
	"encoding/json"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/compose"
)

// checkDescribed compares the detail record of every real channel with its schema in
// the OpenAPI document, and looks at what an external stream has.
func checkDescribed(t *testing.T, p *compose.Parts) {
	text, err := os.ReadFile("testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	schema := doc.Components.Schemas["ChannelFull"].Value
	view, err := p.Catalog.View()
	if err != nil {
		t.Fatal(err)
	}
	ids := make(chan string)
	var checking sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		checking.Go(func() {
			for id := range ids {
				full, ok := view.Channel(id, 0, rank.Caller{})
				if !ok {
					t.Errorf("%s is not shown", id)
					continue
				}
				record, err := json.Marshal(full)
				if err != nil {
					t.Error(err)
				}
				var value any
				if err := json.Unmarshal(record, &value); err != nil {
					t.Error(err)
				}
				if err := schema.VisitJSON(value, openapi3.MultiErrors()); err != nil {
					t.Errorf("%s: %v", id, err)
				}
				for _, s := range full.Streams {
					if external := s.Kind == "externo"; external != (s.ProviderURL == nil && s.YouTube == nil) || external && (s.Scheme != "https" || s.PlayURL != nil) {
						t.Errorf("stream %s of %s: kind %s, scheme %s, play_url %v, provider_url %v", s.ID, id, s.Kind, s.Scheme, s.PlayURL, s.ProviderURL)
					}
				}
			}
		})
	}
	n := 0
	for _, r := range view.Index().Records() {
		ids <- r.ID
		n++
	}
	close(ids)
	checking.Wait()
	if n < 10_000 {
		t.Errorf("%d records", n)
	}
}
