package library

import "slices"

// Unite removes the items of a sub-tab that have become doubles: those of a
// channel by a former id, beside another item of the same channel there that
// plays the same. current returns the id that a channel has now, and false when
// the catalog does not have it. Two items that were added under one id are the
// owner's choice, and stay.
func (l *Library) Unite(current func(id string) (string, bool)) {
	for i := range l.Categories {
		for k := range l.Categories[i].Groups {
			l.Categories[i].Groups[k].unite(current)
		}
	}
}

func (g *Group) unite(current func(id string) (string, bool)) {
	for i := len(g.Items) - 1; i >= 0; i-- {
		it := &g.Items[i]
		now, ok := current(it.Channel)
		if !ok || now == it.Channel {
			continue
		}
		twin := slices.IndexFunc(g.Items, func(other Item) bool {
			to, ok := current(other.Channel)
			return ok && to == now && other.Channel != it.Channel && it.Stream == other.Stream
		})
		if twin < 0 {
			continue
		}
		if g.LastItem == it.ID {
			g.LastItem = g.Items[twin].ID
		}
		g.Items = slices.Delete(g.Items, i, i+1)
	}
}
