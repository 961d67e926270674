package list

import (
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// The page of the grid has the part of it that is seen first, so that the script draws it
// without a request. It fetches the rest from the API.

// How much of the grid its page has.
const (
	firstSize  = 12               // channels
	firstHours = 4                // from half an hour or more before now
	slot       = 30 * time.Minute // the step of the hours above the grid
	firstSince = 30 * time.Minute // how long before now it begins at least
)

// A gridStart is the first part of the grid, in the names of the API.
type gridStart struct {
	Now   string     `json:"now"` // the time of the server
	From  string     `json:"from"`
	To    string     `json:"to"`
	Total int        `json:"total"` // channels of the grid
	Items []firstRow `json:"items"`
}

// A firstRow is a channel with its programmes.
type firstRow struct {
	ID         string              `json:"channel_id"`
	Name       string              `json:"name"`
	LogoURL    *string             `json:"logo_url"`
	Letters    string              `json:"letters,omitempty"` // of the plate, in place of a logo
	Size       string              `json:"size,omitempty"`    // of the letters
	Programmes []catalog.Programme `json:"programas"`
}

// firstRows returns the first part of the grid of a country, or of all countries. What the
// visitor keeps is not known here: the grid of that begins empty.
func (s *Server) firstRows(v *page.View, snapshot *index.View, in scheduleIn) gridStart {
	now := s.Now().UTC()
	from := now.Add(-firstSince).Truncate(slot)
	to := from.Add(firstHours * time.Hour)
	g := gridStart{Now: now.Format(time.RFC3339), From: from.Format(time.RFC3339), To: to.Format(time.RFC3339), Items: []firstRow{}}
	if in.Of != "" {
		return g
	}
	docs, total := snapshot.Find(airingQuery(in.Country, firstSize, 0))
	g.Total = total
	for _, doc := range docs {
		c := snapshot.Card(doc, int(v.Locale))
		plate := part.NewPlate(v, c.Kind.String(), c.ID, c.Name, c.LogoURL)
		row := firstRow{ID: c.ID, Name: part.Called(c.Name), LogoURL: c.LogoURL, Letters: plate.Letters, Size: plate.Size, Programmes: []catalog.Programme{}}
		ps := s.Guides.Between(c.ID, from, to)
		for i := range ps {
			row.Programmes = append(row.Programmes, *ps[i].Wire())
		}
		g.Items = append(g.Items, row)
	}
	return g
}
