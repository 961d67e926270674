package overfound

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"strings"
)

// A judged is a query with what it should find.
type judged struct {
	class    string
	language string // of the query, ISO 639-1
	locale   string // of the caller; usually empty
	country  string // of the caller, as the edge gives it; usually empty
	kind     string // tv, radio or all
	text     string
	answers  answers
}

//go:embed queries.tsv
var ownQueries string

// columns are the columns of a file of queries.
const columns = "class\tlanguage\tlocale\tcountry\tkind\tquery\tanswers"

// readQueries reads a file of queries. Its first line that is not a comment
// names the columns; the header of queries.tsv describes them.
func readQueries(in io.Reader) ([]judged, error) {
	var list []judged
	lines, named := bufio.NewScanner(in), false
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case !named:
			if line != columns {
				return nil, fmt.Errorf("line %d: the columns must be %q", n, strings.ReplaceAll(columns, "\t", " "))
			}
			named = true
			continue
		}
		j, err := readQuery(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, j)
	}
	return list, lines.Err()
}

func readQuery(line string) (judged, error) {
	f := strings.Split(line, "\t")
	if want := strings.Count(columns, "\t") + 1; len(f) != want {
		return judged{}, fmt.Errorf("%d columns, want %d", len(f), want)
	}
	j := judged{class: f[0], language: f[1], locale: f[2], country: f[3], kind: f[4], text: f[5]}
	if j.class == "" || j.text == "" {
		return judged{}, fmt.Errorf("a query must have a class and a text")
	}
	if j.kind != "tv" && j.kind != "radio" && j.kind != "all" {
		return judged{}, fmt.Errorf("kind %q must be tv, radio or all", j.kind)
	}
	var err error
	j.answers, err = readAnswers(f[6])
	return j, err
}
