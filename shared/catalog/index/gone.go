package index

import (
	"strings"

	"miramundo.dev/shared/catalog"
)

// Gone returns the channel that is known by an id but not shown by the register.
// It does not include channels that the overlay blocks. A nil view has none.
func (v *View) Gone(id string) (catalog.Gone, bool) {
	if v == nil {
		return catalog.Gone{}, false
	}
	return v.ix.Gone(id)
}

// GoneNamed returns at most limit channels that are known but not shown by the
// register, whose names have words that begin with each of words, best first.
func (v *View) GoneNamed(words string, limit int) []catalog.Gone {
	if v == nil {
		return nil
	}
	return v.ix.GoneNamed(words, limit)
}

// NotFound returns catalog.ErrNoChannel for an id that v does not show. When the
// register knows what became of the channel, the fault has it as its member gone.
func (v *View) NotFound(id string) error {
	if g, ok := v.Gone(id); ok {
		return catalog.ErrNoChannel.With("gone", v.goneChannel(&g))
	}
	return catalog.ErrNoChannel
}

// Missing returns what is known of a channel that v does not show, for a caller
// who kept its id: also of one that the overlay blocks. Of an id that says
// nothing to v only the id is known.
func (v *View) Missing(id string) catalog.GoneChannel {
	g, ok := v.Gone(id)
	if ok {
		return v.goneChannel(&g)
	}
	g = catalog.Gone{ID: id, Reason: catalog.GoneVanished}
	if doc, known := v.ix.Resolve(id); known {
		r := v.ix.Record(int(doc))
		g.Name, g.Kind, g.Country, g.Reason = r.Name, r.Kind, r.Country, catalog.GoneBlocked
	} else if strings.HasPrefix(id, catalog.StationPrefix) {
		g.Kind = catalog.Station
	}
	return v.goneChannel(&g)
}

// goneChannel returns g as the interface shows it. A replacement is named only
// when v shows it, by the id that it has now.
func (v *View) goneChannel(g *catalog.Gone) catalog.GoneChannel {
	out := catalog.GoneChannel{
		ChannelID: g.ID, Name: catalog.TextOrNil(g.Name), Country: catalog.TextOrNil(g.Country), Kind: g.Kind.String(),
		Reason: g.Reason, Since: catalog.TextOrNil(g.Since),
	}
	if to, ok := v.Current(g.ReplacedBy); ok {
		out.ReplacedBy = &to
	}
	return out
}
