// Package static embeds the files that pages load: scripts, styles, icons and
// the worker of a player. `make generate` builds them; assets.json leads from
// their names to their files.
package static

import "embed"

// FS holds the files. In a tree where nothing was built it has only the README,
// and pages come without styles and scripts.
//
//go:embed *
var FS embed.FS
