package catalog

import (
	"net"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Hostname returns a host name or an IP address in the form in which hosts are
// compared: ASCII, lower case, no trailing dot. Names in other scripts become
// Punycode, as in DNS. It reports false for any other text, such as a URL, a
// port or a bare top-level domain.
func Hostname(s string) (string, bool) {
	if ip := net.ParseIP(strings.Trim(s, "[]")); ip != nil {
		return ip.String(), true
	}
	host := strings.ToLower(strings.TrimSuffix(s, "."))
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		var err error
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return "", false
		}
	}
	labels := strings.Split(host, ".")
	if len(host) > 253 || len(labels) < 2 || slices.ContainsFunc(labels, func(l string) bool { return !isLabel(l) }) {
		return "", false
	}
	return host, true
}

// isLabel reports whether s can be a label of a host name. It accepts
// underscores, and hyphens at either end, because real stream hosts have them.
func isLabel(s string) bool {
	return s != "" && len(s) <= 63 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}
