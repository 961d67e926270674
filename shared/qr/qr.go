// Package qr draws texts as QR codes, as SVG that pages can contain without a
// script.
package qr

import (
	"errors"
	"fmt"
	"html/template"
	"strings"

	code "rsc.io/qr"
)

// MaxText is the greatest length of a text, in bytes. A code of it has 81 modules
// on each side, which a phone still reads from a screen.
const MaxText = 370

// ErrTooLong is returned for a text of more than MaxText bytes.
var ErrTooLong = errors.New("qr: the text is too long")

// quiet is the width of the empty border, in modules, as the standard requires.
const quiet = 4

// SVG returns an svg element that shows text as a QR code of medium error
// correction: dark modules on white in every theme, because readers need the
// contrast. It has no width; the page's style sets one. label is its accessible
// name.
func SVG(text, label string) (template.HTML, error) {
	if len(text) > MaxText {
		return "", ErrTooLong
	}
	c, err := code.Encode(text, code.M)
	if err != nil {
		return "", fmt.Errorf("qr: %w", err)
	}
	size := c.Size + 2*quiet
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="qr" viewBox="0 0 %d %d" role="img" aria-label="%s" shape-rendering="crispEdges">`,
		size, size, template.HTMLEscapeString(label))
	fmt.Fprintf(&b, `<path fill="#fff" d="M0 0h%dv%dH0z"/><path fill="#000" d="`, size, size)
	for y := range c.Size {
		row(&b, c, y)
	}
	b.WriteString(`"/></svg>`)
	return template.HTML(b.String()), nil
}

// row draws the dark modules of a row, neighbours as one rectangle.
func row(b *strings.Builder, c *code.Code, y int) {
	for x := 0; x < c.Size; x++ {
		start := x
		for x < c.Size && c.Black(x, y) {
			x++
		}
		if x > start {
			fmt.Fprintf(b, "M%d %dh%dv1h-%dz", start+quiet, y+quiet, x-start, x-start)
		}
	}
}
