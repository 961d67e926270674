// Package config knows the settings of the service: their names, defaults and
// meaning. It is the only package that reads the environment.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// A Config is the settings of one process. Tokens are secrets: never log one.
type Config struct {
	Port   int    `env:"PORT" envDefault:"8080" doc:"Port that a function listens on."`
	Target string `env:"FUNCTION_TARGET" doc:"Name of the function that functions/serve runs."`
	Local  bool   `env:"LOCAL_ONLY" envDefault:"false" doc:"Listen on the loopback address only."`

	BaseURL   string `env:"BASE_URL" envDefault:"http://127.0.0.1:8787" doc:"Address of the service, without a last slash. Required when deployed."`
	HopURL    string `env:"HOP_URL" envDefault:"http://127.0.0.1:8788" doc:"Address of the stream hop. Required when deployed."`
	LegacyURL string `env:"LEGACY_URL" envDefault:"http://127.0.0.1:8789" doc:"Address of the isolated player of plain HTTP media. Required when deployed."`

	Backend       string `env:"BACKEND" envDefault:"embedded" doc:"Where documents and events are: embedded (a SQLite file), emulators, or cloud. Deployed, only cloud."`
	DataDir       string `env:"DATA_DIR" envDefault:".data" doc:"Folder of the embedded backend."`
	Project       string `env:"GOOGLE_CLOUD_PROJECT" doc:"Project of the cloud backend, which needs it, and of traces in the log."`
	FirestoreHost string `env:"FIRESTORE_EMULATOR_HOST" doc:"host:port of the Firestore emulator, for the backend emulators."`
	PubSubHost    string `env:"PUBSUB_EMULATOR_HOST" doc:"host:port of the Pub/Sub emulator, for the backend emulators."`

	Catalog      string `env:"CATALOG" envDefault:"live" doc:"Where the catalog comes from: live, sample, or a folder with files of the sources."`
	IPTVOrg      string `env:"IPTV_ORG_URL" envDefault:"https://iptv-org.github.io/api" doc:"Address of the JSON files of iptv-org."`
	RadioBrowser string `env:"RADIO_BROWSER_URL" doc:"Address of one radio-browser server; without it, one is discovered."`

	GuideSources string `env:"GUIDE_SOURCES" doc:"Guides in XMLTV form, plain or packed: addresses or files, separated by commas, each with options after a # such as tz=Europe/London&country=GB&lang=en&name=freeview. Health shows the name, which is else that of the file. Without it there are no programmes."`

	ContactEmail string `env:"CONTACT_EMAIL" doc:"Address that the pages name for complaints and questions. Without it they say that there is none yet."`

	CatalogToken  string   `env:"CATALOGO_TOKEN" doc:"Secret. Bearer token of the operator for /api/admin, at least 16 characters. Without it those routes answer 503."`
	MetricsToken  string   `env:"METRICS_TOKEN" doc:"Secret. Bearer token of the operator for metrics and raw reports, likewise."`
	EventsToken   string   `env:"EVENTS_TOKEN" doc:"Secret. In the address to which events are pushed, as ?token=, at least 16 characters. Without it they are refused: 503."`
	CountryHeader string   `env:"EDGE_COUNTRY_HEADER" doc:"Header in which the edge tells the caller's country. Set it only behind an edge that overwrites what callers send."`
	AddressHeader string   `env:"EDGE_ADDRESS_HEADER" doc:"Header in which the edge tells the caller's network address, alone. Likewise; without it the address is that of the connection."`
	OriginAllow   []string `env:"ORIGIN_ALLOW" doc:"host:port of origins that may be fetched although their address is not public, separated by commas. For local use; refused when deployed."`

	GuestKey     string `env:"GUEST_KEY" doc:"Secret. Signs the tokens of guests, at least 32 characters. Without it nobody becomes a guest: POST /api/guest answers 503."`
	GuestKeyOld  string `env:"GUEST_KEY_PREVIOUS" doc:"Secret. The key before. Tokens of guests do not expire: without the key that signed them their libraries are lost."`
	TicketKey    string `env:"HOP_TICKET_KEY" doc:"Secret. Signs the references that the hop writes into playlists, at least 32 characters. Without it playlists of playlists answer 503."`
	TicketKeyOld string `env:"HOP_TICKET_KEY_PREVIOUS" doc:"Secret. The key before, while tickets that it signed are in use."`
	PeopleKey    string `env:"PEOPLE_KEY" doc:"Secret. Keys the hashes by which callers without an account are told apart for a day, at least 32 characters. Without it, a restart forgets them."`
	HopFallback  bool   `env:"HOP_FALLBACK" envDefault:"false" doc:"This hop is the fallback behind another: failures of a playlist answer 502 instead of 422."`
	FreeMinutes  int    `env:"HOP_FREE_MINUTES" envDefault:"0" doc:"Minutes of live HLS that a network may watch through the hop in a UTC day; 0 sets no limit. The service that is offered sets 120."`

	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"Least level that is logged: debug, info, warn or error. Requests are info."`
	Build    string     `env:"BUILD" envDefault:"dev" doc:"Short id of the commit, as health and OpenAPI tell it."`
	Service  string     `env:"K_SERVICE" doc:"Set by the platform: the process is deployed."`
}

// Deployed reports whether the process runs on the platform.
func (c Config) Deployed() bool { return c.Service != "" }

// OwnHosts are the hosts of the service, which no source may make it call. They
// are in lower case and without a final dot.
func (c Config) OwnHosts() []string {
	var hosts []string
	for _, address := range []string{c.BaseURL, c.HopURL, c.LegacyURL} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			hosts = append(hosts, strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
		}
	}
	return hosts
}

// UserAgent says who asks an origin, and where to read who that is.
func (c Config) UserAgent() string { return fmt.Sprintf("Miramundo/%s (+%s)", c.Build, c.BaseURL) }

// Load returns the settings of the environment. Its error names everything
// that is missing or makes no sense, in one message.
func Load() (Config, error) { return Parse(env.ToMap(os.Environ())) }

// Parse returns the settings of the given variables, as Load does.
func Parse(vars map[string]string) (Config, error) {
	var c Config
	var problems []error
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars}); err != nil {
		problems = explain(err)
	}
	problems = append(problems, c.check(vars)...)
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if err := errors.Join(problems...); err != nil {
		return Config{}, fmt.Errorf("settings:\n%w", err)
	}
	return c, nil
}

// explain says what is wrong with values that do not parse, by the names of the
// environment. The values may be secrets and are not shown.
func explain(err error) (problems []error) {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return []error{err}
	}
	for _, e := range all.Errors {
		var parse env.ParseError
		if errors.As(e, &parse) {
			e = fmt.Errorf("%s is no %s", nameOf(parse.Name), parse.Type)
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
	if c.Port < 1 || c.Port > 65535 {
		no("PORT", "is no port")
	}
	for name, address := range map[string]string{"BASE_URL": c.BaseURL, "HOP_URL": c.HopURL, "LEGACY_URL": c.LegacyURL, "IPTV_ORG_URL": c.IPTVOrg} {
		if !isAddress(address) {
			no(name, "is no http or https address without a query and a last slash")
		}
	}
	if c.RadioBrowser != "" && !isAddress(c.RadioBrowser) {
		no("RADIO_BROWSER_URL", "is no http or https address without a query and a last slash")
	}
	for name, token := range map[string]string{"CATALOGO_TOKEN": c.CatalogToken, "METRICS_TOKEN": c.MetricsToken, "EVENTS_TOKEN": c.EventsToken} {
		if token != "" && (len(token) < 16 || strings.ContainsAny(token, " \t\r\n")) {
			no(name, "is shorter than 16 characters or has spaces")
		}
	}
	for name, key := range map[string]string{
		"HOP_TICKET_KEY": c.TicketKey, "HOP_TICKET_KEY_PREVIOUS": c.TicketKeyOld, "PEOPLE_KEY": c.PeopleKey,
		"GUEST_KEY": c.GuestKey, "GUEST_KEY_PREVIOUS": c.GuestKeyOld,
	} {
		if key != "" && len(key) < 32 {
			no(name, "is shorter than 32 characters")
		}
	}
	if c.FreeMinutes < 0 || c.FreeMinutes > minutesOfDay {
		no("HOP_FREE_MINUTES", "is not between 0 and %d", minutesOfDay)
	}
	for name, header := range map[string]string{"EDGE_COUNTRY_HEADER": c.CountryHeader, "EDGE_ADDRESS_HEADER": c.AddressHeader} {
		if header != "" && !headerName.MatchString(header) {
			no(name, "is no name of a header")
		}
	}
	problems = append(problems, c.checkReach()...)
	problems = append(problems, c.checkBackend()...)
	return append(problems, c.checkDeployed(vars)...)
}

// checkReach returns what is wrong with whom the service may reach, and with how
// it is reached by people.
func (c Config) checkReach() (problems []error) {
	for _, hostPort := range c.OriginAllow {
		if !isHostPort(hostPort) {
			problems = append(problems, errors.New("ORIGIN_ALLOW has an entry that is no host:port"))
		}
	}
	if c.ContactEmail != "" && !isMailbox(c.ContactEmail) {
		problems = append(problems, errors.New("CONTACT_EMAIL is no mail address"))
	}
	return problems
}

const minutesOfDay = 24 * 60

var headerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		u.RawQuery == "" && u.Fragment == "" && !strings.HasSuffix(s, "/")
}

// isMailbox reports whether s is a mail address and nothing else, such as a name
// before it.
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
			problems = append(problems, fmt.Errorf("%s is missing, and BACKEND is %s", name, c.Backend))
		}
	}
	switch c.Backend {
	case "embedded":
		need("DATA_DIR", c.DataDir)
	case "cloud":
		need("GOOGLE_CLOUD_PROJECT", c.Project)
	case "emulators": // the local stack starts its own when none are named
	default:
		problems = append(problems, errors.New("BACKEND is none of embedded, emulators and cloud"))
	}
	return problems
}

// checkDeployed refuses what is fine on a desk and a hole or a slip in
// production.
func (c Config) checkDeployed(vars map[string]string) (problems []error) {
	if !c.Deployed() {
		return nil
	}
	for _, name := range []string{"BASE_URL", "HOP_URL", "LEGACY_URL", "BUILD"} {
		if vars[name] == "" {
			problems = append(problems, fmt.Errorf("%s is missing, and the process is deployed", name))
		}
	}
	for _, name := range []string{"ORIGIN_ALLOW", "FIRESTORE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST"} {
		if vars[name] != "" {
			problems = append(problems, fmt.Errorf("%s is set, and the process is deployed", name))
		}
	}
	if c.Backend != "cloud" {
		problems = append(problems, fmt.Errorf("BACKEND is %s, and the process is deployed", c.Backend))
	}
	return append(problems, c.checkMeter(vars)...)
}

// checkMeter refuses to count minutes by names that end with the process, or
// all callers as one network: that of the edge.
func (c Config) checkMeter(vars map[string]string) (problems []error) {
	for _, name := range []string{"PEOPLE_KEY", "EDGE_ADDRESS_HEADER"} {
		if c.FreeMinutes > 0 && vars[name] == "" {
			problems = append(problems, fmt.Errorf("%s is missing, the process is deployed, and HOP_FREE_MINUTES is %d", name, c.FreeMinutes))
		}
	}
	return problems
}
