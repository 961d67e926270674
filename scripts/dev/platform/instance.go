package platform

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"miramundo.dev/scripts/emulators/emulator"
	"miramundo.dev/shared/api/request"
)

// An Instance is one process of a service, and those that follow it when it ends.
type Instance struct {
	Name    string // such as catalog-2
	Address string // host:port of its requests
	Metrics string // host:port of its metrics; empty without

	o         Options
	transport *http.Transport
	up        atomic.Bool  // accepts connections
	busy      atomic.Int64 // requests under way
	pid       atomic.Int64 // 0 while no process runs
	starts    atomic.Int64
}

const (
	// grace is how long an instance may take to end, as on the platform.
	grace = 10 * time.Second

	// Pauses before an instance is started again: the first, and the longest. One
	// that lived for as long as the longest begins with the first again.
	firstPause, longestPause = 100 * time.Millisecond, 5 * time.Second

	// awaitTime is how long an instance may take until it is ready.
	awaitTime = 2 * time.Minute
)

// newInstance returns the nth instance of a service on free ports.
func newInstance(o Options, n int) (*Instance, error) {
	i := &Instance{
		Name: fmt.Sprintf("%s-%d", o.Name, n), o: o,
		transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true, IdleConnTimeout: time.Minute},
	}
	var err error
	if i.Address, err = freeAddress(); err == nil && o.Metrics {
		i.Metrics, err = freeAddress()
	}
	return i, err
}

// Ports of instances are below those that Linux gives to outgoing connections, one of
// which may else take the port of an instance while that is started again.
const firstPort, lastPort = 10_000, 32_000

// given are the ports that this process has given to instances.
var given struct {
	mu    sync.Mutex
	ports map[int]bool
}

// freeAddress returns an address of this machine at which nobody listens, and which it
// has not returned before.
func freeAddress() (string, error) {
	given.mu.Lock()
	defer given.mu.Unlock()
	if given.ports == nil {
		given.ports = map[int]bool{}
	}
	var err error
	for range lastPort - firstPort {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if given.ports[port] {
			continue
		}
		var l net.Listener
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		if l, err = net.Listen("tcp", address); err == nil {
			given.ports[port] = true
			return address, l.Close()
		}
	}
	return "", err
}

// PID returns the id of the process that runs; 0 while none does.
func (i *Instance) PID() int { return int(i.pid.Load()) }

// Starts returns how often a process was started.
func (i *Instance) Starts() int { return int(i.starts.Load()) }

// keep runs a process, and another one whenever it ends, until ctx is done.
func (i *Instance) keep(ctx context.Context) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		begun := time.Now()
		err := i.run(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(begun) > longestPause {
			pause = firstPause
		}
		i.o.Say("%s ended (%v) and is started again", i.Name, err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// run runs one process until it ends, or until ctx is done and it has ended.
func (i *Instance) run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, i.o.Program)
	for name, value := range i.o.Settings {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	_, port, _ := net.SplitHostPort(i.Address)
	cmd.Env = append(cmd.Env, "PORT="+port)
	if i.Metrics != "" {
		_, port, _ := net.SplitHostPort(i.Metrics)
		cmd.Env = append(cmd.Env, "METRICS_PORT="+port)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = grace
	emulator.Tie(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return err
	}
	i.pid.Store(int64(cmd.Process.Pid))
	if i.starts.Add(1); i.o.Started != nil {
		i.o.Started()
	}
	alive, dead := context.WithCancel(ctx)
	go i.watch(alive)
	i.print(out)
	err = cmd.Wait()
	dead()
	i.up.Store(false)
	i.pid.Store(0)
	i.transport.CloseIdleConnections()
	return err
}

// watch notes when the process accepts connections, until ctx is done.
func (i *Instance) watch(ctx context.Context) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			i.up.Store(false)
			return
		case <-tick.C:
		}
		if i.up.Load() {
			continue
		}
		dialer := net.Dialer{Timeout: time.Second}
		if c, err := dialer.DialContext(ctx, "tcp", i.Address); err == nil {
			c.Close()
			i.up.Store(ctx.Err() == nil)
		}
	}
}

// print passes on what the process prints, each line after the instance's name.
func (i *Instance) print(out io.Reader) {
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 && i.o.Log != nil {
			_, _ = i.o.Log.Write(append([]byte(i.Name+" "), line...)) // a log that cannot be written stops nothing
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// await waits until the instance answers that it is ready.
func (i *Instance) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, awaitTime)
	defer cancel()
	tick := time.NewTicker(5 * poll)
	defer tick.Stop()
	said := "nothing"
	for {
		if i.up.Load() {
			status, err := i.ask(ctx, request.ReadyPath)
			if err == nil && status == http.StatusOK {
				return nil
			}
			said = fmt.Sprint(status, " ", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready; it answers %s", i.Name, said)
		case <-tick.C:
		}
	}
}

// ask asks for a path, and returns the status of the answer.
func (i *Instance) ask(ctx context.Context, path string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+i.Address+path, nil)
	if err != nil {
		return 0, err
	}
	res, err := i.transport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}

// send sends a request, which counts as under way until its answer was read. The body is
// the caller's to close: another instance may get it.
func (i *Instance) send(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.URL.Host = i.Address
	if r.Body != nil {
		out.Body = io.NopCloser(r.Body)
	}
	i.busy.Add(1)
	res, err := i.transport.RoundTrip(out)
	if err != nil {
		i.busy.Add(-1)
		return nil, err
	}
	done := sync.OnceFunc(func() { i.busy.Add(-1) })
	if both, ok := res.Body.(io.ReadWriteCloser); ok { // a WebSocket
		res.Body = &busySocket{both, done}
	} else {
		res.Body = &busyBody{res.Body, done}
	}
	return res, nil
}

// A busyBody is the body of an answer under way.
type busyBody struct {
	io.ReadCloser
	done func()
}

// Close ends the answer.
func (b *busyBody) Close() error {
	b.done()
	return b.ReadCloser.Close()
}

// A busySocket is a WebSocket under way.
type busySocket struct {
	io.ReadWriteCloser
	done func()
}

// Close ends the socket.
func (b *busySocket) Close() error {
	b.done()
	return b.ReadWriteCloser.Close()
}
