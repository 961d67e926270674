package poster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/HugoSmits86/nativewebp"
	"github.com/google/go-cmp/cmp"
)

// picture decodes a PNG of a size.
func picture(t *testing.T, data []byte, err error, width, height int) *image.RGBA {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if size := im.Bounds().Size(); size != image.Pt(width, height) {
		t.Fatalf("the picture is %v, want %dx%d", size, width, height)
	}
	out := image.NewRGBA(im.Bounds()) // whose pixels are read at once
	draw.Draw(out, out.Rect, im, im.Bounds().Min, draw.Src)
	return out
}

func is(im *image.RGBA, x, y int, want color.RGBA) bool { return im.RGBAAt(x, y) == want }

func block(c color.Color, width, height int) *image.RGBA {
	im := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(im, im.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return im
}

// inked counts the pixels of a part of a picture that are not its ground.
func inked(im *image.RGBA, part image.Rectangle) (n int) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if !is(im, x, y, ground) {
				n++
			}
		}
	}
	return n
}

var (
	nameArea = image.Rect(textLeft, plateTop, Width, plateTop+plateSide)
	red      = color.RGBA{0xc0, 0x10, 0x20, 0xff}
)

// TestChannel checks that the logo stands on its plate, that a name is written
// which the font has, and that one is left out, with its place, that it lacks.
func TestChannel(t *testing.T) {
	every, kinds := 1, []bool{false, true}
	if testing.Short() { // a picture takes long with the race detector, and races with nobody
		every, kinds = 4, kinds[:1]
	}
	for i, test := range []struct {
		name    string
		written bool
	}{
		{"Aurora", true}, {"Rádio Ελλάδα Первый", true}, {strings.Repeat("Nacional ", 60), true}, {strings.Repeat("W", 500), true}, {"<b>\"'&", true},
		{"", false}, {"  ", false}, {"العربية", false}, {"日本", false}, {"TV 🎉", false}, {"a\u202eb", false}, {"a\x00b", false}, {"a\xffb", false},
	} {
		if i%every > 0 {
			continue
		}
		for _, radio := range kinds {
			data, err := Channel(Subject{Name: test.name, Radio: radio, Logo: block(red, 200, 100)})
			im := picture(t, data, err, Width, Height)
			middle := plateTop + plateSide/2
			at := image.Pt(80+plateSide/2, middle)
			if !test.written {
				at.X = Width / 2
			}
			if !is(im, at.X, at.Y, red) {
				t.Errorf("%.20q: the logo is not at %v", test.name, at)
			}
			if written := inked(im, nameArea.Intersect(image.Rect(Width/2+plateSide/2+1, 0, Width, Height))) > 0; written != test.written {
				t.Errorf("%.20q: written %t, want %t", test.name, written, test.written)
			}
			if edge := inked(im, image.Rect(Width-40, 0, Width, Height-12)); edge != 0 {
				t.Errorf("%.20q: %d pixels at the edge", test.name, edge)
			}
		}
	}
}

// TestPlate checks that what stands on the plate is seen: a sign where there is
// no logo, one for each kind, and a dark plate under a white logo.
func TestPlate(t *testing.T) {
	if testing.Short() {
		t.Skip("seven pictures take long with the race detector, and race with nobody")
	}
	of := func(s Subject) *image.RGBA {
		data, err := Channel(s)
		return picture(t, data, err, Width, Height)
	}
	tv, radio := of(Subject{Name: "A"}), of(Subject{Name: "A", Radio: true})
	box := image.Rect(80, plateTop, 80+plateSide, plateTop+plateSide).Inset(100)
	same, ink := 0, 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if tv.At(x, y) == radio.At(x, y) {
				same++
			}
			if is(tv, x, y, brand) {
				ink++
			}
		}
	}
	if same == box.Dx()*box.Dy() || ink < 1000 {
		t.Errorf("%d pixels of the signs are alike, %d are drawn", same, ink)
	}
	white := image.NewRGBA(image.Rect(0, 0, 100, 100))
	draw.Draw(white, image.Rect(0, 0, 100, 50), image.White, image.Point{}, draw.Src)
	corner := image.Pt(80+20, plateTop+plateSide/2)
	for name, test := range map[string]struct {
		logo  image.Image
		under color.RGBA
	}{
		"white on nothing": {white, stage}, "white on white": {block(color.White, 100, 100), plate}, "red": {block(red, 100, 100), plate},
		"nothing": {image.NewRGBA(image.Rect(0, 0, 10, 10)), plate}, "no pixel": {image.NewRGBA(image.Rectangle{}), plate},
	} {
		if im := of(Subject{Name: "A", Logo: test.logo}); !is(im, corner.X, corner.Y, test.under) {
			t.Errorf("%s: the plate is %v", name, im.At(corner.X, corner.Y))
		}
	}
}

func TestFit(t *testing.T) {
	box := image.Rect(10, 20, 110, 120)
	for size, want := range map[image.Point]image.Rectangle{
		image.Pt(200, 100): image.Rect(10, 45, 110, 95),
		image.Pt(1, 4000):  image.Rect(59, 20, 60, 120),
		image.Pt(10, 10):   image.Rect(47, 57, 72, 82), // not larger than 2.5 times
	} {
		if got := fit(size, box); got != want {
			t.Errorf("%v is at %v, want %v", size, got, want)
		}
	}
}

