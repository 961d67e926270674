package raster

import (
	"image"
	"image/draw"

	xdraw "golang.org/x/image/draw"
)

// A picture is reduced in two steps. First each pixel becomes the mean of a
// rectangle of the original, row by row, so that the picture need not be in
// memory a second time; that brings its longer side below 2*coarse. Then a
// Catmull-Rom filter scales the rest, which keeps edges sharp. Colours are
// multiplied by their alpha throughout: the colour of a transparent pixel must
// not bleed into its neighbours.

// Scale returns a picture of at most side pixels on its longer side. It keeps the
// proportions, and never enlarges.
func Scale(p Picture, side int) *image.RGBA {
	src := average(p, 3*side/2)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	long := max(p.Canvas.Dx(), p.Canvas.Dy())
	if long <= side {
		return src
	}
	shrunk := func(n int) int { return max(1, (n*side+long/2)/long) }
	dst := image.NewRGBA(image.Rect(0, 0, shrunk(p.Canvas.Dx()), shrunk(p.Canvas.Dy())))
	if dst.Rect.Dx() == w && dst.Rect.Dy() == h {
		return src
	}
	xdraw.CatmullRom.Scale(dst, dst.Rect, src, src.Rect, draw.Src, nil)
	return dst
}

// average returns p with a longer side of less than 2*coarse: each pixel is the
// mean of a rectangle, whose sides differ by at most one pixel from the others'.
// The memory and time of filtering the result grow with coarse.
func average(p Picture, coarse int) *image.RGBA {
	w, h := p.Canvas.Dx(), p.Canvas.Dy()
	k := max(1, max(w, h)/coarse)
	rows := newRows(p)
	dst := image.NewRGBA(image.Rect(0, 0, max(1, w/k), max(1, h/k)))
	if k == 1 {
		for y := range h {
			copy(dst.Pix[y*dst.Stride:], rows.at(y))
		}
		return dst
	}
	acc := newSums(w, dst.Rect.Dx())
	for y := range dst.Rect.Dy() {
		from, to := y*h/dst.Rect.Dy(), (y+1)*h/dst.Rect.Dy()
		for row := from; row < to; row++ {
			acc.add(rows.at(row))
		}
		acc.mean(dst.Pix[y*dst.Stride:][:4*dst.Rect.Dx()], to-from)
	}
	return dst
}

// sums add up the pixels of a row of rectangles.
type sums struct {
	ends []int    // by column of the result: where its rectangle ends
	sum  []uint32 // four channels for each column
}

func newSums(from, to int) *sums {
	s := &sums{make([]int, to), make([]uint32, 4*to)}
	for x := range s.ends {
		s.ends[x] = (x + 1) * from / to
	}
	return s
}

// add adds a row of pixels.
func (s *sums) add(row []byte) {
	from := 0
	for x, to := range s.ends {
		var r, g, b, a uint32
		for px := row[4*from : 4*to]; len(px) >= 4; px = px[4:] {
			r += uint32(px[0])
			g += uint32(px[1])
			b += uint32(px[2])
			a += uint32(px[3])
		}
		sum := s.sum[4*x : 4*x+4 : 4*x+4]
		sum[0] += r
		sum[1] += g
		sum[2] += b
		sum[3] += a
		from = to
	}
}

// mean writes the means over the given number of added rows to dst, and resets
// the sums.
func (s *sums) mean(dst []byte, rows int) {
	from := 0
	for x, to := range s.ends {
		n := uint32((to - from) * rows)
		for i := 4 * x; i < 4*x+4; i++ {
			dst[i] = byte((s.sum[i] + n/2) / n)
			s.sum[i] = 0
		}
		from = to
	}
}

// rows converts a picture row by row.
type rows struct {
	Picture
	row     *image.RGBA // the current row, reused
	palette [][4]byte   // colours by index; nil for a picture without a palette
}

func newRows(p Picture) *rows {
	r := &rows{Picture: p, row: image.NewRGBA(image.Rect(0, 0, p.Canvas.Dx(), 1))}
	if im, ok := p.Image.(*image.Paletted); ok {
		r.palette = make([][4]byte, 256) // an index beyond the palette is transparent
		for i, c := range im.Palette {
			red, green, blue, alpha := c.RGBA()
			r.palette[i] = [4]byte{byte(red >> 8), byte(green >> 8), byte(blue >> 8), byte(alpha >> 8)}
		}
	}
	return r
}

// at returns row y of the canvas, valid until the next call.
func (r *rows) at(y int) []byte {
	y += r.Canvas.Min.Y
	if r.palette != nil {
		r.index(r.Image.(*image.Paletted), y)
		return r.row.Pix
	}
	draw.Draw(r.row, r.row.Rect, r.Image, image.Pt(r.Canvas.Min.X, y), draw.Src)
	return r.row.Pix
}

// index fills in a row from the indexes of its pixels.
func (r *rows) index(im *image.Paletted, y int) {
	clear(r.row.Pix)
	row := image.Rect(r.Canvas.Min.X, y, r.Canvas.Max.X, y+1)
	visible := im.Rect.Intersect(row)
	if visible.Empty() {
		return
	}
	seen := im.Pix[im.PixOffset(visible.Min.X, y):][:visible.Dx()]
	out := r.row.Pix[4*(visible.Min.X-r.Canvas.Min.X):]
	for x, i := range seen {
		copy(out[4*x:4*x+4], r.palette[i][:])
	}
}
