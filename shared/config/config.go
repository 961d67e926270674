// Package config knows the settings of the service: their names, defaults and
// meaning. It is the only package that reads the environment.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
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

	CatalogToken  string   `env:"CATALOGO_TOKEN" doc:"Secret. Bearer token of the operator for /api/admin, at least 16 characters. Without it those routes answer 503."`
	MetricsToken  string   `env:"METRICS_TOKEN" doc:"Secret. Bearer token of the operator for metrics and raw reports, likewise."`
	CountryHeader string   `env:"EDGE_COUNTRY_HEADER" doc:"Header in which the edge tells the caller's country. Set it only behind an edge that overwrites what callers send."`
	OriginAllow   []string `env:"ORIGIN_ALLOW" doc:"host:port of origins that may be fetched although their address is not public, separated by commas. For local use; refused when deployed."`

	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"Least level that is logged: debug, info, warn or error. Requests are info."`
	Build    string     `env:"BUILD" envDefault:"dev" doc:"Short id of the commit, as health and OpenAPI tell it."`
	Service  string     `env:"K_SERVICE" doc:"Set by the platform: the process is deployed."`
}

// Deployed reports whether the process runs on the platform.
func (c Config) Deployed() bool { return c.Service != "" }

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
	for name, token := range map[string]string{"CATALOGO_TOKEN": c.CatalogToken, "METRICS_TOKEN": c.MetricsToken} {
		if token != "" && (len(token) < 16 || strings.ContainsAny(token, " \t\r\n")) {
			no(name, "is shorter than 16 characters or has spaces")
		}
	}
	if c.CountryHeader != "" && !headerName.MatchString(c.CountryHeader) {
		no("EDGE_COUNTRY_HEADER", "is no name of a header")
	}
	for _, hostPort := range c.OriginAllow {
		if !isHostPort(hostPort) {
			no("ORIGIN_ALLOW", "has an entry that is no host:port")
		}
	}
	problems = append(problems, c.checkBackend()...)
	return append(problems, c.checkDeployed(vars)...)
}

var headerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		u.RawQuery == "" && u.Fragment == "" && !strings.HasSuffix(s, "/")
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
	for _, name := range []string{"FUNCTION_TARGET", "BASE_URL", "HOP_URL", "LEGACY_URL", "BUILD"} {
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
	return problems
}
