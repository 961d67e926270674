package config

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ParseMachine returns the settings of vars for a service on a machine of its operator.
// Settings that are for developers alone are refused, unless BASE_URL names this machine
// by a loopback address. Its error names everything that is missing or wrong.
func ParseMachine(vars map[string]string) (Config, error) {
	return parseFor(vars, func(c *Config) []error {
		c.SelfHosted = true
		return c.checkMachine(vars)
	}, nil)
}

// maxSecretFile is the size of a file with a secret, in bytes.
const maxSecretFile = 64 << 10

// ReadSecretFiles sets in vars each secret that is in a file, as systemd and containers
// hand them over: NAME_FILE names the file whose text, without the white space around
// it, is the secret NAME. Its error names everything that is wrong.
func ReadSecretFiles(vars map[string]string) error {
	var problems []error
	for _, f := range settings() {
		name := f.Tag.Get("env")
		path := vars[name+"_FILE"]
		if path == "" {
			continue
		}
		switch text, err := readSecret(path); {
		case !strings.HasPrefix(f.Tag.Get("doc"), "Secret. "):
			problems = append(problems, fmt.Errorf("%s_FILE must not be set: %s is not a secret; set it itself", name, name))
		case vars[name] != "":
			problems = append(problems, fmt.Errorf("%s and %s_FILE must not both be set", name, name))
		case err != nil:
			problems = append(problems, fmt.Errorf("%s_FILE: %w", name, err))
		default:
			vars[name] = text
		}
	}
	return errors.Join(problems...)
}

// readSecret returns the text of a file, without the white space around it.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	text := strings.TrimSpace(string(data))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxSecretFile:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxSecretFile)
	case text == "":
		return "", fmt.Errorf("%s is empty", path)
	}
	return text, nil
}

// checkMachine returns what is wrong with the settings of a self-hosted service.
func (c Config) checkMachine(vars map[string]string) (problems []error) {
	no := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if c.Deployed() {
		no("K_SERVICE must not be set: it says that the process runs on a cloud platform")
	}
	if c.Backend != "embedded" {
		no("BACKEND is %s: this program keeps its documents in a file; leave the setting out", c.Backend)
	}
	for _, address := range strings.Split(vars["LISTEN"]+","+vars["LISTEN_TLS"], ",") {
		if address = strings.TrimSpace(address); address != "" && !isListen(address) {
			no("LISTEN and LISTEN_TLS must be host:port, such as 127.0.0.1:8787 or :443")
		}
	}
	if strings.Contains(c.ListenTLS, ",") {
		no("LISTEN_TLS must be one host:port")
	}
	if c.ACMEEmail != "" && !isMailbox(c.ACMEEmail) {
		no("ACME_EMAIL is not an e-mail address")
	}
	if u, err := url.Parse(c.ACMEDirectory); err != nil || !isAddress(c.ACMEDirectory) || u.Scheme != "https" {
		no("ACME_DIRECTORY must be an https URL without a query or a trailing slash")
	}
	problems = append(problems, c.checkParts()...)
	if !c.OnLoopback() {
		problems = append(problems, c.checkPublic(vars)...)
	}
	if c.ListenTLS != "" {
		problems = append(problems, c.checkTLS()...)
	}
	return problems
}

// listens returns the addresses of the setting LISTEN.
func (c Config) listens() (all []string) {
	for address := range strings.SplitSeq(c.Listen, ",") {
		if address = strings.TrimSpace(address); address != "" {
			all = append(all, address)
		}
	}
	return all
}

// checkParts returns what is wrong with the addresses of the parts, which are told
// apart by their hosts alone.
func (c Config) checkParts() (problems []error) {
	taken := map[string]string{}
	for _, part := range []struct{ name, address string }{{"BASE_URL", c.BaseURL}, {"HOP_URL", c.HopURL}, {"LEGACY_URL", c.LegacyURL}} {
		u, err := url.Parse(part.address)
		if err != nil || !isAddress(part.address) {
			continue // said by check
		}
		if u.Path != "" {
			problems = append(problems, fmt.Errorf("%s must have no path: the program answers for the whole host", part.name))
		}
		if strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r > unicode.MaxASCII }) {
			problems = append(problems, fmt.Errorf("%s must have a host name in ASCII: write it as xn--…, the form in which browsers send it", part.name))
		}
		host := c.hostOf(u)
		if other := taken[host]; other != "" {
			problems = append(problems, fmt.Errorf("%s and %s must have different hosts, such as https://tv.example.org, https://hop.tv.example.org and http://plain.tv.example.org", other, part.name))
		}
		taken[host] = part.name
	}
	return problems
}

