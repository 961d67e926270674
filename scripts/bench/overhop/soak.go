package overhop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"miramundo.dev/scripts/bench/overhop/manyorigins"
	"miramundo.dev/scripts/bench/process"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/scripts/players/container"
	"miramundo.dev/shared/catalog"
)

// The load of a soak, and its limits.
const (
	soakEach    = 200 // channels of each kind
	soakPlayers = 48
	soakSamples = 90 // of memory, over the whole soak

	maxGrowth     = 1.15 // memory in the last third, divided by memory in the middle third
	maxMoreFiles  = 8    // open files, after all players have left, more than before
	maxGoroutines = 60   // of a hop without requests
)

// soakKinds are the kinds of streams in a soak, well-behaved ones and others.
var soakKinds = []string{"live", "vod", "master", "wild", "failing"}

// Soak loads a hop for the given time with players that stay and players that
// leave in the middle, on channels that play, that are slow and that fail. It
// returns an error when memory grows, or when open files or goroutines are left
// over.
func Soak(ctx context.Context, t *report.Report, length time.Duration) (err error) {
	b := &bench{report: t, streams: map[string]catalog.StreamID{}}
	if b.dir, err = os.MkdirTemp("", "soak-hop"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.origin, err = manyorigins.Start(); err != nil {
		return err
	}
	defer b.origin.Close()
	if b.program, err = container.Build(ctx, b.dir, container.Hop); err != nil {
		return err
	}
	var urls, kinds []string
	for _, kind := range soakKinds {
		b.streams[kind] = container.StreamID(len(urls))
		urls = append(urls, b.origin.URLs(kind, soakEach)...)
	}
	for range urls {
		kinds = append(kinds, catalog.StreamHLS)
	}
	if err := container.Publish(ctx, b.data(), container.Channels(urls, kinds)); err != nil {
		return err
	}
	wrote := new(crashLog)
	b.hop, err = container.Start(ctx, container.Options{Program: b.program, Data: b.data(), Allow: b.origin.Addrs, Log: wrote})
	if err != nil {
		return err
	}
	return b.soak(ctx, length, wrote)
}

// soak loads the running hop, prints the figures, and compares them with the limits.
func (b *bench) soak(ctx context.Context, length time.Duration, wrote *crashLog) error {
	pid := b.hop.PID()
	before, err := process.Files(pid)
	if err != nil {
		return err
	}
	s := soaking{base: b.hop.URL, streams: b.streams}
	samples, err := s.load(ctx, pid, length)
	if err != nil {
		return errors.Join(err, b.hop.Stop())
	}
	after, err := settled(ctx, pid, before+maxMoreFiles)
	if err != nil {
		return errors.Join(err, b.hop.Stop())
	}
	left, err := process.Goroutines(pid, wrote, b.hop.Wait)
	if err != nil {
		return err
	}
	third := len(samples) / 3
	middle, last := median(samples[third:2*third]), median(samples[2*third:])
	t := b.report
	t.Title(fmt.Sprintf("Soak of the hop: %v of mixed load, %d answers, %d of them errors, %d players that went away", length, s.answers.Load(), s.failed.Load(), s.left.Load()))
	t.Limit("Nothing may grow: memory is bounded by the cache, and what a player held is given back when the player has gone.")
	t.Head("figure", "reached", "limit", "")
	most(t, fmt.Sprintf("memory of the last third over the middle third (%.0f and %.0f MiB)", last, middle), last/middle, maxGrowth)
	most(t, "open files more than before", float64(after-before), maxMoreFiles)
	most(t, "goroutines at rest", float64(left), maxGoroutines)
	if last > maxGrowth*middle || after-before > maxMoreFiles || left > maxGoroutines {
		return errors.New("the hop leaks: a figure is above its limit")
	}
	return nil
}

// most adds a figure beside its limit.
func most(t *report.Report, name string, reached, limit float64) {
	verdict := "kept"
	if reached > limit {
		verdict = "BROKEN"
	}
	t.Row(name, fmt.Sprintf("%.2f", reached), fmt.Sprintf("%g", limit), verdict)
}

// settled waits until the process has at most limit open files, or for 40 seconds,
// and returns their number. Idle connections stay open for some time.
func settled(ctx context.Context, pid, limit int) (int, error) {
	deadline := time.Now().Add(40 * time.Second)
	for {
		n, err := process.Files(pid)
		if err != nil || n <= limit || time.Now().After(deadline) {
			return n, err
		}
		select {
		case <-ctx.Done():
			return n, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// soaking is the state of a running load.
type soaking struct {
	base    string
	streams map[string]catalog.StreamID
	answers atomic.Int64
	failed  atomic.Int64
	left    atomic.Int64 // requests that the player cancelled
}

// load runs the players for the given time, and returns samples of the memory of
// the hop.
func (s *soaking) load(ctx context.Context, pid int, length time.Duration) ([]float64, error) {
	playing, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var group errgroup.Group
	for i := range soakPlayers {
		group.Go(func() error { return s.player(playing, rand.New(rand.NewPCG(uint64(i), 0))) })
	}
	var samples []float64
	tick := time.NewTicker(length / soakSamples)
	defer tick.Stop()
	for playing.Err() == nil {
		select {
		case <-tick.C:
			mb, err := process.Memory(pid)
			if err != nil {
				return nil, err
			}
			samples = append(samples, mb)
		case <-playing.Done():
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if len(samples) < soakSamples/2 || s.answers.Load() < soakPlayers {
		return nil, fmt.Errorf("only %d samples and %d answers", len(samples), s.answers.Load())
	}
	return samples, ctx.Err()
}

// player plays one channel after another until ctx is done.
func (s *soaking) player(ctx context.Context, r *rand.Rand) error {
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 20 * time.Second}
	for ctx.Err() == nil {
		kind := soakKinds[r.IntN(len(soakKinds))]
		target := s.base + container.Path(s.streams[kind]+catalog.StreamID(r.IntN(soakEach)))
		body, err := s.ask(ctx, client, r, target)
		if err != nil {
			return err
		}
		for line := range strings.Lines(body) {
			if line = strings.TrimSpace(line); kind == "master" && !strings.HasPrefix(line, "#") && line != "" {
				if strings.HasPrefix(line, "/") || strings.HasPrefix(line, "?") {
					line = target + line[strings.IndexByte(line, '?'):]
				}
				if _, err := s.ask(ctx, client, r, line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ask requests one playlist, as a random kind of player would, and returns its
// text. It returns an error only for an answer that the hop should never give.
func (s *soaking) ask(outer context.Context, client *http.Client, r *rand.Rand, target string) (string, error) {
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	method := http.MethodGet
	if r.IntN(10) == 0 {
		method = http.MethodHead
	}
	req, err := http.NewRequestWithContext(ctx, method, target, http.NoBody)
	if err != nil {
		return "", err
	}
	if r.IntN(3) == 0 {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	leaves := r.IntN(10) == 0
	if leaves {
		s.left.Add(1)
		time.AfterFunc(time.Duration(r.IntN(30))*time.Millisecond, cancel)
	}
	res, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return "", nil
		}
		return "", fmt.Errorf("no answer: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil && ctx.Err() == nil {
		return "", fmt.Errorf("half an answer: %w", err)
	}
	s.answers.Add(1)
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusUnprocessableEntity, http.StatusServiceUnavailable:
		s.failed.Add(1)
		return "", nil
	default:
		return "", fmt.Errorf("%s: %s: %.200s", target, res.Status, body)
	}
	if res.Header.Get("Content-Encoding") == "gzip" {
		return "", nil
	}
	return string(body), nil
}

// A crashLog keeps the stacks that a process prints when it gets SIGQUIT, and drops
// the log before them.
type crashLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (l *crashLog) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(data)
	if l.text.Len() == 0 {
		i := bytes.Index(data, []byte("SIGQUIT"))
		if i < 0 {
			return n, nil
		}
		data = data[i:]
	}
	l.text.Write(data)
	return n, nil
}

func (l *crashLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
