package overchat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A crowd is all sockets at one server. Some of them talk; every socket that was there
// before a message notes when the message reached it.
type crowd struct {
	server *server
	rooms  [][]*socket // of each room, the sockets that were there from the start
	late   []*socket   // those that joined while the others talked
	begun  time.Time

	messages []message // by their numbers
	sent     atomic.Int64

	readers  sync.WaitGroup
	closing  atomic.Bool
	failure  atomic.Pointer[error] // the first
	disorder atomic.Int64          // messages that a socket saw again, or after a later one
}

// A message is one that was sent. Its text ends with its number.
type message struct {
	at     time.Duration // since the crowd began
	phase  *phase
	misses atomic.Int64 // sockets that it has not reached
}

// A phase is a part of the run, with the times of the messages that were sent in it.
type phase struct {
	times times
	sent  []*message
}

// missing returns how many deliveries the messages of the phase still lack.
func (p *phase) missing() (n int64) {
	for _, m := range p.sent {
		n += m.misses.Load()
	}
	return n
}

// speakers is how many sockets of a room talk, in turn, so that each of them stays
// within what one visitor may say.
const speakers = 10

// maxMessages bounds the messages of a crowd.
const maxMessages = 1 << 16

// gather opens a number of sockets, spread evenly over rooms, and waits until each is
// in its room and those that will talk have said who they are.
func gather(ctx context.Context, s *server, rooms, sockets int) (*crowd, error) {
	c := &crowd{server: s, rooms: make([][]*socket, rooms), begun: time.Now(), messages: make([]message, maxMessages)}
	var mu sync.Mutex
	err := parallel(sockets, 64, func(i int) error {
		joined, err := c.join(ctx, i, i%rooms, i/rooms < speakers)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		c.rooms[i%rooms] = append(c.rooms[i%rooms], joined)
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	for _, list := range c.rooms { // those that talk come first
		slices.SortFunc(list, func(a, b *socket) int { return a.number - b.number })
	}
	return c, nil
}

// parallel calls f for 0 to n-1, some at a time, and returns the first failure.
func parallel(n, atOnce int, f func(i int) error) error {
	var (
		all  sync.WaitGroup
		once sync.Once
		bad  error
		next atomic.Int64
	)
	for range min(atOnce, n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := f(i); err != nil {
					once.Do(func() { bad = err })
					return
				}
			}
		})
	}
	all.Wait()
	return bad
}

// join opens a socket in a room, waits until the room has let it in, and reads it from
// then on.
func (c *crowd) join(ctx context.Context, number, room int, talks bool) (*socket, error) {
	s, err := dial(ctx, c.server.to, number, c.server.path(room))
	if err != nil {
		return nil, err
	}
	if err := c.enter(s, talks); err != nil {
		return nil, errors.Join(fmt.Errorf("socket %d: %w", number, err), s.conn.Close())
	}
	c.readers.Go(func() { c.follow(s) })
	return s, nil
}

// enter waits until the room has let the socket in. One that talks says who it is.
func (c *crowd) enter(s *socket, talks bool) error {
	if err := s.await(`"t":"pronto"`); err != nil {
		return err
	}
	if talks && c.server.guests != nil {
		token, _, err := c.server.guests.Issue()
		if err != nil {
			return err
		}
		if err := s.write(opText, fmt.Appendf(nil, `{"t":"hello","token":%q}`, token)); err != nil {
			return err
		}
		if err := s.await(`"t":"pronto"`); err != nil {
			return err
		}
	}
	return s.conn.SetDeadline(time.Time{})
}

// await reads until a message contains a text.
func (s *socket) await(text string) error {
	for {
		got, err := s.read()
		if err != nil {
			return err
		}
		if bytes.Contains(got, []byte(`"t":"erro"`)) {
			return fmt.Errorf("the server refuses: %s", got)
		}
		if bytes.Contains(got, []byte(text)) {
			return nil
		}
	}
}

// follow reads a socket until it ends.
func (c *crowd) follow(s *socket) {
	for {
		text, err := s.read()
		if err != nil {
			if !c.closing.Load() {
				c.fail(fmt.Errorf("socket %d: %w", s.number, err))
			}
			return
		}
		c.hear(s, text)
	}
}

