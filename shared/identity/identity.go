// Package identity knows who calls: the network and the person behind a
// request, and the names by which both may be remembered for a day without
// keeping an address.
package identity

import (
	"net/netip"
	"strings"
	"time"
)

// A Caller is what a request tells of who sent it. It holds a raw address: it
// lives as long as the request, and is neither kept nor logged.
type Caller struct {
	Addr      netip.Addr // as AddrOf returns it; zero when it is not known
	UserAgent string     // as sent
	Guest     string     // who a guest token was given to; empty when none was sent
	Country   string     // as the edge told it; empty when it did not
}

// Network returns the network that a is counted as: an IPv4 address alone
// (mapped into IPv6 or not), and the /64 of an IPv6 address, which is the least
// that a provider gives to one customer. It is not valid when a is not.
func Network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := 64
	if a.Is4() {
		bits = 32
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// AddrOf returns the address of a caller: the one in header, the value of the
// header in which a trusted edge tells it, or else that of remoteAddr, the
// other end of the connection. Pass an empty header where no edge is trusted.
//
// Of a list the last entry counts: those before are what callers claimed. Both
// may have a port, brackets and a zone. The address is unmapped and without a
// zone; it is zero when neither value holds one that a caller can have.
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

// isPort tells whether s is a colon and up to five digits.
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
// or the Bearer token of Authorization. What has not the form of one (prefix
// ipt_, at most 512 letters, digits, dots, underscores and hyphens) is none:
// the result is then empty. It does not say that the token was ever issued.
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

// DayOf returns the day of a moment.
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
