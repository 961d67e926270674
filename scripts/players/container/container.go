// Package container runs a container of the service as it is deployed: its binary, in
// a process of its own, on a catalog that was published to its database.
package container

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// Publish publishes reg as the catalog of the embedded database in dir.
func Publish(ctx context.Context, dir string, reg *catalog.Register) (err error) {
	ix, err := index.Build(reg)
	if err != nil {
		return err
	}
	data, err := ix.Encode()
	if err != nil {
		return err
	}
	db, events, err := wire.Open(ctx, wire.Config{Backend: wire.Embedded, DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close(), db.Close()) }()
	archive := &release.Archive{DB: db, Now: time.Now}
	r := release.Release{Version: ix.Version(), Channels: ix.Len(), Streams: ix.StreamLen(), Playable: ix.Len()}
	shown, err := archive.Publish(ctx, r, data, release.Pointer{SyncedAt: store.At(time.Now())}, release.Override{Force: true, Manual: true})
	if err == nil && !shown {
		err = errors.New("the catalog was not published")
	}
	return err
}

// Channels returns a catalog with one channel for each address, with a stream of the
// kind at the same position of kinds. The id of the stream of channel i is
// StreamID(i).
func Channels(urls, kinds []string) *catalog.Register {
	reg := &catalog.Register{BuiltAt: time.Now()}
	for i, url := range urls {
		reg.Records = append(reg.Records, catalog.Record{
			ID: fmt.Sprintf("Channel%d.br", i), Kind: catalog.TV, Name: fmt.Sprintf("Channel %d", i), Origin: "local",
			Streams: []catalog.StreamRecord{{ID: StreamID(i), URL: url, Kind: kinds[i], Origin: "local", Playable: true}},
		})
	}
	return reg
}

// StreamID returns the id of the stream of channel i of Channels.
func StreamID(i int) catalog.StreamID { return catalog.StreamID(i + 1) }

// Path returns the path of the hop at which a stream is played.
func Path(id catalog.StreamID) string { return catalog.StreamsPath + id.String() }

// The containers of the service, as Build names them.
const (
	Hop      = "hop"
	ChatRoom = "chatroom"
)

// Build builds a container, or another command of the module by its folder, into dir, and
// returns the path of the program.
func Build(ctx context.Context, dir, name string) (string, error) {
	program := filepath.Join(dir, filepath.Base(name))
	out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "miramundo.dev/"+name).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build %s: %w: %s", name, err, out)
	}
	return program, nil
}

// Options are the settings of a container.
type Options struct {
	Program string   // the path that Build returned
	Data    string   // the folder given to Publish
	HopURL  string   // the address for players; empty for the address where it listens
	Allow   []string // host:port of origins on this machine
	Path    string   // answers 200 when the container is ready; empty for that of health
	Log     io.Writer
	Env     []string // additional settings, as NAME=value
}

// A Server is a running container.
type Server struct {
	URL   string        // the address where it listens
	Ready time.Duration // from its start to its first answer
	cmd   *exec.Cmd
	ended chan error
}

// patience is the time that a container may need to start, and to stop.
const patience = 20 * time.Second

// Start runs a container and waits until it answers.
func Start(ctx context.Context, o Options) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://localhost:" + port, ended: make(chan error, 1)}
	if o.HopURL == "" {
		o.HopURL = s.URL
	}
	s.cmd = exec.CommandContext(ctx, o.Program)
	s.cmd.Env = append([]string{
		"BASE_URL=http://localhost:8787", "LEGACY_URL=http://localhost:8789", // not where origins are: nobody is led to those hosts
		"PORT=" + port, "LOCAL_ONLY=true", "HOP_URL=" + o.HopURL,
		"BACKEND=embedded", "DATA_DIR=" + o.Data, "ORIGIN_ALLOW=" + strings.Join(o.Allow, ","),
		"HOP_TICKET_KEYS=a key that is used on this machine only", "PEOPLE_KEYS=another key that is used on this machine only",
	}, o.Env...)
	s.cmd.Stdout, s.cmd.Stderr = o.Log, o.Log
	start := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	if err := s.await(ctx, cmp.Or(o.Path, api.HealthPath), start.Add(patience)); err != nil {
		_ = s.cmd.Process.Kill() // an error means that it has ended
		return nil, err
	}
	s.Ready = time.Since(start)
	return s, nil
}

// freePort returns a port on which nothing listens at the moment.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

// await waits until the container answers at a path.
func (s *Server) await(ctx context.Context, path string, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for {
		if res, err := http.Get(s.URL + path); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-s.ended:
			return fmt.Errorf("the container ended: %w", err)
		case <-ctx.Done():
			return errors.New("the container does not answer")
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// PID returns the id of the process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Wait waits until the container has ended, and returns its error.
func (s *Server) Wait() error { return <-s.ended }

// Stop interrupts the container, and returns an error when it does not exit in time or with
// code 0.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.ended:
		return err
	case <-time.After(patience):
		return errors.Join(errors.New("the container did not stop"), s.cmd.Process.Kill())
	}
}
