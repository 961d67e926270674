// Package library serves the pages of what a visitor keeps: the library, the
// favorites and the history.
//
// The pages are empty shells that are the same for every visitor: only the script
// has the visitor's token, and asks the API.
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

func (s *Server) library(_ context.Context, l i18n.Locale, _ struct{}) (*page.Sheet, error) {
	return s.shell(site.Library, l)
}

func (s *Server) favorites(_ context.Context, l i18n.Locale, _ struct{}) (*page.Sheet, error) {
	return s.shell(site.Favorites, l)
}

func (s *Server) history(_ context.Context, l i18n.Locale, _ struct{}) (*page.Sheet, error) {
	return s.shell(site.History, l)
}

// shell renders one of the pages.
func (s *Server) shell(p site.Page, l i18n.Locale) (*page.Sheet, error) {
	v := s.pages.View(p, l, shell{Tabs: 3, Rows: 8, Formats: library.Formats, Apps: apps})
	v.NoIndex = true
	v.Data = map[string]string{"channel": site.Channel.Path(l, "")}
	v.Areas = append(v.Areas, "keep")
	if p == site.Library {
		v.Modules = v.Areas[:1] // the page uses the texts of the area keep, not its module
	}
	return v.Show()
}

// A shell is what a page shows until its script has asked the API.
type shell struct {
	Tabs, Rows int      // placeholders of tabs and rows
	Formats    []string // of feeds
	Apps       []app
}

// Upper returns the name of a format in upper case.
func (shell) Upper(format string) string { return strings.ToUpper(format) }

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
