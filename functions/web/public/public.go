// Package public serves the pages of public libraries: the folders that somebody publishes
// under a name.
//
// A page shows one folder, so that a full library does not make a page of thousands of
// channels; the others are links. It is the same for every visitor: the script follows,
// copies and reports.
package public

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
)

// Endpoints are the pages of this package in every locale.
var Endpoints = page.Endpoints(site.Public, "Show a public library",
	"Returns the page of the folders that somebody publishes under a name. The name with the ending of a playlist leads to the feed.",
	(*Server).library, catalog.ErrNotLoaded, public.ErrUnknown, fault.ErrUnavailable)

// Options are what a Server needs.
type Options struct {
	Pages   *page.Renderer
	Catalog index.DatedViewer
	Guides  *guide.Live // nil to show cards without programmes
	DB      store.DB    // nil where nothing is published
	Now     func() time.Time
}

// A Server serves the pages of this package.
type Server struct{ Options }

// New returns a server of the pages of this package.
func New(o Options) *Server { return &Server{o} }

type libraryIn struct {
	Name   string `path:"id" maxLength:"64" description:"Name of the public library, which may end in .m3u, .m3u8, .json or .xspf."`
	Folder string `query:"folder" maxLength:"256" description:"Slug of the folder to show; without it, or for an unknown one, the first."`
}

// A body is the body of the page.
type body struct {
	*public.Publication
	Day     string   // of the last publication, in UTC
	About   []string // in lines
	Folders []folder
	Shown   *folder // nil for a library without folders
	Tabs    []tab   // sub-tabs of Shown
	Feeds   []feedLink
	Parts   []feedLink // feeds of Shown
}

// A folder is a link to a folder.
type folder struct {
	Name, Slug, Path string
	Channels         int
	Current          bool
}

// A tab is a sub-tab with its channels.
type tab struct {
	Name  string // empty for the only one, and for the one that every folder begins with
	Cards part.Cards
	Gone  []string // names of channels that the catalog does not show
}

// A feedLink is an address of a feed.
type feedLink struct{ Format, URL string }

// library shows a public library, by three reads.
func (s *Server) library(ctx context.Context, l i18n.Locale, in libraryIn) (*page.Rendered, error) {
	if name, format, ok := strings.Cut(in.Name, "."); ok {
		if !slices.Contains(library.Formats, format) {
			return nil, public.ErrUnknown
		}
		return page.MovedTo(library.PublicPath + url.PathEscape(name) + "/" + public.WholeSlug + "." + format), nil
	}
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	if s.DB == nil {
		return nil, public.ErrUnknown
	}
	p, all, err := public.Read(ctx, s.DB, in.Name)
	if errors.Is(err, public.ErrUnknown) {
		return nil, err
	}
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	shown := p.Of(all)
	shown.Unite(snapshot.Current)
	v := s.Pages.View(site.Public, l, nil)
	b := s.body(v, p, shown, in.Folder, snapshot)
	v.Body, v.Name, v.Title, v.NoIndex = b, p.Name, p.Title, !p.Listed
	v.Description = v.T("public.description", "title", p.Title)
	if p.About != "" {
		v.Description = part.Truncated(strings.Join(b.About, " "), 160)
	}
	for _, f := range b.Feeds {
		if format := strings.ToLower(f.Format); media[format] != "" {
			v.Others = append(v.Others, page.Other{Type: media[format], URL: f.URL, Title: p.Title + " (" + f.Format + ")"})
		}
	}
	data := map[string]string{"library": p.Name}
	if b.Shown != nil {
		data["folder"] = b.Shown.Slug
	}
	v.Data, v.Areas, v.Modules = data, []string{"public", "keep", "guard"}, []string{"public", "keep"}
	return v.Show()
}

var media = map[string]string{feed.M3U: feed.M3UType, feed.XSPF: feed.XSPFType}

// body returns what the page shows of a publication, with the folder of a slug.
func (s *Server) body(v *page.View, p *public.Publication, l *library.Library, slug string, snapshot *index.View) *body {
	b := &body{Publication: p, Day: p.UpdatedAt.UTC().Format(time.DateOnly), Feeds: linksOf(l.Feed(s.Pages.Base()))}
	if p.About != "" {
		b.About = strings.Split(p.About, "\n")
	}
	at := max(0, slices.IndexFunc(l.Categories, func(c library.Category) bool { return c.Slug == slug }))
	path := site.Public.Path(v.Locale, p.Name)
	for i := range l.Categories {
		c := &l.Categories[i]
		one := library.Library{Categories: []library.Category{*c}}
		f := folder{c.Name, c.Slug, path, one.Len(), i == at}
		if i > 0 {
			f.Path += "?folder=" + url.QueryEscape(c.Slug)
		}
		b.Folders = append(b.Folders, f)
	}
	if len(l.Categories) == 0 {
		return b
	}
	c := &l.Categories[at]
	b.Shown, b.Parts = &b.Folders[at], linksOf(l.CategoryFeed(s.Pages.Base(), c))
	for _, g := range c.Groups {
		b.Tabs = append(b.Tabs, s.tab(v, g, len(c.Groups) == 1, snapshot))
	}
	return b
}

// tab returns a sub-tab with the cards of its channels.
func (s *Server) tab(v *page.View, g library.Group, only bool, snapshot *index.View) tab {
	out := tab{Name: g.Name}
	if g.Slug == strings.ToLower(library.DefaultGroup) {
		out.Name = v.T("keep.ui.general")
	}
	if only {
		out.Name = ""
	}
	var cards []index.Card
	for _, it := range g.Items {
		c, ok := snapshot.CardOf(it.Channel, int(v.Locale))
		if !ok {
			out.Gone = append(out.Gone, it.Name)
			continue
		}
		cards = append(cards, c)
	}
	out.Cards = part.NewCards(v, cards, s.Guides, s.Now())
	return out
}

// linksOf returns the addresses of a feed in each format.
func linksOf(f library.FeedBase) (all []feedLink) {
	for _, format := range library.Formats {
		all = append(all, feedLink{strings.ToUpper(format), f.As(format)})
	}
	return all
}
