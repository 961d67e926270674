// Command bench measures the parts of the service whose speed matters, each
// beside an alternative in the same run, and prints tables of ratios and the goals.
//
//	go run ./scripts/bench -part search -size real,1m
//
// Two parts measure the hop: hop uses wrk as the load, and soak loads it for
// a longer time and fails when it leaks. The part growth measures how the cost of
// search and of the hop grows with the work. Without -part every part but these
// last two is run:
//
//	go run ./scripts/bench -part soak -for 1h
//
// The part found asks a judged set of queries, and lists those that it misses:
//
//	go run ./scripts/bench -part found -misses [-queries FILE]
//
// Figures of the index are processor time of one thread, so that a busy
// machine does not change them much; each is the median of several runs.
//
// With -small every part runs for seconds on the sample catalog. That shows
// that the parts work; its figures mean nothing, and the goals at the end are not judged by them:
//
//	go run ./scripts/bench -small -part all
//
// With -report every part runs, on both catalogs, and the figures are also written as
// a document with plots:
//
//	go run ./scripts/bench -report docs/performance.md
//
// A part that fails does not end the run: the other parts go on, and the command exits
// with 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"miramundo.dev/scripts/bench/overchat"
	"miramundo.dev/scripts/bench/overhop/ceiling"
	"miramundo.dev/scripts/bench/overhttp"
	"miramundo.dev/scripts/bench/overprobe"
	"miramundo.dev/scripts/bench/oversearch"
	"miramundo.dev/scripts/bench/report"
)

// sampleData as the folder of the sources stands for the sample catalog of the
// repository.
const sampleData = "sample"

// options are the values of the flags.
type options struct {
	sizes []string // "real" or "1m"
	runs  int
	data  string // a folder, or sampleData
	peers bool
	small bool

	length time.Duration // of the parts soak and probe; 0 for the default

	// Of the part found.
	queries string // a file of judged queries; empty for the set of the repository
	misses  bool
	enforce bool
}

// shrink returns the options of a small run: every figure is measured once, on
// the sample catalog.
func (o options) shrink() options {
	o.small, o.runs, o.sizes, o.data = true, 1, []string{"real"}, sampleData
	return o
}

// hasData reports whether the sources that o names can be read.
func (o options) hasData() error {
	if o.data == sampleData {
		return nil
	}
	_, err := os.Stat(o.data)
	return err
}

// A part measures one part of the service.
type part struct {
	name string
	run  func(ctx context.Context, r *report.Report, o options) error
}

// parts are all parts, in the order in which they run.
var parts = []part{
	{"search", searchPart},
	{"found", foundPart},
	{"http", httpPart},
	{"reload", reloadPart},
	{"hop", hopPart},
	{"soak", soakPart},
	{"people", peoplePart},
	{"probe", probePart},
	{"start", startPart},
	{"chat", chatPart},
	{"growth", growthPart},
}

func main() {
	overhttp.Child()
	ceiling.Child()
	overprobe.Child()
	overchat.Child()
	names := flag.String("part", "search,found,http,reload,hop,people,probe,start,chat", "parts to measure, separated by commas; all also includes soak and growth")
	size := flag.String("size", "real", "catalogs to measure on: real, 1m or both")
	runs := flag.Int("runs", 5, "runs that a figure is the median of")
	data := flag.String("data", "../shared/data/catalog", "folder of the real sources, or sample; a synthetic catalog is used when the folder does not exist")
	small := flag.Bool("small", false, "run each part for seconds on the sample catalog, to see that it works")
	peers := flag.Bool("peers", true, "measure peers too")
	length := flag.Duration("for", 0, "how long the parts soak and probe run; 0 means 90s and 30s")
	queries := flag.String("queries", "", "file of judged queries for the part found; without it, its own")
	misses := flag.Bool("misses", false, "list the queries of the part found that are not answered first")
	enforce := flag.Bool("enforce", false, "fail when a goal of the part found is missed")
	document := flag.String("report", "", "write the figures into this Markdown file, and plots into the folder beside it; without -part and -size all parts run, on both catalogs")
	load := flag.String("load", "", "load this snapshot, answer one search and print what it took (used by the search part)")
	reload := flag.String("reload", "", "reload into this folder and print what it took (used by the reload part)")
	flag.Parse()
	if *reload != "" {
		exit(reloadOnce(os.Stdout, *reload, *data))
		return
	}
	if *load != "" {
		exit(oversearch.LoadOnce(os.Stdout, *load))
		return
	}
	o := options{sizes: strings.Split(*size, ","), runs: *runs, data: *data, peers: *peers, length: *length, queries: *queries, misses: *misses, enforce: *enforce}
	if *document != "" {
		given := map[string]bool{}
		flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
		if !given["part"] {
			*names = "all"
		}
		if !given["size"] {
			o.sizes = []string{report.Real, report.Million}
		}
	}
	if *small {
		o = o.shrink()
	}
	chosen, err := choose(*names)
	exit(err)
	if *document != "" && filepath.Ext(*document) != ".md" {
		exit(fmt.Errorf("-report %s: the name of a Markdown file must end with .md", *document))
	}
	exit(measure(context.Background(), chosen, o, *document))
}

// choose returns the parts with the given names, separated by commas, in the
// order in which they are run.
func choose(names string) ([]part, error) {
	if names == "all" {
		return parts, nil
	}
	var chosen []part
	list := strings.Split(names, ",")
	for _, p := range parts {
		if slices.Contains(list, p.name) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) != len(list) {
		return nil, fmt.Errorf("-part %s has a name that is not the name of a part", names)
	}
	return chosen, nil
}

// exit ends the command when err is a failure.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
