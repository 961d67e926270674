package origin

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Names of hosts in other scripts are asked for, and handed on, in Punycode, as
// they are in DNS: not all players convert them.

// ASCII returns an address whose host is in another script with the host in
// Punycode, and any other address unchanged.
func ASCII(address string) string {
	from := strings.Index(address, "://") + len("://")
	if from < len("://") {
		return address
	}
	end := from + strings.IndexAny(address[from:], "/?#")
	if end < from {
		end = len(address)
	}
	if isASCII(address[from:end]) {
		return address
	}
	host, err := asciiHost(address[from:end])
	if err != nil {
		return address
	}
	return address[:from] + host + address[end:]
}

// Public returns a host, perhaps with a port, as a player may be given it: in
// ASCII. It fails with ErrRefused when the host is not of the public network,
// however it is written: players are in networks of their own, and would ask
// what is there. A name that resolves to such an address is not refused: we do
// not resolve the names that players do, and they may resolve them otherwise.
// A host that no player can ask for is returned as it is, and so is a public one
// in another script that only lenient players accept.
func (c *Client) Public(host string) (string, error) {
	if slices.Contains(c.guard.allow, host) {
		return host, nil
	}
	plain, err := url.PathUnescape(host)
	if err != nil {
		return host, nil
	}
	ascii, err := asciiHost(plain)
	if ascii == "" && err != nil {
		return host, nil
	}
	name, _ := cutPort(ascii)
	if err := checkPublic(strings.Trim(name, "[]")); err != nil {
		return "", err
	}
	if err != nil || isASCII(plain) {
		return host, nil
	}
	return ascii, nil
}

var errScript = errors.New("the name is not UTF-8")

// asciiHost returns a host in Punycode, with its port when it has one. For a name
// that breaks the rules of names it returns both what browsers, which are lenient,
// ask for and an error.
func asciiHost(host string) (string, error) {
	if isASCII(host) {
		return host, nil
	}
	if !utf8.ValidString(host) {
		return "", errScript
	}
	name, port := cutPort(host)
	name, err := idna.Lookup.ToASCII(name)
	return name + port, err
}

// cutPort splits a host before the colon of its port.
func cutPort(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i:]
	}
	return host, ""
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