// TestLayOut checks where names break, and that what does not fit is cut with an
// ellipsis.
func TestLayOut(t *testing.T) {
	for _, test := range []struct {
		name  string
		want  []string
		size  float64
		where string
	}{
		{"Aurora", []string{"Aurora"}, 84, "one line"},
		{" Rádio \n Nacional  da Amazônia ", []string{"Rádio Nacional", "da Amazônia"}, 68, "between words"},
		{"Nachrichtensendung", []string{"Nachrichtensendung"}, 54, "nowhere, smaller"},
		{"Donaudampfschifffahrtsgesellschaft", []string{"Donaudampfschifffahr", "tsgesellschaft"}, 54, "within a word"},
	} {
		got, size := layOut(test.name)
		if diff := cmp.Diff(test.want, got); diff != "" || size != test.size {
			t.Errorf("%s at %v (-want +got):\n%s", test.where, size, diff)
		}
	}
	for _, long := range []string{strings.Repeat("ab ", 400), strings.Repeat("é", 500), strings.Repeat("Nacional ", 13), strings.Repeat("il ", 45)} {
		lines, size := layOut(long)
		last := lines[len(lines)-1]
		for _, line := range lines {
			if measure(line, bold, size) > textWidth {
				t.Errorf("%q is too wide", line)
			}
		}
		if len(lines) > 4 || !strings.HasSuffix(last, "…") {
			t.Errorf("%.20q is laid out as %q", long, lines)
		}
	}
}

func TestSiteAndIcons(t *testing.T) {
	data, err := Site()
	if im := picture(t, data, err, Width, Height); !is(im, Width/2-100, 245, brand) || inked(im, image.Rect(300, 420, 900, 520)) == 0 {
		t.Error("the picture of the service lacks its mark or its name")
	}
	for _, side := range []int{32, 180, 192, 512} {
		data, err := Icon(side)
		im := picture(t, data, err, side, side)
		if _, _, _, alpha := im.At(0, 0).RGBA(); alpha != 0 || !is(im, side/2, 1, brand) || !is(im, side/2, side/2, plate) {
			t.Errorf("the icon of %d is %v in its corner and %v in its middle", side, im.At(0, 0), im.At(side/2, side/2))
		}
		data, err = WholeIcon(side)
		im = picture(t, data, err, side, side)
		if !is(im, 0, 0, brand) || !is(im, side-1, side-1, brand) || !is(im, side/2, side/2, plate) {
			t.Errorf("the whole icon of %d does not fill its square", side)
		}
		for y := range side { // nothing but ground where platforms may cut
			for x := range side {
				dx, dy := 2*x+1-side, 2*y+1-side
				if float64(dx*dx+dy*dy) > safe*safe*float64(side*side) && !is(im, x, y, brand) {
					t.Fatalf("the whole icon of %d is cut at %d,%d", side, x, y)
				}
			}
		}
	}
}

// TestFavicon reads the icon by the layout of its file.
func TestFavicon(t *testing.T) {
	data, err := Favicon()
	if err != nil || len(data) < 22 {
		t.Fatal(len(data), err)
	}
	size, start := binary.LittleEndian.Uint32(data[14:]), binary.LittleEndian.Uint32(data[18:])
	if diff := cmp.Diff([]byte{0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 32, 0}, data[:14]); diff != "" || int(start+size) != len(data) {
		t.Fatalf("%d bytes from %d of %d (-want +got):\n%s", size, start, len(data), diff)
	}
	picture(t, data[start:], nil, 32, 32)
}

func TestDecode(t *testing.T) {
	var asPNG, asWebP, large bytes.Buffer
	im := block(red, 30, 20)
	if err := png.Encode(&asPNG, im); err != nil {
		t.Fatal(err)
	}
	if err := nativewebp.Encode(&asWebP, im, nil); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&large, image.NewGray(image.Rect(0, 0, maxLogo+1, 1))); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, mediaType string
		data            []byte
		ok              bool
	}{
		{"PNG", "image/png", asPNG.Bytes(), true}, {"WebP", "image/webp", asWebP.Bytes(), true}, {"PNG that says WebP", "image/webp", asPNG.Bytes(), false},
		{"SVG", "image/svg+xml", []byte("<svg/>"), false}, {"too large", "image/png", large.Bytes(), false}, {"cut", "image/png", asPNG.Bytes()[:40], false}, {"empty", "image/png", nil, false},
	} {
		got, err := Decode(test.mediaType, test.data)
		if (err == nil) != test.ok || test.ok && got.Bounds().Size() != image.Pt(30, 20) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func BenchmarkChannel(b *testing.B) {
	logo := block(red, 256, 256)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Channel(Subject{Name: "Rádio Nacional da Amazônia", Radio: true, Logo: logo}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMark checks that icons are drawn in the colour of the mark of the pages.
func TestMark(t *testing.T) {
	svg, err := os.ReadFile("../style/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	data, err := Icon(64)
	if err != nil {
		t.Fatal(err)
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ := im.At(32, 2).RGBA()
	if colour := fmt.Sprintf(`fill="#%02x%02x%02x"`, r>>8, g>>8, b>>8); !bytes.Contains(svg, []byte(colour)) {
		t.Errorf("the mark is drawn with %s, and is %s", colour, svg)
	}
}
