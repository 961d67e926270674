package sitefiles

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/poster"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

const (
	manifestType = "application/manifest+json"
	faviconPath  = "/favicon.ico"

	smallIcon = 192 // sides of icons, in pixels
	touchIcon = 180
)

// installed are the endpoints of the files with which browsers install the pages as
// an app: the web app manifest, one for each language, and the icons. The icons are
// drawn by package poster when the first of them is requested, and kept.
var installed = []api.Endpoint{
	api.Bind((*Server).manifest, api.Endpoint{
		Method: "GET", Path: page.Manifests + "{file}", Auth: api.None, Page: true,
		Summary: "Get the web app manifest",
		Doc: "Returns the manifest that lets browsers install the pages as an app in one language. The file name is the language tag " +
			"followed by .webmanifest.",
		Faults: []*fault.Error{fault.ErrNotFound}, Cache: api.Public(time.Hour), Produces: []string{manifestType},
	}),
	api.Bind((*Server).icon, api.Endpoint{
		Method: "GET", Path: page.Icons + "{file}", Auth: api.None, Page: true,
		Summary: "Get an icon of the app",
		Doc:     "Returns a PNG image that the web app manifest names.",
		Faults:  []*fault.Error{fault.ErrNotFound}, Cache: api.Public(24 * time.Hour), Produces: []string{"image/png"},
	}),
	api.Bind((*Server).touchIcon, api.Endpoint{
		Method: "GET", Path: page.TouchIcon, Auth: api.None, Page: true,
		Summary: "Get the touch icon",
		Doc:     "Returns the PNG icon for home screens, which cut it to a shape of their own.",
		Cache:   api.Public(24 * time.Hour), Produces: []string{"image/png"},
	}),
	api.Bind((*Server).favicon, api.Endpoint{
		Method: "GET", Path: faviconPath, Auth: api.None, Page: true,
		Summary: "Get the favicon",
		Doc:     "Returns the icon for clients that request it at its usual address without having read a page.",
		Cache:   api.Public(24 * time.Hour), Produces: []string{"image/vnd.microsoft.icon"},
	}),
}

// An appManifest is the manifest of the app, as the W3C's Web Application Manifest
// specifies it.
type appManifest struct {
	ID              string     `json:"id"`
	Name            string     `json:"name"`
	ShortName       string     `json:"short_name"`
	Description     string     `json:"description"`
	Lang            string     `json:"lang"`
	Dir             string     `json:"dir"`
	StartURL        string     `json:"start_url"`
	Scope           string     `json:"scope"`
	Display         string     `json:"display"`
	ThemeColour     string     `json:"theme_color"`
	BackgroundColor string     `json:"background_color"`
	Categories      []string   `json:"categories"`
	Icons           []appIcon  `json:"icons"`
	Shortcuts       []shortcut `json:"shortcuts"`

	ShareTarget      shareTarget       `json:"share_target"`
	ProtocolHandlers []protocolHandler `json:"protocol_handlers"`
	LaunchHandler    launchHandler     `json:"launch_handler"`
}

// A shareTarget says how the app is opened with what another app shares.
type shareTarget struct {
	Action string      `json:"action"`
	Method string      `json:"method"`
	Params shareParams `json:"params"`
}

// shareParams are the names of the parameters.
type shareParams struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	URL   string `json:"url"`
}

// A protocolHandler says how the app is opened with addresses of a scheme, which take the
// place of %s.
type protocolHandler struct {
	Protocol string `json:"protocol"`
	URL      string `json:"url"`
}

// A launchHandler says in which window a link opens.
type launchHandler struct {
	ClientMode string `json:"client_mode"`
}

// An appIcon is an icon of the app. Purpose is any, or maskable for an icon that
// systems may cut into a shape.
type appIcon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"`
}

// A shortcut is a page in the menu of the installed app.
type shortcut struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// maskableIcon returns the path of the icon with a side in pixels that systems may
// cut into any shape.
func maskableIcon(side int) string { return fmt.Sprintf("%smaskable-%d.png", page.Icons, side) }

