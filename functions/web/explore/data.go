package explore

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
)

// placesPath is the path of what the globe shows.
const placesPath = "/places.json"

var dataEndpoints = []api.Endpoint{
	api.Bind((*Server).data, api.Endpoint{
		Method: "GET", Path: placesPath, Auth: api.None, Page: true,
		Summary: "Get what the globe shows",
		Doc:     "Returns the countries that have channels, each with its number of TV channels and of stations, and the cities that stations are in, by country: number, name, latitude, longitude and number of stations, those with the most first.",
		Faults:  []*fault.Error{catalog.ErrNotLoaded}, Cache: api.Public(5 * time.Minute), Produces: []string{"application/json"},
	}),
}

// A shown is what the globe shows, by codes of countries. It is as short as it can be
// written, since phones load it.
type shown struct {
	Countries map[string][2]int   `json:"countries"` // TV channels and stations
	Cities    map[string][][5]any `json:"cities"`    // number, name, latitude, longitude and stations
}

// data returns what the globe shows, which is written and compressed once for each
// release.
func (s *Server) data(context.Context, struct{}) (document, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return document{}, err
	}
	places := s.Cities.Places(snapshot)
	return s.releases.Get(snapshot.Index(), key{what: "data"}, func() any {
		data, err := json.Marshal(shownOf(snapshot, places))
		if err != nil {
			panic(err) // never: they are texts and numbers
		}
		return document{api.NewDocument("application/json", data)}
	}).(document), nil
}

func shownOf(snapshot *index.View, places *cities.Places) shown {
	s := shown{map[string][2]int{}, map[string][][5]any{}}
	for i, kind := range []string{filter.TV, filter.Radio} {
		for _, f := range snapshot.Countries(kind, int(i18n.EN)) {
			counts := s.Countries[f.Code]
			counts[i] = f.Count
			s.Countries[f.Code] = counts
		}
	}
	for _, p := range places.Sorted {
		s.Cities[p.Country] = append(s.Cities[p.Country], [5]any{json.Number(p.ID), p.Name, p.At.Lat, p.At.Lon, len(p.Stations)})
	}
	return s
}

// A document is a file that only our own pages read.
type document struct{ *api.Document }

// Reply writes the file.
func (d document) Reply(w http.ResponseWriter, r *http.Request) error {
	w.Header()["X-Robots-Tag"] = []string{"noindex"}
	return d.Document.Reply(w, r)
}
