// Package probetest runs simulated origins, good and bad, each on a host of its
// own, and says what a measurement must find at each. Tests and benchmarks of the
// packages that measure streams use it.
package probetest

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/measure"
	"miramundo.dev/shared/probe/probetest/clip"
)

// A Case is a stream of a simulated origin, with what a measurement is to find.
type Case struct {
	Kind   string // of origin, such as "live" or "stalled"
	Host   string // its address, without a port
	Target probe.Target
	Want   probe.Status
	Closed bool // expected
	Height int  // expected; 0 for any or none
}

// A Fleet is a set of simulated origins under way.
type Fleet struct {
	Cases []Case

	hosts   []*host
	allow   []string
	clips   *clip.Set
	grace   time.Duration // in which a host learns that who asked has hung up
	running sync.WaitGroup
}

// Start starts n simulated origins, of which each kind has its part. The same
// n gives the same cases, but for the ports. Close stops them.
func Start(n int) (*Fleet, error) {
	c, err := clip.Cut()
	if err != nil {
		return nil, err
	}
	f := &Fleet{clips: c, grace: grace}
	for i := range n {
		if err := f.launch(i, plan[i%len(plan)]); err != nil {
			f.Close()
			return nil, fmt.Errorf("origin %d: %w", i, err)
		}
	}
	return f, nil
}

// launch starts origin i.
func (f *Fleet) launch(i int, k *kind) error {
	h := &host{
		fleet: f, name: fmt.Sprintf("127.20.%d.%d", i/200, i%200+10),
		answers: map[string]answer{}, under: map[*visit]bool{}, asked: map[string]uint64{},
		other: func(v *visit) { v.say(404, "text/plain", []byte("no such file")) },
	}
	if err := h.start(); err != nil {
		return err
	}
	f.hosts = append(f.hosts, h)
	f.allow = append(f.allow, h.at)
	c := Case{Kind: k.name, Host: h.name, Want: k.want, Closed: k.closed, Height: k.height}
	c.Target = probe.Target{ID: catalog.StreamID(i + 1), Kind: cmp.Or(k.stream, catalog.StreamHLS), Popularity: int64(i % 7)}
	if k.headers {
		c.Target.Referrer, c.Target.UserAgent = referrer, agent
	}
	c.Target.URL = "http://" + h.at + k.build(h)
	if k.at != nil {
		c.Target.URL = k.at(h)
	}
	f.Cases = append(f.Cases, c)
	return nil
}

// Close stops the origins, and waits for their last answers.
func (f *Fleet) Close() {
	for _, h := range f.hosts {
		_ = h.server.Close() // nothing is kept in it
	}
	f.running.Wait()
}

// Origin returns the settings of a client that may ask the fleet, with one
// request at a time to each host.
func (f *Fleet) Origin() origin.Options {
	return origin.Options{
		Allow: f.allow, PerHost: 1, Shoutcast: true, MaxInFlight: 256,
		Header: 8 * time.Second, Timeout: 10 * time.Second, Resolver: &net.Resolver{PreferGo: true, Dial: f.resolve},
	}
}

// Measurer returns what measures the fleet without waiting for live playlists,
// which go on when they are asked for. Origins that never answer have a second,
// and all others a minute: so no busy machine makes anybody late.
func (f *Fleet) Measurer() probe.Measurer {
	s := &split{patient: f.measurer(time.Minute), hasty: f.measurer(time.Second), mute: map[catalog.StreamID]bool{}}
	for _, c := range f.Cases {
		s.mute[c.Target.ID] = c.Want == probe.Timeout
	}
	return s
}

func (f *Fleet) measurer(patience time.Duration) probe.Measurer {
	opts := f.Origin()
	opts.Header, opts.Timeout = patience, patience
	return measure.New(measure.Options{
		Origin: origin.New(opts), Patience: patience, Wait: func(context.Context, time.Duration) {},
	})
}

// A split measures streams with one of two measurers. They share no host.
type split struct {
	patient, hasty probe.Measurer
	mute           map[catalog.StreamID]bool
}

func (s *split) Measure(ctx context.Context, t probe.Target) probe.Result {
	if s.mute[t.ID] {
		return s.hasty.Measure(ctx, t)
	}
	return s.patient.Measure(ctx, t)
}

// Requests returns how many requests there were to all hosts.
func (f *Fleet) Requests() int {
	n := 0
	for _, h := range f.hosts {
		h.mu.Lock()
		n += h.requests
		h.mu.Unlock()
	}
	return n
}

// RequestsTo returns how many requests there were to a host.
func (f *Fleet) RequestsTo(name string) int {
	for _, h := range f.hosts {
		if h.name == name {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.requests
		}
	}
	return 0
}

// Most returns the greatest number of requests that were under way at once at
// one host, and which host that was.
func (f *Fleet) Most() (int, string) {
	most, name := 0, ""
	for _, h := range f.hosts {
		h.mu.Lock()
		if h.most > most {
			most, name = h.most, h.name
		}
		h.mu.Unlock()
	}
	return most, name
}

// Reset forgets what was counted.
func (f *Fleet) Reset() {
	for _, h := range f.hosts {
		h.mu.Lock()
		h.requests, h.most = 0, 0
		h.mu.Unlock()
	}
}

// resolve connects to a name server that knows no name.
func (f *Fleet) resolve(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	f.running.Go(func() {
		defer server.Close()
		for {
			var size uint16
			if binary.Read(server, binary.BigEndian, &size) != nil || size < 12 {
				return
			}
			query := make([]byte, size)
			if _, err := io.ReadFull(server, query); err != nil {
				return
			}
			query[2], query[3] = query[2]|0x80, 0x83 // an answer: no such name
			if _, err := server.Write(append(binary.BigEndian.AppendUint16(nil, size), query...)); err != nil {
				return
			}
		}
	})
	return client, nil
}
