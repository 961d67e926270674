package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"miramundo.dev/functions/web/poster"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

const (
	manifestType  = "application/manifest+json"
	manifests     = "/manifest/"
	iconsPath     = "/icons/"
	touchIconPath = "/apple-touch-icon.png"
	faviconPath   = "/favicon.ico"

	smallIcon = 192 // sides of icons, in pixels
	largeIcon = 512
	touchIcon = 180
)

// installed is what makes an app of the pages.
var installed = []api.Endpoint{
	api.Bind((*Server).manifest, api.Endpoint{
		Method: "GET", Path: manifests + "{file}", Auth: api.None, Page: true,
		Doc:    "The manifest of the pages as an app, in a locale: its tag and .webmanifest.",
		Faults: []*fault.Error{fault.ErrNotFound}, Cache: api.Public(time.Hour), Produces: []string{manifestType},
	}),
	api.Bind((*Server).icon, api.Endpoint{
		Method: "GET", Path: iconsPath + "{file}", Auth: api.None, Page: true,
		Doc:    "An icon of the app.",
		Faults: []*fault.Error{fault.ErrNotFound}, Cache: api.Public(24 * time.Hour), Produces: []string{"image/png"},
	}),
	api.Bind((*Server).touchIcon, api.Endpoint{
		Method: "GET", Path: touchIconPath, Auth: api.None, Page: true,
		Doc:   "The icon for home screens that cut it into a form of their own.",
		Cache: api.Public(24 * time.Hour), Produces: []string{"image/png"},
	}),
	api.Bind((*Server).favicon, api.Endpoint{
		Method: "GET", Path: faviconPath, Auth: api.None, Page: true,
		Doc:   "The icon for those who look for it without a page.",
		Cache: api.Public(24 * time.Hour), Produces: []string{"image/vnd.microsoft.icon"},
	}),
}

// A manifest of the app, as the W3C describes it.
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
}

type appIcon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"`
}

// A shortcut is a page that the menu of the installed app leads to.
type shortcut struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

const manifestExt = ".webmanifest"

func manifestPath(l i18n.Locale) string { return manifests + l.Tag() + manifestExt }

func iconPath(side int) string { return fmt.Sprintf("%s%d.png", iconsPath, side) }

func wholeIconPath(side int) string { return fmt.Sprintf("%smaskable-%d.png", iconsPath, side) }

// manifestOf describes the app in a locale.
func (s *Server) manifestOf(l i18n.Locale) appManifest {
	m := appManifest{
		ID: site.Home.Path(l, ""), Name: l.T("seo.app_name", nil), ShortName: service, Description: l.T("seo.app_description", nil),
		Lang: l.HTML(), Dir: "ltr", StartURL: site.Home.Path(l, ""), Scope: "/", Display: "standalone",
		ThemeColour: barLight.Colour, BackgroundColor: groundColour, Categories: []string{"entertainment", "news"},
	}
	if svg, ok := s.assets.address["icon.svg"]; ok {
		m.Icons = append(m.Icons, appIcon{svg, "any", "image/svg+xml", "any"})
	}
	for _, side := range []int{smallIcon, largeIcon} {
		sizes := fmt.Sprintf("%dx%d", side, side)
		m.Icons = append(m.Icons, appIcon{iconPath(side), sizes, "image/png", "any"}, appIcon{wholeIconPath(side), sizes, "image/png", "maskable"})
	}
	for _, p := range []site.Page{site.Favorites, site.Library} {
		m.Shortcuts = append(m.Shortcuts, shortcut{l.T("layout."+p.String(), nil), p.Path(l, "")})
	}
	return m
}

type fileIn struct {
	File string `path:"file" maxLength:"192" description:"Its name."`
}

func (s *Server) manifest(_ context.Context, in fileIn) (api.Content, error) {
	tag, ok := strings.CutSuffix(in.File, manifestExt)
	l, found := localeOf(tag)
	if !ok || !found {
		return api.Content{}, fault.ErrNotFound
	}
	data, err := json.Marshal(s.manifestOf(l))
	if err != nil {
		return api.Content{}, err
	}
	return contentOf(manifestType, data), nil
}

// localeOf returns the locale whose tag this is, to the letter.
func localeOf(tag string) (i18n.Locale, bool) {
	l, ok := i18n.Find(tag)
	return l, ok && l.Tag() == tag
}

// contentOf returns what is told apart by its bytes.
func contentOf(mediaType string, data []byte) api.Content {
	sum := sha256.Sum256(data)
	return api.Content{Type: mediaType, Data: data, Tag: hex.EncodeToString(sum[:8])}
}

// icons are drawn when the first of them is asked for.
var icons = sync.OnceValue(func() map[string]api.Content {
	all := map[string]api.Content{}
	add := func(path, mediaType string, draw func() ([]byte, error)) {
		data, err := draw()
		if err != nil {
			panic(fmt.Sprintf("web: %s: %v", path, err)) // never: what is drawn is constant
		}
		all[path] = contentOf(mediaType, data)
	}
	for _, side := range []int{smallIcon, largeIcon} {
		add(iconPath(side), "image/png", func() ([]byte, error) { return poster.Icon(side) })
		add(wholeIconPath(side), "image/png", func() ([]byte, error) { return poster.WholeIcon(side) })
	}
	add(touchIconPath, "image/png", func() ([]byte, error) { return poster.WholeIcon(touchIcon) })
	add(faviconPath, "image/vnd.microsoft.icon", poster.Favicon)
	return all
})

func (s *Server) icon(_ context.Context, in fileIn) (api.Content, error) {
	im, ok := icons()[iconsPath+in.File]
	if !ok {
		return api.Content{}, fault.ErrNotFound
	}
	return im, nil
}

func (s *Server) touchIcon(context.Context, struct{}) (api.Content, error) {
	return icons()[touchIconPath], nil
}

func (s *Server) favicon(context.Context, struct{}) (api.Content, error) {
	return icons()[faviconPath], nil
}
