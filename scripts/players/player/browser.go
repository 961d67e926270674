package player

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"miramundo.dev/shared/api"
)

//go:embed page.html
var page []byte

//go:embed page.js
var pageScript []byte

// Script is where npm puts hls.js, within the folder of package.json.
const Script = "node_modules/hls.js/dist/hls.js"

// A Browser is Chromium without a window, with a page that plays with hls.js.
type Browser struct {
	script []byte
	next   chan order
	done   chan Seen
	server *http.Server
	cmd    *exec.Cmd
	closed chan struct{} // when the browser has ended
}

// order is what the page is told to play.
type order struct {
	URL        string  `json:"url"`
	LowLatency bool    `json:"lowLatency"`
	Seconds    float64 `json:"seconds"`
}

// Chromium returns the player and the browser behind it, which is to be
// closed. Script is the file of hls.js; dir is for the browser's profile.
func Chromium(ctx context.Context, script, dir string) (Player, *Browser, error) {
	p := Player{Name: "hls.js", Lacks: lacks("chromium")}
	data, err := os.ReadFile(script)
	if err != nil {
		p.Lacks = errors.Join(p.Lacks, errors.New("hls.js is not installed: make test-players"))
	}
	if p.Lacks != nil {
		return p, nil, nil
	}
	b := &Browser{script: data, next: make(chan order), done: make(chan Seen), closed: make(chan struct{})}
	address, err := b.serve()
	if err != nil {
		return p, nil, err
	}
	p.Play = b.Play
	return p, b, b.launch(ctx, address, filepath.Join(dir, "chromium"))
}

// serve serves the page.
func (b *Browser) serve() (address string, err error) {
	mux := http.NewServeMux()
	static := func(path, kind string, body []byte) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Write(body)
		})
	}
	static(api.Root, "text/html", page)
	static("/page.js", "text/javascript", pageScript)
	static("/hls.js", "text/javascript", b.script)
	mux.HandleFunc("GET /next", b.tellNext)
	mux.HandleFunc("POST /done", b.hear)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	b.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = b.server.Serve(l) }() // ends with Close
	return "http://" + l.Addr().String() + "/", nil
}

// tellNext tells the page what to play, or to ask again.
func (b *Browser) tellNext(w http.ResponseWriter, r *http.Request) {
	select {
	case o := <-b.next:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(o) // when the page is gone, Play says so
	case <-time.After(20 * time.Second):
		w.WriteHeader(http.StatusNoContent)
	case <-r.Context().Done():
	}
}

// hear takes what the page has seen.
func (b *Browser) hear(w http.ResponseWriter, r *http.Request) {
	var s Seen
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&s); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case b.done <- s:
	case <-r.Context().Done():
	}
}

// launch starts Chromium on the page.
func (b *Browser) launch(ctx context.Context, address, profile string) error {
	args := []string{"--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-dev-shm-usage", "--disable-extensions", "--autoplay-policy=no-user-gesture-required", "--mute-audio",
		"--disable-features=LocalNetworkAccessChecks", "--user-agent=hls.js", "--user-data-dir=" + profile}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // which root cannot have; the page is ours
	}
	b.cmd = exec.CommandContext(ctx, "chromium", append(args, address)...)
	b.cmd.WaitDelay = 5 * time.Second
	ownGroup(b.cmd)
	if err := b.cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = b.cmd.Wait() // however it ends, Play notices
		close(b.closed)
	}()
	return nil
}

// Play plays a stream in the page, and returns what was seen. A failure that
// hls.js did not get over is an error.
func (b *Browser) Play(ctx context.Context, s Stream) (Seen, error) {
	if s.NoPlaylist {
		return Seen{}, ErrUnfit
	}
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	select {
	case b.next <- order{s.URL, s.LowLatency, seconds}:
	case <-b.closed:
		return Seen{}, errors.New("chromium ended")
	case <-ctx.Done():
		return Seen{}, errors.New("the page did not ask for a stream")
	}
	select {
	case seen := <-b.done:
		if seen.Fatal != "" {
			return seen, fmt.Errorf("%s (errors: %q)", seen.Fatal, seen.Errors)
		}
		seen.Note = fmt.Sprintf("%d segments, %d parts", seen.Segments, seen.Parts)
		return seen, nil
	case <-b.closed:
		return Seen{}, errors.New("chromium ended")
	case <-ctx.Done():
		return Seen{}, errors.New("the page did not say what it saw")
	}
}

// Close ends the browser.
func (b *Browser) Close() {
	if b.cmd != nil && b.cmd.Process != nil {
		endGroup(b.cmd)
		<-b.closed
	}
	_ = b.server.Close() // nothing is lost
}
