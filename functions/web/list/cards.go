package list

import (
	"slices"
	"strings"
	"unicode/utf8"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// Scripts draw favorites, history and library, from the visitor's channels as the API
// returns them. The card of a channel is the same for every visitor, so scripts fetch it
// as a piece of HTML, which caches can keep, instead of drawing it a second time.

// cardsEndpoints return the cards of the channels whose ids are in the query.
var cardsEndpoints = page.Parts("/cards", "Show the cards of channels",
	"Returns the cards of channels as HTML, in the order of ids: plate, name, country and the programme that is on now. Unknown ids are left out, and a repeated id counts once.",
	(*Server).named, catalog.ErrNotLoaded)

// Bounds of a request for cards.
const (
	maxNamed   = 50 // ids: as many as a page of favorites or history has
	maxNamedID = 128
)

type namedIn struct {
	IDs string `query:"ids" required:"true" maxLength:"4000" description:"Catalog ids of at most 50 channels, separated by commas, each of at most 128 characters."`
}

// named renders the cards of the channels with the given ids. It looks up at most
// maxNamed ids, so that a request costs no more than a page of a list.
func (s *Server) named(l i18n.Locale, in namedIn) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	if strings.Count(in.IDs, ",") >= maxNamed {
		return nil, fault.ErrInvalid.With("param", "ids").With("reason", "too_many").With("bound", maxNamed)
	}
	var found []index.Card
	for id := range strings.SplitSeq(in.IDs, ",") {
		if utf8.RuneCountInString(id) > maxNamedID {
			return nil, fault.ErrInvalid.With("param", "ids").With("reason", "too_long").With("bound", maxNamedID)
		}
		c, ok := snapshot.CardOf(strings.TrimSpace(id), int(l))
		if ok && !slices.ContainsFunc(found, func(other index.Card) bool { return other.ID == c.ID }) {
			found = append(found, c)
		}
	}
	v := s.Pages.View(site.Home, l, nil)
	v.Body = s.cards(v, found)
	return v.ShowPart("_cards.html")
}
