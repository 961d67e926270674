package feeds

import (
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/library"
)

// A level is a part of a library that has feeds. Its files are described one by
// one, because each has a media type of its own.
type level struct {
	word     string // of the names of operations
	title    string // of summaries and descriptions
	segment  string // of the files of its lists, before the format
	wildcard string // description of the wildcard of segment
	public   bool
}

var (
	wholeLibrary = level{"library", "a library", libraryFile, "", false}
	oneFolder    = level{"folder", "a folder", "{category}", "Slug of the folder.", false}
	oneSubtab    = level{"subtab", "a sub-tab", "{group}", "Slug of the sub-tab.", false}

	wholePublic = level{"public_library", "a public library", libraryFile, "", true}
	onePublic   = level{"public_folder", "a public folder", "{category}", "Slug of the folder.", true}
)

// open is what the description of every feed of a public library ends with.
const open = " Players subscribe to it. The address contains no secret; it answers 404 when its owner publishes it no longer, and while it is hidden."

// end returns what the descriptions of the files of l end with.
func (l level) end() string {
	if l.public {
		return open
	}
	return secret
}

// secret is what the description of every private feed ends with.
const secret = " Players subscribe to it. The token in the path is the only credential: anyone who has the address can read the feed."

// listMedia are the media types of the formats of lists.
var listMedia = map[string]string{feed.M3U: feed.M3UType, feed.M3U8: feed.M3UType, feed.JSON: feed.JSONType, feed.XSPF: feed.XSPFType}

// lists returns the files of the playlists of l.
func (l level) lists() (files []api.File) {
	for _, format := range library.Formats {
		title := strings.ToUpper(format)
		files = append(files, api.File{
			Name:    "get_" + l.word + "_feed_" + format,
			Segment: l.segment + "." + format, Wildcard: l.wildcard, Media: listMedia[format],
			Summary: "Get the feed of " + l.title + " as " + title,
			Doc:     "Returns the channels of " + l.title + " as a playlist in the format " + title + "." + l.end(),
		})
	}
	return files
}

// guides returns the files of the programme guides of l.
func (l level) guides() []api.File {
	doc := "Returns the programmes of the channels of " + l.title + " as an XMLTV guide"
	return []api.File{
		{
			Name: "get_" + l.word + "_guide", Segment: guideName + "." + feed.XMLTV, Media: feed.GuideType,
			Summary: "Get the guide of " + l.title + " as XMLTV", Doc: doc + "." + l.end(),
		},
		{
			Name: "get_" + l.word + "_guide_gz", Segment: guideName + "." + feed.Archive, Media: feed.ArchiveType,
			Summary: "Get the guide of " + l.title + " in gzip", Doc: doc + ", compressed in a gzip file." + l.end(),
		},
	}
}
