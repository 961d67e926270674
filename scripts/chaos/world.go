package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"miramundo.dev/functions"
	"miramundo.dev/scripts/bench/machine"
	"miramundo.dev/scripts/chaos/link"
	"miramundo.dev/scripts/dev/platform"
	"miramundo.dev/scripts/emulators/emulator"
	"miramundo.dev/scripts/localstack"
	"miramundo.dev/scripts/players/container"
	"miramundo.dev/shared/api"
)

// A world is the service, with what it stands on and who uses it.
type world struct {
	settings
	out     io.Writer
	begun   time.Time
	commit  string // that is run
	dir     string
	rand    *rand.Rand // of the faults
	emus    *emulator.Emulators
	db, bus *link.Link
	stack   *localstack.Stack
	token   string // of the operator
	http    *http.Client
	doc     map[string]map[int]bool // the statuses of each public operation, by its id
	paths   map[string][2]string    // the method and path of each operation, the operator's too
	next    atomic.Int64            // network from which a client comes

	channels []string // ids that clients use
	streams  []string // addresses of playlists at the hop

	answers  tally // by status, or why there was none
	faults   tally // by kind
	record   record
	broken   problems
	blocks   atomic.Int64 // answers of instances that a block was in force
	cutUntil atomic.Int64 // Unix milliseconds until which the database failed

	libraries        libraries
	favorites, plays counts
	talk             conversation
	till             purchases
}

// patience is how long the stack may take to start, which builds what is deployed.
const patience = 5 * time.Minute

// heap is the memory of each emulator, which holds everything that was ever written: about
// 600,000 requests an hour.
const heap = "3g"

// addressHeader is the header in which clients say from where they come, as an edge does.
const addressHeader = "X-Chaos-Address"

