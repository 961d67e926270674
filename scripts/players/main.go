// Command players plays live streams of every form through the hop with real
// players, and prints which of them play.
//
//	go run ./scripts/players
//
// It serves the streams from an origin of its own. Journals of the requests to the
// origin and to the hop show whether all playlists came through the hop and all
// media from the origin. The command fails when a player fails, and with -strict
// also when a player is not installed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/scripts/players/liveorigin"
	"miramundo.dev/scripts/players/player"
)

// options are the values of the flags.
type options struct {
	direct bool
	only   string
	script string
	hop    string // the program; empty to build it
	strict bool   // a player that is not installed is a failure
}

func main() {
	var o options
	flag.BoolVar(&o.direct, "direct", false, "play the origin itself, to see what players make of it without the hop")
	flag.StringVar(&o.only, "only", "", "play only streams and players that have this in their names, as stream/player")
	flag.StringVar(&o.script, "hlsjs", filepath.Join("scripts", "players", player.Script), "the file of hls.js")
	flag.StringVar(&o.hop, "hop", "", "the program of the hop; it is built when none is named")
	flag.BoolVar(&o.strict, "strict", false, "fail also when a player is not installed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "players:", err)
		os.Exit(1)
	}
}

// run plays all streams with all players, and prints a table of the results.
func run(ctx context.Context, out io.Writer, o options) error {
	start := time.Now()
	dir, err := os.MkdirTemp("", "players")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	origin, err := liveorigin.Start(ctx, dir)
	if err != nil {
		return err
	}
	defer origin.Close()
	st := &stage{origin: origin}
	if !o.direct {
		if st.hop, err = openHop(ctx, o.hop, filepath.Join(dir, "data"), origin); err != nil {
			return err
		}
		defer st.hop.close()
	}
	players, closePlayers, err := allPlayers(ctx, o, dir)
	if err != nil {
		return err
	}
	defer closePlayers()
	rows := st.playAll(ctx, o, players)
	printTable(out, players, rows)
	fmt.Fprintf(out, "\n%d s\n", int(time.Since(start).Seconds()))
	return verdict(rows, o.strict)
}

// allPlayers returns every player, and a function that stops them.
func allPlayers(ctx context.Context, o options, dir string) ([]player.Player, func(), error) {
	players := player.Programs(dir)
	chromium, browser, err := player.Chromium(ctx, o.script, dir)
	if err != nil {
		return nil, nil, err
	}
	return append(players, chromium), func() {
		if browser != nil {
			browser.Close()
		}
	}, nil
}

// A cell is the result of one player with one stream.
type cell struct {
	note string // details, unless the player failed
	err  error
	skip bool // not tried, because the player is not installed
}

// A row has the results of all players with one stream, by the names of players.
type row struct {
	form  liveorigin.Form
	cells map[string]cell
}

// playAll plays one stream after another, each with all players at once.
func (st *stage) playAll(ctx context.Context, o options, players []player.Player) []row {
	var rows []row
	onlyStream, onlyPlayer, _ := strings.Cut(o.only, "/")
	for _, f := range liveorigin.Forms {
		if !strings.Contains(f.Name, onlyStream) {
			continue
		}
		r := row{f, map[string]cell{}}
		if st.hop != nil && f.Redirected() {
			r.cells["no player"] = st.checkRedirect(ctx, f)
		}
		cells := make([]cell, len(players))
		var group errgroup.Group
		for i, p := range players {
			if !strings.Contains(p.Name, onlyPlayer) {
				continue
			}
			group.Go(func() error {
				cells[i] = st.play(ctx, p, f)
				return nil
			})
		}
		_ = group.Wait() // the cells have the errors
		for i, p := range players {
			r.cells[p.Name] = cells[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// play plays one stream with one player, and checks the requests in the journals.
func (st *stage) play(ctx context.Context, p player.Player, f liveorigin.Form) cell {
	if p.Lacks != nil {
		return cell{note: "skipped: not installed", skip: true}
	}
	s, ok := st.stream(f)
	if !ok {
		return cell{note: "-"}
	}
	since := time.Now()
	seen, err := p.Play(ctx, s)
	if errors.Is(err, player.ErrUnfit) {
		return cell{note: "-"}
	}
	if err == nil {
		err = st.check(p.Name, f, since, seen)
	}
	return cell{note: seen.Note, err: err}
}

// printTable prints a row for each stream, and the failures below the table.
func printTable(out io.Writer, players []player.Player, rows []row) {
	w := tabwriter.NewWriter(out, 2, 0, 2, ' ', 0)
	fmt.Fprint(w, "stream")
	for _, p := range players {
		fmt.Fprint(w, "\t", p.Name)
	}
	fmt.Fprintln(w, "\tno player")
	for _, r := range rows {
		fmt.Fprint(w, r.form.Name)
		for _, p := range players {
			fmt.Fprint(w, "\t", r.cells[p.Name])
		}
		fmt.Fprintln(w, "\t", r.cells["no player"])
	}
	_ = w.Flush() // an error of the terminal does not matter
}

// String returns the text of c in the table.
func (c cell) String() string {
	switch {
	case c.err != nil:
		return "FAILED"
	case c.skip || c.note == "-" || c.note == "":
		return c.note
	}
	return "ok: " + c.note
}

// verdict returns the failures, and with strict also the missing players, as an
// error.
func verdict(rows []row, strict bool) error {
	var failures []error
	for _, r := range rows {
		for name, c := range r.cells {
			if c.err != nil {
				failures = append(failures, fmt.Errorf("%s with %s: %w", r.form.Name, name, c.err))
			}
			if c.skip && strict {
				failures = append(failures, fmt.Errorf("%s with %s: %s", r.form.Name, name, c.note))
			}
		}
	}
	return errors.Join(failures...)
}
