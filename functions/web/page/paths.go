package page

import (
	"fmt"
	"net/url"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
)

// Paths of files that pages name in their heads, and that package sitefiles
// serves.
const (
	Manifests   = "/manifest/"
	ManifestExt = ".webmanifest"
	Icons       = "/icons/"
	TouchIcon   = "/apple-touch-icon.png"
	SitePicture = "/og.png"
	Pictures    = "/og/"
	PictureExt  = ".png"
)

// LargeIcon is the side of the largest icon, in pixels.
const LargeIcon = 512

// ManifestPath returns the path of the app manifest in a locale.
func ManifestPath(l i18n.Locale) string { return Manifests + l.Tag() + ManifestExt }

// IconPath returns the path of the icon with a side in pixels.
func IconPath(side int) string { return fmt.Sprintf("%s%d.png", Icons, side) }

// ChannelPicture returns the path of the picture of a channel.
func ChannelPicture(id string) string { return Pictures + url.PathEscape(id) + PictureExt }

// API returns the path of the index of the API.
func (v *View) API() string { return catalog.IndexPath }

// OpenAPI returns the path of the description of the API.
func (v *View) OpenAPI() string { return api.DescriptionPath }
