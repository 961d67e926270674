package part

import "html/template"

// A Chip is a link with a count, such as one that narrows a list.
type Chip struct {
	ID      string // of its element, which keeps the focus when the list changes
	Text    string
	Href    string
	Count   string // as the locale writes it; empty for none
	Current bool
	Value   string // of a checkbox in a form
	Flag    string // the path of a country's flag
}

// Chips are chips that stand in a row.
type Chips []Chip

// A chipKind is the kind of a chip: what its stamp depends on.
type chipKind struct {
	there   int // the texts that are not empty, as filled returns them
	current bool
}

func (c *Chip) texts() []*string { return []*string{&c.ID, &c.Text, &c.Href, &c.Count, &c.Flag} }

func (c *Chip) kind(there int) any { return chipKind{there, c.Current} }

// HTML returns the chips as their template would write them.
func (c Chips) HTML() (template.HTML, error) { return write("_chip.html", c, 256) }

// HTML returns the chip as its template would write it.
func (c Chip) HTML() (template.HTML, error) { return Chips{c}.HTML() }
