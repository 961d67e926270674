package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/functions"
	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/miramundo/machine"
	"miramundo.dev/scripts/dev/challenge"
	"miramundo.dev/scripts/dev/testchannel"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/billing/localnet"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/mail/smtp"
	"miramundo.dev/shared/metrics"
)

// A stack is the service while it runs here.
type stack struct {
	settings
	out *printer
	log *slog.Logger

	file     config.Stack
	at       layout
	vars     map[string]string // from which cfg is made
	cfg      config.Config
	token    string // of the operator, where the environment sets none
	servers  *machine.Servers
	fronts   machine.Fronts
	payments machine.Front       // of the local network of payments
	humans   *challenge.Provider // of human verification; nil where the environment names another
	whole    whole               // nil until it is made
	files    map[string][]byte   // of the data folder, beside the database

	emulators func() error // stops them
}

// A whole is the service that the stack runs: a [machine.Machine], in this process, or a
// [deployment], in many.
type whole interface {
	// Load opens the service, and returns when there is something to search. What it
	// has from before is shown without a reload when kept is set.
	Load(ctx context.Context, kept bool) error

	// Run does what is done besides answering requests until ctx is done. It runs the
	// jobs when jobs is set.
	Run(ctx context.Context, jobs bool)

	Close() error
}

// run starts everything, keeps it running until ctx is done, and stops it.
func run(outer context.Context, s settings, out io.Writer) error {
	ctx, cancel := context.WithCancel(outer)
	nothing := func() error { return nil }
	st := &stack{settings: s, out: newPrinter(out, time.Now), servers: machine.NewServers(), emulators: nothing}
	st.out.say("Miramundo: starting the local stack")
	err := st.start(ctx)
	if outer.Err() != nil {
		st.out.say("stopping")
		err = nil // whatever was under way was cut short by that
	}
	cancel()
	if err = errors.Join(err, st.servers.Stop(), st.close(), st.emulators()); err == nil {
		st.out.say("stopped")
	}
	return err
}

// start returns when ctx is done, when the seed is sown, or when something
// fails.
func (st *stack) start(ctx context.Context) error {
	for _, step := range []func(context.Context) error{st.place, st.checkData, st.listen, st.configure, st.load, st.serve} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close closes the machine, where there is one.
func (st *stack) close() error {
	if st.whole == nil {
		return nil
	}
	return st.whole.Close()
}

// checkData checks the data folder.
func (st *stack) checkData(context.Context) error { return st.folder().Check() }

// folder is the data folder of the stack.
func (st *stack) folder() machine.Folder {
	return st.settings.folder(st.file, st.out.say)
}

// place finds out where the parts stand.
func (st *stack) place(context.Context) (err error) {
	if st.file, err = config.ReadStack(st.stackFile); err != nil {
		return fmt.Errorf("-config: %w", err)
	}
	if err := checkInstances(st.file.Instances); err != nil {
		return fmt.Errorf("-config: %s: %w", st.stackFile, err)
	}
	st.at, err = layOut(st.layout, st.file)
	return err
}

// listen takes the places of the parts that exist, so that one that is taken is
// reported at once.
func (st *stack) listen(context.Context) error {
	player, err := testchannel.New(time.Now)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		flag    string
		addr    *string
		handler http.Handler
		serve   func(net.Listener, http.Handler)
	}{
		{"-gateway", &st.at.gateway, &st.fronts.Gateway, st.servers.Drain},
		{"-hop", &st.at.hop, &st.fronts.Hop, st.servers.Drain},
		{"-legacy", &st.at.legacy, &st.fronts.Legacy, st.servers.Drain},
		{"-chatroom", &st.at.chatroom, &st.fronts.Chatroom, st.servers.Drain},
		{"-origin", &st.at.origin, player, st.servers.Cut},
		{"-payments", &st.at.payments, &st.payments, st.servers.Cut},
	} {
		l, err := listen(part.flag, *part.addr)
		if err != nil {
			return err
		}
		own := ownHosts(*part.addr, l.Addr())
		*part.addr = l.Addr().String()
		part.serve(l, own.guard(atEdge(st.file.Edge, part.handler)))
	}
	return nil
}

func listen(name, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w (is another stack running? name another place)", name, addr, err)
	}
	return l, nil
}

