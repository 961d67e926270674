package thumbnail

import (
	"image"
	"image/color"
	"math"
	"syscall"
	"testing"
	"time"
)

// artwork returns what a logo looks like: a mark with soft edges, letters and a
// slope of colour, on nothing.
func artwork(side int) *image.NRGBA {
	im := image.NewNRGBA(image.Rect(0, 0, side, side))
	unit := float64(side) / 2
	for y := range side {
		for x := range side {
			u, v := (float64(x)-unit)/unit, (float64(y)-unit)/unit
			edge := (0.9 - math.Hypot(u, v)) * unit / 2
			c := color.NRGBA{R: uint8(128 + 100*u), G: 40, B: uint8(160 - 80*v), A: uint8(255 * min(max(edge, 0), 1))}
			if math.Abs(v) < 0.25 && math.Abs(math.Mod(u+9, 0.3)-0.15) < 0.08 {
				c = color.NRGBA{R: 250, G: 250, B: 250, A: 255}
			}
			im.SetNRGBA(x, y, c)
		}
	}
	return im
}

// mix is what sources send: mostly PNG near 512 pixels, some of it large.
func mix(b *testing.B) [][]byte {
	small, middle, large := artwork(512), artwork(1024), artwork(2000)
	return [][]byte{
		pngOf(b, artwork(192)), pngOf(b, small), pngOf(b, small), pngOf(b, small), pngOf(b, artwork(600)),
		jpegOf(b, small), jpegOf(b, middle), pngOf(b, middle), webpOf(b, small), pngOf(b, large), jpegOf(b, large),
	}
}

// BenchmarkMake makes logos of the mix, one after another.
func BenchmarkMake(b *testing.B) {
	files := mix(b)
	b.ReportAllocs()
	n, start := 0, cpuTime(b)
	for b.Loop() {
		if _, err := Make(files[n%len(files)]); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Minutes(), "logos/min")
	b.ReportMetric(float64(n)/(cpuTime(b)-start).Minutes(), "logos/cpu-min")
}

// cpuTime returns how long this process has computed: on a machine that does
// other work too, the clock tells of that.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
