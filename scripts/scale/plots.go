package main

import (
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/scale/capacity"
)

// steps are the people a day, or the channels, of the points of a plot.
var steps = []float64{1e4, 1e5, 1e6, 1e7}

// shown returns the steps up to the most that are looked at.
func shown(m *capacity.Model) (list []float64) {
	for _, n := range steps {
		if n <= m.Most {
			list = append(list, n)
		}
	}
	return list
}

// A curve is a figure of a part under a setup.
type curve struct {
	name  string
	setup capacity.Setup
	of    func(capacity.Outcome) float64
}

// plots adds how the parts grow.
func plots(t *report.Report, m *capacity.Model) {
	t.Title("Growth")
	t.Limit("At the busiest hour of a day with so many people.")
	moved, cdn := capacity.Moved(false), capacity.Moved(true)
	instances := func(o capacity.Outcome) float64 { return o.Instances }
	reads := func(o capacity.Outcome) float64 { return o.Rates.Reads }
	used := func(i int) func(capacity.Outcome) float64 {
		return func(o capacity.Outcome) float64 {
			if i >= len(o.Uses) {
				return 0
			}
			return o.Uses[i].Used
		}
	}
	today := capacity.Setup{}
	plot(t, m, "hop", "hop-instances", "Instances of the hop", "instances", curve{"as it is", today, instances}, curve{"owners of streams", moved, instances}, curve{"CDN", cdn, instances})
	plot(t, m, "hop", "hop-origin", "What the origin of the most popular stream is asked", "requests/s", curve{"as it is", today, used(0)}, curve{"owners of streams", moved, used(0)}, curve{"CDN", cdn, used(0)})
	plot(t, m, "counting", "counting-documents", "Writes of one document a second", "writes/s",
		curve{"most popular channel", today, used(0)}, curve{"visits", today, used(1)}, curve{"channel, moved", moved, used(0)}, curve{"visits, moved", moved, used(1)})
	plot(t, m, "chat", "chat-reads", "Documents that the chat reads", "documents/s", curve{"messages", today, reads})
	plot(t, m, "presence", "presence-reads", "Documents that the presence reads", "documents/s", curve{"as it is", today, reads}, curve{"one sum", moved, reads})
	plot(t, m, "presence", "presence-processor", "Processor of an instance for the presence", "processors", curve{"as it is", today, used(0)}, curve{"one sum", moved, used(0)})
	plot(t, m, "catalog", "catalog-memory", "Memory of an instance while a release is replaced", "GiB", curve{"the world", today, used(0)}, curve{"a country of 20", capacity.Setup{Countries: true}, used(0)})
	bill(t, m)
}

// plot adds one plot of a part.
func plot(t *report.Report, m *capacity.Model, part, name, title, unit string, curves ...curve) {
	var lines []report.Line
	grows := ""
	for _, p := range capacity.Parts {
		if p.Name != part {
			continue
		}
		grows = p.Grows
		for _, c := range curves {
			line := report.Line{Name: c.name}
			for _, n := range shown(m) {
				l := m.Peak()
				if p.Grows == capacity.ByChannels {
					l.Channels = n
				} else {
					l.People = n
				}
				line.Points = append(line.Points, report.Point{X: n, Y: c.of(m.Outcome(p, l, c.setup))})
			}
			lines = append(lines, line)
		}
	}
	t.Plot(report.Plot{Name: name, Title: title, X: grows, Y: unit, Lines: lines})
}

// bill adds a plot of the bills.
func bill(t *report.Report, m *capacity.Model) {
	now, moved := report.Line{Name: "as it is"}, report.Line{Name: "with all moves"}
	for _, n := range shown(m) {
		now.Points = append(now.Points, report.Point{X: n, Y: m.Bill(n, capacity.Setup{}).Sum()})
		moved.Points = append(moved.Points, report.Point{X: n, Y: m.Bill(n, capacity.Moved(false)).Sum()})
	}
	t.Plot(report.Plot{Name: "bill", Title: "The month's bill", X: capacity.ByPeople, Y: "USD", Lines: []report.Line{now, moved}})
}
