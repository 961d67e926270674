package site

import (
	"net/url"

	"miramundo.dev/shared/i18n"
)

// embedPath is the path of the player of a channel for other sites, below the root of
// each locale. It is no page of this site: no page links to it, and no list has it.
const embedPath = "/embed/" + idParam

// EmbedTemplate returns the path, in a locale, of the player of a channel that other
// sites frame, with {id} in the place of the channel's id.
func EmbedTemplate(l i18n.Locale) string { return root(l) + embedPath }

// EmbedPath returns the path, in a locale, of the player of a channel that other sites
// frame.
func EmbedPath(l i18n.Locale, id string) string {
	return root(l) + embedPath[:len(embedPath)-len(idParam)] + url.PathEscape(id)
}