// manifestOf returns the manifest of the app in a locale.
func (s *Server) manifestOf(l i18n.Locale) appManifest {
	m := appManifest{
		ID: site.Home.Path(l, ""), Name: l.T("seo.app_name", nil), ShortName: page.Service, Description: l.T("seo.app_description", nil),
		Lang: l.HTML(), Dir: "ltr", StartURL: site.Home.Path(l, ""), Scope: "/", Display: "standalone",
		ThemeColour: page.BarLight.Colour, BackgroundColor: page.GroundColour, Categories: []string{"entertainment", "news"},
	}
	open := page.Below(l, page.Open)
	m.ShareTarget = shareTarget{open, "GET", shareParams{"title", "text", "url"}}
	m.ProtocolHandlers = []protocolHandler{{site.Scheme, open + "?url=%s"}}
	m.LaunchHandler.ClientMode = "navigate-existing"
	if svg := s.Icon; svg != "" {
		m.Icons = append(m.Icons, appIcon{svg, "any", "image/svg+xml", "any"})
	}
	for _, side := range []int{smallIcon, page.LargeIcon} {
		sizes := fmt.Sprintf("%dx%d", side, side)
		m.Icons = append(m.Icons, appIcon{page.IconPath(side), sizes, "image/png", "any"}, appIcon{maskableIcon(side), sizes, "image/png", "maskable"})
	}
	for _, p := range []site.Page{site.Favorites, site.Library} {
		m.Shortcuts = append(m.Shortcuts, shortcut{l.T("layout."+p.String(), nil), p.Path(l, "")})
	}
	return m
}

// manifest returns the manifest of the language in the file's name.
func (s *Server) manifest(_ context.Context, in fileIn) (api.Content, error) {
	l, ok := in.locale(page.ManifestExt)
	if !ok {
		return api.Content{}, fault.ErrNotFound
	}
	data, err := json.Marshal(s.manifestOf(l))
	if err != nil {
		return api.Content{}, err
	}
	return contentOf(manifestType, data), nil
}

// localeOf returns the locale with exactly this tag, so that each file has one URL.
func localeOf(tag string) (i18n.Locale, bool) {
	l, ok := i18n.Find(tag)
	return l, ok && l.Tag() == tag
}

// icons returns the icons by path. The first call draws all of them.
var icons = sync.OnceValue(func() map[string]api.Content {
	all := map[string]api.Content{}
	add := func(path, mediaType string, draw func() ([]byte, error)) {
		data, err := draw()
		if err != nil {
			panic(fmt.Sprintf("sitefiles: %s: %v", path, err)) // never: the drawings are constant
		}
		all[path] = contentOf(mediaType, data)
	}
	for _, side := range []int{smallIcon, page.LargeIcon} {
		add(page.IconPath(side), "image/png", func() ([]byte, error) { return poster.Icon(side) })
		add(maskableIcon(side), "image/png", func() ([]byte, error) { return poster.WholeIcon(side) })
	}
	add(page.TouchIcon, "image/png", func() ([]byte, error) { return poster.WholeIcon(touchIcon) })
	add(faviconPath, "image/vnd.microsoft.icon", poster.Favicon)
	return all
})

// icon returns an icon by its file name.
func (s *Server) icon(_ context.Context, in fileIn) (api.Content, error) {
	im, ok := icons()[page.Icons+in.File]
	if !ok {
		return api.Content{}, fault.ErrNotFound
	}
	return im, nil
}

// touchIcon returns the icon for the home screens of iOS.
func (s *Server) touchIcon(context.Context, struct{}) (api.Content, error) {
	return icons()[page.TouchIcon], nil
}

// favicon returns the icon in the ICO format.
func (s *Server) favicon(context.Context, struct{}) (api.Content, error) {
	return icons()[faviconPath], nil
}
