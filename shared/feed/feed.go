// Package feed writes lists of channels as M3U, XSPF, JSON and XMLTV files
// for players, and as the documents of Xtream Codes.
//
// A [List] is plain values; its writers are functions of them. Each rule of a
// writer names the player that needs it. M3U has no escapes, so its values
// are cleaned; JSON and XSPF get them unchanged.
package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
)

// Levels of lists: how much of a library one is of, or that it is of a search.
const (
	Library  = "library"
	Category = "category"
	Group    = "group"
	Search   = "search"
)

// A List is channels in order, with a name, links and programmes.
type List struct {
	Name      string // any text
	Level     string
	Guide     string // URL of the guide of these channels; may be empty
	Feeds     Addresses
	UpdatedAt time.Time
	Entries   []Entry

	// Programmes returns the programmes of a channel by catalog id, in order.
	// It is nil when there is no guide.
	Programmes func(channel string) iter.Seq[Programme]
}

// Addresses are the URLs of a list by format.
type Addresses struct {
	M3U  string `json:"m3u" format:"uri"`
	M3U8 string `json:"m3u8" format:"uri"`
	JSON string `json:"json" format:"uri"`
	XSPF string `json:"xspf" format:"uri"`
}

// AddressesOf returns the URLs that as returns for each format.
func AddressesOf(as func(format string) string) Addresses {
	return Addresses{M3U: as(M3U), M3U8: as(M3U8), JSON: as(JSON), XSPF: as(XSPF)}
}

// An Entry is a channel in a list. Its texts may have any characters; its
// URLs are absolute or empty.
type Entry struct {
	Channel  string   // catalog id
	Name     string   // as the catalog has it
	GuideID  string   // id in guides; empty when the channel is gone
	Folders  []string // the folders it is in, outermost first
	Group    string   // the folders in one line
	Country  string   // ISO 3166-1 alpha-2
	Tongues  []string // its languages, ISO 639-3
	Spoken   []string // names of these languages, in English
	Quality  string
	Logo     string
	Website  string
	API      string // URL of its detail record
	Radio    bool
	Gone     bool // it is no longer in the catalog
	Stream   string
	Kind     string // of the stream; empty when there is none
	URL      string // URL that plays it
	Referrer string // header that its origin requires
	Agent    string
	YouTube  *catalog.YouTube

	Number, GroupNumber int // of the entry and its group in a lineup; 0 in other formats
}

// maxURL is the longest origin URL of an entry, in bytes: players refuse
// longer ones, some silently.
const maxURL = 2000

// EntryOf returns the entry of a channel that plays s, which is nil when no
// stream of the channel can be listed.
//
// Its URL is the one that the catalog chooses for players (see
// [catalog.LinkBase.Play]).
func EntryOf(c *catalog.Listing, s *catalog.StreamRecord, links catalog.LinkBase) Entry {
	e := Entry{
		Channel: c.ID, Name: c.Name, GuideID: c.ID, Country: c.Country, Tongues: c.Languages, Spoken: c.LanguageLabels,
		Quality: c.Quality, Logo: c.Logo, Website: c.Website, API: links.Channel(c.ID), Radio: c.Kind == catalog.Station,
	}
	if s == nil {
		return e
	}
	e.Stream, e.Kind, e.Referrer, e.Agent = s.ID.String(), s.Kind, s.Referrer, s.UserAgent
	if s.Feed != "" {
		e.GuideID += "@" + s.Feed
	}
	if s.Quality != "" {
		e.Quality = s.Quality
	}
	e.URL = address(s, links)
	if s.Kind == catalog.StreamYouTube {
		if y, ok := catalog.ParseYouTube(s.URL); ok {
			e.YouTube = &y
		}
	}
	return e
}

// address returns the URL at which players find a stream, as the catalog chooses it,
// or the hop's when it chooses none: lists in JSON also hold streams of the video
// platform, to which the hop redirects.
func address(s *catalog.StreamRecord, links catalog.LinkBase) string {
	if play := links.Play(s); play != "" && len(escapeURL(play)) <= maxURL {
		return escapeURL(play)
	}
	return links.Stream(s.ID)
}

// guideID returns the id of e as written in every format.
func (e *Entry) guideID() string { return attribute(e.GuideID) }

// media returns the entries that players can open, which excludes those of
// the live-video platform.
func (l *List) media() []*Entry {
	list := make([]*Entry, 0, len(l.Entries))
	for i := range l.Entries {
		if e := &l.Entries[i]; e.URL != "" && e.Kind != catalog.StreamYouTube {
			list = append(list, e)
		}
	}
	return list
}

// Formats of lists, and of their guides, as their addresses end.
const (
	M3U     = "m3u"
	M3U8    = "m3u8"
	JSON    = "json"
	XSPF    = "xspf"
	XMLTV   = "xml"
	Archive = "xml.gz" // XMLTV in gzip
)

// Media types of formats. VLC takes the type of HLS for a stream, never a
// list, so that both formats of M3U have this one.
const (
	M3UType     = "audio/x-mpegurl"
	JSONType    = "application/json"
	XSPFType    = "application/xspf+xml"
	GuideType   = "application/xml"
	ArchiveType = "application/gzip"
)

// A File is the content of a list with its headers.
type File struct {
	Type string // media type
	Data []byte
	Tag  string // the same for the same data
	File string // its name
	Link string // values of the header Link, which name the other formats
}

// As returns l in a format, with a file name made from name. An unknown
// format gives M3U. For guides use [List.Archived].
func (l *List) As(format, name string) File {
	data, mediaType := l.write(format)
	f := fileOf(data, mediaType, name+"."+format)
	f.Link = l.Feeds.links(format)
	return f
}

// maxLinks is the longest value of the header Link, in bytes: clients and proxies refuse
// answers with long headers, and a search may have a long address.
const maxLinks = 2 << 10

// links returns the addresses in every format except one, as values of the header Link;
// empty when they are too long for a header.
func (a Addresses) links(except string) string {
	var all []string
	for _, f := range []struct{ format, address, media string }{{M3U, a.M3U, M3UType}, {M3U8, a.M3U8, M3UType}, {JSON, a.JSON, JSONType}, {XSPF, a.XSPF, XSPFType}} {
		if f.format != except && f.address != "" && !strings.ContainsAny(f.address, "<>") {
			all = append(all, fmt.Sprintf(`<%s>; rel="alternate"; type="%s"`, f.address, f.media))
		}
	}
	if text := strings.Join(all, ", "); len(text) <= maxLinks {
		return text
	}
	return ""
}

// Archived returns the guide of l in the format Archive, and its uncompressed
// size in bytes.
func (l *List) Archived(name string) (f File, size int64) {
	data, size := l.archive()
	return fileOf(data, ArchiveType, name+"."+Archive), size
}

func fileOf(data []byte, mediaType, name string) File {
	sum := sha256.Sum256(data)
	return File{Type: mediaType, Data: data, Tag: hex.EncodeToString(sum[:16]), File: name}
}

func (l *List) write(format string) (data []byte, mediaType string) {
	switch format {
	case JSON:
		return l.JSON(), JSONType
	case XSPF:
		return l.XSPF(), XSPFType
	}
	return l.M3U(), M3UType
}

// absolute reports whether s is a URL with a scheme and a host.
func absolute(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
