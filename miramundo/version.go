package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"miramundo.dev/miramundo/datafolder"
)

// What `make build` sets. The compiler itself records the commit, but not in every kind
// of checkout.
var (
	version = "development" // the tag of the release, or the commits since it
	commit  = ""            // the short id of the commit
)

// A build is what a program was made from.
type build struct {
	commit   string // its short id; "dev" where that is not known
	at       string // the time of the commit; empty where that is not known
	modified bool   // the sources were changed since the commit
}

// builtFrom returns what this program was made from.
func builtFrom() build {
	b := build{commit: cmp.Or(commit, "dev")}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 7 && commit == "":
			b.commit = s.Value[:7]
		case s.Key == "vcs.time":
			b.at = s.Value
		case s.Key == "vcs.modified":
			b.modified = s.Value == "true"
		}
	}
	return b
}

// String returns one line for a person.
func (b build) String() string {
	text := fmt.Sprintf("miramundo %s, commit %s", version, b.commit)
	if b.at != "" {
		text += " of " + b.at
	}
	if b.modified {
		text += ", with changes"
	}
	return fmt.Sprintf("%s, %s %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// thisProgram returns what the data folder records of this program. Its sum is empty where
// no file of the program can be read.
func thisProgram() datafolder.Program {
	p := datafolder.Program{Name: builtFrom().String()}
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0] // the system does not say, as without /proc
	}
	if p.Sum, err = datafolder.Sum(path); err != nil {
		p.Sum = ""
	}
	return p
}

// printVersion prints what the program is.
func printVersion(_ context.Context, _ options, _ map[string]string, out io.Writer) error {
	_, err := fmt.Fprintln(out, builtFrom())
	return err
}
