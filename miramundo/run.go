package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/functions"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/miramundo/machine"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/config"
)

// backupPeriod is the time between two backups.
const backupPeriod = 24 * time.Hour

// A service is the program while it runs.
type service struct {
	options
	vars   map[string]string
	cfg    config.Config
	log    *slog.Logger
	folder machine.Folder

	servers *machine.Servers
	fronts  machine.Fronts
	whole   *machine.Machine
	release func() error // of the data folder, once it is taken
}

// run runs the service until ctx is done.
func run(outer context.Context, o options, vars map[string]string, out io.Writer) (err error) {
	s := &service{options: o, vars: vars, servers: machine.NewServers()}
	if s.cfg, err = parseSettings(vars); err != nil {
		return err
	}
	buffer := cloudlog.NewBuffer(out)
	defer buffer.Close()
	s.log = slog.New(cloudlog.New(buffer, s.cfg.LogLevel, "")).With("build", s.cfg.Build)
	cloudlog.SetDefault(s.log)
	s.log.Info(builtFrom().String())
	limitMemory()
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	err = s.start(ctx)
	if outer.Err() != nil {
		s.log.Info("stopping")
		err = nil // whatever was under way was cut short by that
	}
	cancel()
	err = errors.Join(err, s.servers.Stop(), s.close())
	if err == nil {
		s.log.Info("stopped")
	}
	return err
}

// close closes the machine, where there is one, and lets go of the data folder.
func (s *service) close() (err error) {
	if s.whole != nil {
		err = s.whole.Close()
	}
	if s.release != nil {
		err = errors.Join(err, s.release())
	}
	return err
}

// start returns when ctx is done, or when something fails.
func (s *service) start(ctx context.Context) error {
	for _, step := range []func(context.Context) error{s.openFolder, s.listen, s.configure, s.serve} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// say logs a line for the operator.
func (s *service) say(format string, args ...any) {
	s.log.Info(strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// warn logs a line that the operator must see with LOG_LEVEL=warn too.
func (s *service) warn(format string, args ...any) {
	s.log.Warn(strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// temporaryFolder is where temporary files are, within the data folder. What is in it is
// deleted at a start, so it has a name that no other program uses: DATA_DIR may name a
// folder of something else by mistake.
const temporaryFolder = ".miramundo-tmp"

// openFolder takes the data folder for this process, and checks it.
func (s *service) openFolder(context.Context) (err error) {
	s.folder = folder(s.cfg, s.options, s.say, s.warn)
	if s.release, err = s.folder.Take(); err != nil || s.temporary == nil {
		return err
	}
	if err := s.temporary(filepath.Join(s.cfg.DataDir, temporaryFolder)); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// listen listens at the addresses of the settings, so that one that is taken is reported
// at once.
func (s *service) listen(ctx context.Context) error {
	var handler http.Handler = newRouter(s.cfg, &s.fronts)
	if s.cfg.ListenTLS != "" {
		manager, err := certificates(s.cfg)
		if err != nil {
			return err
		}
		l, err := listenAt(ctx, "LISTEN_TLS", s.cfg.ListenTLS)
		if err != nil {
			return err
		}
		s.servers.DrainTLS(l, secureRouter(s.cfg, &s.fronts), manager.TLSConfig())
		s.log.Info("listening", "tls", l.Addr().String())
		handler = manager.HTTPHandler(plainRouter(s.cfg, &s.fronts))
	}
	for _, address := range s.cfg.ListenAddrs() {
		l, err := listenAt(ctx, "LISTEN", address)
		if err != nil {
			return err
		}
		s.servers.Drain(l, handler)
		s.log.Info("listening", "http", l.Addr().String())
	}
	return s.listenMetrics(ctx)
}

// listenMetrics listens where METRICS_PORT says, for programs on this machine alone.
func (s *service) listenMetrics(ctx context.Context) error {
	if s.cfg.MetricsPort == 0 {
		return nil
	}
	l, err := listenAt(ctx, "METRICS_PORT", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.cfg.MetricsPort)))
	if err != nil {
		return err
	}
	s.servers.Cut(l, &s.fronts.Metrics)
	s.log.Info("listening", "metrics", l.Addr().String())
	return nil
}

func listenAt(ctx context.Context, name, address string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (another program may use the port; ports below 1024 need the capability CAP_NET_BIND_SERVICE)", name, err)
	}
	return l, nil
}

// configure completes the settings by the secrets of the data folder, which the first
// start makes.
func (s *service) configure(ctx context.Context) error {
	made, err := s.folder.Secrets()
	if err != nil {
		return err
	}
	token, err := datafolder.OperatorToken(s.cfg.DataDir)
	if err != nil {
		return err
	}
	for _, name := range functions.OperatorTokens() {
		made[name] = token
	}
	for name, value := range made { // unless the environment sets them
		s.vars[name] = cmp.Or(s.vars[name], value)
	}
	if s.cfg, err = config.ParseMachine(s.vars); err != nil {
		return err
	}
	if err := s.folder.Begin(ctx, thisProgram()); err != nil {
		return err
	}
	files, err := datafolder.Files(s.cfg.DataDir)
	if err != nil {
		return err
	}
	every := map[string]time.Duration{}
	for _, schedule := range functions.Schedules() {
		every[schedule.Job] = schedule.Every
	}
	s.whole = machine.New(machine.Options{
		Config: s.cfg, Catalog: s.vars["CATALOG"], Log: s.log, Folder: s.folder, Files: files, Fronts: &s.fronts, Every: every,
	})
	return nil
}

// serve loads the catalog, and runs the jobs until ctx is done or a server fails. Where
// the live sources did not answer at the first start, it shows the sample until they do.
func (s *service) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-ctx.Done():
		case failed = <-s.servers.Failed:
			cancel()
		}
	}()
	err := s.work(ctx)
	cancel()
	<-stopped
	return cmp.Or(failed, err)
}

