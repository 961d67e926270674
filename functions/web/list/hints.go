package list

import (
	"cmp"
	"slices"
	"strconv"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
)

// A search by words says how it read them and what else to try, as the API does
// (catalog.Understood, catalog.Suggestion). Each is a link to another search of this
// page, so that it works without a script.

// A reading is a filter that words of the search were taken for.
type reading struct {
	ID    string // id of the element
	Label string // the value of the filter
	Words string // as they were typed, folded
	Href  string // the search without the words or, when no others are left, with these taken literally
}

func readingsOf(w wanted, u *catalog.Understood) (list []reading) {
	if u == nil {
		return nil
	}
	for i, f := range u.Filters {
		list = append(list, reading{
			ID: "read-" + strconv.Itoa(i), Label: f.Label, Words: f.Words,
			Href: w.firstPageWith(func(w *wanted) { w.Q = cmp.Or(f.Without, f.Literal) }),
		})
	}
	return list
}

// An advice is a suggestion: a sentence that leads to another search, or to the page
// of a channel, when there is something to show.
type advice struct {
	ID    string // id of the element
	Text  string
	Href  string // empty when there is nothing to show
	Count string // number of matches; empty for a channel
}

// adviceOf returns the suggestions of the search w. Those to drop a filter are left out
// where one of the links of tried does so.
func adviceOf(v *page.View, w wanted, suggestions []catalog.Suggestion, tried part.Chips) (list []advice) {
	for i := range suggestions {
		g := &suggestions[i]
		if g.Filter != nil && slices.ContainsFunc(tried, func(c part.Chip) bool { return drops(c.ID, *g.Filter) }) {
			continue
		}
		a := advice{ID: "advice-" + strconv.Itoa(i), Text: g.Label}
		switch {
		case g.Channel != nil:
			a.Href = pageOfKnown(v, g.Channel)
		case g.Q != nil:
			a.Href = w.firstPageWith(func(w *wanted) { w.Q = *g.Q })
		case g.Filter != nil:
			a.Href = w.widened(v, *g.Filter).address()
		}
		if g.Count != nil {
			a.Count = v.Locale.Number(*g.Count)
		}
		list = append(list, a)
	}
	return list
}

// drops reports whether the alternative with an id leaves out a filter.
func drops(id, name string) bool {
	switch name {
	case filter.All[filter.Kind].Name:
		return id == "try-tv" || id == "try-radio"
	case filter.All[filter.Playable].Name:
		return id == "try-unplayable"
	}
	return id == "try-without-"+name
}

// pageOfKnown returns the path of the page of a channel that a search does not show,
// or of the channel that replaced it; empty when neither has a page.
func pageOfKnown(v *page.View, c *catalog.KnownChannel) string {
	switch {
	case c.ReplacedBy != nil:
		return v.Channel(c.ReplacedBy.ID)
	case c.Reason == "no_stream":
		return v.Channel(c.ID)
	}
	return ""
}

// widened returns the first page of w without the filter of a name. The country of a
// country's page is dropped on the page of the whole catalog.
func (w wanted) widened(v *page.View, name string) wanted {
	w.Offset, w.Kind = 0, w.kind()
	switch name {
	case filter.All[filter.Kind].Name:
		w.Kind = filter.Any
		return w
	case filter.All[filter.Playable].Name:
		w.Playable = false
		return w
	case filter.All[filter.Country].Name:
		w.path, w.fixed, w.radio = v.Path("home"), false, false
	}
	for id := range filter.Count {
		if filter.All[id].Name == name {
			w.Clear(id)
		}
	}
	return w
}