// configure makes the settings of the functions: those of the environment, and
// over them what the stack itself decides.
func (st *stack) configure(ctx context.Context) (err error) {
	vars := config.Environ()
	logs := vars["LOG_LEVEL"] != ""
	made, err := st.folder().Secrets()
	if err != nil {
		return err
	}
	if st.token, err = datafolder.OperatorToken(st.data); err != nil {
		return err
	}
	receiver, err := datafolder.ReceivingAddress(st.data)
	if err != nil {
		return err
	}
	if st.files, err = datafolder.Files(st.data); err != nil {
		return err
	}
	for _, name := range functions.OperatorTokens() { // unless the environment sets them
		made[name] = st.token
	}
	for name, value := range made {
		vars[name] = cmp.Or(vars[name], value)
	}
	maps.Copy(vars, st.decided(vars))
	if vars["PAYMENT_TO"] == "" {
		maps.Copy(vars, testPayments(address(st.at.payments), receiver))
	}
	if base := address(st.at.gateway); vars["HUMAN_VERIFY_URL"] == "" && isLocal(base) {
		st.humans = challenge.New(rand.Text(), time.Now)
		maps.Copy(vars, st.humans.Settings(base))
	}
	vars["CONTACT_EMAIL"] = cmp.Or(vars["CONTACT_EMAIL"], localOperator)
	if st.backend == "emulators" {
		if err := st.startEmulators(ctx, vars); err != nil {
			return err
		}
	}
	if st.cfg, err = config.Parse(vars); err != nil {
		return err
	}
	st.vars = vars
	level := st.cfg.LogLevel
	if !logs {
		level = slog.LevelWarn // a line for each request is printed only when LOG_LEVEL asks for it
	}
	st.log = newLog(os.Stderr, level, hasColours(os.Stderr, vars))
	cloudlog.SetDefault(st.log)
	return st.listenMetrics()
}

// listenMetrics takes the place of the metrics, where METRICS_PORT is set. It is one of
// this machine alone, whatever the other places are.
func (st *stack) listenMetrics() error {
	if st.cfg.MetricsPort == 0 {
		return nil
	}
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(st.cfg.MetricsPort))
	l, err := listen("METRICS_PORT", addr)
	if err != nil {
		return err
	}
	st.servers.Cut(l, ownHosts(addr, l.Addr()).guard(&st.fronts.Metrics))
	st.out.say("metrics at http://%s%s", l.Addr(), metrics.Path)
	return nil
}

// decided are the settings that are the stack's to say. The catalog is chosen
// later, when it is known whether the live sources answer.
func (st *stack) decided(vars map[string]string) map[string]string {
	return map[string]string{
		"BASE_URL":             address(st.at.gateway),
		"HOP_URL":              address(st.at.hop),
		"LEGACY_URL":           address(st.at.legacy),
		"BACKEND":              st.backend,
		"DATA_DIR":             st.data,
		"GOOGLE_CLOUD_PROJECT": st.file.Project,
		"CATALOG":              machine.Sample,
		"MAIL_FOLDER":          cmp.Or(vars["MAIL_FOLDER"], filepath.Join(st.data, "mail")),
		"EDGE_COUNTRY_HEADER":  edgeHeader,
		"EDGE_ADDRESS_HEADER":  cmp.Or(vars["EDGE_ADDRESS_HEADER"], addressHeader),
		"ORIGIN_ALLOW":         strings.Trim(vars["ORIGIN_ALLOW"]+","+st.at.origin, ","),
		"GUIDE_SOURCES":        strings.Trim(vars["GUIDE_SOURCES"]+","+testchannel.Guide(address(st.at.origin)), ","),
		"BUILD":                build(),
		"K_SERVICE":            "", // not deployed, whatever the machine is
	}
}

// localOperator is the address to which the contact form writes, where the environment
// names none.
const localOperator = "operator@miramundo.example"

// isLocal reports whether an address is one of this machine alone, where the widget of
// the stack can be used without TLS.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && smtp.IsLoopback(u.Hostname())
}

// testPayments are the settings with which test money is taken, at the local network
// of payments and by an address of the stack's own.
func testPayments(network, to string) map[string]string {
	return map[string]string{
		"PAYMENT_TO":           to,
		"PAYMENT_NETWORK":      localnet.Network,
		"PAYMENT_FACILITATORS": network,
		"PAYMENT_RPC":          network + localnet.RPCPath,
		"PAYMENT_FAUCET":       network + localnet.FaucetPath,
	}
}

// build is the short id of the commit that this was built from.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	if i < 0 || len(info.Settings[i].Value) < 7 {
		return "dev"
	}
	return info.Settings[i].Value[:7]
}
