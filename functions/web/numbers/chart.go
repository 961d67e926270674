package numbers

import "miramundo.dev/shared/vitrine"

// A chart shows one number of each day as a bar. Its height is that of the greatest,
// which a label beside it names; a day that was not measured has a dotted outline
// instead of a bar, so that it cannot be taken for zero.
type chart struct {
	Text        string // key of the name
	Bars        []bar
	First, Last string // days
	Most        vitrine.Number
	MostDay     string
}

// Measures of a chart, in units of its drawing.
const (
	ChartHeight = 100
	dayWidth    = 10
	barWidth    = 8
)

// A bar is one day of a chart.
type bar struct {
	Day        string
	Value      vitrine.Number
	X, Y       int
	Width      int
	Height     int // at least 1 for a measured day, so that zero is seen as well
	Unmeasured bool
}

// Width returns the width of the drawing.
func (c chart) Width() int { return len(c.Bars) * dayWidth }

// Height returns the height of the drawing.
func (chart) Height() int { return ChartHeight }

// charted are the keys of the names of the numbers that have charts.
var charted = map[string]bool{"numbers.visitors": true, "numbers.pages": true, "numbers.use": true, "numbers.api": true}

// charts returns the charts of days; none without days.
func charts(days []vitrine.DayNumbers) (all []chart) {
	for _, k := range kinds {
		if charted[k.text] && len(days) > 0 {
			all = append(all, chartOf(k.text, days, k.of))
		}
	}
	return all
}

// chartOf draws one number of days.
func chartOf(text string, days []vitrine.DayNumbers, of func(vitrine.NumberSums) vitrine.Number) chart {
	c := chart{Text: text, First: days[0].Day, Last: days[len(days)-1].Day}
	for _, d := range days {
		if n := of(d.NumberSums); n != nil && (c.Most == nil || *n > *c.Most) {
			c.Most, c.MostDay = n, d.Day
		}
	}
	for i, d := range days {
		b := bar{Day: d.Day, Value: of(d.NumberSums), X: i*dayWidth + (dayWidth-barWidth)/2, Width: barWidth, Height: ChartHeight - 2, Unmeasured: true}
		if b.Value != nil {
			b.Unmeasured, b.Height = false, 1
			if *c.Most > 0 {
				b.Height = max(1, int(*b.Value*ChartHeight / *c.Most))
			}
		}
		b.Y = ChartHeight - b.Height
		c.Bars = append(c.Bars, b)
	}
	return c
}
