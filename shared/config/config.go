// Package config parses the settings of the service: their names, defaults and
// meaning. It is the only package that reads the environment.
//
// A setting is declared once, as a field of [Config]. The example file
// .env.example and the settings that infra lists for each function derive from
// these fields.
package config

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"

	"miramundo.dev/shared/keyring"
)

// Product is the name of the service, as documents and health show it.
const Product = "Miramundo"

// A Config is the settings of one process. Tokens are secrets: never log one.
type Config struct {
	Port   int    `env:"PORT" envDefault:"8080" doc:"Port that a function listens on."`
	Target string `env:"FUNCTION_TARGET" doc:"Name of the function that functions/serve runs, or of several, separated by commas."`
	Local  bool   `env:"LOCAL_ONLY" envDefault:"false" doc:"Listen on the loopback address only."`

	MetricsPort int `env:"METRICS_PORT" envDefault:"0" doc:"Port on which the process shows its metrics to Prometheus, at /metrics. It must not be reachable from outside. 0 shows and counts nothing."`

	BaseURL   string `env:"BASE_URL" envDefault:"http://127.0.0.1:8787" doc:"Address of the service, without a trailing slash. Required when deployed."`
	HopURL    string `env:"HOP_URL" envDefault:"http://127.0.0.1:8788" doc:"Address of the stream hop. Required when deployed."`
	LegacyURL string `env:"LEGACY_URL" envDefault:"http://127.0.0.1:8789" doc:"Address of the isolated player of plain HTTP media. Required when deployed."`

	Backend       string `env:"BACKEND" envDefault:"embedded" doc:"Where documents and events are: embedded (a SQLite file), emulators, or cloud. Deployed, only cloud."`
	DataDir       string `env:"DATA_DIR" envDefault:".data" doc:"Folder of the embedded backend."`
	Project       string `env:"GOOGLE_CLOUD_PROJECT" doc:"Project of the cloud backend, which needs it, and of traces in the log."`
	FirestoreHost string `env:"FIRESTORE_EMULATOR_HOST" doc:"host:port of the Firestore emulator, for the backend emulators."`
	PubSubHost    string `env:"PUBSUB_EMULATOR_HOST" doc:"host:port of the Pub/Sub emulator, for the backend emulators."`

	Catalog      string `env:"CATALOG" envDefault:"live" doc:"Where the catalog comes from: live, sample, or a folder with files of the sources."`
	CatalogExtra string `env:"CATALOG_EXTRA" doc:"File with records beside those of the sources, as the JSON of a source.Dataset, such as the test channel of the local stack. For local use; refused when deployed."`
	IPTVOrg      string `env:"IPTV_ORG_URL" envDefault:"https://iptv-org.github.io/api" doc:"Address of the JSON files of iptv-org."`
	RadioBrowser string `env:"RADIO_BROWSER_URL" doc:"Address of one radio-browser server; without it, one is discovered."`

	GuideSources string `env:"GUIDE_SOURCES" doc:"Guides in XMLTV form, plain or packed: addresses or files, separated by commas, each with options after a # such as tz=Europe/London&country=GB&lang=en&name=freeview. Health shows the name, which is else that of the file. Without it there are no programmes."`

	ContactEmail string `env:"CONTACT_EMAIL" doc:"E-mail address for complaints and questions, as pages and mails show it. Without it the pages say that there is none yet."`

	RegistryKey string `env:"MCP_REGISTRY_KEY" doc:"Public Ed25519 key, 32 bytes in base64, by which the MCP registry verifies who publishes the server of this host. Without it /.well-known/mcp-registry-auth answers 404."`

	MailSMTP     string `env:"MAIL_SMTP" doc:"host:port of the server that sends mail. The connection is TLS: from its start at port 465, by STARTTLS at any other; only a server on the loopback address may be without."`
	MailUser     string `env:"MAIL_USER" doc:"User name for the server of MAIL_SMTP. It goes with MAIL_PASSWORD; without it the service does not authenticate."`
	MailPassword string `env:"MAIL_PASSWORD" doc:"Secret. Password for MAIL_USER."`
	MailFrom     string `env:"MAIL_FROM" doc:"E-mail address of the sender of all mails. It goes with MAIL_SMTP."`
	MailFolder   string `env:"MAIL_FOLDER" doc:"Folder that keeps mails as files instead of sending them, where MAIL_SMTP is not set. For local use; refused when deployed."`
	MailWorkers  int    `env:"MAIL_WORKERS" envDefault:"0" doc:"How many mails are sent at a time after the request is answered, at most 64. 0 sends before the answer, which is right where a process has no processor between requests."`

	CatalogToken string `env:"CATALOGO_TOKEN" doc:"Secret. Bearer token of the operator for /api/admin and for explain=1 in searches, at least 16 characters."`
	MetricsToken string `env:"METRICS_TOKEN" doc:"Secret. Bearer token of the operator for metrics and raw reports, at least 16 characters."`
	EventsToken  string `env:"EVENTS_TOKEN" doc:"Secret. Parameter token of the address to which events are pushed, at least 16 characters."`
	JobsAudience string `env:"JOBS_AUDIENCE" doc:"Audience that the scheduler names in the tokens it signs for calls of /jobs/{name}: the address of the function jobs. It goes with JOBS_CALLER."`
	JobsCaller   string `env:"JOBS_CALLER" doc:"E-mail of the service account that the scheduler calls /jobs/{name} as. It goes with JOBS_AUDIENCE."`
	JobsToken    string `env:"JOBS_TOKEN" doc:"Secret. Bearer token for /jobs/{name} where no scheduler signs tokens, at least 16 characters. For local use; refused when deployed."`

	CountryHeader string   `env:"EDGE_COUNTRY_HEADER" doc:"Header in which the edge names the caller's country. Set it only behind an edge that overwrites what callers send."`
	AddressHeader string   `env:"EDGE_ADDRESS_HEADER" doc:"Header in which the edge gives the caller's network address alone. Set it only behind such an edge; without it the address is that of the connection. Required when deployed, where every connection comes from the edge."`
	OriginAllow   []string `env:"ORIGIN_ALLOW" doc:"host:port of origins that may be fetched although their address is not public, separated by commas. For local use; refused when deployed."`

	GuestKeys   *keyring.Ring `env:"GUEST_KEYS" doc:"Secret. Key ring (docs/keys.md) that signs the tokens of guests: name:secret entries separated by commas, secrets of at least 32 characters. The first signs, all verify. It also seals feed tokens in the database. Guest tokens do not expire: without the key that signed them their libraries are lost."`
	AccountKeys *keyring.Ring `env:"ACCOUNT_KEYS" doc:"Secret. Key ring that protects accounts: it signs the CSRF tokens of sessions and the codes of sign-ins, and seals the secrets of second factors. Without the key that sealed it, a second factor is lost."`
	TicketKeys  *keyring.Ring `env:"HOP_TICKET_KEYS" doc:"Secret. Key ring that signs the references that the hop writes into playlists, which are in use for up to 12 hours."`
	PeopleKeys  *keyring.Ring `env:"PEOPLE_KEYS" doc:"Secret. Key ring that keys the hashes that identify callers without an account for a day. A key named for a day, such as 2026-12-01, takes over when that day begins. Without a key, the hashes change with each restart."`

	GuestBurst   int `env:"GUEST_BURST" envDefault:"30" doc:"How many guests a network may make at once, from 1 to 100000; after that it makes one every half minute. Raise it where many people share an address."`
	BudgetFactor int `env:"BUDGET_FACTOR" envDefault:"1" doc:"Factor, from 1 to 1000000, by which the other budgets of owners and networks (shared/budget) are multiplied. Raise it where programs of your own write more than people do."`

	HopFallback bool `env:"HOP_FALLBACK" envDefault:"false" doc:"This hop is the fallback behind another: failures of a playlist answer 502 instead of 422."`
	FreeMinutes int  `env:"HOP_FREE_MINUTES" envDefault:"0" doc:"Minutes of live HLS that a network may watch through the hop in a UTC day; 0 sets no limit. A deployed process without the setting allows 120, any other sets no limit."`

	PaymentTo           string   `env:"PAYMENT_TO" doc:"Address (0x and 40 hexadecimal digits) that receives payments of this service alone: of two services that share one, both may deliver for one payment. Without it nothing is sold: the chat is open free of charge."`
	PaymentNetwork      string   `env:"PAYMENT_NETWORK" envDefault:"base" doc:"Network of payments: base, or base-sepolia with test money."`
	PaymentFacilitators []string `env:"PAYMENT_FACILITATORS" doc:"Addresses of the x402 facilitators that verify and settle payments, separated by commas, in the order in which they are tried. They go with PAYMENT_TO."`
	PaymentRPC          string   `env:"PAYMENT_RPC" doc:"Address of a JSON-RPC node of the network. With it a payment whose settlement got no answer is decided by the chain; without it by the facilitator, which cannot tell a payment from a nonce that its payer has used otherwise. Required with real money when deployed."`
	PaymentFaucet       string   `env:"PAYMENT_FAUCET" doc:"Address where test money is to be had, as GET /api/billing shows it."`

	HumanVerifyURL string `env:"HUMAN_VERIFY_URL" doc:"Address of the siteverify call of a provider of challenges for people, such as Turnstile. With HUMAN_SECRET, HUMAN_SITE_KEY and HUMAN_SCRIPT people can send the contact form; without them only agents can."`
	HumanSecret    string `env:"HUMAN_SECRET" doc:"Secret. Secret of the site at the provider of HUMAN_VERIFY_URL."`
	HumanSiteKey   string `env:"HUMAN_SITE_KEY" doc:"Public key of the site at the provider of HUMAN_VERIFY_URL, as pages show it."`
	HumanScript    string `env:"HUMAN_SCRIPT" doc:"Address of the script by which the provider of HUMAN_VERIFY_URL draws its widget on pages."`

	Listen        string `env:"LISTEN" doc:"Where the program miramundo answers HTTP for all hosts of the service: host:port, or several separated by commas. Without it, where BASE_URL, HOP_URL and LEGACY_URL say when they name this machine by a loopback address, else at 127.0.0.1:8787."`
	ListenTLS     string `env:"LISTEN_TLS" doc:"Where miramundo answers HTTPS itself, such as :443, instead of a reverse proxy. It gets its certificates from ACME_DIRECTORY, whose terms of service are accepted by that, and LISTEN must be set too, to what is reached at port 80."`
	ACMEDirectory string `env:"ACME_DIRECTORY" envDefault:"https://acme-v02.api.letsencrypt.org/directory" doc:"Address of the ACME server that issues certificates for LISTEN_TLS."`
	ACMERoots     string `env:"ACME_ROOTS" doc:"File with the root certificates, as PEM, by which the ACME server is verified, where the system does not have them."`
	ACMEEmail     string `env:"ACME_EMAIL" doc:"E-mail address at which the ACME server reaches the operator."`
	BackupDir     string `env:"BACKUP_DIR" doc:"Folder of the daily backups of miramundo. Without it, the folder backups in DATA_DIR, on the same disk."`
	BackupKeep    int    `env:"BACKUP_KEEP" envDefault:"7" doc:"How many of these backups are kept, from 1 to 1000."`
	SelfHosted    bool   `env:"-"` // the process is the program miramundo; see ParseMachine

	TraceEndpoint string  `env:"OTEL_EXPORTER_OTLP_ENDPOINT" doc:"Address of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318: requests, jobs, events and fetches are traced there. Without it nothing is traced."`
	TraceShare    float64 `env:"OTEL_TRACES_SAMPLER_ARG" envDefault:"1" doc:"Share of the requests that are traced, from 0 to 1."`

	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"Lowest level that is logged: debug, info, warn or error. Requests are info."`
	Build    string     `env:"BUILD" envDefault:"dev" doc:"Short id of the commit, as shown by health and OpenAPI."`
	Service  string     `env:"K_SERVICE" doc:"Set by the platform: the process is deployed."`

	required Requirement `env:"-"` // of the process
}

// Deployed reports whether the process runs on the platform.
func (c Config) Deployed() bool { return c.Service != "" }

// Production reports whether the process serves the public, deployed or on a machine of
// its operator, and not a developer.
func (c Config) Production() bool { return c.Deployed() || c.SelfHosted }

// Secure reports whether browsers may be told to use HTTPS alone.
func (c Config) Secure() bool {
	return c.Deployed() || c.SelfHosted && strings.HasPrefix(c.BaseURL, "https:")
}

// OwnHosts returns the hosts of the service, which no URL of a source may make
// it call, in lower case and without a final dot.
func (c Config) OwnHosts() []string {
	var hosts []string
	for _, address := range []string{c.BaseURL, c.HopURL, c.LegacyURL} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			hosts = append(hosts, strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
		}
	}
	return hosts
}

// UserAgent returns the User-Agent of requests to origins. It names the service
// and the address where its operator can be found.
func (c Config) UserAgent() string { return fmt.Sprintf("%s/%s (+%s)", Product, c.Build, c.BaseURL) }

// A Requirement names the settings that a process cannot work without, beside
// those that every process needs.
type Requirement struct {
	Process  string   // the process, as its error message names it
	Settings []string // names in the environment; "A|B" asks for one of A and B
	Meter    []string // the same, for a deployed process that limits the minutes of a network

	// Reads are the settings that the process reads, beside those of every process; nil
	// for all. Settings that go together are checked where a process reads them all.
	Reads []string
}

// reads reports whether the process reads all settings with the given names.
func (r Requirement) reads(names ...string) bool {
	return r.Reads == nil || !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(r.Reads, name) })
}

// Alternatives returns the names of a setting of a Requirement.
func Alternatives(setting string) []string { return strings.Split(setting, "|") }

// missing returns an error for each setting of r that vars do not have.
func (r Requirement) missing(vars map[string]string) (problems []error) {
	for _, setting := range r.Settings {
		names := Alternatives(setting)
		if !slices.ContainsFunc(names, func(name string) bool { return vars[name] != "" }) {
			problems = append(problems, fmt.Errorf("%s is missing, and %s cannot work without it", strings.Join(names, " or "), r.Process))
		}
	}
	return problems
}

// Load returns the settings of the environment for a process that requires
// settings of its own, which may depend on those that are set: require may be
// nil. Its error names every setting that is missing or invalid, in one
// message.
func Load(require func(Config) Requirement) (Config, error) {
	return parse(Environ(), require)
}

// Environ returns the variables of the environment, for programs that pass their
// settings on to parts that they start.
func Environ() map[string]string { return env.ToMap(os.Environ()) }

// Parse returns the settings of the given variables, as Load does for a process
// without requirements of its own.
func Parse(vars map[string]string) (Config, error) { return parse(vars, nil) }

// ParseFor returns the settings of the given variables, as Load does for a process with
// requirements of its own.
func ParseFor(vars map[string]string, require func(Config) Requirement) (Config, error) {
	return parse(vars, require)
}

func parse(vars map[string]string, require func(Config) Requirement) (Config, error) {
	return parseFor(vars, func(c *Config) []error { return c.checkDeployed(vars) }, require)
}

// parseFor returns the settings of vars, which must pass the checks of a kind of
// process.
func parseFor(vars map[string]string, kind func(*Config) []error, require func(Config) Requirement) (Config, error) {
	var c Config
	var problems []error
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars}); err != nil {
		problems = explain(err)
	}
	if c.Deployed() && vars["HOP_FREE_MINUTES"] == "" {
		c.FreeMinutes = offeredMinutes
	}
	if require != nil {
		c.required = require(c)
		problems = append(problems, c.required.missing(vars)...)
		problems = append(problems, c.checkMeter(c.required, vars)...)
	}
	problems = append(problems, c.check(vars)...)
	problems = append(problems, kind(&c)...)
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if err := errors.Join(problems...); err != nil {
		return Config{}, fmt.Errorf("settings:\n%w", err)
	}
	return c, nil
}

// explain returns an error for each value that does not parse. The errors name
// the setting but not its value, which may be a secret. Those of key rings say what
// is wrong with the setting, as package keyring words them without secrets.
func explain(err error) (problems []error) {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return []error{err}
	}
	for _, e := range all.Errors {
		var parse env.ParseError
		if errors.As(e, &parse) {
			e = fmt.Errorf("%s is not a valid %s", nameOf(parse.Name), parse.Type)
			if parse.Type == reflect.TypeFor[*keyring.Ring]() {
				e = fmt.Errorf("%s is not a valid key ring: %w", nameOf(parse.Name), parse.Err)
			}
		}
		problems = append(problems, e)
	}
	return problems
}

// check returns what is wrong with settings that parse.
func (c Config) check(vars map[string]string) (problems []error) {
	no := func(name, format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s %s", name, fmt.Sprintf(format, args...)))
	}
	for name, address := range map[string]string{"BASE_URL": c.BaseURL, "HOP_URL": c.HopURL, "LEGACY_URL": c.LegacyURL, "IPTV_ORG_URL": c.IPTVOrg} {
		if !isAddress(address) {
			no(name, "must be an http or https URL without a query or a trailing slash")
		}
	}
	if c.RadioBrowser != "" && !isAddress(c.RadioBrowser) {
		no("RADIO_BROWSER_URL", "must be an http or https URL without a query or a trailing slash")
	}
	for name, token := range map[string]string{"CATALOGO_TOKEN": c.CatalogToken, "METRICS_TOKEN": c.MetricsToken, "EVENTS_TOKEN": c.EventsToken, "JOBS_TOKEN": c.JobsToken} {
		if token != "" && (len(token) < 16 || strings.ContainsAny(token, " \t\r\n")) {
			no(name, "must have at least 16 characters and no spaces")
		}
	}
	for old, name := range renamed {
		if vars[old] != "" {
			no(old, "is not read any more: move its value to %s, as docs/keys.md describes", name)
		}
	}
	for _, number := range []struct {
		name               string
		value, least, most int
	}{
		{"GUEST_BURST", c.GuestBurst, 1, maxGuestBurst},
		{"BUDGET_FACTOR", c.BudgetFactor, 1, maxBudgetFactor},
		{"HOP_FREE_MINUTES", c.FreeMinutes, 0, minutesOfDay},
		{"BACKUP_KEEP", c.BackupKeep, 1, maxBackups},
	} {
		if number.value < number.least || number.value > number.most {
			no(number.name, "must be between %d and %d", number.least, number.most)
		}
	}
	for name, header := range map[string]string{"EDGE_COUNTRY_HEADER": c.CountryHeader, "EDGE_ADDRESS_HEADER": c.AddressHeader} {
		if header != "" && !headerName.MatchString(header) {
			no(name, "is not a valid header name")
		}
	}
	if c.TraceEndpoint != "" && !isAddress(c.TraceEndpoint) {
		no("OTEL_EXPORTER_OTLP_ENDPOINT", "must be an http or https URL without a query or a trailing slash")
	}
	if !(c.TraceShare >= 0 && c.TraceShare <= 1) { // NaN is refused too
		no("OTEL_TRACES_SAMPLER_ARG", "must be between 0 and 1")
	}
	problems = append(problems, c.checkPorts()...)
	problems = append(problems, c.checkReach()...)
	problems = append(problems, c.checkTogether(vars)...)
	return append(problems, c.checkBackend()...)
}

// checkPorts returns what is wrong with the ports that the process listens on.
func (c Config) checkPorts() (problems []error) {
	if c.Port < 1 || c.Port > 65535 {
		problems = append(problems, errors.New("PORT must be a port between 1 and 65535"))
	}
	if c.MetricsPort < 0 || c.MetricsPort > 65535 || c.MetricsPort != 0 && c.MetricsPort == c.Port {
		problems = append(problems, errors.New("METRICS_PORT must be 0, or a port between 1 and 65535 that is not PORT"))
	}
	return problems
}

// checkReach returns what is wrong with the addresses that the service may call
// or shows to visitors.
func (c Config) checkReach() (problems []error) {
	for _, hostPort := range c.OriginAllow {
		if !isHostPort(hostPort) {
			problems = append(problems, errors.New("ORIGIN_ALLOW has an entry that is not host:port"))
		}
	}
	if c.ContactEmail != "" && !isMailbox(c.ContactEmail) {
		problems = append(problems, errors.New("CONTACT_EMAIL is not an e-mail address"))
	}
	if key, err := base64.StdEncoding.DecodeString(c.RegistryKey); c.RegistryKey != "" && (err != nil || len(key) != ed25519.PublicKeySize) {
		problems = append(problems, errors.New("MCP_REGISTRY_KEY must be an Ed25519 public key of 32 bytes in base64"))
	}
	problems = append(problems, c.checkMail()...)
	problems = append(problems, c.checkPayment()...)
	problems = append(problems, c.checkHuman()...)
	return append(problems, c.checkScheduler()...)
}

// maxMailWorkers is the largest number of mails that are sent at a time.
const maxMailWorkers = 64

// checkMail returns what is wrong with the settings by which mail is sent.
func (c Config) checkMail() (problems []error) {
	if c.MailSMTP != "" && !isHostPort(c.MailSMTP) {
		problems = append(problems, errors.New("MAIL_SMTP must be host:port"))
	}
	if (c.MailSMTP == "") != (c.MailFrom == "") {
		problems = append(problems, errors.New("MAIL_SMTP and MAIL_FROM must be set together"))
	}
	if c.MailFrom != "" && !isMailbox(c.MailFrom) {
		problems = append(problems, errors.New("MAIL_FROM is not an e-mail address"))
	}
	if (c.MailUser == "") != (c.MailPassword == "") {
		problems = append(problems, errors.New("MAIL_USER and MAIL_PASSWORD must be set together"))
	}
	if c.MailWorkers < 0 || c.MailWorkers > maxMailWorkers {
		problems = append(problems, fmt.Errorf("MAIL_WORKERS must be between 0 and %d", maxMailWorkers))
	}
	return problems
}

// wallet matches the address of an account on an EVM network.
var wallet = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)

// checkPayment returns what is wrong with the settings by which payments are taken.
func (c Config) checkPayment() (problems []error) {
	if c.PaymentTo != "" && !wallet.MatchString(c.PaymentTo) {
		problems = append(problems, errors.New("PAYMENT_TO must be 0x and 40 hexadecimal digits"))
	}
	if c.PaymentNetwork != "base" && c.PaymentNetwork != "base-sepolia" {
		problems = append(problems, errors.New("PAYMENT_NETWORK must be base or base-sepolia"))
	}
	for _, address := range c.PaymentFacilitators {
		if !isAddress(address) {
			problems = append(problems, errors.New("PAYMENT_FACILITATORS must be http or https URLs without a query or a trailing slash"))
		}
	}
	for name, address := range map[string]string{"PAYMENT_RPC": c.PaymentRPC, "PAYMENT_FAUCET": c.PaymentFaucet} {
		if address != "" && !isAddress(address) {
			problems = append(problems, fmt.Errorf("%s must be an http or https URL without a query or a trailing slash", name))
		}
	}
	return problems
}

// checkHuman returns what is wrong with the settings by which people are verified. The
// secret of the site is sent to the address, so a plain one must be on this machine.
func (c Config) checkHuman() (problems []error) {
	for name, address := range map[string]string{"HUMAN_VERIFY_URL": c.HumanVerifyURL, "HUMAN_SCRIPT": c.HumanScript} {
		u, err := url.Parse(address)
		if address != "" && (err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname()))) {
			problems = append(problems, fmt.Errorf("%s must be an https URL, or an http URL of the loopback address", name))
		}
	}
	return problems
}

// checkTogether returns the groups of settings of which the process reads several and only
// some are set.
func (c Config) checkTogether(vars map[string]string) (problems []error) {
	for _, group := range Together() {
		group = slices.DeleteFunc(group, func(name string) bool { return !c.required.reads(name) })
		unset := slices.DeleteFunc(slices.Clone(group), func(name string) bool { return vars[name] != "" })
		if len(unset) > 0 && len(unset) < len(group) {
			last := len(group) - 1
			problems = append(problems, fmt.Errorf("%s and %s must be set together", strings.Join(group[:last], ", "), group[last]))
		}
	}
	return problems
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// checkScheduler returns what is wrong with the settings by which the
// scheduler's calls are recognized. Half of them would accept no call, or
// anybody's token for the audience.
func (c Config) checkScheduler() (problems []error) {
	if (c.JobsAudience == "") != (c.JobsCaller == "") {
		problems = append(problems, errors.New("JOBS_AUDIENCE and JOBS_CALLER must be set together"))
	}
	if c.JobsAudience != "" && !isAddress(c.JobsAudience) {
		problems = append(problems, errors.New("JOBS_AUDIENCE must be an http or https URL without a query or a trailing slash"))
	}
	if c.JobsCaller != "" && !isMailbox(c.JobsCaller) {
		problems = append(problems, errors.New("JOBS_CALLER is not an e-mail address"))
	}
	return problems
}

// renamed maps each setting of an earlier version that held one key to the setting
// that holds it now, among others. A process that ignored the old one would refuse
// what its key has signed.
var renamed = map[string]string{
	"GUEST_KEY": "GUEST_KEYS", "GUEST_KEY_PREVIOUS": "GUEST_KEYS", "PEOPLE_KEY": "PEOPLE_KEYS",
	"HOP_TICKET_KEY": "HOP_TICKET_KEYS", "HOP_TICKET_KEY_PREVIOUS": "HOP_TICKET_KEYS",
}

const (
	minutesOfDay    = 24 * 60
	offeredMinutes  = 120 // of a deployed process, unless HOP_FREE_MINUTES says otherwise
	maxGuestBurst   = 100_000
	maxBudgetFactor = 1_000_000
	maxBackups      = 1000
)

var headerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		u.RawQuery == "" && u.Fragment == "" && !strings.HasSuffix(s, "/")
}

// isMailbox reports whether s is an e-mail address without a display name.
func isMailbox(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s
}

func isHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	return err == nil && host != "" && port != ""
}

func (c Config) checkBackend() (problems []error) {
	need := func(name, value string) {
		if value == "" {
			problems = append(problems, fmt.Errorf("%s is missing: BACKEND=%s needs it", name, c.Backend))
		}
	}
	switch c.Backend {
	case "embedded":
		need("DATA_DIR", c.DataDir)
	case "cloud":
		need("GOOGLE_CLOUD_PROJECT", c.Project)
	case "emulators": // the local stack starts its own when none are named
	default:
		problems = append(problems, errors.New("BACKEND must be embedded, emulators or cloud"))
	}
	return problems
}

// checkDeployed refuses settings that are useful on a developer's machine and
// unsafe, or a mistake, in production.
func (c Config) checkDeployed(vars map[string]string) (problems []error) {
	if !c.Deployed() {
		return nil
	}
	for _, name := range []string{"BASE_URL", "HOP_URL", "LEGACY_URL", "BUILD"} {
		if vars[name] == "" {
			problems = append(problems, fmt.Errorf("%s is missing: a deployed process needs it", name))
		}
	}
	for _, name := range localOnly {
		if vars[name] != "" {
			problems = append(problems, fmt.Errorf("%s must not be set when the process is deployed", name))
		}
	}
	if c.AddressHeader == "" {
		problems = append(problems, errors.New("EDGE_ADDRESS_HEADER is missing: a deployed process needs it, because without the caller's address "+
			"every caller counts as the network of the edge, and all of them share one allowance"))
	}
	if c.Backend != "cloud" {
		problems = append(problems, fmt.Errorf("BACKEND is %s: a deployed process needs cloud", c.Backend))
	}
	return append(problems, c.checkRealPayment("when the process is deployed", "a deployed process that")...)
}

// checkRealPayment refuses settings by which payments of the public could be read or
// lost on their way.
func (c Config) checkRealPayment(when, which string) (problems []error) {
	for name, addresses := range map[string][]string{"PAYMENT_FACILITATORS": c.PaymentFacilitators, "PAYMENT_RPC": {c.PaymentRPC}} {
		if slices.ContainsFunc(addresses, func(a string) bool { return strings.HasPrefix(a, "http:") }) {
			problems = append(problems, fmt.Errorf("%s must be https %s", name, when))
		}
	}
	if c.required.reads("PAYMENT_TO", "PAYMENT_RPC") && c.PaymentTo != "" && c.PaymentNetwork == "base" && c.PaymentRPC == "" {
		problems = append(problems, fmt.Errorf("PAYMENT_RPC is missing: %s takes real money needs it", which))
	}
	return problems
}

// checkMeter refuses to count minutes where a setting of r.Meter is missing:
// without PEOPLE_KEYS the counts end with the process.
func (c Config) checkMeter(r Requirement, vars map[string]string) (problems []error) {
	if !c.Deployed() || c.FreeMinutes <= 0 {
		return nil
	}
	for _, name := range r.Meter {
		if vars[name] == "" {
			problems = append(problems, fmt.Errorf("%s is missing: a deployed process needs it when HOP_FREE_MINUTES is %d", name, c.FreeMinutes))
		}
	}
	return problems
}
