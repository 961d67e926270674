package page

import (
	"html/template"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// The head of a page addresses search engines and the services where links are
// shared. It names one canonical URL, however the page was reached; the URL of the
// same page in each language, which must agree among the pages (hreflang); and a
// picture with its size, which some services need before they show a preview.

// territories are the locales as Open Graph writes them.
var territories = [...]string{i18n.PT: "pt_BR", i18n.EN: "en_US", i18n.ES: "es_ES", i18n.FR: "fr_FR", i18n.DE: "de_DE"}

// An Alternate is the same page in another language.
type Alternate struct {
	Lang string // in the form of hreflang
	URL  string
}

// An Other is another form of the page that programs read, such as its list for media
// players.
type Other struct {
	Type  string // media type, one of ours and not of a caller
	URL   string
	Title string // as programs offer it
}

// TypeAttr returns the attribute type as it stands: a template writes + as &#43;, which
// programs that search the page for "+oembed" do not find.
func (o Other) TypeAttr() template.HTMLAttr { return template.HTMLAttr(`type="` + o.Type + `"`) }

// absolute returns the canonical URL of the page in a locale; empty when the page
// does not exist in that locale. It has no query except the view's Variant.
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

// Alternates lists the page in every locale in which it exists, including its own.
// The last entry, x-default, is the page for visitors with any other language: the
// Portuguese one, whose paths have no language prefix.
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

// AsMarkdown reports whether the page is also rendered as Markdown.
func (v *View) AsMarkdown() bool { return hasMarkdown(v.Page) }

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

// Service returns the name of the service, for templates.
func (v *View) Service() string { return Service }

// Service is the name of the service.
const Service = site.Name

// A Picture is the preview that other services show with a link to a page.
type Picture struct {
	URL           string
	Width, Height int // in pixels; 0 when unknown
}

// Picture returns the preview picture of the page: for a channel the drawn one,
// else the view's Image, else the picture of the service.
func (v *View) Picture() Picture {
	switch {
	case v.Page == site.Channel:
		return Picture{v.Base() + site.ChannelPicture(v.Name), site.PictureWidth, site.PictureHeight}
	case v.Image != "":
		return Picture{URL: v.Image}
	}
	return Picture{v.Base() + site.PicturePath, site.PictureWidth, site.PictureHeight}
}

// Changes returns the path of the feed of the catalog's changes, for the pages that are
// about the whole catalog; empty for the others.
func (v *View) Changes() string {
	if v.Page != site.Home && v.Page != site.Countries {
		return ""
	}
	return catalog.IndexPath + "changes.atom?lang=" + v.Locale.Tag()
}

// Manifest returns the path of the app manifest.
func (v *View) Manifest() string { return ManifestPath(v.Locale) }

// OpenSearch returns the path of the description of the search.
func (v *View) OpenSearch() string { return OpenSearchPath(v.Locale) }

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
