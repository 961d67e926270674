package snapshot

import (
	"bytes"
	"slices"

	"unicode/utf8"

	"miramundo.dev/shared/catalog"
)

// Gone are the channels that are known but not shown, in the order of their
// ids, each once. They are few beside the records, so that their facts stand in
// rows, not in groups.
type Gone struct {
	IDs, Names Texts
	AltNames   TextLists
	Facts      Table // by channel: a row
}

// Len returns the number of channels that are gone.
func (g *Gone) Len() int { return g.IDs.Len() }

// GoneReasons are the reasons that the column GoneReason numbers. Their order is
// part of the format.
var GoneReasons = []string{catalog.GoneClosed, catalog.GoneBlocked, catalog.GoneVanished}

// gone appends the channels that are gone. It must be called after all records
// were packed.
func (p *packer) gone(list []catalog.Gone) {
	g := &p.c.Gone
	last := ""
	for _, ch := range sorted(list, func(ch catalog.Gone) string { return ch.ID }) {
		if ch.ID == last || p.ids[ch.ID] || !utf8.ValidString(ch.ID) {
			continue
		}
		last = ch.ID
		g.IDs.Add(ch.ID)
		g.Names.Add(valid(ch.Name))
		for _, name := range ch.AltNames {
			g.AltNames.Items.Add(valid(name))
		}
		g.AltNames.Ends = append(g.AltNames.Ends, uint32(g.AltNames.Items.Len()))
		g.Facts.Cells = append(g.Facts.Cells, uint32(min(ch.Kind, catalog.Station)), reasonNumber(ch.Reason),
			p.value(ch.Country), p.value(ch.Since), p.value(ch.ReplacedBy))
	}
}

// reasonNumber returns the position of a reason in GoneReasons. Any other text
// counts as vanished, the reason that claims the least.
func reasonNumber(reason string) uint32 {
	if i := slices.Index(GoneReasons, reason); i >= 0 {
		return uint32(i)
	}
	return uint32(slices.Index(GoneReasons, catalog.GoneVanished))
}

func (c *Columns) badGone() (string, bool) {
	g := &c.Gone
	n := g.Len()
	if g.Names.Len() != n || len(g.AltNames.Ends) != n || g.Facts.Len() != n || !endsAt(g.AltNames.Ends, g.AltNames.Items.Len()) {
		return "columns of channels that are gone of different lengths", true
	}
	for i := range uint32(n) {
		if i == 0 && len(g.IDs.At(0)) == 0 || i > 0 && bytes.Compare(g.IDs.At(i-1), g.IDs.At(i)) >= 0 {
			return "channels that are gone out of order", true
		}
	}
	return "", false
}
