package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Plot shows how figures grow with the work, on logarithmic axes, or how they go over
// time, on linear ones.
type Plot struct {
	Name   string // of its file, without an ending
	Title  string
	X, Y   string // what the axes show, with the unit
	Lines  []Line
	Linear bool // the axes, of which that of Y starts at 0
}

// A Line is a figure at several amounts of work, or times. On logarithmic axes both must
// be above 0 to be shown.
type Line struct {
	Name   string
	Points []Point
}

// A Point is a figure Y at an amount of work X.
type Point struct{ X, Y float64 }

// colours of lines, which differ in lightness too.
var colours = []color.RGBA{
	{0x1b, 0x4f, 0x8a, 0xff}, {0xd9, 0x5f, 0x02, 0xff}, {0x1b, 0x9e, 0x77, 0xff}, {0x75, 0x70, 0xb3, 0xff}, {0xe7, 0x29, 0x8a, 0xff},
}

const (
	plotWidth  = 16 * vg.Centimeter
	plotHeight = 9 * vg.Centimeter
	margin     = 2 * vg.Millimeter
	headroom   = 1.3 // of a linear axis over its largest figure, for the legend
)

// save draws p into an SVG file.
func (p *Plot) save(file string) error {
	drawn, err := p.draw()
	if err != nil {
		return fmt.Errorf("plot %s: %w", p.Name, err)
	}
	canvas := vgsvg.New(plotWidth, plotHeight)
	area := draw.New(canvas)
	area.FillPolygon(color.White, []vg.Point{area.Min, {X: area.Max.X, Y: area.Min.Y}, area.Max, {X: area.Min.X, Y: area.Max.Y}})
	drawn.Draw(draw.Crop(area, margin, -3*margin, margin, -margin)) // the last label of an axis is wider than the axis
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// Where the font is missing, one of its kind takes its place.
	svg := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,sans-serif;"))
	return os.WriteFile(file, svg, 0o644)
}

func (p *Plot) draw() (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text = p.Title
	out.BackgroundColor = color.White
	out.X.Label.Text, out.Y.Label.Text = p.X, p.Y
	if !p.Linear {
		out.X.Scale, out.Y.Scale = plot.LogScale{}, plot.LogScale{}
		out.X.Tick.Marker, out.Y.Tick.Marker = decades{}, decades{}
	}
	out.Legend.Top, out.Legend.Left = true, true
	out.Legend.XOffs, out.Legend.YOffs, out.Legend.Padding = margin, -margin, margin/2
	out.Title.Padding = margin
	for _, style := range []*text.Style{
		&out.Title.TextStyle, &out.X.Label.TextStyle, &out.Y.Label.TextStyle, &out.X.Tick.Label, &out.Y.Tick.Label, &out.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
	}
	out.Add(plotter.NewGrid())
	for i, l := range p.Lines {
		var points plotter.XYs
		for _, at := range l.Points {
			if p.Linear || at.X > 0 && at.Y > 0 {
				points = append(points, plotter.XY{X: at.X, Y: at.Y})
			}
		}
		if len(points) == 0 {
			return nil, fmt.Errorf("the line %q has no points", l.Name)
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = colours[i%len(colours)], vg.Points(1.5)
		if p.Linear { // with too many points for marks
			line.Width = vg.Points(0.75)
			out.Add(line)
			out.Legend.Add(l.Name, line)
			continue
		}
		marks.Color, marks.Shape = line.Color, draw.CircleGlyph{}
		out.Add(line, marks)
		out.Legend.Add(l.Name, line, marks)
	}
	if p.Linear {
		out.Y.Min, out.Y.Max = 0, out.Y.Max*headroom
		return out, nil
	}
	// Whole decades, so that each axis has at least two labels.
	for _, a := range []*plot.Axis{&out.X, &out.Y} {
		a.Min = math.Pow(10, math.Floor(math.Log10(a.Min)))
		a.Max = math.Pow(10, math.Ceil(math.Log10(a.Max)))
		if a.Min == a.Max {
			a.Max *= 10
		}
	}
	return out, nil
}

// decades marks the powers of ten with a label, and their multiples without.
type decades struct{}

// Ticks implements [plot.Ticker].
func (decades) Ticks(low, high float64) (ticks []plot.Tick) {
	for at := math.Pow(10, math.Floor(math.Log10(low))); at <= high*1.001; at *= 10 {
		ticks = append(ticks, plot.Tick{Value: at, Label: short(at)})
		for k := 2.0; k < 10 && k*at < high; k++ {
			ticks = append(ticks, plot.Tick{Value: k * at})
		}
	}
	return ticks
}

// short writes a power of ten, such as 0.1, 10 k or 1 M.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%g M", math.Round(v/1e6))
	case v >= 1e4:
		return fmt.Sprintf("%g k", math.Round(v/1e3))
	case v >= 1:
		return fmt.Sprintf("%g", math.Round(v))
	}
	return fmt.Sprintf("%.3g", v)
}
