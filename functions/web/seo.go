package web

import (
	"strings"

	"miramundo.dev/functions/web/poster"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// What search engines are told of a page, and those with whom it is shared: the
// words of its head.

// territories are the locales as Open Graph says them.
var territories = [...]string{i18n.PT: "pt_BR", i18n.EN: "en_US", i18n.ES: "es_ES", i18n.FR: "fr_FR", i18n.DE: "de_DE"}

// An alternate is the same page in another language.
type alternate struct {
	Lang string // as hreflang has it
	URL  string
}

// absolute returns the whole address of the page in a locale; empty when it is
// not there in that. Of a query only what makes another page belongs to it: the
// kind that a list is of.
func (v *view) absolute(l i18n.Locale) string {
	path := v.In(l)
	if path == "" {
		return ""
	}
	if list, ok := v.Body.(*listing); ok && list.plain() {
		if _, query, ok := strings.Cut(list.address(), "?"); ok {
			path += "?" + query
		}
	}
	return v.Base() + path
}

// Canonical returns the one address of the page, whatever led to it.
func (v *view) Canonical() string { return v.absolute(v.Locale) }

// Alternates lists the page in every locale that has it, itself included; last,
// which of them is for everyone else.
func (v *view) Alternates() []alternate {
	var all []alternate
	for _, l := range i18n.Locales {
		if address := v.absolute(l); address != "" {
			all = append(all, alternate{l.HTML(), address})
		}
	}
	if address := v.absolute(i18n.PT); address != "" {
		all = append(all, alternate{"x-default", address})
	}
	return all
}

// Territory returns the locale as Open Graph says it.
func (v *view) Territory() string { return territories[v.Locale] }

// Territories returns the other locales, likewise.
func (v *view) Territories() []string {
	var others []string
	for _, l := range i18n.Locales {
		if l != v.Locale {
			others = append(others, territories[l])
		}
	}
	return others
}

// Service returns the name of the service.
func (v *view) Service() string { return service }

const service = "Miramundo"

// A picture stands for a page where a link to it is shared.
type picture struct {
	URL           string
	Width, Height int // in pixels; 0 when they are not known
}

// Picture returns the picture of the page: of a channel what is drawn of it, else
// its Image, else that of the service.
func (v *view) Picture() picture {
	switch {
	case v.Page == site.Channel:
		return picture{v.Base() + pictureOf(v.Name), poster.Width, poster.Height}
	case v.Image != "":
		return picture{URL: v.Image}
	}
	return picture{v.Base() + picturePath, poster.Width, poster.Height}
}

// Manifest returns the path of the manifest of the app.
func (v *view) Manifest() string { return manifestPath(v.Locale) }

// TouchIcon returns the path of the icon for home screens.
func (v *view) TouchIcon() string { return touchIconPath }

// A scheme is what the bar of the browser around a page is coloured with.
type scheme struct{ Name, Colour string }

// The colours of the bar at the top, and of the ground below it, as
// style/tokens.css has them.
var (
	barLight, barDark = scheme{"light", "#ffffff"}, scheme{"dark", "#151c1a"}
	groundColour      = "#f6f7f5"
)

// Schemes returns the colour of the bar in each theme.
func (v *view) Schemes() []scheme { return []scheme{barLight, barDark} }
