package config

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Origins returns the origins of the service's own pages, as browsers send them in
// the header Origin: that of BASE_URL, and when its host is a loopback address also
// that of localhost with the same port. Both lead to this machine, but browsers offer
// passkeys only to pages whose host has a name.
func (c Config) Origins() []string {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return nil
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "80" && scheme == "http" || port == "443" && scheme == "https" {
		port = "" // browsers leave it out
	}
	host := strings.ToLower(u.Hostname())
	origins := []string{scheme + "://" + hostPort(host, port)}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		origins = append(origins, scheme+"://"+hostPort("localhost", port))
	}
	return origins
}

// hostPort returns host and port as they are in a URL, without an empty port.
func hostPort(host, port string) string {
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
