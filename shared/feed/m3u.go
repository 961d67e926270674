package feed

import (
	"slices"
	"strconv"
	"strings"
)

// M3U returns l in extended M3U, with the attributes that players of
// television know, in UTF-8 without a mark and with line feeds.
//
// The first line tells where the guide is under both names that are in use. It
// holds one address: Kodi cuts a list of them at the comma. An empty list is that
// line alone. Each entry is its line, the options for its origin, and one
// address.
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

// appendM3U adds the lines of e, which is number in its list. A live stream
// has no length, which is written as -1. Kodi takes the length for the id of an
// entry without one, and Jellyfin the end of the address for the number of one
// without one: both are always there.
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
	b = append(append(append(b, ','), shown(name)...), '\n')
	b = appendOption(b, "http-referrer", e.Referrer)
	b = appendOption(b, "http-user-agent", e.Agent)
	return append(append(b, escapeURL(e.URL)...), '\n')
}

// appendAttribute adds an attribute, unless it is empty. The value is clean.
func appendAttribute(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(append(append(b, ' '), name...), `="`...)
	return append(append(b, value...), '"')
}

// appendOption adds a line that VLC, Kodi and others read as a header to send.
// As an attribute it would be misread for its comma, and after the address VLC
// would take it for a part of that.
func appendOption(b []byte, name, value string) []byte {
	if value = line(value); value == "" {
		return b
	}
	b = append(append(append(b, "#EXTVLCOPT:"...), name...), '=')
	return append(append(b, value...), '\n')
}

// logo returns the address of a logo as the value of an attribute. One that
// holds the name of an attribute by which Kodi knows a recording is left out.
func logo(s string) string {
	s = escapeURL(s)
	if slices.ContainsFunc(recordings, func(name string) bool { return strings.Contains(s, name) }) {
		return ""
	}
	return s
}

// recordings are what makes Kodi take an entry for something else than a live
// channel, wherever in its line it stands.
var recordings = []string{"media=", "media-dir=", "media-size=", "catchup", "timeshift=", "provider="}