// work loads the catalog and runs the jobs until ctx is done.
func (s *service) work(ctx context.Context) error {
	for first := true; ; first = false {
		if err := s.whole.Load(ctx, true); err != nil {
			return err
		}
		if first {
			s.ready()
		}
		session, end := context.WithCancel(ctx)
		if s.whole.Provisional() {
			s.log.Warn("the sample is shown, until the live sources answer; CATALOG=sample is for those who want it, and CATALOG names a folder with files of the sources")
			go func() {
				s.whole.AwaitLive(session)
				end()
			}()
		}
		s.whole.Run(session, true)
		end()
		if ctx.Err() != nil {
			return nil
		}
	}
}

// ready logs that the service answers, and what it cannot do with its settings.
func (s *service) ready() {
	if s.cfg.MailSMTP == "" && s.cfg.MailFolder == "" {
		s.log.Warn("MAIL_SMTP and MAIL_FROM are not set: no mail is sent, so nobody can sign in by e-mail")
	}
	if !s.cfg.Secure() && !s.cfg.OnLoopback() {
		s.log.Warn("BASE_URL is not https: browsers keep no session, so nobody can sign in")
	}
	s.log.Info("ready", "base_url", s.cfg.BaseURL, "hop_url", s.cfg.HopURL, "legacy_url", s.cfg.LegacyURL,
		"operator_token", "in "+filepath.Join(s.cfg.DataDir, datafolder.TokenFile)+" unless the settings have one")
}

const (
	// gcPercent lets the heap grow by half between collections: memory is what a small
	// machine has least of.
	gcPercent = 50
	// memoryLimit is from where on the collector works harder, in bytes, unless
	// GOMEMLIMIT says otherwise. Of the whole catalog 290 MB are in use at once while it
	// is loaded; a limit of 240 MiB saves 24 MB then, and takes half as long again.
	memoryLimit = 320 << 20
)

// limitMemory sets up the collector for a small machine, where its variables (GOGC,
// GOMEMLIMIT) do not.
func limitMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memoryLimit)
	}
	if before := debug.SetGCPercent(gcPercent); before != 100 {
		debug.SetGCPercent(before) // GOGC has set it
	}
}
