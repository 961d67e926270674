// Package feed knows how a list of channels is written so that players read it
// as it is meant.
//
// A [List] is values; its writers are functions of them. What each rule of a
// writer is for stands beside it, with the reader that needs it: no reader of
// M3U knows an escape, so that format gets values that were cleaned, while JSON
// and XSPF get them as they are.
package feed

import (
	"crypto/sha256"
	"encoding/hex"
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

// A List is channels in an order, with what is told of them together.
type List struct {
	Name      string // any text
	Level     string
	Guide     string // address of the guide of these channels; empty when there is none
	Feeds     Addresses
	UpdatedAt time.Time
	Entries   []Entry

	// Programmes tells what the channel of a catalog id shows, in order; nil
	// when nothing is known of any channel.
	Programmes func(channel string) iter.Seq[Programme]
}

// Addresses are where a list is found in each format.
type Addresses struct {
	M3U  string `json:"m3u" format:"uri"`
	M3U8 string `json:"m3u8" format:"uri"`
	JSON string `json:"json" format:"uri"`
	XSPF string `json:"xspf" format:"uri"`
}

// AddressesOf returns the addresses that as gives for each format.
func AddressesOf(as func(format string) string) Addresses {
	return Addresses{M3U: as(M3U), M3U8: as(M3U8), JSON: as(JSON), XSPF: as(XSPF)}
}

// An Entry is a channel in a list. Its texts may hold anything; addresses are
// absolute, and empty when there is none.
type Entry struct {
	Channel  string   // catalog id
	Name     string   // as the catalog has it
	GuideID  string   // the channel's id in guides; empty when it is gone
	Folders  []string // that it lies in, outermost first
	Group    string   // the same in one line
	Country  string   // ISO 3166-1 alpha-2
	Tongues  []string // its languages, ISO 639-3
	Spoken   []string // names of these languages, in English
	Quality  string
	Logo     string
	Website  string
	API      string // of its detail record
	Radio    bool
	Gone     bool // no longer in the catalog
	Stream   string
	Kind     string // of the stream; empty when there is none
	URL      string // that plays it
	Referrer string // what its origin wants players to send
	Agent    string
	YouTube  *catalog.YouTube
}

// maxURL is the longest address of a provider that an entry gives, in bytes:
// readers refuse longer ones, some without a word.
const maxURL = 2000

// EntryOf returns the entry of a channel that plays s, which is nil when the
// channel has no stream that a list can give.
//
// The address is that of the stream at the hop. What is no playlist and comes by
// plain HTTP is given with the provider's own: the hop leads nobody there, and
// answers with a page for browsers, which players cannot show.
func EntryOf(c *catalog.Channel, s *catalog.StreamRecord, links catalog.LinkBase) Entry {
	e := Entry{
		Channel: c.ID, Name: c.Name, GuideID: c.ID, Country: deref(c.Country), Tongues: c.Languages, Spoken: c.LanguageLabels,
		Quality: c.Quality, Logo: deref(c.LogoURL), Website: deref(c.Website), API: c.API, Radio: c.Kind == catalog.Station.String(),
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

// address returns where players find a stream. Of a playlist it ends in
// .m3u8: some players go by the ending alone.
func address(s *catalog.StreamRecord, links catalog.LinkBase) string {
	hop := links.Stream(s.ID)
	switch s.Kind {
	case catalog.StreamHLS:
		return hop + ".m3u8"
	case catalog.StreamYouTube:
		return hop
	}
	if plain := escapeURL(s.URL); len(plain) <= maxURL && strings.HasPrefix(strings.ToLower(plain), "http://") {
		return plain
	}
	return hop
}

// guideID returns the id of e in guides as it stands in all of them.
func (e *Entry) guideID() string { return attribute(e.GuideID) }

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// media returns the entries that players open by themselves: of the live-video
// platform none.
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

// A File is what is sent of a list.
type File struct {
	Type string // media type
	Data []byte
	Tag  string // the same for the same data
	File string // its name
}

// As returns l in a format of lists, in a file whose name is given without its
// ending. What is no other format is M3U. Guides are [List.Archived].
func (l *List) As(format, name string) File {
	data, mediaType := l.write(format)
	return fileOf(data, mediaType, name+"."+format)
}

// Archived returns the guide of l as an Archive, and its size unpacked, in
// bytes.
func (l *List) Archived(name string) (f File, size int64) {
	data, size := l.archive()
	return fileOf(data, ArchiveType, name+"."+Archive), size
}

func fileOf(data []byte, mediaType, name string) File {
	sum := sha256.Sum256(data)
	return File{mediaType, data, hex.EncodeToString(sum[:16]), name}
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

// absolute reports whether s is an address with a scheme and a host.
func absolute(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