// hostOf returns by what the host of a part is told apart. Where others are served over
// https that is the name alone: proxies may leave out the port, and the part of plain HTTP
// needs a name for which browsers have not been told to use https.
func (c Config) hostOf(u *url.URL) string {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if c.Secure() && !c.OnLoopback() && !isLoopback(name) { // such as the default, which is refused elsewhere
		return name
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(name, port)
}

// OnLoopback reports whether BASE_URL names this machine by a loopback address.
func (c Config) OnLoopback() bool {
	u, err := url.Parse(c.BaseURL)
	return err == nil && isLoopback(u.Hostname())
}

// checkPublic refuses settings that are useful on a developer's machine and unsafe, or
// a mistake, where other people are served.
func (c Config) checkPublic(vars map[string]string) (problems []error) {
	no := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	for name, why := range map[string]string{
		"HOP_URL":    "players fetch playlists there; give it a host name of its own, such as https://hop.tv.example.org",
		"LEGACY_URL": "the player of streams without https is there; give it a host name of its own, such as http://plain.tv.example.org",
	} {
		if vars[name] == "" {
			no("%s is missing: %s", name, why)
		}
	}
	for _, name := range localOnly {
		if vars[name] != "" {
			no("%s must not be set: it is for developers", name)
		}
	}
	problems = append(problems, c.checkRealPayment("where the public pays", "a service that")...)
	secure := strings.HasPrefix(c.BaseURL, "https:")
	if !secure && !isPrivate(c.BaseURL) {
		no("BASE_URL must be https: browsers keep sessions and passkeys only there; http is for this machine and for addresses of a private network, such as http://192.168.1.10:8787")
	}
	if !secure && isPrivate(c.BaseURL) && c.AddressHeader == "" && !slices.ContainsFunc(c.ListenAddrs(), isReachable) {
		no("LISTEN must name the ports of BASE_URL, HOP_URL and LEGACY_URL, such as :8787,:8788,:8789: without it the program answers this machine alone")
	}
	if secure && vars["HOP_URL"] != "" && !strings.HasPrefix(c.HopURL, "https:") {
		no("HOP_URL must be https, because pages of https load no http")
	}
	if vars["LEGACY_URL"] != "" && !strings.HasPrefix(c.LegacyURL, "http:") {
		no("LEGACY_URL must be http: its page plays streams that have no https, which a page of https may not")
	}
	if secure && c.ListenTLS == "" && c.AddressHeader == "" {
		no("EDGE_ADDRESS_HEADER is missing: name the header in which the reverse proxy gives the caller's address, such as X-Real-IP, because all callers " +
			"share one allowance without it; or set LISTEN_TLS where there is no proxy")
	}
	return problems
}

// isReachable reports whether other machines reach what listens at an address.
func isReachable(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && !isLoopback(host)
}

// checkTLS refuses what does not go with certificates of the program's own.
func (c Config) checkTLS() (problems []error) {
	if len(c.listens()) == 0 {
		problems = append(problems, errors.New("LISTEN is missing: beside LISTEN_TLS the program answers HTTP there, with the challenges of the ACME server, redirects and the host of LEGACY_URL; set it to :80"))
	}
	for name, address := range map[string]string{"BASE_URL": c.BaseURL, "HOP_URL": c.HopURL} {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.Port() != "" && u.Port() != "443" || net.ParseIP(u.Hostname()) != nil {
			problems = append(problems, fmt.Errorf("%s must be https with a host name and without another port: LISTEN_TLS gets a certificate for it", name))
		}
	}
	for name, header := range map[string]string{"EDGE_ADDRESS_HEADER": c.AddressHeader, "EDGE_COUNTRY_HEADER": c.CountryHeader} {
		if header != "" {
			problems = append(problems, fmt.Errorf("%s must not be set beside LISTEN_TLS: callers connect directly, and could write the header themselves", name))
		}
	}
	return problems
}

// isPrivate reports whether an address names a host by an IP address of a private
// network.
func isPrivate(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && (ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// isListen reports whether s is where a server can listen; the host may be empty.
func isListen(s string) bool {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && n >= 0 && n <= 65535
}

// localListen is where a service on one machine answers HTTP behind a reverse proxy.
const localListen = "127.0.0.1:8787"

// ListenAddrs returns where a service on one machine answers HTTP, as host:port: see
// the setting LISTEN.
func (c Config) ListenAddrs() []string {
	all := c.listens()
	if len(all) == 0 {
		for _, address := range []string{c.BaseURL, c.HopURL, c.LegacyURL} {
			if u, err := url.Parse(address); err == nil && isLoopback(u.Hostname()) && u.Port() != "" {
				all = append(all, u.Host)
			}
		}
	}
	if len(all) == 0 {
		all = []string{localListen}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
