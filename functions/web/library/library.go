// Package library serves the pages of a visitor's library, favorites and history.
//
// The pages are shells that are the same for every visitor, with placeholders in
// place of rows. The script holds the visitor's token and requests the rows from
// the API, so the server never renders personal data and caches may keep the pages.
package library

import (
	"context"
	"slices"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/site"
)

// Endpoints are the pages of this package in every locale.
var Endpoints = slices.Concat(
	page.Endpoints(site.Library, "Show the library page", "Returns the page whose script shows the visitor's library. It contains nothing of the visitor itself.", (*Server).library),
	page.Endpoints(site.Favorites, "Show the favorites page", "Returns the page whose script shows the visitor's favorites. It contains nothing of the visitor itself.", (*Server).favorites),
	page.Endpoints(site.History, "Show the history page", "Returns the page whose script shows the visitor's history. It contains nothing of the visitor itself.", (*Server).history),
)

// A Server serves the pages of this package.
type Server struct{ pages *page.Renderer }

// New returns a server that renders its pages with r.
func New(r *page.Renderer) *Server { return &Server{r} }

// library returns the shell of the library.
func (s *Server) library(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	return s.shell(site.Library, l)
}

// favorites returns the shell of the favorites.
func (s *Server) favorites(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	return s.shell(site.Favorites, l)
}

// history returns the shell of the history.
func (s *Server) history(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	return s.shell(site.History, l)
}

// shell renders one of the three pages. Search engines must leave it out. The
// script receives the prefixes of the paths of channels and of public libraries, to link
// its rows.
func (s *Server) shell(p site.Page, l i18n.Locale) (*page.Rendered, error) {
	v := s.pages.View(p, l, shell{Tabs: 3, Rows: 8, Formats: library.Formats, Login: login, Apps: apps})
	v.NoIndex = true
	v.Data = map[string]string{"channel": site.Channel.Path(l, ""), "public": site.Public.Path(l, "")}
	v.Modules = []string{p.String()}
	if p != site.Library { // which uses the texts of the area keep, not its module
		v.Modules = append(v.Modules, "keep")
	}
	v.Areas = append(v.Areas, "keep", "owner")
	return v.Show()
}

// A shell is the body of a page before its script has received the rows.
type shell struct {
	Tabs, Rows int      // number of placeholders
	Formats    []string // formats of feeds, such as m3u
	Login      []string // parts of a login of Xtream Codes
	Apps       []app    // programs with instructions for feeds
}

// Upper returns the name of a format in upper case.
func (shell) Upper(format string) string { return strings.ToUpper(format) }

// login names the fields of a login of Xtream Codes, in the order in which players ask
// for them.
var login = []string{"server", "user", "password"}

// An app is a program that plays feeds.
type app struct {
	Name string
	Help string // key of the text with its instructions
}

var apps = []app{
	{"VLC", "library.app_vlc"},
	{"Kodi", "library.app_kodi"},
	{"TiviMate", "library.app_tivimate"},
	{"Jellyfin", "library.app_jellyfin"},
}
