package sitefiles

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// The site maps list every page that search engines may index, in each language. A
// crawler reads robots.txt, which names the index, /sitemap.xml, which names the
// parts: /sitemap/{language}-{part}.xml. A part is a range of one list: first the
// pages that are not about a channel, then the channels in the order of the index.
// A part is written at its request, without any I/O; when a release adds channels,
// the ranges move and the crawler reads them again.
//
// A list changes with each release, so that its time of change is the day on which the
// release was built. When a channel or a text changed is not known: their pages have no
// time, since search engines ignore the times of a site that reports a new one at each
// reading.

const (
	sitemapType  = "application/xml; charset=utf-8"
	sitemapPath  = "/sitemap.xml"
	sitemapsPath = "/sitemap/"
	sitemapExt   = ".xml"

	maxURLs = 10_000 // URLs in a part; the protocol allows 50,000 and 50 MB
)

// sitemaps are the endpoints of the site maps, which list every page that search
// engines may index.
var sitemaps = []api.Endpoint{
	api.Bind((*Server).sitemapIndex, api.Endpoint{
		Method: "GET", Path: sitemapPath, Auth: api.None, Page: true,
		Summary: "List the site maps",
		Doc:     "Returns the sitemap index, with the address of every site map in every language.",
		Faults:  []*fault.Error{catalog.ErrNotLoaded}, Cache: api.Public(time.Hour), Produces: []string{"application/xml"},
	}),
	api.Bind((*Server).sitemap, api.Endpoint{
		Method: "GET", Path: sitemapsPath + "{file}", Auth: api.None, Page: true,
		Summary: "Get a site map",
		Doc: "Returns one part of the pages in one language, at most " + strconv.Itoa(maxURLs) + " addresses. The file name is the language tag, a hyphen, " +
			"the number of the part from 1 on, and .xml.",
		Faults: []*fault.Error{catalog.ErrNotLoaded, fault.ErrNotFound}, Cache: api.Public(time.Hour), Produces: []string{"application/xml"},
	}),
}

// A sitemapList is a list of site maps, and a sitemapFile is a site map, as
// sitemaps.org specifies them.
type (
	sitemapList struct {
		XMLName xml.Name      `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
		Maps    []sitemapPage `xml:"sitemap"`
	}
	sitemapFile struct {
		XMLName xml.Name      `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		Pages   []sitemapPage `xml:"url"`
	}
	sitemapPage struct {
		Address string `xml:"loc"`
		Changed string `xml:"lastmod,omitempty"` // empty when it is not known
	}
)

// sitemapOf returns the path of a part of the site map of a locale. Parts are
// counted from 1 on.
func sitemapOf(l i18n.Locale, part int) string {
	return fmt.Sprintf("%s%s-%d%s", sitemapsPath, l.Tag(), part, sitemapExt)
}

// lists are the pages that show a part of the catalog.
var lists = []site.Page{site.Home, site.Countries, site.Schedule, site.Explore}

// otherPages returns the pages of a locale that are not about a channel.
func (s *Server) otherPages(snapshot *index.View, l i18n.Locale) (all []sitemapPage) {
	day := dayOf(snapshot)
	for _, p := range site.Pages {
		changed := ""
		if slices.Contains(lists, p) {
			changed = day
		}
		if !p.Named() && !p.Personal() {
			all = append(all, sitemapPage{p.Path(l, ""), changed})
		}
	}
	for _, c := range snapshot.Countries("all", int(l)) {
		if path, ok := site.CountryPath(l, c.Code); ok {
			all = append(all, sitemapPage{path, day})
		}
	}
	for _, p := range s.Cities.Places(snapshot).Sorted {
		all = append(all, sitemapPage{site.City.Path(l, p.Slug()), day})
	}
	return all
}

// streamed returns the numbers of the channels with a stream, in the order of the
// index. Search engines must not index the pages of the other channels.
func streamed(snapshot *index.View) []uint32 {
	return slices.DeleteFunc(snapshot.Matches(index.Query{Selection: filter.Selection{Kind: "all"}}), func(doc uint32) bool { return !snapshot.Streamed(doc) })
}

// sitemapIndex returns the list of all parts in all languages.
func (s *Server) sitemapIndex(context.Context, struct{}) (api.Content, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return api.Content{}, err
	}
	var all sitemapList
	channels := len(streamed(snapshot))
	for _, l := range i18n.Locales {
		total := len(s.otherPages(snapshot, l)) + channels
		for part := range (total + maxURLs - 1) / maxURLs {
			all.Maps = append(all.Maps, sitemapPage{s.Links.Base + sitemapOf(l, part+1), dayOf(snapshot)})
		}
	}
	return sitemapContent(all)
}

// dayOf returns the day in UTC on which the release was built.
func dayOf(snapshot *index.View) string { return snapshot.BuiltAt().UTC().Format(time.DateOnly) }

// sitemap returns a part by its file name, which must be written exactly as in the
// index: each part has one URL.
func (s *Server) sitemap(_ context.Context, in fileIn) (api.Content, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return api.Content{}, err
	}
	name, ok := strings.CutSuffix(in.File, sitemapExt)
	tag, number, _ := strings.Cut(name, "-")
	l, found := localeOf(tag)
	part, err := strconv.ParseUint(number, 10, 16)
	if !ok || !found || err != nil || strconv.FormatUint(part, 10) != number {
		return api.Content{}, fault.ErrNotFound
	}
	file := sitemapFile{Pages: s.sitemapPages(snapshot, l, (int(part)-1)*maxURLs)}
	if len(file.Pages) == 0 {
		return api.Content{}, fault.ErrNotFound
	}
	return sitemapContent(file)
}

// sitemapPages returns at most maxURLs pages of a locale, starting at an index of
// the list of otherPages and the channels; nil for an index outside of the list.
func (s *Server) sitemapPages(snapshot *index.View, l i18n.Locale, from int) []sitemapPage {
	if from < 0 {
		return nil
	}
	others, channels := s.otherPages(snapshot, l), streamed(snapshot)
	to := min(from+maxURLs, len(others)+len(channels))
	var pages []sitemapPage
	for i := from; i < to; i++ {
		var p sitemapPage
		if i < len(others) {
			p = others[i]
		} else {
			p.Address = site.Channel.Path(l, snapshot.ID(channels[i-len(others)]))
		}
		pages = append(pages, sitemapPage{s.Links.Base + p.Address, p.Changed})
	}
	return pages
}

// sitemapContent encodes a site map.
func sitemapContent(v any) (api.Content, error) {
	b := bytes.NewBufferString(xml.Header)
	if err := xml.NewEncoder(b).Encode(v); err != nil {
		return api.Content{}, err
	}
	return contentOf(sitemapType, b.Bytes()), nil
}
