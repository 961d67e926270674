package overchat

import (
	"fmt"
	"slices"
	"time"

	"miramundo.dev/scripts/bench/report"
)

// The goals of the chat room.
const (
	goalMany   = 300 * time.Millisecond // 99 of 100 deliveries in many rooms
	goalOne    = 500 * time.Millisecond // 99 of 100 deliveries in one room
	goalSocket = 32.0                   // KB of the server's memory for a socket
)

// limit says what limits the figures.
const limit = `The crowd and the server share the cores, and a delivery contains the time until the crowd reads it. In one room the first
messages of a second wait for the writes of 10,000 sockets before them, on a bare server too.`

// show adds the medians of the rounds beside each other, and the goals.
func show(t *report.Report, o Options, bare, chat []figures) {
	t.Title(fmt.Sprintf("Chat: %d sockets in %d rooms with a message a second each, then in one room; median of %d rounds", o.Sockets, o.Rooms, o.Rounds))
	t.Limit(limit)
	t.Head("figure", "bare server", "chat room", "ratio")
	for _, row := range rows {
		a, b := middle(bare, row.value), middle(chat, row.value)
		ratio := "-"
		if a > 0 {
			ratio = fmt.Sprintf("%.2f", b/a)
		}
		t.Row(row.name, fmt.Sprintf(row.form, a), fmt.Sprintf(row.form, b), ratio)
	}
	if !o.Judge {
		return
	}
	t.Head("goal", "chat room", "", "asked", "")
	for _, g := range goals {
		reached := middle(chat, g.value)
		t.Goal(g.name, fmt.Sprintf(g.form, reached), fmt.Sprintf(g.form, g.most), reached <= g.most)
	}
}

// A row is a figure of a server.
type row struct {
	name, form string
	value      func(figures) float64
}

var rows = slices.Concat(
	[]row{
		{"sockets opened a second", "%.0f", func(f figures) float64 { return f.dialled }},
		{"KB a socket", "%.1f", socketKB},
	},
	talkedRows("many rooms", func(f figures) talked { return f.many }),
	[]row{{"many rooms, µs of processor a delivery", "%.1f", func(f figures) float64 { return micros(f.many.cpu) }}},
	talkedRows("before others join", func(f figures) talked { return f.alone }),
	talkedRows("while others join", func(f figures) talked { return f.beside }),
	[]row{
		{"joined, median ms", "%.1f", func(f figures) float64 { return millis(f.joined.share(0.5)) }},
		{"joined, p99 ms", "%.1f", func(f figures) float64 { return millis(f.joined.share(0.99)) }},
	},
	talkedRows("one room", func(f figures) talked { return f.one }),
	[]row{{"one room, µs of processor a delivery", "%.1f", func(f figures) float64 { return micros(f.one.cpu) }}},
)

// talkedRows returns the rows of a phase.
func talkedRows(name string, of func(figures) talked) []row {
	at := func(p float64) func(figures) float64 {
		return func(f figures) float64 { return millis(of(f).times.share(p)) }
	}
	return []row{
		{name + ", p50 ms", "%.1f", at(0.5)},
		{name + ", p99 ms", "%.1f", at(0.99)},
		{name + ", longest ms", "%.1f", at(1)},
		{name + ", lost or out of order", "%.0f", func(f figures) float64 { return float64(of(f).missing + of(f).disorder) }},
	}
}

// A goal is a figure that must not exceed a limit.
type goal struct {
	row
	most float64
}

var goals = []goal{
	{row{"many rooms, p99 ms", "%.1f", func(f figures) float64 { return millis(f.many.times.share(0.99)) }}, millis(goalMany)},
	{row{"while others join, p99 ms", "%.1f", func(f figures) float64 { return millis(f.beside.times.share(0.99)) }}, millis(goalMany)},
	{row{"one room, p99 ms", "%.1f", func(f figures) float64 { return millis(f.one.times.share(0.99)) }}, millis(goalOne)},
	{row{"KB a socket", "%.1f", socketKB}, goalSocket},
	{row{"lost or out of order", "%.0f", func(f figures) float64 {
		n := int64(0)
		for _, t := range []talked{f.many, f.alone, f.beside, f.one} {
			n += t.missing + t.disorder
		}
		return float64(n)
	}}, 0},
}

func socketKB(f figures) float64 { return f.socketKB }

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// middle returns the median of a value over rounds.
func middle(rounds []figures, value func(figures) float64) float64 {
	var all []float64
	for _, f := range rounds {
		all = append(all, value(f))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
