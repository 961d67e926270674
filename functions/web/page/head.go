package page

import (
	"miramundo.dev/functions/web/poster"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// The head of a page is written for search engines and for the services where
// links to it are shared: its one URL, the same page in other languages, and a
// picture.

// territories are the locales as Open Graph writes them.
var territories = [...]string{i18n.PT: "pt_BR", i18n.EN: "en_US", i18n.ES: "es_ES", i18n.FR: "fr_FR", i18n.DE: "de_DE"}

// An Alternate is the same page in another language.
type Alternate struct {
	Lang string // in the form of hreflang
	URL  string
}

// absolute returns the URL of the page in a locale; empty when the page does not
// exist in that locale. Of the query it has only what makes another page.
func (v *View) absolute(l i18n.Locale) string {
	path := v.In(l)
	if path == "" {
		return ""
	}
	if v.Variant != "" {
		path += "?" + v.Variant
	}
	return v.Base() + path
}

// Canonical returns the preferred URL of the page.
func (v *View) Canonical() string { return v.absolute(v.Locale) }

// Alternates lists the page in every locale that has it, its own included. The
// last entry is the page for visitors with any other language.
func (v *View) Alternates() []Alternate {
	var all []Alternate
	for _, l := range i18n.Locales {
		if address := v.absolute(l); address != "" {
			all = append(all, Alternate{l.HTML(), address})
		}
	}
	if address := v.absolute(i18n.PT); address != "" {
		all = append(all, Alternate{"x-default", address})
	}
	return all
}

// Territory returns the locale as Open Graph writes it.
func (v *View) Territory() string { return territories[v.Locale] }

// Territories returns the other locales as Open Graph writes them.
func (v *View) Territories() []string {
	var others []string
	for _, l := range i18n.Locales {
		if l != v.Locale {
			others = append(others, territories[l])
		}
	}
	return others
}

// Service returns the name of the service.
func (v *View) Service() string { return Service }

// Service is the name of the service.
const Service = "Miramundo"

// A Picture is shown where a link to a page is shared.
type Picture struct {
	URL           string
	Width, Height int // in pixels; 0 when unknown
}

// Picture returns the picture of the page: the one drawn for a channel, else its
// Image, else that of the service.
func (v *View) Picture() Picture {
	switch {
	case v.Page == site.Channel:
		return Picture{v.Base() + ChannelPicture(v.Name), poster.Width, poster.Height}
	case v.Image != "":
		return Picture{URL: v.Image}
	}
	return Picture{v.Base() + SitePicture, poster.Width, poster.Height}
}

// Manifest returns the path of the app manifest.
func (v *View) Manifest() string { return ManifestPath(v.Locale) }

// TouchIcon returns the path of the icon for home screens.
func (v *View) TouchIcon() string { return TouchIcon }

// A Scheme is the colour that browsers give to their bars around a page in a
// theme.
type Scheme struct{ Name, Colour string }

// The colours of the browser's bars and of the ground of pages, which must be
// those of style/tokens.css.
var (
	BarLight = Scheme{"light", "#ffffff"}
	BarDark  = Scheme{"dark", "#151c1a"}
)

// GroundColour is the background colour of pages in the light theme, which must
// be that of style/tokens.css.
const GroundColour = "#f6f7f5"

// Schemes returns the colour of the browser's bars in each theme.
func (v *View) Schemes() []Scheme { return []Scheme{BarLight, BarDark} }
