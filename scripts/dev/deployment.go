package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	chatroom "miramundo.dev/chatroom/server"
	"miramundo.dev/functions"
	hop "miramundo.dev/hop/server"
	"miramundo.dev/infra/routing"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/miramundo/machine"
	"miramundo.dev/scripts/dev/platform"
	"miramundo.dev/scripts/dev/testchannel"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
	_ "miramundo.dev/shared/wire/cloud" // the emulators are reached as the cloud is
)

// A deployment is the service as it is deployed, on this machine: each function and
// container is a service of its own with instances of its own, which are processes of
// the programs that are deployed. Each has the settings that it declares and no other.
// Events are pushed, jobs are called over HTTP, and requests are led by infra/routes.json, as
// by the load balancer.
type deployment struct {
	st       *stack
	programs string // the folder of the executables
	extra    string // the file with the test channel
	inner    *machine.Servers
	services map[string]*platform.Service
	jobs     string // the address of the function jobs
	close    []func() error

	aggregateFront, jobsFront machine.Front // of functions that are reached from inside alone

	complete atomic.Bool // every service was started
	telling  sync.Mutex
}

func newDeployment(st *stack) *deployment {
	return &deployment{
		st: st, programs: filepath.Join(st.data, "bin"), extra: filepath.Join(st.data, "extra.json"),
		inner: machine.NewServers(), services: map[string]*platform.Service{},
	}
}

// processes returns the functions and containers that are deployed.
func processes() []compose.Process {
	return append(functions.Processes(), hop.Process, chatroom.Process)
}

// checkInstances refuses instances of what is not deployed, such as a name with a typing
// error, which would otherwise run as one.
func checkInstances(instances map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(instances)) {
		if !slices.ContainsFunc(processes(), func(p compose.Process) bool { return p.Name == name }) {
			return fmt.Errorf("instances.%s: this is not the name of a function or container", name)
		}
	}
	return nil
}

// Names of functions on hosts of their own.
const (
	aggregateFunction = "aggregate"
	jobsFunction      = "jobs"
	legacyFunction    = "legacy"
)

// lockFile is the file that a deployment locks in the data folder, for its programs and the
// file of its instances. The folder's own lock is for the database, which is not there.
const lockFile = ".deployment-lock"

// Load implements [whole].
func (d *deployment) Load(ctx context.Context, _ bool) error {
	unlock, err := datafolder.Lock(d.st.data, lockFile)
	if errors.Is(err, datafolder.ErrLocked) {
		return fmt.Errorf("another stack on the emulators uses the folder %s: stop it, or name another with -data", d.st.data)
	} else if err != nil {
		return err
	}
	d.close = append(d.close, unlock)
	pick, err := machine.Choose(ctx, d.st.catalog, d.st.cfg)
	if err != nil {
		return err
	}
	d.st.out.say("catalog: %s (%s)", pick.Name, pick.Why)
	d.st.vars["CATALOG"] = pick.Name
	for _, name := range []string{"EVENTS_TOKEN", "JOBS_TOKEN"} { // which only processes have that are called by others
		d.st.vars[name] = cmp.Or(d.st.vars[name], rand.Text())
	}
	for _, step := range []func(context.Context) error{d.build, d.writeExtra, d.open, d.start, d.reload} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// build builds the programs that are deployed.
func (d *deployment) build(ctx context.Context) error {
	d.st.out.say("building functions/serve, hop and chatroom")
	if err := os.MkdirAll(d.programs, 0o700); err != nil {
		return err
	}
	folder, err := filepath.Abs(d.programs)
	if err != nil {
		return err
	}
	d.programs = folder
	cmd := exec.CommandContext(ctx, "go", "build", "-o", folder, "./functions/serve", "./hop", "./chatroom")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build (the emulators run what is deployed, so the stack must start in the folder of the repository): %w\n%s", err, out)
	}
	return nil
}

// writeExtra writes the records of the test channel to a file that the jobs read.
func (d *deployment) writeExtra(context.Context) error {
	path, err := filepath.Abs(d.extra)
	if err != nil {
		return err
	}
	text, err := json.Marshal(testchannel.Dataset(address(d.st.at.origin)))
	if err != nil {
		return err
	}
	d.st.vars["CATALOG_EXTRA"] = path
	return os.WriteFile(path, text, 0o600)
}

