package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/scale/capacity"
	"miramundo.dev/scripts/scale/world"
)

// A limit is where a part breaks, as it is and after each of its moves.
type limit struct {
	capacity.Part
	now   capacity.Limit
	moved []capacity.Limit
}

// figures adds what the model computes to t, and returns where the parts break.
func figures(t *report.Report, m *capacity.Model) []limit {
	peak(t, m)
	limits := breaking(t, m)
	bills(t, m)
	spread(t, m)
	plots(t, m)
	return limits
}

// peak adds what each part needs at the peak.
func peak(t *report.Report, m *capacity.Model) {
	t.Title("The parts at the peak")
	t.Limit(fmt.Sprintf("%s people a day, %s of them watching and %s with an open chat room in the busiest hour, %s channels; the service as it is today.",
		amount(m.People.Day.Value), amount(m.People.Watching.Value), amount(m.People.Chatting.Value), amount(m.People.Channels.Value)))
	t.Head("part", "the most used resource", "used", "there is", "utilisation", "figures")
	for _, p := range capacity.Parts {
		o := m.Outcome(p, m.Peak(), capacity.Setup{})
		u := o.First()
		t.Row(p.Name, u.Resource, quantity(u.Used, u.Unit), quantity(u.Capacity, u.Unit), share(u.Share()), words(o.Figures))
	}
}

// words writes figures in one cell.
func words(figures []capacity.Figure) string {
	var list []string
	for _, f := range figures {
		list = append(list, f.Name+" "+quantity(f.Value, f.Unit))
	}
	return strings.Join(list, "; ")
}

// breaking adds where each part breaks, and where it does after its move.
func breaking(t *report.Report, m *capacity.Model) (limits []limit) {
	t.Title("What breaks first, and what moves it")
	t.Limit("A part breaks at the least load at which one of its resources is used up. People stand for what they do: with ten times the people, ten times as many watch and chat. Each move is a run of its own, without the moves of other parts.")
	t.Head("part", "breaks at", "because of", "moved by", "then breaks at", "because of")
	for _, p := range capacity.Parts {
		l := limit{Part: p, now: m.Breaking(p, capacity.Setup{})}
		at, what := load(m, l.now.At, p), l.now.What
		name := p.Name
		for _, move := range p.Moves {
			then := m.Breaking(p, move.Setup)
			l.moved = append(l.moved, then)
			t.Row(name, at, what, move.Words, load(m, then.At, p), then.What)
			name, at, what = "", "", ""
		}
		limits = append(limits, l)
	}
	t.Head("move", "costs besides")
	for _, p := range capacity.Parts {
		for _, move := range p.Moves {
			if move.Besides != "" {
				t.Row(p.Name+": "+move.Words, move.Besides)
			}
		}
	}
	return limits
}

// load writes at which load a part breaks.
func load(m *capacity.Model, at float64, p capacity.Part) string {
	if math.IsInf(at, 1) {
		return "beyond " + amount(m.Most) + " " + p.Grows
	}
	return amount(at) + " " + p.Grows
}

// The loads of the bills, in requests a month.
const (
	few  = 1e6
	many = 100e6
)

// bills adds the bills of a month.
func bills(t *report.Report, m *capacity.Model) {
	t.Title("The month's bill, USD")
	t.Limit("Requests of the second and third column are of the same mix, in which nine of ten are playlists. List prices, one region, without free amounts, taxes, support and contracts; storage, logs and mails are left out.")
	columns := []struct {
		name   string
		people float64
		setup  capacity.Setup
	}{
		{"idle", 0, capacity.Setup{}}, {"1 M requests", m.PeopleFor(few), capacity.Setup{}}, {"100 M requests", m.PeopleFor(many), capacity.Setup{}},
		{"the world, as it is", m.People.Day.Value, capacity.Setup{}}, {"the world, with all moves", m.People.Day.Value, capacity.Moved(false)}, {"with a CDN before the hop", m.People.Day.Value, capacity.Moved(true)},
	}
	head := []string{"item"}
	var all []capacity.Bill
	for _, c := range columns {
		head = append(head, c.name)
		all = append(all, m.Bill(c.people, c.setup))
	}
	t.Head(head...)
	row := func(name string, of func(capacity.Bill) float64) {
		cells := []string{name}
		for _, b := range all {
			cells = append(cells, money(of(b)))
		}
		t.Row(cells...)
	}
	for _, item := range capacity.Items {
		row(item, func(b capacity.Bill) float64 { return b[item] })
	}
	row("sum", capacity.Bill.Sum)
	people := []string{"people a day"}
	for _, c := range columns {
		people = append(people, amount(c.people))
	}
	t.Row(people...)
}

