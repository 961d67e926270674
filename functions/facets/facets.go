// Package facets is the function that lists the values of the search filters,
// each with its number of channels.
package facets

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	brief(list(filter.Country, (*Server).countries), "items.code items.name items.count"),
	list(filter.Genre, (*Server).genres),
	list(filter.Tag, (*Server).tags),
	brief(list(filter.Category, (*Server).categories), "items.id items.name"),
	list(filter.Language, (*Server).languages),
	list(filter.Network, (*Server).networks),
	list(filter.Quality, (*Server).qualities),
	list(filter.Subdivision, (*Server).subdivisions),
	list(filter.City, (*Server).cities),
}

// list returns the endpoint that lists the values of a filter, served by h.
func list[In, Item any](id filter.ID, h func(*Server, context.Context, In) (items[Item], error)) api.Endpoint {
	facet := filter.All[id].Facet
	return api.Bind(h, api.Endpoint{
		Name: facet.Operation(), Tool: true,
		Method: "GET", Path: facet.Path(), Auth: api.None, Summary: facet.Summary, Doc: facet.Doc,
		Faults: []*fault.Error{catalog.ErrNotLoaded}, Cache: api.Private,
	})
}

// brief returns e with what an agent gets of its result.
func brief(e api.Endpoint, members string) api.Endpoint {
	e.Brief = members
	return e
}

// A Server lists facets.
type Server struct {
	catalog index.Viewer
}

// New returns a server of the facets of the catalog that v shows.
func New(v index.Viewer) *Server {
	return &Server{v}
}

// items is the result of every list.
type items[Item any] struct {
	Items []Item `json:"items" nullable:"false"`
}

// facet returns the items that of picks from the current view of the catalog.
func facet[Item any](ctx context.Context, s *Server, of func(v *index.View, locale int) []Item) (items[Item], error) {
	v, err := s.catalog.View()
	if err != nil {
		return items[Item]{}, err
	}
	return items[Item]{append([]Item{}, of(v, int(api.LocaleOf(ctx)))...)}, nil
}

type kindIn struct {
	Kind string `query:"kind" default:"tv" enum:"tv,radio,all" description:"Kind of channel that is counted."`
	Lang string `query:"lang" maxLength:"16" description:"Language of the names: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

func (s *Server) countries(ctx context.Context, in kindIn) (items[catalog.CountryFacet], error) {
	return facet(ctx, s, func(v *index.View, l int) []catalog.CountryFacet { return v.Countries(in.Kind, l) })
}

func (s *Server) languages(ctx context.Context, in kindIn) (items[catalog.LanguageFacet], error) {
	return facet(ctx, s, func(v *index.View, l int) []catalog.LanguageFacet { return v.Languages(in.Kind, l) })
}

func (s *Server) networks(ctx context.Context, in kindIn) (items[catalog.NetworkFacet], error) {
	return facet(ctx, s, func(v *index.View, _ int) []catalog.NetworkFacet { return v.Networks(in.Kind) })
}

func (s *Server) qualities(ctx context.Context, in kindIn) (items[catalog.QualityFacet], error) {
	return facet(ctx, s, func(v *index.View, _ int) []catalog.QualityFacet { return v.Qualities(in.Kind) })
}

type tagsIn struct {
	Country string `query:"country" maxLength:"32" description:"ISO 3166-1 alpha-2."`
	Limit   int    `query:"limit" default:"40" minimum:"1" cap:"100" description:"Number of tags to return; more than 100 is reduced to 100."`
}

func (s *Server) tags(ctx context.Context, in tagsIn) (items[catalog.TagFacet], error) {
	return facet(ctx, s, func(v *index.View, _ int) []catalog.TagFacet {
		return v.Tags(catalog.CountryCode(in.Country), in.Limit)
	})
}

type genresIn struct {
	Country string `query:"country" maxLength:"32" description:"ISO 3166-1 alpha-2."`
	Lang    string `query:"lang" maxLength:"16" description:"Language of the names: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

func (s *Server) genres(ctx context.Context, in genresIn) (items[catalog.GenreFacet], error) {
	return facet(ctx, s, func(v *index.View, l int) []catalog.GenreFacet {
		return v.Genres(catalog.CountryCode(in.Country), l)
	})
}

type categoriesIn struct {
	Lang string `query:"lang" maxLength:"16" description:"Language of the names: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

func (s *Server) categories(ctx context.Context, _ categoriesIn) (items[catalog.CategoryFacet], error) {
	return facet(ctx, s, (*index.View).Categories)
}

type subdivisionsIn struct {
	Country string `query:"country" maxLength:"32" description:"ISO 3166-1 alpha-2."`
	Kind    string `query:"kind" default:"tv" enum:"tv,radio,all" description:"Kind of channel that is counted."`
}

func (s *Server) subdivisions(ctx context.Context, in subdivisionsIn) (items[catalog.SubdivisionFacet], error) {
	return facet(ctx, s, func(v *index.View, _ int) []catalog.SubdivisionFacet {
		return v.Subdivisions(catalog.CountryCode(in.Country), in.Kind)
	})
}

type citiesIn struct {
	Country     string `query:"country" maxLength:"32" description:"ISO 3166-1 alpha-2."`
	Subdivision string `query:"subdivision" maxLength:"32" description:"Catalog code of a state or province."`
	Kind        string `query:"kind" default:"tv" enum:"tv,radio,all" description:"Kind of channel that is counted."`
}

func (s *Server) cities(ctx context.Context, in citiesIn) (items[catalog.CityFacet], error) {
	return facet(ctx, s, func(v *index.View, _ int) []catalog.CityFacet {
		return v.Cities(catalog.CountryCode(in.Country), in.Subdivision, in.Kind)
	})
}
