// Command hls checks the rewriting of playlists with the parsers of players. Each
// parser must read the same segments, keys, variants and dates from a rewritten
// playlist as from the original, with references that lead to the addresses to
// which a browser would have resolved the original ones.
//
// It reads the playlists in its own folder and in the folders of -corpus. It fails
// when a parser reads something else, unless exceptions.tsv lists the case with a
// reason, and when a listed case is fine.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"miramundo.dev/hop/playlist"
)

func main() {
	corpus := flag.String("corpus", "../shared/data/hls", "a folder with more playlists; it may be missing")
	verbose := flag.Bool("v", false, "name every playlist that is not the same")
	flag.Parse()
	if err := run(os.Stdout, *corpus, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "hls:", err)
		os.Exit(1)
	}
}

// home is the folder of this command, from the root of the repository.
const home = "scripts/hls"

// own are the playlists of the repository.
const own = "hop/playlist/testdata/playlists"

func run(out io.Writer, corpus string, verbose bool) error {
	known, err := readExceptions(filepath.Join(home, "exceptions.tsv"))
	if err != nil {
		return err
	}
	sources, err := gather(out, corpus)
	if err != nil {
		return err
	}
	var failed error
	for _, s := range sources {
		rulings, err := judge(s.playlists)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s: %d\n", s.name, len(s.playlists))
		tabulate(out, rulings)
		failed = errors.Join(failed, known.compare(out, rulings, verbose))
	}
	return failed
}

// A source is a set of playlists.
type source struct {
	name      string
	playlists []named
}

func gather(out io.Writer, corpus string) ([]source, error) {
	sources := []source{{own, nil}, {"references made at random", random()}}
	var err error
	if sources[0].playlists, err = folder(own); err != nil {
		return nil, err
	}
	if _, err := os.Stat(corpus); err != nil {
		fmt.Fprintf(out, "no %s: only the playlists of the repository\n", corpus)
		return sources, nil
	}
	all, err := folder(corpus)
	return append(sources, source{corpus, all}), err
}

// A task is a playlist with its rewritten form.
type task struct {
	Name      string            `json:"name"`
	Base      string            `json:"base"`
	Hop       string            `json:"hop"`
	Vars      map[string]string `json:"vars"`
	Original  []byte            `json:"original"`
	Rewritten []byte            `json:"rewritten,omitempty"`
	Refused   string            `json:"refused,omitempty"`
}

// bases are the addresses from which every playlist is assumed to come, in turn.
var bases = []string{
	"https://origin.example/live/news/index.m3u8?token=a%2Fb~c&exp=1",
	"http://203.0.113.9:8080/get;v=1/x/playlist.php?id=/7/",
}

// hop is the address of the hop in rewritten playlists.
const hop = "https://hop.example/api/s/s_0123456789abc"

// imported are the variables that a playlist may import.
var imported = playlist.Var{Name: "imported", Value: "value/of-it"}

// rewrite rewrites a playlist as the hop does. A reference that must lead through the
// hop becomes an address of the hop with its target in the parameter p.
func rewrite(name, base string, text []byte) task {
	out, _, err := playlist.Rewrite(nil, text, playlist.Options{
		Base:     base,
		Vars:     []playlist.Var{imported},
		MaxBlock: time.Hour,
		Route: func(dst []byte, r playlist.Reference) ([]byte, error) {
			if !r.Report {
				dst = append(dst, hop...)
			}
			return base64.RawURLEncoding.AppendEncode(append(dst, "?p="...), r.URL), nil
		},
	})
	t := task{Name: name, Base: base, Hop: hop, Vars: map[string]string{imported.Name: imported.Value}, Original: text, Rewritten: out}
	if err != nil {
		t.Refused = err.Error()
	}
	return t
}

// A ruling is the verdict of one parser on one playlist.
type ruling struct {
	Name    string `json:"name"`
	Parser  string `json:"parser"`
	Verdict string `json:"verdict"`
	Detail  string `json:"detail"`
}

// judge returns the rulings of every parser on every playlist from every base.
func judge(playlists []named) ([]ruling, error) {
	var tasks bytes.Buffer
	for _, p := range playlists {
		for _, base := range bases {
			if err := json.NewEncoder(&tasks).Encode(rewrite(p.name, base, p.text)); err != nil {
				return nil, err
			}
		}
	}
	return ask(&tasks)
}

// ask sends the tasks to the parsers as lines of JSON, and returns their rulings.
func ask(tasks io.Reader) ([]ruling, error) {
	cmd := exec.Command("node", "judge.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = home, tasks, os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the parsers: %w", err)
	}
	return readRulings(answer)
}

func readRulings(answer []byte) ([]ruling, error) {
	var rulings []ruling
	for d := json.NewDecoder(bytes.NewReader(answer)); d.More(); {
		var r ruling
		if err := d.Decode(&r); err != nil {
			return nil, err
		}
		rulings = append(rulings, r)
	}
	return rulings, nil
}
