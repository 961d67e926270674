package qr

import (
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// modules reads the dark modules of an svg element back, as lines of # and space.
func modules(t *testing.T, svg string) []string {
	t.Helper()
	size := number(t, regexp.MustCompile(`viewBox="0 0 (\d+) `).FindStringSubmatch(svg)[1])
	grid := make([][]byte, size)
	for y := range grid {
		grid[y] = []byte(strings.Repeat(" ", size))
	}
	dark := svg[strings.Index(svg, `fill="#000"`):]
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(dark, -1) {
		x, y, n := number(t, m[1]), number(t, m[2]), number(t, m[3])
		if m[3] != m[4] {
			t.Fatalf("the rectangle %s is not closed", m[0])
		}
		copy(grid[y][x:], strings.Repeat("#", n))
	}
	lines := make([]string, size)
	for y := range grid {
		lines[y] = string(grid[y])
	}
	return lines
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// miramundo is the code of the product's name, which an independent reader (jsQR
// 1.4.0) decodes as it does longer ones.
var miramundo = []string{
	"                             ",
	"                             ",
	"                             ",
	"                             ",
	"    #######       #######    ",
	"    #     # ###   #     #    ",
	"    # ### #  #  # # ### #    ",
	"    # ### #  ## # # ### #    ",
	"    # ### # # # # # ### #    ",
	"    #     #  #  # #     #    ",
	"    ####### # # # #######    ",
	"             # ##            ",
	"    # # # #   ##    #  #     ",
	"    # ## # #  #   ## ###     ",
	"    # # ######  #   ### #    ",
	"    #####   ##    ## ## #    ",
	"    ########    # # ####     ",
	"            ## # # # #  #    ",
	"    #######  # # ## #        ",
	"    #     #    ###  # ##     ",
	"    # ### # #  # ## ## ##    ",
	"    # ### #   #   ##  ##     ",
	"    # ### # ### #  # #  #    ",
	"    #     #  #    ## # ##    ",
	"    ####### ##  # # #   #    ",
	"                             ",
	"                             ",
	"                             ",
	"                             ",
}

func TestSVG(t *testing.T) {
	svg, err := SVG("MIRAMUNDO", "code")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(miramundo, modules(t, string(svg))); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
}

func TestSVGOfText(t *testing.T) {
	for n := range MaxText + 1 {
		svg, err := SVG(strings.Repeat("x", n), `a "label" <of> it`)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if n%37 != 0 {
			continue
		}
		var parsed struct {
			Label string `xml:"aria-label,attr"`
		}
		if err := xml.Unmarshal([]byte(svg), &parsed); err != nil || parsed.Label != `a "label" <of> it` {
			t.Errorf("%d bytes: %v, label %q", n, err, parsed.Label)
		}
		lines := modules(t, string(svg))
		for _, line := range append(lines[:quiet:quiet], lines[len(lines)-quiet:]...) {
			if strings.TrimSpace(line) != "" {
				t.Errorf("%d bytes: the border is not empty", n)
			}
		}
		if finder := fmt.Sprintf("%s#######", strings.Repeat(" ", quiet)); !strings.HasPrefix(lines[quiet], finder) {
			t.Errorf("%d bytes: no finder pattern in %q", n, lines[quiet])
		}
	}
	if _, err := SVG(strings.Repeat("x", MaxText+1), ""); !errors.Is(err, ErrTooLong) {
		t.Errorf("a longer text: %v", err)
	}
}
