// Package overchat measures the chat room: how soon a message reaches every socket of
// its room, what a socket costs in memory, and whether many that join at once delay the
// others. The same crowd visits a bare server in the same run, in turn with the chat
// room: it passes messages on by the same library, with nothing around it.
//
// Servers are processes of their own; the crowd is in this one, on the same cores. The
// time of a delivery includes the crowd's reading, and for the chat room the
// transaction that stores the message.
package overchat

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/scripts/bench/process"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/identity"
)

// Options are the size of a run.
type Options struct {
	Rounds  int           // of each server, in turn
	Sockets int           // of the crowd
	Rooms   int           // over which it is spread
	Joining int           // sockets that join at once
	Talk    time.Duration // length of each measured part
	Judge   bool          // compare with the goals
}

// Usual are the options of the goals, and Small those of a run of seconds.
var (
	Usual = Options{Rounds: 3, Sockets: 10_000, Rooms: 100, Joining: 1000, Talk: 12 * time.Second, Judge: true}
	Small = Options{Rounds: 1, Sockets: 300, Rooms: 10, Joining: 50, Talk: 2 * time.Second}
)

// A server is a running server that is measured.
type server struct {
	to     target
	pid    int
	path   func(room int) string
	guests *identity.Guests // of those that talk; nil where nobody has to say who they are
	stop   func() error
}

// figures are what was measured of a server in one round.
type figures struct {
	dialled  float64 // sockets a second
	socketKB float64 // resident memory of the server
	many     talked  // many rooms
	alone    talked  // before others join
	beside   talked  // while others join
	joined   sortedTimes
	one      talked // all in one room
}

// talked is what was measured of the messages of a phase.
type talked struct {
	times             sortedTimes
	missing, disorder int64
	cpu               time.Duration // of the server for each delivery
}

// Run measures, and adds the figures to t.
func Run(ctx context.Context, t *report.Report, o Options) error {
	b, err := open(ctx, o.Rooms)
	if err != nil {
		return err
	}
	defer b.close()
	var bare, chat []figures
	for range o.Rounds {
		for _, m := range []struct {
			start func(context.Context) (*server, error)
			list  *[]figures
		}{{startBare, &bare}, {b.startChat, &chat}} {
			f, err := measure(ctx, m.start, o)
			if err != nil {
				return err
			}
			*m.list = append(*m.list, f)
		}
	}
	show(t, o, bare, chat)
	return nil
}

// measure takes the figures of one round of a server: in many rooms, then in one.
func measure(ctx context.Context, start func(context.Context) (*server, error), o Options) (figures, error) {
	var f figures
	err := visit(ctx, start, o.Rooms, o.Sockets, &f, func(c *crowd) (err error) {
		if f.many, err = c.measure(ctx, o.Talk, nil); err != nil {
			return err
		}
		if f.alone, err = c.measure(ctx, o.Talk/3, nil); err != nil {
			return err
		}
		f.beside, err = c.measure(ctx, o.Talk/3, func() (err error) {
			f.joined, err = c.rush(ctx, o.Joining)
			return err
		})
		return err
	})
	if err != nil {
		return f, err
	}
	var whole figures
	err = visit(ctx, start, 1, o.Sockets, &whole, func(c *crowd) (err error) {
		f.one, err = c.measure(ctx, o.Talk, nil)
		return err
	})
	return f, err
}

// visit starts a server, gathers a crowd there, notes what that took, and calls use.
func visit(ctx context.Context, start func(context.Context) (*server, error), rooms, sockets int, f *figures, use func(*crowd) error) (err error) {
	s, err := start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	before, err := process.Memory(s.pid)
	if err != nil {
		return err
	}
	begun := time.Now()
	c, err := gather(ctx, s, rooms, sockets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	f.dialled = float64(sockets) / time.Since(begun).Seconds()
	if err := use(c); err != nil {
		return err
	}
	after, err := process.Memory(s.pid)
	f.socketKB = (after - before) * 1024 / float64(sockets+len(c.late))
	return err
}

// measure lets the crowd talk for some time, with something else at the same time.
func (c *crowd) measure(ctx context.Context, length time.Duration, beside func() error) (talked, error) {
	used, err := process.CPU(c.server.pid)
	if err != nil {
		return talked{}, err
	}
	disorder := c.disorder.Load()
	done := make(chan error, 1)
	go func() {
		if beside == nil {
			done <- nil
			return
		}
		done <- beside()
	}()
	p, err := c.talk(ctx, length)
	if err := errors.Join(err, <-done); err != nil {
		return talked{}, err
	}
	now, err := process.CPU(c.server.pid)
	t := talked{times: p.times.sorted(), missing: p.missing(), disorder: c.disorder.Load() - disorder}
	t.cpu = (now - used) / time.Duration(max(len(t.times), 1))
	return t, err
}
