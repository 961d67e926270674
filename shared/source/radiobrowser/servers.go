package radiobrowser

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
)

// Domain is the zone in which the servers are found.
const Domain = "radio-browser.info"

// ErrNoServer says that no server was found, or none answered.
var ErrNoServer = errors.New("no radio-browser server answers")

// A Resolver looks servers up. [net.Resolver] is one.
type Resolver interface {
	LookupSRV(ctx context.Context, service, proto, name string) (string, []*net.SRV, error)
	LookupHost(ctx context.Context, host string) ([]string, error)
	LookupAddr(ctx context.Context, addr string) ([]string, error)
}

// maxServers is how many servers are tried.
const maxServers = 8

// Servers returns the addresses of the servers, in an order by chance so that
// no one server bears all. It asks for the service record of the zone, or else
// for the names behind the addresses of all.api: a server's certificate holds
// its own name only.
func Servers(ctx context.Context, r Resolver) ([]string, error) {
	hosts, err := byService(ctx, r)
	if len(hosts) == 0 {
		var second error
		hosts, second = byAddress(ctx, r)
		err = errors.Join(err, second)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	rand.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
	hosts = hosts[:min(len(hosts), maxServers)]
	for i, host := range hosts {
		hosts[i] = "https://" + host
	}
	return hosts, nil
}

func byService(ctx context.Context, r Resolver) ([]string, error) {
	_, records, err := r.LookupSRV(ctx, "api", "tcp", Domain)
	var hosts []string
	for _, record := range records {
		if record.Port == 443 {
			hosts = addHost(hosts, record.Target)
		}
	}
	return hosts, err
}

func byAddress(ctx context.Context, r Resolver) ([]string, error) {
	addresses, err := r.LookupHost(ctx, "all.api."+Domain)
	if err != nil {
		return nil, err
	}
	var hosts []string
	for _, address := range addresses[:min(len(addresses), maxServers)] {
		names, lookup := r.LookupAddr(ctx, address)
		err = errors.Join(err, lookup)
		for _, name := range names {
			hosts = addHost(hosts, name)
		}
	}
	return hosts, err
}

// addHost adds a name of the zone. Another would be the doing of whoever
// answers DNS in our way, or of a provider's own names for its addresses.
func addHost(hosts []string, name string) []string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if !strings.HasSuffix(name, "."+Domain) || strings.HasPrefix(name, "all.") || slices.Contains(hosts, name) {
		return hosts
	}
	return append(hosts, name)
}
