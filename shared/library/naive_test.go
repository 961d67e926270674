package library

import (
	"strconv"
	"strings"
)

// A naive library is what a library is, without any of its code: names in
// lists, found by walking.
type naive struct{ folders []*folder }

type folder struct {
	id, name, last string
	tabs           []*tab
}

type tab struct {
	id, name, last string
	things         []*thing
}

type thing struct {
	id, channel, stream string
	played              int64
}

func (n *naive) folder(id string) (int, *folder) {
	for i, f := range n.folders {
		if f.id == id {
			return i, f
		}
	}
	return -1, nil
}

func (n *naive) tab(id string) (*folder, int, *tab) {
	for _, f := range n.folders {
		for i, t := range f.tabs {
			if t.id == id {
				return f, i, t
			}
		}
	}
	return nil, -1, nil
}

func (n *naive) thing(id string) (*folder, *tab, int, *thing) {
	for _, f := range n.folders {
		for _, t := range f.tabs {
			for i, th := range t.things {
				if th.id == id {
					return f, t, i, th
				}
			}
		}
	}
	return nil, nil, -1, nil
}

// without and with do what slices.Delete and Insert do, the long way.
func without[T any](list []T, at int) (out []T) {
	for i, e := range list {
		if i != at {
			out = append(out, e)
		}
	}
	return out
}

func with[T any](list []T, at int, e T) []T {
	out := append([]T{}, list[:min(at, len(list))]...)
	return append(append(out, e), list[min(at, len(list)):]...)
}

// format writes a library as text, for comparison: ids, order, and what was
// played last.
func (n *naive) format() string {
	var b strings.Builder
	for _, f := range n.folders {
		line(&b, f.id, f.name, f.last)
		for _, t := range f.tabs {
			line(&b, " ", t.id, t.name, t.last)
			for _, th := range t.things {
				line(&b, "   ", th.id, th.channel, th.stream, strconv.FormatInt(th.played, 10))
			}
		}
	}
	return b.String()
}

func (n *naive) rename(id, name string) error {
	_, f := n.folder(id)
	if f == nil {
		return ErrNoCategory
	}
	clean, err := CleanName(name)
	if err == nil {
		f.name = clean
	}
	return err
}

func (n *naive) move(id string, to int) error {
	at, f := n.folder(id)
	if f == nil {
		return ErrNoCategory
	}
	n.folders = with(without(n.folders, at), to, f)
	return nil
}

func (n *naive) remove(id string) error {
	at, f := n.folder(id)
	if f == nil {
		return ErrNoCategory
	}
	n.folders = without(n.folders, at)
	return nil
}

func (n *naive) changeTab(id string, change GroupChange) error {
	f, at, t := n.tab(id)
	if t == nil {
		return ErrNoGroup
	}
	name := t.name
	if change.Name != nil {
		clean, err := CleanName(*change.Name)
		if err != nil {
			return err
		}
		name = clean
	}
	if change.Category != nil && *change.Category != f.id {
		_, to := n.folder(*change.Category)
		if to == nil {
			return ErrNoCategory
		}
		if len(to.tabs) == 12 {
			return ErrGroupLimit
		}
		f.tabs = without(f.tabs, at)
		if f.last == id {
			f.last = ""
		}
		f, at = to, len(to.tabs)
		f.tabs = append(f.tabs, t)
	}
	t.name = name
	if change.Position != nil {
		f.tabs = with(without(f.tabs, at), *change.Position, t)
	}
	return nil
}

func (n *naive) removeTab(id string) error {
	f, at, t := n.tab(id)
	if t == nil {
		return ErrNoGroup
	}
	f.tabs = without(f.tabs, at)
	if f.last == id {
		f.last = ""
	}
	return nil
}

func (n *naive) changeThing(id string, change ItemChange) error {
	_, t, at, th := n.thing(id)
	if th == nil {
		return ErrNoItem
	}
	stream := th.stream
	if change.Stream != nil {
		var err error
		if stream, err = change.Stream(th.channel); err != nil {
			return err
		}
	}
	if change.Group != nil && *change.Group != t.id {
		_, _, to := n.tab(*change.Group)
		if to == nil {
			return ErrNoGroup
		}
		if len(to.things) == 40 {
			return ErrItemLimit
		}
		t.things = without(t.things, at)
		if t.last == id {
			t.last = ""
		}
		t, at = to, len(to.things)
		t.things = append(t.things, th)
	}
	th.stream = stream
	if change.Position != nil {
		t.things = with(without(t.things, at), *change.Position, th)
	}
	return nil
}

func (n *naive) removeThing(id string) error {
	_, t, at, th := n.thing(id)
	if th == nil {
		return ErrNoItem
	}
	t.things = without(t.things, at)
	if t.last == id {
		t.last = ""
	}
	return nil
}

func (n *naive) play(id string, at int64) error {
	f, t, _, th := n.thing(id)
	if th == nil {
		return ErrNoItem
	}
	th.played, t.last, f.last = at, id, t.id
	return nil
}
