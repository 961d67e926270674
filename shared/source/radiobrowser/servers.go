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

// Domain is the DNS zone of the servers.
const Domain = "radio-browser.info"

// ErrNoServer means that no server was found, or none answered.
var ErrNoServer = errors.New("no radio-browser server answers")

// A Resolver looks up servers. [net.Resolver] implements it.
type Resolver interface {
	LookupSRV(ctx context.Context, service, proto, name string) (string, []*net.SRV, error)
	LookupHost(ctx context.Context, host string) ([]string, error)
	LookupAddr(ctx context.Context, addr string) ([]string, error)
}

// maxServers is the number of servers tried.
const maxServers = 8

// Servers returns the addresses of the servers in random order, which spreads
// the load. It looks up the service record of the zone, or else the names
// behind the addresses of all.api, because a server's certificate is only for
// its own name.
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

// addHost adds a name if it is in the zone. Any other name comes from a
// resolver that answers for others, or from a provider's reverse DNS.
func addHost(hosts []string, name string) []string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if !strings.HasSuffix(name, "."+Domain) || strings.HasPrefix(name, "all.") || slices.Contains(hosts, name) {
		return hosts
	}
	return append(hosts, name)
}
