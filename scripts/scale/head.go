package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"math"
	"slices"
	"strings"
	"text/template"
	"time"

	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/scale/capacity"
)

//go:embed page.md.tmpl
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// head returns the Markdown above the figures.
func head(ctx context.Context, m *capacity.Model, limits []limit) string {
	type move struct{ Words, Then string }
	type broken struct {
		Name, At, What string
		Moves          []move
	}
	data := struct {
		People, Watching, Chatting, Channels string
		Day, Commit                          string
		Break                                []broken
		Hold                                 string
	}{
		amount(m.People.Day.Value), amount(m.People.Watching.Value), amount(m.People.Chatting.Value), amount(m.People.Channels.Value),
		time.Now().UTC().Format(time.DateOnly), machine.Commit(ctx), nil, "",
	}
	var hold []string
	limits = slices.Clone(limits)
	slices.SortStableFunc(limits, func(a, b limit) int { return cmp.Compare(a.now.At, b.now.At) })
	for _, l := range limits {
		if !l.breaks(m) {
			hold = append(hold, l.Name)
			continue
		}
		b := broken{Name: l.Name, At: load(m, l.now.At, l.Part), What: l.now.What}
		for i, then := range l.moved {
			text := "at " + load(m, then.At, l.Part) + ", because of " + then.What
			if math.IsInf(then.At, 1) {
				text = load(m, then.At, l.Part)
			}
			b.Moves = append(b.Moves, move{l.Moves[i].Words, text})
		}
		data.Break = append(data.Break, b)
	}
	data.Hold = strings.Join(hold, ", ")
	var b bytes.Buffer
	if err := page.Execute(&b, data); err != nil {
		panic(err) // the template and its data are parts of this program
	}
	return b.String()
}

// breaks reports whether a part breaks before the world is reached.
func (l limit) breaks(m *capacity.Model) bool {
	if l.Grows == capacity.ByChannels {
		return l.now.At <= m.People.Channels.Value
	}
	return l.now.At <= m.People.Day.Value
}
