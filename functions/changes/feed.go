package changes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog/history"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/i18n"
)

// feedLength is how many changes the feed has.
const feedLength = 200

// An atomFeed is a feed as RFC 4287 specifies it.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Summary string   `xml:"summary"`
}

type feedIn struct {
	kindIn
	Lang string `query:"lang" maxLength:"16" description:"Language of the titles: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

func (s *Server) feed(ctx context.Context, in feedIn) (api.Content, error) {
	v, err := s.catalog.View()
	if err != nil {
		return api.Content{}, err
	}
	entries, err := s.log.Newest(ctx, feedLength, filter(v, in.Kind))
	if err != nil {
		return api.Content{}, err
	}
	l, base := api.LocaleOf(ctx), s.links.Base
	f := atomFeed{
		Lang: l.HTML(), ID: base + path, Title: config.Product + ": " + l.T("changes.title", nil), Updated: time.Unix(0, 0).UTC().Format(time.RFC3339),
		Author: config.Product,
		Links:  []atomLink{{"self", feedType, base + feedPath}, {"alternate", "application/json", base + path}},
	}
	for i := range entries {
		f.Entries = append(f.Entries, s.entryOf(&entries[i], l))
	}
	if len(f.Entries) > 0 {
		f.Updated = f.Entries[0].Updated
	}
	b := bytes.NewBufferString(xml.Header)
	if err := xml.NewEncoder(b).Encode(f); err != nil {
		return api.Content{}, err
	}
	sum := sha256.Sum256(b.Bytes())
	return api.Content{Type: feedType, Data: b.Bytes(), Tag: hex.EncodeToString(sum[:8])}, nil
}

// entryOf returns a change as an entry of the feed. Its id is an address that begins
// with the change, so that it stays the same.
func (s *Server) entryOf(e *history.Entry, l i18n.Locale) atomEntry {
	title := l.T("changes."+e.Op, map[string]any{"name": e.Name, "was": e.WasName})
	page := s.links.Page(e.ID)
	if e.Op == history.Gone {
		page = s.links.Base + path
	}
	summary := strings.Join(append([]string{e.ID}, e.Fields...), ", ")
	return atomEntry{
		ID: s.links.Base + path + "?since=" + e.Next.String(), Title: title, Updated: e.At.UTC().Format(time.RFC3339),
		Link: atomLink{Rel: "alternate", Href: page}, Summary: summary,
	}
}
