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

const (
	sitemapType  = "application/xml; charset=utf-8"
	sitemapPath  = "/sitemap.xml"
	sitemapsPath = "/sitemap/"
	sitemapExt   = ".xml"

	sitemapMost = 10_000 // URLs in a file; the protocol allows 50,000 and 50 MB
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
		Doc: "Returns one part of the pages in one language, at most " + strconv.Itoa(sitemapMost) + " addresses. The file name is the language tag, a hyphen, " +
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
		Changed string `xml:"lastmod"`
	}
)

// sitemapOf returns the path of a part of the site map of a locale.
func sitemapOf(l i18n.Locale, part int) string {
	return fmt.Sprintf("%s%s-%d%s", sitemapsPath, l.Tag(), part, sitemapExt)
}

// otherPages returns the paths of the pages of a locale that are not about a
// channel.
func otherPages(at *index.View, l i18n.Locale) []string {
	var all []string
	for _, p := range site.Pages {
		if !p.Named() && !p.Personal() {
			all = append(all, p.Path(l, ""))
		}
	}
	for _, c := range at.Countries("all", int(l)) {
		if path, ok := site.CountryPath(l, c.Code); ok {
			all = append(all, path)
		}
	}
	return all
}

// streamed returns the channels with a stream. Search engines must not index the
// pages of the others.
func streamed(at *index.View) []uint32 {
	return slices.DeleteFunc(at.Matches(index.Query{Selection: filter.Selection{Kind: "all"}}), func(doc uint32) bool { return !at.Streamed(doc) })
}

func (s *Server) sitemapIndex(context.Context, struct{}) (api.Content, error) {
	at, err := s.Catalog.View()
	if err != nil {
		return api.Content{}, err
	}
	var all sitemapList
	channels := len(streamed(at))
	for _, l := range i18n.Locales {
		total := len(otherPages(at, l)) + channels
		for part := range (total + sitemapMost - 1) / sitemapMost {
			all.Maps = append(all.Maps, sitemapPage{s.Links.Base + sitemapOf(l, part+1), dayOf(at)})
		}
	}
	return sitemapContent(all)
}

// dayOf returns the day on which the current release was built.
func dayOf(at *index.View) string { return at.BuiltAt().UTC().Format(time.DateOnly) }

func (s *Server) sitemap(_ context.Context, in fileIn) (api.Content, error) {
	at, err := s.Catalog.View()
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
	file := sitemapFile{Pages: s.sitemapPages(at, l, (int(part)-1)*sitemapMost)}
	if len(file.Pages) == 0 {
		return api.Content{}, fault.ErrNotFound
	}
	return sitemapContent(file)
}

// sitemapPages returns at most sitemapMost pages of a locale, starting at an index:
// otherPages first, then those of the channels.
func (s *Server) sitemapPages(at *index.View, l i18n.Locale, from int) []sitemapPage {
	if from < 0 {
		return nil
	}
	paths, channels := otherPages(at, l), streamed(at)
	to := min(from+sitemapMost, len(paths)+len(channels))
	day := dayOf(at)
	var pages []sitemapPage
	for i := from; i < to; i++ {
		path := ""
		if i < len(paths) {
			path = paths[i]
		} else {
			path = site.Channel.Path(l, at.ID(channels[i-len(paths)]))
		}
		pages = append(pages, sitemapPage{s.Links.Base + path, day})
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
