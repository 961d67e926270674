package page

import (
	"fmt"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
)

// Paths of files that pages name in their heads, and that package sitefiles
// serves.
const (
	Manifests     = "/manifest/" // followed by a language tag and ManifestExt
	ManifestExt   = ".webmanifest"
	OpenSearch    = "/opensearch/" // followed by a language tag and OpenSearchExt
	OpenSearchExt = ".xml"
	Icons         = "/icons/"               // followed by the name of an icon
	TouchIcon     = "/apple-touch-icon.png" // the address that iOS requests without a link
)

// Where and in which type browsers get suggestions while a visitor types in their own
// search field. The description of the search names both.
const (
	SuggestionsPath = "/suggestions"
	SuggestionsType = "application/x-suggestions+json"
)

// Surprise is the path, after that of the locale, that leads to a channel at random; the
// query may name its kind.
const Surprise = "/surprise"

// LargeIcon is the side of the largest icon, in pixels: with 192 one of the two
// sizes that browsers require before they offer to install an app.
const LargeIcon = 512

// ManifestPath returns the path of the app manifest in a locale.
func ManifestPath(l i18n.Locale) string { return Manifests + l.Tag() + ManifestExt }

// OpenSearchPath returns the path of the description of the search in a locale.
func OpenSearchPath(l i18n.Locale) string { return OpenSearch + l.Tag() + OpenSearchExt }

// Open is the path, after that of the locale, that the system opens in the installed app
// when a person shares something with it.
const Open = "/open"

// IconPath returns the path of the icon with a side in pixels.
func IconPath(side int) string { return fmt.Sprintf("%s%d.png", Icons, side) }

// API returns the path of the index of the API.
func (v *View) API() string { return catalog.IndexPath }

// OpenAPI returns the path of the description of the API.
func (v *View) OpenAPI() string { return api.DescriptionPath }

// APICatalog returns the path of the list of APIs.
func (v *View) APICatalog() string { return api.CatalogPath }

// LLMs returns the path of the map of the service for language models.
func (v *View) LLMs() string { return api.LLMsPath }