// open makes the topics, whose subscriptions push to the function aggregate, and opens the
// network of payments.
func (d *deployment) open(ctx context.Context) error {
	f, ok := functions.Find(aggregateFunction)
	if !ok {
		return errors.New("the table of functions lacks " + aggregateFunction)
	}
	push := url.URL{Scheme: "http", Path: f.Endpoints[0].Path, RawQuery: url.Values{"token": {d.st.vars["EVENTS_TOKEN"]}}.Encode()}
	var err error
	if push.Host, err = d.listen(&d.aggregateFront); err != nil {
		return err
	}
	if d.jobs, err = d.listen(&d.jobsFront); err != nil {
		return err
	}
	db, events, err := wire.Open(ctx, wire.Config{
		Backend: wire.Emulators, Project: d.st.cfg.Project, FirestoreHost: d.st.cfg.FirestoreHost, PubSubHost: d.st.cfg.PubSubHost,
		Topology: functions.Topology(), Push: push.String(), Log: d.st.log,
	})
	if err != nil {
		return err
	}
	d.close = append(d.close, db.Close, events.Close)
	return d.assemble(db)
}

// listen takes a place for a function that is reached from inside alone, and returns its
// address. Emulators that ran before may push events to it before the function is there.
func (d *deployment) listen(front *machine.Front) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	d.inner.Drain(l, front)
	return l.Addr().String(), nil
}

// assemble starts the services and puts them behind the fronts.
func (d *deployment) assemble(db store.DB) error {
	handlers := map[string]http.Handler{}
	for _, p := range processes() {
		s, err := platform.Start(platform.Options{
			Name: p.Name, Program: d.program(p), Settings: d.settings(p), Instances: max(1, d.st.file.Instances[p.Name]),
			Metrics: d.st.cfg.MetricsPort != 0, Log: os.Stderr, Say: d.st.out.say, Started: d.changed,
		})
		if err != nil {
			return err
		}
		d.services[p.Name], handlers[p.Name] = s, s
	}
	rules, err := routing.Read(filepath.Join("infra", "routes.json"))
	if err != nil {
		return err
	}
	gateway, err := platform.Balance(rules, handlers)
	if err != nil {
		return err
	}
	d.aggregateFront.Set(handlers[aggregateFunction])
	d.jobsFront.Set(handlers[jobsFunction])
	d.st.fronts.Gateway.Set(d.st.withExtras(gateway, db))
	d.st.fronts.Hop.Set(handlers[hop.Process.Name])
	d.st.fronts.Chatroom.Set(handlers[chatroom.Process.Name])
	d.st.fronts.Legacy.Set(handlers[legacyFunction])
	d.st.fronts.Metrics.Set(platform.Metrics(d.all()))
	return nil
}

// program returns the executable of a process.
func (d *deployment) program(p compose.Process) string {
	name := "serve"
	if p.Name == hop.Process.Name || p.Name == chatroom.Process.Name {
		name = p.Name
	}
	return filepath.Join(d.programs, name)
}

// settings returns the variables of the instances of a process: those that it declares,
// and what the system needs.
func (d *deployment) settings(p compose.Process) map[string]string {
	own := map[string]string{"LOCAL_ONLY": "true", "FUNCTION_TARGET": p.Name}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOMAXPROCS", "GOMEMLIMIT", "SSL_CERT_FILE"} {
		if value, ok := d.st.vars[name]; ok {
			own[name] = value
		}
	}
	own["LOG_LEVEL"] = "warn" // a line for each request is printed only when LOG_LEVEL asks for it
	for _, name := range config.Names() {
		if value := d.st.vars[name]; value != "" && (compose.ForEveryProcess(name) || slices.Contains(p.Reads(), name)) {
			own[name] = value
		}
	}
	return own
}

// start waits until the function jobs runs. Those that follow the catalog are ready after
// the first reload.
func (d *deployment) start(ctx context.Context) error {
	n := 0
	for _, s := range d.services {
		n += len(s.Instances())
	}
	d.st.out.say("starting %d processes of %d services", n, len(d.services))
	return d.services[jobsFunction].AwaitUp(ctx)
}

