package poster

import (
	"image"
	"image/color"

	"golang.org/x/image/vector"
)

// Shapes are outlines that a rasterizer fills with antialiased edges. They are
// written in the units of their drawing, such as the 24 by 24 units of a symbol,
// and scaled to the box that they fill; one drawing serves every size.

// A shape adds its outline to a rasterizer, in pixels.
type shape func(*vector.Rasterizer)

// A frame maps the units of a drawing to the box that it fills.
type frame struct {
	box   image.Rectangle
	scale float32 // pixels per unit
}

// framed returns the frame in which a square of units fills box.
func framed(box image.Rectangle, units float32) frame { return frame{box, float32(box.Dx()) / units} }

// fill draws shapes in a colour. A counterclockwise outline within a clockwise one
// is a hole in it, by the nonzero winding rule.
func (f frame) fill(dst *image.RGBA, c color.Color, shapes ...shape) {
	r := vector.NewRasterizer(f.box.Dx(), f.box.Dy())
	for _, s := range shapes {
		s(r)
	}
	r.Draw(dst, f.box, image.NewUniform(c), image.Point{})
}

// at returns a point of the drawing in pixels.
func (f frame) at(x, y float32) (px, py float32) { return x * f.scale, y * f.scale }

// polygon returns a shape with straight sides. pairs are the coordinates of its
// corners, clockwise.
func (f frame) polygon(pairs ...float32) shape {
	return func(r *vector.Rasterizer) {
		r.MoveTo(f.at(pairs[0], pairs[1]))
		for i := 2; i+1 < len(pairs); i += 2 {
			r.LineTo(f.at(pairs[i], pairs[i+1]))
		}
		r.ClosePath()
	}
}

// kappa is the distance between the end and the control point of the cubic Bézier
// curve that approximates a quarter of a circle, in radii: 4/3·(√2−1).
const kappa = 0.5522847

// rect returns a rectangle with round corners: clockwise, or counterclockwise for a
// hole.
func (f frame) rect(x0, y0, x1, y1, radius float32, hole bool) shape {
	across := radius // of a corner, from x0 to x1
	if hole {
		x0, x1, across = x1, x0, -across
	}
	const rest = 1 - kappa
	return func(r *vector.Rasterizer) {
		r.MoveTo(f.at(x0+across, y0))
		r.LineTo(f.at(x1-across, y0))
		f.curve(r, x1-across*rest, y0, x1, y0+radius*rest, x1, y0+radius)
		r.LineTo(f.at(x1, y1-radius))
		f.curve(r, x1, y1-radius*rest, x1-across*rest, y1, x1-across, y1)
		r.LineTo(f.at(x0+across, y1))
		f.curve(r, x0+across*rest, y1, x0, y1-radius*rest, x0, y1-radius)
		r.LineTo(f.at(x0, y0+radius))
		f.curve(r, x0, y0+radius*rest, x0+across*rest, y0, x0+across, y0)
		r.ClosePath()
	}
}

// curve draws a cubic Bézier curve to d with the control points b and c.
func (f frame) curve(r *vector.Rasterizer, bx, by, cx, cy, dx, dy float32) {
	bx, by = f.at(bx, by)
	cx, cy = f.at(cx, cy)
	dx, dy = f.at(dx, dy)
	r.CubeTo(bx, by, cx, cy, dx, dy)
}

// disc returns a circle, or a round hole.
func (f frame) disc(x, y, radius float32, hole bool) shape {
	return f.rect(x-radius, y-radius, x+radius, y+radius, radius, hole)
}

// tile draws a square with round corners that fills box.
func tile(dst *image.RGBA, box image.Rectangle, radius float32, c color.Color) {
	f := frame{box, 1}
	f.fill(dst, c, f.rect(0, 0, float32(box.Dx()), float32(box.Dy()), radius, false))
}

// mark draws the mark of the service, with the shapes of style/icon.svg.
func mark(dst *image.RGBA, box image.Rectangle) {
	tile(dst, box, float32(box.Dx())/4, brand)
	emblem(dst, box)
}

// emblem draws the foreground of the mark: a ring with a triangle.
func emblem(dst *image.RGBA, box image.Rectangle) {
	f := framed(box, 32)
	f.fill(dst, plate, f.disc(16, 16, 10, false), f.disc(16, 16, 8, true), f.polygon(13.2, 11.6, 20.6, 16, 13.2, 20.4))
}

// sign draws the symbol of a television set or a radio.
func sign(dst *image.RGBA, box image.Rectangle, radio bool, c color.Color) {
	f := framed(box, 24)
	if radio {
		f.fill(dst, c,
			f.rect(2, 8, 22, 21, 2.5, false), f.rect(4, 10, 20, 19, 1, true),
			f.disc(8.5, 14.5, 2.8, false), f.rect(13.5, 12, 18, 13.6, .4, false), f.rect(13.5, 15.4, 18, 17, .4, false))
		f.fill(dst, c, f.polygon(5.4, 8.2, 17.4, 2.2, 18.3, 4, 9.9, 8.2))
		return
	}
	f.fill(dst, c, f.rect(2, 7, 22, 21, 2.5, false), f.rect(4, 9, 20, 19, 1, true))
	f.fill(dst, c, f.polygon(6.3, 3.1, 7.7, 1.7, 12, 6, 16.3, 1.7, 17.7, 3.1, 13.4, 7.4, 10.6, 7.4))
}
