package library

import "slices"

// A Current returns the id that a channel has now, by that id or a former one, and false
// when the catalog does not have the channel. A nil Current takes ids as they are.
type Current func(id string) (string, bool)

// of returns the id by which a channel is compared.
func (current Current) of(id string) string {
	if current != nil {
		if now, ok := current(id); ok {
			return now
		}
	}
	return id
}

// Unite removes doubles from sub-tabs: items of the same channel, by any of its ids, that
// play the same stream. Of each, one item stays: the first with the channel's current id,
// or else the first. It takes over what the others had as last played.
//
// AddItem and Merge add no doubles. They come from libraries of earlier versions, from
// channels that the catalog united, and from items that were moved or got another stream.
// They are removed whenever a library is shown or read as a feed, and from the document
// with the next change.
func (l *Library) Unite(current Current) {
	for i := range l.Categories {
		for k := range l.Categories[i].Groups {
			l.Categories[i].Groups[k].Unite(current)
		}
	}
}

// Unite does what [Library.Unite] does, in one sub-tab.
func (g *Group) Unite(current Current) {
	var room [MaxItems]string
	ids := room[:0]
	for i := range g.Items {
		ids = append(ids, current.of(g.Items[i].Channel))
	}
	for i := len(g.Items) - 1; i >= 0; i-- {
		by := g.survivor(i, ids)
		if by == i {
			continue
		}
		g.replace(i, by)
		ids = slices.Delete(ids, i, i+1)
	}
}

// survivor returns the index of the item that stays of item i and its doubles; ids are the
// current ids of the channels.
func (g *Group) survivor(i int, ids []string) int {
	first := i
	for k := len(ids) - 1; k >= 0; k-- {
		if ids[k] != ids[i] || g.Items[k].Stream != g.Items[i].Stream {
			continue
		}
		if was, is := g.Items[first].Channel == ids[i], g.Items[k].Channel == ids[i]; is || !was && k < first {
			first = k
		}
	}
	return first
}

// replace removes item at for its double by.
func (g *Group) replace(at, by int) {
	if g.LastItem == g.Items[at].ID {
		g.LastItem = g.Items[by].ID
	}
	g.Items[by].Played = max(g.Items[by].Played, g.Items[at].Played)
	g.Items = slices.Delete(g.Items, at, at+1)
}
