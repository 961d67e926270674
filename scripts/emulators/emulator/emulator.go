// Package emulator runs the official emulators of Firestore and Pub/Sub as processes
// on this machine.
//
// They are Java programs that come with the Google Cloud CLI or firebase-tools. They
// need no network, listen on loopback, and lose their data when they stop.
package emulator

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Where the packages of the Google Cloud CLI put the jars. The second is a
// pattern.
const (
	FirestoreJar = "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
	PubSubJar    = "/usr/lib/google-cloud-sdk/platform/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar"
)

// ErrMissing is returned by Start when the jars or Java are not installed.
var ErrMissing = errors.New("the emulators are not installed")

const (
	startTime = 60 * time.Second
	stopTime  = 5 * time.Second
	heap      = "512m"
)

// Options say what to start. The zero value is the installed jars on free
// ports.
type Options struct {
	FirestoreJar, PubSubJar   string    // empty: where the packages put them
	FirestoreAddr, PubSubAddr string    // 127.0.0.1:port; empty: a free port
	Rules                     string    // the file of Firestore's security rules; empty: clients may do everything
	Log                       io.Writer // what the emulators print; nil: nowhere
	Heap                      string    // most memory of each, as Java writes it, such as 2g; empty: 512m
}

// Emulators are running emulators.
type Emulators struct {
	Firestore string // host:port
	PubSub    string // host:port

	processes []*process
}

// Start starts both emulators and waits until they answer. They are stopped
// when ctx ends, or by Stop.
func Start(ctx context.Context, o Options) (*Emulators, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	e := &Emulators{Firestore: o.FirestoreAddr, PubSub: o.PubSubAddr}
	firestore := []string{"-Duser.language=en", "-cp", o.FirestoreJar, "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start"}
	if o.Rules != "" {
		firestore = append(firestore, "--rules="+o.Rules)
	}
	err := errors.Join(
		e.start(ctx, o, o.FirestoreAddr, firestore...),
		e.start(ctx, o, o.PubSubAddr, "-jar", o.PubSubJar))
	if err == nil {
		err = e.wait(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	return e, nil
}

// fill finds the jars and ports that o does not name.
func (o *Options) fill() (err error) {
	if _, err := exec.LookPath("java"); err != nil {
		return fmt.Errorf("%w: no java", ErrMissing)
	}
	if o.FirestoreJar, err = jar(o.FirestoreJar, FirestoreJar); err != nil {
		return err
	}
	if o.PubSubJar, err = jar(o.PubSubJar, PubSubJar); err != nil {
		return err
	}
	if o.Rules != "" {
		if _, err := os.Stat(o.Rules); err != nil {
			return fmt.Errorf("security rules: %w", err)
		}
	}
	if o.FirestoreAddr, err = address(o.FirestoreAddr); err != nil {
		return err
	}
	if o.PubSubAddr, err = address(o.PubSubAddr); err != nil {
		return err
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	o.Heap = cmp.Or(o.Heap, heap)
	return nil
}

// jar returns the file that path, or else the pattern preset, names.
func jar(path, preset string) (string, error) {
	if path != "" {
		preset = path
	}
	found, err := filepath.Glob(preset)
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("%w: no %s", ErrMissing, preset)
	}
	return found[len(found)-1], nil
}

// address returns addr when it is free and on loopback, or a free one.
func address(addr string) (string, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", fmt.Errorf("address %q: the emulators listen on loopback only", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", fmt.Errorf("address %q: %w", addr, err)
	}
	return l.Addr().String(), l.Close()
}

// A process is one emulator.
type process struct {
	cmd   *exec.Cmd
	said  *tail
	ended chan struct{} // closed when it has ended
}

// start starts a Java program that takes a host and a port.
func (e *Emulators) start(ctx context.Context, o Options, addr string, args ...string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	args = append([]string{"-Xmx" + o.Heap, "-XX:TieredStopAtLevel=1"}, append(args, "--host="+host, "--port="+port)...)
	p := &process{cmd: exec.CommandContext(ctx, "java", args...), said: &tail{to: o.Log}, ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) }
	p.cmd.WaitDelay = stopTime
	Tie(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("emulator at %s: %w", addr, err)
	}
	go func() {
		_ = p.cmd.Wait() // its output matters, its exit code does not
		close(p.ended)
	}()
	e.processes = append(e.processes, p)
	return nil
}

// wait returns when both emulators answer over HTTP.
func (e *Emulators) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for i, addr := range []string{e.Firestore, e.PubSub} {
		if err := e.processes[i].wait(ctx, addr); err != nil {
			return fmt.Errorf("emulator at %s: %w; it said:\n%s", addr, err, e.processes[i].said)
		}
	}
	return nil
}

func (p *process) wait(ctx context.Context, addr string) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !answers(ctx, addr) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.ended:
			return errors.New("it has ended")
		case <-tick.C:
		}
	}
	return nil
}

func answers(ctx context.Context, addr string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/", nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 100))
	return err == nil && bytes.HasPrefix(body, []byte("Ok"))
}

// Env returns the settings by which clients find the emulators.
func (e *Emulators) Env() []string {
	return []string{"FIRESTORE_EMULATOR_HOST=" + e.Firestore, "PUBSUB_EMULATOR_HOST=" + e.PubSub}
}

// Stop stops the emulators and waits until they have ended. It may be called
// again.
func (e *Emulators) Stop() error {
	var wg sync.WaitGroup
	for _, p := range e.processes {
		wg.Go(p.stop)
	}
	wg.Wait()
	return nil
}

// stop interrupts the process, and kills it when it does not end in time.
func (p *process) stop() {
	timer := time.NewTimer(stopTime)
	defer timer.Stop()
	_ = p.cmd.Process.Signal(os.Interrupt) // an error means that it has ended
	select {
	case <-p.ended:
		return
	case <-timer.C:
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// A tail is a writer that passes everything on and keeps the end of it, for error
// messages.
type tail struct {
	to io.Writer

	mu   sync.Mutex
	kept []byte // guarded by mu
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	return t.to.Write(b)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
