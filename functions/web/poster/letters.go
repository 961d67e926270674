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

// A name is written in the largest of three sizes in which it fits beside the plate
// without breaking a word. In the smallest size a long word is broken and a long
// name is shortened, so every name fits.

// A weight is one of the fonts, parsed when it is first needed. A parsed font may be
// used concurrently.
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

// face returns a font at a size in pixels. A face must not be used concurrently.
func (w weight) face(size float64) font.Face {
	face, err := opentype.NewFace(w(), &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err) // never: the options are constants
	}
	return face
}

// measure returns the width of words in pixels.
func measure(words string, w weight, size float64) int {
	return font.MeasureString(w.face(size), words).Ceil()
}

// write writes words in one line that begins at left on the baseline base.
func (c canvas) write(words string, w weight, size float64, left, base int, ink color.Color) {
	d := font.Drawer{Dst: c.RGBA, Src: image.NewUniform(ink), Face: w.face(size), Dot: fixed.P(left, base)}
	d.DrawString(words)
}

// centred writes words in one line in the horizontal middle of the picture.
func (c canvas) centred(words string, w weight, size float64, base int, ink color.Color) {
	c.write(words, w, size, (Width-measure(words, w, size))/2, base, ink)
}

// maxName is how many letters of a name are laid out. More never fit.
const maxName = 120

// layOut returns the lines of a name and their size in pixels. It returns no lines
// when the font lacks a letter of the name.
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

// writable reports whether there is at least one letter and the font has every one.
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

// wrap breaks words into at most as many lines as most. It reports whether all words
// fit, and whether a word is broken because it is wider than a line.
func wrap(words string, size float64, most int) (lines []string, whole, broken bool) {
	face := bold.face(size)
	fits := func(s string) bool { return font.MeasureString(face, s).Ceil() <= textWidth }
	for rest := words; rest != ""; {
		if len(lines) == most {
			return lines, false, broken
		}
		n, within := lineEnd(rest, fits)
		broken = broken || within
		lines = append(lines, strings.TrimSpace(rest[:n]))
		rest = strings.TrimSpace(rest[n:])
	}
	return lines, true, broken
}

// lineEnd returns how many bytes of words make a line: up to the last space where
// the line is full, else up to the last letter, within a word.
func lineEnd(words string, fits func(string) bool) (n int, within bool) {
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

// shorten ends the last of lines, which it changes, with an ellipsis.
func shorten(lines []string, size float64) []string {
	last := []rune(lines[len(lines)-1])
	for len(last) > 1 && measure(string(last)+"…", bold, size) > textWidth {
		last = last[:len(last)-1]
	}
	lines[len(lines)-1] = strings.TrimSpace(string(last)) + "…"
	return lines
}
