// Package identity identifies callers: the owner by a credential, and the network
// and the person behind a request by names that change each day.
//
// It keeps nothing that identifies a person. An owner is a hash of a credential; a
// name of a day is a keyed hash, whose key changes with the day, so that the names
// of two days cannot be linked. Addresses and User-Agents stay in memory for the
// duration of a request.
//
//	authority.go   selects the credential that decides, and checks it
//	guest.go       issues and verifies guest tokens
//	old.go         accepts the unsigned tokens of the earlier version
//	people.go      names persons and networks for a day
//	markset.go     remembers which persons of a day were seen
package identity

import (
	"net/netip"
	"strings"
	"time"
)

// A Caller holds what a request reveals about its sender. It contains the address of
// a person, so it must not outlive the request, be stored or be logged.
type Caller struct {
	Addr      netip.Addr // as AddrOf returns it; zero when unknown
	UserAgent string     // as sent
	Guest     string     // owner of the guest token; empty when none was sent
	Country   string     // ISO 3166-1 alpha-2, from a trusted edge; empty when unknown
}

// Network returns the network that a is counted as: a single IPv4 address
// (mapped into IPv6 or not), or the /64 of an IPv6 address, the smallest network
// that a provider gives to one customer. It is not valid when a is not valid.
func Network(a netip.Addr) netip.Prefix { return prefixOf(a, 32, 64) }

// WiderNetwork returns the network around a of which all addresses count as one voice
// where people are judged together: the /24 of an IPv4 address (mapped into IPv6 or
// not), the smallest network that is routed by itself, or the /48 of an IPv6 address,
// the largest that a provider gives to one customer. So it takes contracts with
// several providers, and not a second device, to speak with several voices. It is not
// valid when a is not valid.
func WiderNetwork(a netip.Addr) netip.Prefix { return prefixOf(a, 24, 48) }

// prefixOf returns the network of a, which is v4 bits long for IPv4 and v6 for IPv6.
func prefixOf(a netip.Addr, v4, v6 int) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := v6
	if a.Is4() {
		bits = v4
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// AddrOf returns the address of a caller: the address in header, the value of the
// header that a trusted edge sets, or else remoteAddr, the other end of the
// connection. header must be empty where no edge is trusted.
//
// The last entry of a list counts, because callers can send the entries before it.
// Both values may have a port, brackets and a zone. The result is unmapped and
// without a zone; it is zero when neither value has a unicast address.
func AddrOf(remoteAddr, header string) netip.Addr {
	if cut := strings.LastIndexByte(header, ','); cut >= 0 {
		header = header[cut+1:]
	}
	if a := parseAddr(strings.Trim(header, " \t")); a.IsValid() {
		return a
	}
	return parseAddr(remoteAddr)
}

// maxAddr is longer than an IPv6 address with a port, brackets and a zone.
const maxAddr = 128

// parseAddr parses an address with an optional port; zero for any other text and
// for addresses that cannot be a caller's.
func parseAddr(s string) netip.Addr {
	if s == "" || len(s) > maxAddr {
		return netip.Addr{}
	}
	a, err := netip.ParseAddr(bare(s))
	if err != nil {
		return netip.Addr{}
	}
	if a = a.Unmap().WithZone(""); a.IsUnspecified() || a.IsMulticast() {
		return netip.Addr{}
	}
	return a
}

// bare returns the address in s without brackets and without a port, which an
// IPv6 address has only after brackets.
func bare(s string) string {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		addr, port, closed := strings.Cut(inner, "]")
		if !closed || !strings.Contains(addr, ":") || (port != "" && !isPort(port)) {
			return ""
		}
		return addr
	}
	if cut := strings.IndexByte(s, ':'); cut >= 0 && cut == strings.LastIndexByte(s, ':') && isPort(s[cut:]) {
		return s[:cut]
	}
	return s
}

// isPort reports whether s is a colon followed by one to five digits.
func isPort(s string) bool {
	if len(s) < 2 || len(s) > 6 || s[0] != ':' {
		return false
	}
	return strings.Trim(s[1:], "0123456789") == ""
}

// Bounds of a guest token, in bytes.
const (
	guestPrefix = "ipt_"
	maxGuest    = 512
)

// GuestToken returns the guest token of a request: the value of X-Guest-Token,
// or the Bearer token of Authorization. It ignores a value that does not have the
// form of a token: the prefix ipt_ and in all at most 512 letters, digits, dots,
// underscores and hyphens. It does not verify the token.
func GuestToken(xGuestToken, authorization string) string {
	if isGuest(xGuestToken) {
		return xGuestToken
	}
	const scheme = "bearer "
	if len(authorization) > len(scheme) && strings.EqualFold(authorization[:len(scheme)], scheme) {
		if token := strings.Trim(authorization[len(scheme):], " "); isGuest(token) {
			return token
		}
	}
	return ""
}

// isGuest reports whether s has the form of a guest token.
func isGuest(s string) bool {
	if len(s) <= len(guestPrefix) || len(s) > maxGuest || !strings.HasPrefix(s, guestPrefix) {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// A Day is a day in UTC, as the number of days since 1970-01-01.
type Day int32

const secondsOfDay = 24 * 60 * 60

// DayOf returns the day in UTC of a time, also of one before 1970.
func DayOf(t time.Time) Day {
	s := t.Unix()
	d := s / secondsOfDay
	if s%secondsOfDay < 0 {
		d--
	}
	return Day(d)
}

// Start returns the first moment of d.
func (d Day) Start() time.Time { return time.Unix(int64(d)*secondsOfDay, 0).UTC() }

// String returns d as 2006-01-02.
func (d Day) String() string { return d.Start().Format(time.DateOnly) }
