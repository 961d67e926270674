package web

import (
	"context"
	"strings"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/site"
)

// The pages of what a person keeps are shells: whose they are only the browser
// knows, whose script asks the API.

func (s *Server) library(_ context.Context, l i18n.Locale, _ struct{}) (*sheet, error) {
	return s.own(site.Library, l)
}

func (s *Server) favorites(_ context.Context, l i18n.Locale, _ struct{}) (*sheet, error) {
	return s.own(site.Favorites, l)
}

func (s *Server) history(_ context.Context, l i18n.Locale, _ struct{}) (*sheet, error) {
	return s.own(site.History, l)
}

func (s *Server) own(p site.Page, l i18n.Locale) (*sheet, error) {
	v := s.view(p, l, shell{Tabs: 3, Rows: 8, Formats: library.Formats, Apps: apps})
	v.NoIndex = true
	v.Data = map[string]string{"channel": site.Channel.Path(l, "")}
	v.Areas = append(v.Areas, "keep")
	if p == site.Library {
		v.Modules = v.Areas[:1] // which needs but the texts of keeping
	}
	return v.show()
}

// A shell is what such a page shows before its script has asked.
type shell struct {
	Tabs, Rows int      // how many stand for what is not there yet
	Formats    []string // of feeds
	Apps       []app
}

// Upper returns the name of a format as people write it.
func (shell) Upper(format string) string { return strings.ToUpper(format) }

// An app plays feeds.
type app struct {
	Name string
	Help string // key of the text that says how
}

var apps = []app{
	{"VLC", "library.app_vlc"},
	{"Kodi", "library.app_kodi"},
	{"TiviMate", "library.app_tivimate"},
	{"Jellyfin", "library.app_jellyfin"},
}
