package part

import "html/template"

// A Chip is a link with a count, such as one that narrows a list.
type Chip struct {
	ID      string // id of the element, by which the script restores the focus when the list changes
	Text    string // the visible label
	Href    string // where the link leads
	Count   string // number of matches in the format of the locale; empty to show none
	Current bool   // the chip is selected
	Value   string // value that a checkbox in a form sends; links have none
	Flag    string // URL of a country's flag; empty to show none
}

// Chips are a row of chips.
type Chips []Chip

// A chipKind is the key of a chip's stamp: everything that its template branches
// on.
type chipKind struct {
	present int // the texts that are not empty, as filled returns them
	current bool
}

// texts returns pointers to the texts of the chip, always in the same order.
func (c *Chip) texts() []*string { return []*string{&c.ID, &c.Text, &c.Href, &c.Count, &c.Flag} }

// kind returns the key of the chip's stamp.
func (c *Chip) kind(present int) any { return chipKind{present, c.Current} }

// HTML returns the chips as their template would write them.
func (c Chips) HTML() (template.HTML, error) { return write("_chip.html", c, 256) }

// HTML returns the chip as its template would write it.
func (c Chip) HTML() (template.HTML, error) { return Chips{c}.HTML() }
