package page

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestColoursMatchStyles checks that the colours for browsers are those of the stylesheets.
func TestColoursMatchStyles(t *testing.T) {
	tokens, err := os.ReadFile("../style/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	pair := func(name string) []string {
		return regexp.MustCompile(name + `: light-dark\((#\w+), (#\w+)\)`).FindStringSubmatch(string(tokens))[1:]
	}
	if diff := cmp.Diff(pair("--surface"), []string{BarLight.Colour, BarDark.Colour}); diff != "" {
		t.Errorf("the bar (-style +here):\n%s", diff)
	}
	if diff := cmp.Diff(pair("--ground")[0], GroundColour); diff != "" {
		t.Errorf("the ground (-style +here):\n%s", diff)
	}
}
