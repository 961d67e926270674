package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// verdicts are all verdicts, and whether each is fine.
var verdicts = []struct {
	name, means string
	fine        bool
}{
	{"same", "the parser sees the same in both", true},
	{"fixed", "the parser refuses the original and reads what the hop passes on", true},
	{"refused by parser", "the parser refuses both", true},
	{"refused by both", "the hop and the parser refuse it", true},
	{"refused", "the hop refuses what the parser reads", false},
	{"differs", "the parser sees something else", false},
	{"broken", "the parser refuses what the hop passes on", false},
	{"relative", "a relative reference is left", false},
}

func fine(name string) bool {
	for _, v := range verdicts {
		if v.name == name {
			return v.fine
		}
	}
	return false
}

// tabulate writes a table of the number of verdicts by parser.
func tabulate(out io.Writer, rulings []ruling) {
	counts := map[string]map[string]int{}
	for _, r := range rulings {
		if counts[r.Parser] == nil {
			counts[r.Parser] = map[string]int{}
		}
		counts[r.Parser][r.Verdict]++
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for _, v := range verdicts {
		fmt.Fprintf(w, "%s\t", v.name)
	}
	fmt.Fprintln(w)
	for _, parser := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "%s\t", parser)
		for _, v := range verdicts {
			fmt.Fprintf(w, "%d\t", counts[parser][v.name])
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
}

// An exception is a known ruling that is not fine.
type exception struct{ parser, verdict, name string }

// exceptions are the known rulings, each with its reason.
type exceptions map[exception]string

// readExceptions reads lines of parser, verdict, name and reason, separated by tabs.
func readExceptions(path string) (exceptions, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	known := exceptions{}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if line == "" {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 || strings.TrimSpace(f[3]) == "" {
			return nil, fmt.Errorf("%s:%d: want parser, verdict, name and reason", path, i+1)
		}
		known[exception{f[0], f[1], f[2]}] = f[3]
	}
	return known, nil
}

// compare returns an error unless the rulings that are not fine are exactly the known
// ones of these playlists.
func (known exceptions) compare(out io.Writer, rulings []ruling, verbose bool) error {
	left, judged, unknown := maps.Clone(known), map[string]bool{}, 0
	for _, r := range rulings {
		e := exception{r.Parser, r.Verdict, r.Name}
		_, ok := known[e]
		delete(left, e)
		judged[r.Name] = true
		if fine(r.Verdict) {
			continue
		}
		if !ok {
			unknown++
		}
		if !ok || verbose {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", r.Parser, r.Verdict, r.Name, r.Detail)
		}
	}
	maps.DeleteFunc(left, func(e exception, _ string) bool { return !judged[e.name] })
	for _, e := range slices.SortedFunc(maps.Keys(left), byName) {
		fmt.Fprintf(out, "%s is no longer %s for %s: take it out of the exceptions\n", e.name, e.verdict, e.parser)
	}
	if unknown+len(left) > 0 {
		return errors.New("parsers see what is not declared")
	}
	return nil
}

func byName(a, b exception) int { return cmp.Compare(a.name+a.parser, b.name+b.parser) }
