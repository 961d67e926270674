package page

import (
	"context"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Below returns a path below the home page of a locale. path begins with a slash.
func Below(l i18n.Locale, path string) string {
	return strings.TrimSuffix(site.Home.Path(l, ""), "/") + path
}

// Below returns a path below the home page in the language of the page.
func (v *View) Below(path string) string { return Below(v.Locale, path) }

// Parts returns the endpoints of a piece of a page, one for each locale, at a path below
// its home page. show renders the piece, as [View.ShowPart] does, for a script that puts
// it into the page. It is the same for every visitor, and caches keep it as they keep
// pages. The tag of the locale is added to the summary, which must be unique.
func Parts[S, In any](path, summary, doc string, show func(S, i18n.Locale, In) (*Rendered, error), faults ...*fault.Error) []api.Endpoint {
	var all []api.Endpoint
	for _, l := range i18n.Locales {
		all = append(all, api.Bind(func(s S, _ context.Context, in In) (*Rendered, error) { return show(s, l, in) }, api.Endpoint{
			Method: "GET", Path: Below(l, path), Auth: api.None, Page: true,
			Summary: summary + " (" + l.Tag() + ")", Doc: doc,
			Faults: faults, Cache: cache, Produces: []string{htmlMedia},
		}))
	}
	return all
}
