package show

import (
	"cmp"
	"slices"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/state"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

// logos are those that records have.
type logos struct {
	at     []uint32        // by record: 1 + where in ids, or 0; nil while there are none
	ids    snapshot.Texts  // as they stand in addresses, and so in JSON
	base   string          // the address up to an id
	before []byte          // the same in JSON, after the quote
	hidden map[string]bool // the ids of which all channels are blocked
}

// A formerLogo is a logo that a channel has by an id that it once had.
type formerLogo struct{ channel, logo string }

// setLogos notes which logo each record has. That of its own id goes before
// those of its old ones.
func (v *View) setLogos(o *state.Overlay) {
	if o.Logos == nil {
		return
	}
	l := &v.logos
	var late []formerLogo
	for channel, logo := range o.Logos {
		if doc, ok := v.ix.Find(channel); ok {
			l.set(doc, logo, v.ix.N)
		} else {
			late = append(late, formerLogo{channel, logo})
		}
	}
	slices.SortFunc(late, func(a, b formerLogo) int { return cmp.Compare(a.channel, b.channel) })
	for _, c := range late {
		if doc, ok := v.ix.Resolve(c.channel); ok && (l.at == nil || l.at[doc] == 0) {
			l.set(doc, c.logo, v.ix.N)
		}
	}
	l.base = v.links.Logo("")
	l.before = jsontext.Append([]byte(`"`), l.base)
	v.hideLogos(o)
}

func (l *logos) set(doc uint32, logo string, n int) {
	if logo == "" {
		return
	}
	if l.at == nil {
		l.at = make([]uint32, n)
	}
	l.ids.Add(catalog.LinkBase{}.Logo(logo)[len(catalog.LogosPath):])
	l.at[doc] = uint32(l.ids.Len())
}

// hideLogos notes the logos of blocked channels that no other has.
func (v *View) hideLogos(o *state.Overlay) {
	if len(o.BlockedChannels) == 0 {
		return
	}
	hidden := map[string]bool{}
	for channel, logo := range o.Logos {
		if doc, ok := v.ix.Resolve(channel); ok && v.now.IsRemoved(doc) || v.Blocks(channel) {
			hidden[logo] = true
		}
	}
	for channel, logo := range o.Logos {
		if !hidden[logo] {
			continue
		}
		if _, ok := v.now.Shown(channel); ok {
			delete(hidden, logo)
		}
	}
	v.logos.hidden = hidden
}

// Hidden reports whether every channel with a logo is blocked, so that nobody
// is to see it.
func (v *View) Hidden(logo string) bool { return v.logos.hidden[logo] }

// of returns the id of the logo of record doc; nil when it has none.
func (l *logos) of(doc uint32) []byte {
	if l.at == nil || l.at[doc] == 0 {
		return nil
	}
	return l.ids.At(l.at[doc] - 1)
}

// logoURL returns the address of the logo of record doc; nil when it has none.
func (v *View) logoURL(doc uint32) *string {
	id := v.logos.of(doc)
	if id == nil {
		return nil
	}
	address := v.logos.base + string(id)
	return &address
}

// afterLogo stands between logo_url and website, noLogo in the place of both.
const (
	afterLogo = `,"website":`
	noLogo    = null + afterLogo
)

// appendLogo puts the logo of record doc, if it has one, in the place of
// noLogo, with which dst ends.
func (v *View) appendLogo(dst []byte, doc uint32) []byte {
	id := v.logos.of(doc)
	if id == nil {
		return dst
	}
	dst = append(dst[:len(dst)-len(noLogo)], v.logos.before...)
	return append(append(dst, id...), `"`+afterLogo...)
}
