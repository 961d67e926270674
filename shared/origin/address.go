package origin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Addresses are checked twice. The text is checked before anything else: it
// needs no network, and refuses what resolvers would interpret in their own
// ways. The address that is dialled is checked again, and nothing can bypass
// that check.

// Check parses rawURL and checks its text: http or https, a host that looks
// public, no credentials, no port of another protocol, and nothing that two
// parsers could read differently. Its error is ErrRefused.
func Check(rawURL string) (*url.URL, error) {
	u, err := parse(rawURL)
	if err != nil {
		return nil, err
	}
	return u, checkPlace(u)
}

func checkPlace(u *url.URL) error {
	if err := checkHost(u.Hostname()); err != nil {
		return err
	}
	return checkPort(u)
}

// refuse returns ErrRefused with a reason.
func refuse(format string, args ...any) error {
	return ErrRefused.Because(fmt.Errorf(format, args...))
}

// parse checks the form of an address.
func parse(rawURL string) (*url.URL, error) {
	if len(rawURL) > MaxURL {
		return nil, refuse("the address takes more than %d bytes", MaxURL)
	}
	if i := strings.IndexFunc(rawURL, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }); i >= 0 {
		return nil, refuse("the address has a forbidden character at byte %d", i)
	}
	u, err := url.Parse(encoded(rawURL))
	if err != nil {
		return nil, refuse("the address cannot be read")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, refuse("the scheme is not http or https")
	case u.Opaque != "" || u.Host == "":
		return nil, refuse("the address has no host")
	case u.User != nil:
		return nil, refuse("the address holds credentials")
	}
	if !isASCII(u.Host) {
		if u.Host, err = asciiHost(u.Host); err != nil {
			return nil, refuse("the host is not a name in any script")
		}
	}
	return u, nil
}

// encoded returns an address whose part after the host is encoded.
func encoded(address string) string {
	from := strings.Index(address, "://") + len("://")
	if from < len("://") {
		return address
	}
	if i := strings.IndexAny(address[from:], "/?#"); i >= 0 {
		return address[:from+i] + encode(address[from+i:])
	}
	return address
}

// encode percent-encodes the characters of a reference that must not occur in
// it, and keeps everything else. Package url would re-encode a whole path
// because of one such character, or refuse it; but origins compare the paths
// that they issued byte for byte.
func encode(ref string) string {
	b := make([]byte, 0, len(ref))
	query := false
	for i := range len(ref) {
		c := ref[i]
		query = (query || c == '?') && c != '#'
		if isAllowed(c, query) && (query || c != '%' || isHexadecimal(ref[i+1:])) {
			b = append(b, c)
		} else {
			b = fmt.Appendf(b, "%%%02X", c)
		}
	}
	return string(b)
}

// isAllowed reports whether a character may occur in a reference. A query is
// less strict than a path.
func isAllowed(c byte, query bool) bool {
	switch c {
	case '"', '<', '>':
		return false
	case '\\', '^', '`', '{', '|', '}':
		return query
	}
	return c > ' ' && c < 0x7F
}

// isHexadecimal reports whether s begins with two hexadecimal digits.
func isHexadecimal(s string) bool {
	return len(s) >= 2 && strings.Trim(s[:2], "0123456789abcdefABCDEF") == ""
}

// internalLabels are the last labels of names that never belong to the public
// network.
var internalLabels = []string{
	"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private",
	"arpa", "onion", "test", "invalid",
}

// checkHost refuses hosts that are not public, and names that resolvers
// interpret in their own ways.
func checkHost(host string) error {
	if err := checkPublic(host); err != nil {
		return err
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if len(host) > maxHost {
		return refuse("the host takes more than %d bytes", maxHost)
	}
	for label := range strings.SplitSeq(host, ".") {
		if !isLabel(label) {
			return refuse("the host has a label of a forbidden form")
		}
	}
	return nil
}

// checkPublic refuses addresses and names that are not of the public network,
// in whatever form: short, decimal, octal and hexadecimal IPv4, single labels,
// and names of internal networks. Names are not resolved.
func checkPublic(host string) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		return checkAddr(addr)
	}
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(host), "."), ".")
	last := labels[len(labels)-1]
	switch {
	case len(labels) < 2:
		return refuse("the host is a single label")
	case slices.Contains(internalLabels, last):
		return refuse("the host belongs to an internal network")
	case last == "" || last[0] >= '0' && last[0] <= '9':
		return refuse("the host is neither a name nor an address")
	}
	return nil
}

// isLabel reports whether s is a label of a host name. Real ones have
// underscores too.
func isLabel(s string) bool {
	return len(s) > 0 && len(s) <= 63 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// foreignPorts are those that belong to other protocols: the "bad ports" of
// the WHATWG Fetch standard, and the databases and control planes that are
// commonly left without a password.
var foreignPorts = []uint16{
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
	103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
	512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
	995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
	6669, 6679, 6697, 10080,
	2375, 2376, 2379, 3306, 5432, 6379, 9200, 10250, 11211, 27017,
}

func checkPort(u *url.URL) error {
	if strings.HasSuffix(u.Host, ":") {
		return refuse("the port is empty")
	}
	if u.Port() == "" {
		return nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return refuse("the port is not a number from 1 to 65535")
	}
	if slices.Contains(foreignPorts, uint16(port)) {
		return refuse("the port belongs to another protocol")
	}
	return nil
}

// publicAddrs allows the addresses that the IANA registries call global,
// except the address of Azure's host service, which is reachable from virtual
// machines there.
var publicAddrs = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")))

// checkAddr refuses addresses that are not public.
func checkAddr(addr netip.Addr) error {
	if addr.Zone() != "" {
		return refuse("the address is link-local")
	}
	if err := publicAddrs.SafeAddr(addr); err != nil {
		return ErrRefused.Because(&reason{"the address is not public", err})
	}
	return nil
}

// A guard checks addresses before and while they are dialled.
type guard struct {
	allow, deny   []string
	open, guarded net.Dialer // for allowed addresses, for all others
}

func newGuard(opts Options) *guard {
	g := &guard{allow: opts.Allow, deny: opts.Deny}
	g.open = net.Dialer{Timeout: 3 * time.Second, Resolver: opts.Resolver}
	g.guarded = g.open
	g.guarded.Control = checkDialled
	return g
}

// check is Check with the allowed and denied addresses of the options.
func (g *guard) check(rawURL string) (*url.URL, error) {
	u, err := parse(rawURL)
	if err != nil {
		return nil, err
	}
	if slices.Contains(g.allow, u.Host) {
		return u, nil
	}
	if slices.Contains(g.deny, strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")) {
		return nil, refuse("the host is our own")
	}
	return u, checkPlace(u)
}

// dial connects to a host. Each address of its name is checked when it is
// dialled, so that the checked address is the one used.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if slices.Contains(g.allow, address) {
		return g.open.DialContext(ctx, network, address)
	}
	return g.guarded.DialContext(ctx, network, address)
}

// checkDialled is called with the resolved address before a connection is
// made. So names that resolve differently the second time, aliases of
// internal names, and internal addresses among public ones need no rules of
// their own.
func checkDialled(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") {
		return ErrRefused.Because(errors.New("not an address of a public network"))
	}
	return checkAddr(to.Addr())
}