// seeds are those of the runs whose spread is shown.
var seeds = []uint64{1, 2, 3}

// spread adds how much figures differ between runs that differ in chance alone.
func spread(t *report.Report, m *capacity.Model) {
	t.Title("Spread")
	t.Limit("The same figures from three runs with other random numbers: how much the sampled seconds leave to chance. What is assumed is the same in all of them.")
	t.Head("figure", "least", "most", "spread")
	rows := map[string][]float64{}
	var names []string
	note := func(name string, v float64) {
		if rows[name] == nil {
			names = append(names, name)
		}
		rows[name] = append(rows[name], v)
	}
	for _, seed := range seeds {
		again := m.Again(seed)
		for _, p := range capacity.Parts {
			if o := again.Outcome(p, m.Peak(), capacity.Setup{}); p.Grows == capacity.ByPeople {
				u := o.First()
				note(p.Name+": "+u.Resource+", "+u.Unit, u.Used)
			}
		}
		note("the bill of the world, USD", again.Bill(m.People.Day.Value, capacity.Setup{}).Sum())
	}
	for _, name := range names {
		least, most := slices.Min(rows[name]), slices.Max(rows[name])
		t.Row(name, amount(least), amount(most), fmt.Sprintf("±%.1f %%", 50*(most-least)/max(most, 1e-9)))
	}
}

// inputs adds what the model is fed with.
func inputs(t *report.Report, m *capacity.Model) {
	t.Title("What each call takes")
	t.Limit(fmt.Sprintf("Processor times are of the machine of the goals (docs/performance.md), measured on %s by `make scale ARGS=-measure` (%s, %.2f times slower); bytes are of the answer, as browsers ask for it. "+
		"Documents are pinned by %s; where that has a range, the measured mean says where in it, and pages have no line there.", m.Measured.Date, m.Measured.Machine, m.Measured.Factor, world.GoldenFile))
	t.Head("call", "route", "of a person, a day", "µs", "bytes", "reads", "writes", "documents")
	for _, c := range m.Calls {
		from := "measured"
		switch {
		case c.Pinned:
			from = "pinned"
		case !c.Page:
			from = "measured, in the pinned range"
		}
		t.Row(c.Name, c.Route, fmt.Sprintf("%.4g", c.PerDay), fmt.Sprintf("%.0f", c.Processor), fmt.Sprintf("%.0f", c.Bytes),
			fmt.Sprintf("%.2f", c.Documents.Reads), fmt.Sprintf("%.2f", c.Documents.Writes), from)
	}
	t.Title("What the model is fed with")
	t.Limit("Marks: *given* is the world that was asked for, *assumed* is a guess that nobody measured, *measured* comes from a run on a machine, *code* is a constant of this repository, *limit* is documented by the platform, *price* is a list price.")
	t.Head("value", "", "unit", "mark", "from")
	for _, in := range m.List() {
		t.Row(in.Name, fmt.Sprintf("%.6g", in.Value.Value), in.Unit, in.Mark, in.From)
	}
	t.Row("presence.decode", fmt.Sprintf("%.3g", m.Measured.Decode), "µs for the document of an instance with 1,000 rooms", world.Measured, "scale -measure, reading from SQLite included")
	t.Row("overlay.channel_bytes", fmt.Sprintf("%.3g", m.Measured.ChannelBytes), "bytes of a channel with counts, deflated, without detail", world.Measured, "scale -measure")
	t.Note("The hours of a day, of the mean hour (%s): %v.", m.Hours.Mark, m.Hours.Weights)
}

// amount writes a number with at most three digits, such as 1.5 M.
func amount(v float64) string {
	switch {
	case v >= 1e9:
		return fmt.Sprintf("%.3g G", v/1e9)
	case v >= 0.9995e6:
		return fmt.Sprintf("%.3g M", v/1e6)
	case v >= 999.5:
		return fmt.Sprintf("%.3g k", v/1e3)
	}
	return fmt.Sprintf("%.3g", v)
}

// quantity writes an amount with its unit.
func quantity(v float64, unit string) string {
	return strings.TrimSpace(amount(v) + " " + unit)
}

// share writes a share as a percentage.
func share(v float64) string {
	if v >= 10 {
		return amount(v) + " times"
	}
	return fmt.Sprintf("%.3g %%", 100*v)
}

// money writes USD, without cents from 100 on.
func money(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.2f", v)
	}
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
