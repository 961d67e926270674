package poster

import (
	"image"
	"image/color"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// A weight is one of the fonts, parsed when it is first needed.
type weight func() *sfnt.Font

var (
	bold    weight = sync.OnceValue(func() *sfnt.Font { return parse(gobold.TTF) })
	regular weight = sync.OnceValue(func() *sfnt.Font { return parse(goregular.TTF) })
)

func parse(data []byte) *sfnt.Font {
	f, err := opentype.Parse(data)
	if err != nil {
		panic(err) // never: the font is part of the program
	}
	return f
}

// face returns a font at a size, in pixels. It is not for several at a time.
func (w weight) face(size float64) font.Face {
	face, err := opentype.NewFace(w(), &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err) // never: the options are constants
	}
	return face
}

// measure returns how wide words are, in pixels.
func measure(words string, w weight, size float64) int {
	return font.MeasureString(w.face(size), words).Ceil()
}

// write writes words in one line, from left on, upon the height of base.
func (c canvas) write(words string, w weight, size float64, left, base int, ink color.Color) {
	d := font.Drawer{Dst: c.RGBA, Src: image.NewUniform(ink), Face: w.face(size), Dot: fixed.P(left, base)}
	d.DrawString(words)
}

// centred writes words in the middle of the picture.
func (c canvas) centred(words string, w weight, size float64, base int, ink color.Color) {
	c.write(words, w, size, (Width-measure(words, w, size))/2, base, ink)
}

// maxName is how much of a name is read, in letters: more never fits.
const maxName = 120

// layOut returns a name in lines that fit beside the plate, and their size, which
// is the greatest at which all of it fits with its words whole, or the least. It
// returns no lines when the font lacks a letter.
func layOut(name string) (lines []string, size float64) {
	letters := []rune(strings.Join(strings.Fields(name), " "))
	cut := len(letters) > maxName
	if cut {
		letters = letters[:maxName]
	}
	if !writable(letters) {
		return nil, 0
	}
	whole, broken := false, false
	for _, try := range []struct {
		size float64
		most int
	}{{84, 2}, {68, 3}, {54, 4}} {
		size = try.size
		if lines, whole, broken = wrap(string(letters), size, try.most); whole && !broken && !cut {
			return lines, size
		}
	}
	if !whole || cut {
		lines = shorten(lines, size)
	}
	return lines, size
}

// writable reports whether the font has every letter, and there is one.
func writable(letters []rune) bool {
	var b sfnt.Buffer
	for _, r := range letters {
		i, err := bold().GlyphIndex(&b, r)
		if err != nil || i == 0 || !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			return false
		}
	}
	return len(letters) > 0
}

// wrap breaks words into at most so many lines, and reports whether all of them
// fit, and whether one is broken because it is wider than a line.
func wrap(words string, size float64, most int) (lines []string, whole, broken bool) {
	face := bold.face(size)
	fits := func(s string) bool { return font.MeasureString(face, s).Ceil() <= textWidth }
	for rest := words; rest != ""; {
		if len(lines) == most {
			return lines, false, broken
		}
		n, within := reach(rest, fits)
		broken = broken || within
		lines = append(lines, strings.TrimSpace(rest[:n]))
		rest = strings.TrimSpace(rest[n:])
	}
	return lines, true, broken
}

// reach returns how many bytes of words make a line: up to the last space where
// the line is full, else up to the last letter, within a word.
func reach(words string, fits func(string) bool) (n int, within bool) {
	if fits(words) {
		return len(words), false
	}
	space, letter := 0, 0
	for i, r := range words {
		if i > 0 && !fits(words[:i]) {
			break
		}
		letter = i
		if r == ' ' {
			space = i
		}
	}
	if space > 0 {
		return space, false
	}
	return max(letter, 1), true
}

// shorten says by an ellipsis that lines go on.
func shorten(lines []string, size float64) []string {
	last := []rune(lines[len(lines)-1])
	for len(last) > 1 && measure(string(last)+"…", bold, size) > textWidth {
		last = last[:len(last)-1]
	}
	lines[len(lines)-1] = strings.TrimSpace(string(last)) + "…"
	return lines
}
