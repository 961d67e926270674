package origin

// An Outage detects that our own network is down. When a cable is cut, a name
// server fails, or a proxy answers for all origins, almost no origin answers;
// counting those failures against the origins would mark everything as dead.
// A few origins may fail by themselves, so the caller says how many requests
// to how many hosts are enough for a judgement.
//
// The zero Outage has no requests and is ready to use. Its methods must not
// be called concurrently.
type Outage struct {
	requests, answered int
	hosts              map[string]bool
}

// oneIn is the number of requests of which at least one is answered while the
// network works.
const oneIn = 50

// Add counts a request to a host, and whether the host answered.
func (o *Outage) Add(host string, answered bool) {
	if o.hosts == nil {
		o.hosts = map[string]bool{}
	}
	o.hosts[host] = true
	o.requests++
	if answered {
		o.answered++
	}
}

// Asked reports whether a request to host was added.
func (o *Outage) Asked(host string) bool { return o.hosts[host] }

// Enough reports whether at least that many requests to at least that many
// hosts were added.
func (o *Outage) Enough(requests, hosts int) bool {
	return o.requests >= requests && len(o.hosts) >= hosts
}

// Likely reports whether there were enough requests and fewer than one in 50
// was answered.
func (o *Outage) Likely(requests, hosts int) bool {
	return o.Enough(requests, hosts) && o.answered*oneIn < o.requests
}