// open starts the emulators, the links and the service.
func open(ctx context.Context, s settings, out io.Writer) (w *world, err error) {
	w = &world{
		settings: s, out: out, begun: time.Now(), commit: machine.Commit(ctx), rand: rand.New(rand.NewPCG(s.seed, 1)), token: "operator-token-of-chaos",
		http: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if w.dir, err = os.MkdirTemp("", "chaos"); err != nil {
		return w, err
	}
	program, err := container.Build(ctx, w.dir, "scripts/dev")
	if err != nil {
		return w, err
	}
	if w.emus, err = emulator.Start(ctx, emulator.Options{Rules: "firestore.rules", Heap: heap}); err != nil {
		return w, err
	}
	if w.db, err = link.Open(w.emus.Firestore); err != nil {
		return w, err
	}
	if w.bus, err = link.Open(w.emus.PubSub); err != nil {
		return w, err
	}
	w.stack, err = localstack.Start(ctx, localstack.Options{
		Program: program, Ready: patience, Stop: time.Minute,
		Args: []string{"-backend", "emulators", "-gateway", "127.0.0.1:0", "-catalog", "sample", "-data", w.data()},
		Env: []string{
			"FIRESTORE_EMULATOR_HOST=" + w.db.Address, "PUBSUB_EMULATOR_HOST=" + w.bus.Address, "CATALOGO_TOKEN=" + w.token,
			"EDGE_ADDRESS_HEADER=" + addressHeader, "GUEST_BURST=100000", "BUDGET_FACTOR=1000000", "LOG_LEVEL=warn",
		},
	})
	if err != nil {
		return w, err
	}
	w.say("the service runs at %s", w.stack.URL)
	return w, w.learn(ctx)
}

// data is the data folder of the stack.
func (w *world) data() string { return filepath.Join(w.dir, "data") }

// close stops everything.
func (w *world) close() error {
	var errs []error
	if w.stack != nil {
		w.heal()
		if err := w.stack.Stop(); err != nil {
			w.say("%v", err) // told, but not a promise that is checked here
		}
	}
	for _, l := range []*link.Link{w.db, w.bus} {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	if w.emus != nil {
		errs = append(errs, w.emus.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(w.dir))...)
}

// say prints a line with the seconds since the start.
func (w *world) say(format string, args ...any) {
	fmt.Fprintf(w.out, "%6.1f  %s\n", time.Since(w.begun).Seconds(), fmt.Sprintf(format, args...))
}

// learn reads the OpenAPI document, and which channels there are.
func (w *world) learn(ctx context.Context) error {
	a := w.get(ctx, w.stack.URL+api.DescriptionPath)
	if a.status != http.StatusOK {
		return fmt.Errorf("the OpenAPI document is answered with %s", a)
	}
	var doc struct {
		Paths map[string]map[string]struct { // by path and method in lower case
			OperationID string
			Responses   map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(a.body, &doc); err != nil {
		return err
	}
	w.doc, w.paths = map[string]map[int]bool{}, map[string][2]string{}
	for _, f := range functions.All() {
		for _, e := range f.Endpoints {
			w.paths[e.Name] = [2]string{e.Method, e.Path}
		}
	}
	for _, item := range doc.Paths {
		for _, op := range item {
			w.doc[op.OperationID] = map[int]bool{}
			for status := range op.Responses {
				if n, err := strconv.Atoi(status); err == nil {
					w.doc[op.OperationID][n] = true
				}
			}
		}
	}
	var page struct {
		Items []struct{ ID string }
	}
	if a = w.call(ctx, request{op: "search_channels", query: "?limit=60"}); json.Unmarshal(a.body, &page) != nil || len(page.Items) < 20 {
		return fmt.Errorf("a search is answered with %s", a)
	}
	for _, item := range page.Items {
		w.channels = append(w.channels, item.ID)
		var record struct{ Streams []struct{ URL string } }
		if a := w.call(ctx, request{op: "get_channel", id: item.ID}); json.Unmarshal(a.body, &record) == nil && len(record.Streams) > 0 {
			w.streams = append(w.streams, record.Streams[0].URL)
		}
	}
	return nil
}

// A request is one call of the API.
type request struct {
	op     string // the operation, by its id
	id     string // in the path
	query  string // with its question mark
	body   string // JSON; empty: none
	guest  string
	from   string // address of the client; empty for one that no client came from before
	header [2]string
}

// An answer is what became of a request.
type answer struct {
	status int // 0 without an answer
	body   []byte
	header http.Header
	err    error
	edge   bool // the load balancer answered, not the service
}

func (a answer) String() string {
	if a.err != nil {
		return a.err.Error()
	}
	return fmt.Sprintf("%d %s", a.status, a.body[:min(len(a.body), 300)])
}

// ok reports whether the request was carried out.
func (a answer) ok() bool { return a.status >= 200 && a.status < 300 }

// network returns an address that no client came from before.
func (w *world) network() string {
	n := w.next.Add(1)
	return fmt.Sprintf("198.%d.%d.%d", 18+n>>16&1, n>>8&255, n&255)
}

// call calls an operation of the API. An answer that its documentation does not have is
// a broken promise.
func (w *world) call(ctx context.Context, q request) answer {
	at, ok := w.paths[q.op]
	if !ok {
		panic("unknown operation " + q.op)
	}
	path := at[1]
	if i, j := strings.IndexByte(path, '{'), strings.IndexByte(path, '}'); i >= 0 {
		path = path[:i] + q.id + path[j+1:]
	}
	r, err := http.NewRequestWithContext(ctx, at[0], w.stack.URL+path+q.query, strings.NewReader(q.body))
	if err != nil {
		return answer{err: err}
	}
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.guest != "" {
		r.Header.Set("X-Guest-Token", q.guest)
	}
	if q.header[0] != "" {
		r.Header.Set(q.header[0], q.header[1])
	}
	if q.from != "" {
		r.Header.Set(addressHeader, q.from)
	}
	a := w.send(r)
	if known := w.doc[q.op]; a.err == nil && !a.edge && known != nil && !known[a.status] {
		w.broken.add("undocumented answers", "%s: %s", q.op, a)
	}
	if a.status >= 400 && !a.edge {
		var fault struct{ Error, Message string }
		if json.Unmarshal(a.body, &fault) != nil || fault.Error == "" || fault.Message == "" {
			w.broken.add("undocumented answers", "%s: %s", q.op, a)
		}
	}
	return a
}

// get asks for an address.
func (w *world) get(ctx context.Context, url string) answer {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return answer{err: err}
	}
	return w.send(r)
}

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 8 << 20

func (w *world) send(r *http.Request) (a answer) {
	if r.Header.Get(addressHeader) == "" {
		r.Header.Set(addressHeader, w.network())
	}
	res, err := w.http.Do(r)
	if err == nil {
		defer res.Body.Close()
		a.status, a.header, a.edge = res.StatusCode, res.Header, res.Header.Get("Via") != ""
		a.body, a.err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		if a.err != nil {
			a.status = 0 // cut off: what was carried out is not known
		}
	} else {
		a.err = err
	}
	switch {
	case r.Context().Err() != nil: // the client gave up because the run is over
	case a.err != nil:
		w.answers.add("none")
	case a.edge:
		w.answers.add(fmt.Sprintf("%d of the load balancer", a.status))
	default:
		w.answers.add(strconv.Itoa(a.status))
	}
	return a
}

// guest makes a guest, however often that has to be tried.
func (w *world) guest(ctx context.Context) string {
	for ctx.Err() == nil {
		var guest struct{ Token string }
		if a := w.call(ctx, request{op: "create_guest"}); a.ok() && json.Unmarshal(a.body, &guest) == nil {
			return guest.Token
		}
		pause(ctx, time.Second)
	}
	return ""
}

// pause waits for a time, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// instances reads which processes there are.
func (w *world) instances() ([]platform.Listed, error) {
	return platform.ReadInstances(filepath.Join(w.data(), platform.InstancesFile))
}

// A tally counts by name. The zero value is empty.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *tally) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[name]++
}

// all returns the counts.
func (t *tally) all() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[string]int{}
	for name, n := range t.counts {
		all[name] = n
	}
	return all
}

// problems are the promises that were broken. The zero value is empty.
type problems struct {
	mu    sync.Mutex
	lines []string
	kinds map[string]int
}

// maxProblems is how many broken promises of one kind are told in whole.
const maxProblems = 10

func (p *problems) add(kind, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kinds == nil {
		p.kinds = map[string]int{}
	}
	if p.kinds[kind]++; p.kinds[kind] <= maxProblems {
		p.lines = append(p.lines, kind+": "+fmt.Sprintf(format, args...))
	}
}

func (p *problems) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.lines...)
}
