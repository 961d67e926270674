package part

import (
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
)

// A Row is a channel of a list that one goes through, such as that beside the player. The
// template _row shows it.
type Row struct {
	ID, Kind, Path, Name string
	Plate                Plate
	More                 string // its current programme, or else what it is about; may be empty
}

// NewRow returns the row of a channel at a time. guides may be nil.
func NewRow(v *page.View, c *index.Card, guides *guide.Live, now time.Time) Row {
	kind := c.Kind.String()
	r := Row{
		ID: c.ID, Kind: kind, Path: v.Channel(c.ID), Name: Truncated(Called(c.Name), 80), More: Truncated(c.Category, 60),
		Plate: NewPlate(v, kind, c.ID, c.Name, c.LogoURL),
	}
	if g := guides.Now(c.ID, now); g != nil && g.Now != nil {
		r.More = Truncated(g.Now.Title, 80)
	}
	return r
}
