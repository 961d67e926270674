// Command bench measures the parts that decide whether the service is fast,
// beside what someone would use in their place, in one run, and prints tables
// of ratios.
//
//	go run ./scripts/bench -part search -size real,1m
//
// The hop has two parts: hop, with wrk as the load, and soak, which is run by
// its name alone:
//
//	go run ./scripts/bench -part soak -for 1h
//
// Figures of the index are processor time of one thread, so that a busy
// machine does not change them much; each is the median of several runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"miramundo.dev/scripts/bench/overhop"
	"miramundo.dev/scripts/bench/overhttp"
	"miramundo.dev/scripts/bench/overprobe"
)

// options are what the flags say.
type options struct {
	sizes []string // "real" or "1m"
	runs  int
	data  string
	peers bool

	length time.Duration // of a soak or of a day of measurements; 0 for the usual
}

// A part measures one part of the service.
type part struct {
	name string
	run  func(ctx context.Context, out io.Writer, o options) error
}

// parts are run in this order.
var parts = []part{
	{"search", searchPart},
	{"http", httpPart},
	{"reload", reloadPart},
	{"hop", hopPart},
	{"soak", soakPart},
	{"people", peoplePart},
	{"probe", probePart},
}

func main() {
	overhttp.Child()
	overhop.Child()
	overprobe.Child()
	part := flag.String("part", "search,http,reload,hop,people,probe", "parts to measure, parted by commas")
	size := flag.String("size", "real", "catalogs to measure on: real, 1m or both")
	runs := flag.Int("runs", 5, "runs that a figure is the median of")
	data := flag.String("data", "../shared/data/catalog", "folder of the real sources; a made-up catalog is used when it is not there")
	peers := flag.Bool("peers", true, "measure peers too")
	length := flag.Duration("for", 0, "how long the parts soak and probe go on; 0 means 90s and 30s")
	load := flag.String("load", "", "load this snapshot, answer one search and print what it took (used by the search part)")
	reload := flag.String("reload", "", "reload into this folder and print what it took (used by the reload part)")
	flag.Parse()
	if *reload != "" {
		exit(reloadOnce(os.Stdout, *reload, *data))
		return
	}
	if *load != "" {
		exit(loadOnce(os.Stdout, *load))
		return
	}
	o := options{strings.Split(*size, ","), *runs, *data, *peers, *length}
	for _, p := range parts {
		if strings.Contains(","+*part+",", ","+p.name+",") {
			exit(p.run(context.Background(), os.Stdout, o))
		}
	}
}

// exit ends the command when err is a failure.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
