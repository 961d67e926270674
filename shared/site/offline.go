package site

import "miramundo.dev/shared/i18n"

// WorkerPath is the path of the service worker, which is in charge of all pages.
const WorkerPath = "/sw.js"

// OfflinePath returns the path, in a locale, of the page that the service worker shows
// in place of one that it cannot fetch. It is no page of this site, as that of
// [EmbedPath] is none.
func OfflinePath(l i18n.Locale) string { return root(l) + "/offline" }
