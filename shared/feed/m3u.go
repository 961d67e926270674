package feed

import (
	"slices"
	"strconv"
	"strings"
)

// M3U returns l as extended M3U with the attributes of TV players, in UTF-8
// without a byte order mark and with LF line ends.
//
// The first line has the URL of the guide under both names in use. It has
// only one, because Kodi cuts a list of URLs at the comma. An empty list is
// that line alone. Each entry is its line, the options for its origin, and
// its URL.
func (l *List) M3U() []byte {
	entries := l.media()
	b := make([]byte, 0, 64+400*len(entries))
	b = append(b, "#EXTM3U"...)
	if l.Guide != "" {
		guide := escapeURL(l.Guide)
		b = appendAttribute(b, "x-tvg-url", guide)
		b = appendAttribute(b, "url-tvg", guide)
	}
	b = append(b, '\n')
	for i := range entries {
		b = entries[i].appendM3U(b, i+1)
	}
	return b
}

// appendM3U appends the lines of e, the entry with the given number. A live
// stream has the length -1. Kodi uses the length as the id of an entry
// without one, and Jellyfin the end of the URL as its number, so both
// attributes are always written.
func (e *Entry) appendM3U(b []byte, number int) []byte {
	name := title(e.Name)
	if name == "" {
		name = title(e.Channel)
	}
	b = append(b, "#EXTINF:-1"...)
	b = appendAttribute(b, "tvg-id", e.guideID())
	b = appendAttribute(b, "tvg-name", name)
	b = appendAttribute(b, "tvg-chno", strconv.Itoa(number))
	b = appendAttribute(b, "tvg-logo", logo(e.Logo))
	b = appendAttribute(b, "tvg-country", attribute(e.Country))
	b = appendAttribute(b, "tvg-language", attribute(strings.Join(e.Spoken, ";")))
	if e.Radio {
		b = appendAttribute(b, "radio", "true")
	}
	b = appendAttribute(b, "group-title", group(e.Group))
	b = append(append(append(b, ','), displayTitle(name)...), '\n')
	b = appendOption(b, "http-referrer", e.Referrer)
	b = appendOption(b, "http-user-agent", e.Agent)
	return append(append(b, escapeURL(e.URL)...), '\n')
}

// appendAttribute appends an attribute with a clean value, unless it is
// empty.
func appendAttribute(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(append(append(b, ' '), name...), `="`...)
	return append(append(b, value...), '"')
}

// appendOption appends a line that VLC, Kodi and others read as a request
// header. In an attribute its comma would be misread, and after the URL VLC
// would take it as part of that.
func appendOption(b []byte, name, value string) []byte {
	if value = line(value); value == "" {
		return b
	}
	b = append(append(append(b, "#EXTVLCOPT:"...), name...), '=')
	return append(append(b, value...), '\n')
}

// logo returns the URL of a logo as the value of an attribute. It is left out
// when it contains an attribute name by which Kodi recognizes recordings.
func logo(s string) string {
	s = escapeURL(s)
	if slices.ContainsFunc(recordingMarks, func(name string) bool { return strings.Contains(s, name) }) {
		return ""
	}
	return s
}

// recordingMarks make Kodi take an entry for something other than a live
// channel, wherever they are in its line.
var recordingMarks = []string{"media=", "media-dir=", "media-size=", "catchup", "timeshift=", "provider="}