// reload has the catalog loaded, and waits until every instance is ready.
func (d *deployment) reload(ctx context.Context) error {
	report, err := d.insist(ctx, reload.Name)
	if err != nil {
		return fmt.Errorf("the catalog was not loaded: %w", err)
	}
	if b := report.Result.Built; b != nil {
		d.st.out.say("loaded %d channels and %d stations with %d streams; %d can be played", b.Channels, b.Stations, b.Streams, b.Playable)
	}
	for _, s := range d.all() {
		if err := s.Await(ctx); err != nil {
			return err
		}
	}
	d.complete.Store(true)
	return d.tell()
}

// changed tells again which instances run, once all of them are known.
func (d *deployment) changed() {
	if !d.complete.Load() {
		return
	}
	if err := d.tell(); err != nil {
		d.st.out.say("%v", err)
	}
}

// tell writes down which instances run.
func (d *deployment) tell() error {
	d.telling.Lock()
	defer d.telling.Unlock()
	return platform.WriteInstances(filepath.Join(d.st.data, platform.InstancesFile), d.all())
}

// all returns the services in alphabetical order.
func (d *deployment) all() (all []*platform.Service) {
	for _, name := range slices.Sorted(maps.Keys(d.services)) {
		all = append(all, d.services[name])
	}
	return all
}

// A jobReport is what is read of the report of a job.
type jobReport struct {
	Result struct {
		Built *struct {
			Channels, Stations, Streams, Playable int
		} `json:"built"`
	} `json:"result"`
}

// maxReport is the size of a report that is read, in bytes.
const maxReport = 16 << 20

// call has the function jobs run a job, as the scheduler does, and returns when it is done.
func (d *deployment) call(ctx context.Context, job string) (jobReport, error) {
	var report jobReport
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+d.jobs+d.st.file.Jobs[job].Path, bytes.NewReader([]byte("{}")))
	if err != nil {
		return report, err
	}
	req.Header.Set("Authorization", "Bearer "+d.st.vars["JOBS_TOKEN"])
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return report, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReport))
	if err != nil {
		return report, err
	}
	if res.StatusCode != http.StatusOK {
		return report, fmt.Errorf("%s: %s", res.Status, body[:min(len(body), 1000)])
	}
	return report, json.Unmarshal(body, &report)
}

// insistTime is for how long a job is called again that cannot run: the emulators are
// slow at first, when all processes begin to follow them.
const insistTime = 2 * time.Minute

// insist calls a job until it has run, as the scheduler does with one that failed.
func (d *deployment) insist(ctx context.Context, job string) (jobReport, error) {
	ctx, cancel := context.WithTimeout(ctx, insistTime)
	defer cancel()
	for {
		report, err := d.call(ctx, job)
		if err == nil {
			return report, nil
		}
		select {
		case <-ctx.Done():
			return report, err
		case <-time.After(time.Second):
		}
	}
}

// Run implements [whole].
func (d *deployment) Run(ctx context.Context, jobs bool) {
	run := func(ctx context.Context, job string) {
		if _, err := d.call(ctx, job); err != nil && ctx.Err() == nil {
			d.st.out.say("job %s: %v", job, err)
		}
	}
	every, kept := d.st.every(), map[string]time.Duration{}
	var work sync.WaitGroup
	defer work.Wait()
	if jobs {
		work.Go(func() {
			for _, s := range functions.Schedules() {
				if s.Job != reload.Name && ctx.Err() == nil {
					run(ctx, s.Job)
				}
			}
			if ctx.Err() == nil {
				d.st.out.say("each job has run once")
			}
		})
		kept = every
	}
	work.Go(func() { (&machine.Clock{Run: run, Every: kept}).Tick(ctx) })
	<-ctx.Done()
}

// Close implements [whole]. Services end at once, as in the cloud: one that publishes what
// it counted last does not need another for that.
func (d *deployment) Close() error {
	var ending sync.WaitGroup
	for _, s := range d.services {
		ending.Go(s.Close)
	}
	ending.Wait()
	errs := []error{d.inner.Stop()}
	for _, f := range slices.Backward(d.close) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}