// Texts in what a server sends. The mark stands before the number of a message.
var (
	said   = []byte(`"t":"msg"`)
	refuse = []byte(`"t":"erro"`)
	mark   = []byte("number ")
)

// hear notes a message that reached a socket.
func (c *crowd) hear(s *socket, text []byte) {
	now := time.Since(c.begun)
	if !bytes.Contains(text, said) {
		if bytes.Contains(text, refuse) {
			c.fail(fmt.Errorf("socket %d: the server refuses: %s", s.number, text))
		}
		return
	}
	_, after, _ := bytes.Cut(text, mark)
	digits := after[:max(0, bytes.IndexByte(after, '"'))]
	n, err := strconv.Atoi(string(digits))
	if err != nil || n < 0 || n >= int(c.sent.Load()) {
		c.fail(fmt.Errorf("socket %d: a message that was not sent: %s", s.number, text))
		return
	}
	if n <= s.last {
		c.disorder.Add(1)
		return
	}
	s.last = n
	if m := &c.messages[n]; !s.late {
		m.phase.times.add(s.number, now-m.at)
		m.misses.Add(-1)
	}
}

func (c *crowd) fail(err error) { c.failure.CompareAndSwap(nil, &err) }

// talk sends a message a second to each room for some time, evenly spread over each
// second, and returns when every message has reached its room, or has had the time
// for it.
func (c *crowd) talk(ctx context.Context, length time.Duration) (*phase, error) {
	p := &phase{}
	start := time.Now()
	rooms := time.Duration(len(c.rooms))
	for i := range int(length * rooms / time.Second) {
		if err := until(ctx, start.Add(time.Duration(i)*time.Second/rooms)); err != nil {
			return nil, err
		}
		room := c.rooms[i%len(c.rooms)]
		turn := i / len(c.rooms)
		if err := c.say(p, room, room[turn%min(speakers, len(room))]); err != nil {
			return nil, err
		}
	}
	return p, c.settle(ctx, p)
}

// say sends a message from a socket to its room.
func (c *crowd) say(p *phase, room []*socket, from *socket) error {
	n := int(c.sent.Load())
	if n == maxMessages {
		return errors.New("the crowd has said all that it may")
	}
	m := &c.messages[n]
	m.phase, m.at = p, time.Since(c.begun)
	m.misses.Store(int64(len(room)))
	p.sent = append(p.sent, m)
	c.sent.Add(1)
	return from.write(opText, fmt.Appendf(nil, `{"t":"msg","body":"the quick brown fox jumps over the lazy dog, number %d"}`, n))
}

// lostAfter is when a message that has not reached a socket is taken for lost.
const lostAfter = 10 * time.Second

// settle waits until the messages of a phase have reached every socket.
func (c *crowd) settle(ctx context.Context, p *phase) error {
	for end := time.Now().Add(lostAfter); p.missing() > 0 && time.Now().Before(end); {
		if err := until(ctx, time.Now().Add(20*time.Millisecond)); err != nil {
			return err
		}
	}
	if bad := c.failure.Load(); bad != nil {
		return *bad
	}
	return nil
}

// rush opens sockets all at once, spread evenly over the rooms, and returns how long
// each took until it was in its room.
func (c *crowd) rush(ctx context.Context, sockets int) (sortedTimes, error) {
	var (
		took times
		mu   sync.Mutex
	)
	first := 0
	for _, list := range c.rooms {
		first += len(list)
	}
	err := parallel(sockets, sockets, func(i int) error {
		start := time.Now()
		s, err := dial(ctx, c.server.to, first+i, c.server.path(i%len(c.rooms)))
		if err != nil {
			return err
		}
		s.late = true
		if err := c.enter(s, false); err != nil {
			return errors.Join(err, s.conn.Close())
		}
		took.add(i, time.Since(start))
		c.readers.Go(func() { c.follow(s) })
		mu.Lock()
		defer mu.Unlock()
		c.late = append(c.late, s)
		return nil
	})
	return took.sorted(), err
}

// close ends the sockets of a crowd.
func (c *crowd) close() error {
	c.closing.Store(true)
	var errs []error
	for _, s := range slices.Concat(append(c.rooms, c.late)...) {
		errs = append(errs, s.conn.Close())
	}
	c.readers.Wait()
	return errors.Join(errs...)
}

// until waits for a moment, or for the end of ctx.
func until(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
