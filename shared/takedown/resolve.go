package takedown

import (
	"net/url"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/site"
)

// A Target is something that a request names, with what the catalog has by that name.
type Target struct {
	Given   string `json:"given"`   // as the sender wrote it
	Kind    string `json:"kind"`    // a kind of package block; empty when the catalog has nothing by that name
	Value   string `json:"value"`   // id or host name
	Name    string `json:"name"`    // of a channel
	Streams int    `json:"streams"` // how many streams a block of a host hides
}

// Resolve returns what the catalog has by texts that a person wrote: ids of channels and
// streams, addresses of their pages on this service and of streams at their origin, and
// host names. What is blocked already is found as well. An address of which the catalog
// has no stream stands for its host, if the catalog has streams of that. The hosts of the service itself
// stand for nothing. A text that stands for several streams becomes as many targets, at
// most MaxTargets in all. Looking for addresses reads every stream of the catalog once.
func Resolve(v *index.View, given []string) []Target {
	r := resolver{v: v, own: ownHosts(v.Links()), urls: map[string][]int{}, hosts: map[string][]int{}}
	for _, text := range given {
		r.add(strings.TrimSpace(text))
	}
	if len(r.urls)+len(r.hosts) > 0 {
		r.scan()
	}
	return r.result()
}

// A resolver finds what texts stand for.
type resolver struct {
	v     *index.View
	own   map[string]bool
	list  []Target
	urls  map[string][]int // to the places in list whose address may be that of a stream
	hosts map[string][]int // to the places in list whose host may have streams
	found map[int][]string // ids of the streams by place
}

// ownHosts returns the hosts of the service, which no request can be about.
func ownHosts(links catalog.LinkBase) map[string]bool {
	own := map[string]bool{}
	for _, base := range []string{links.Base, links.Hop, links.Legacy} {
		if u, err := url.Parse(base); err == nil {
			own[strings.ToLower(u.Hostname())] = true
		}
	}
	return own
}

// add adds a text, with what it stands for if that is known without reading the streams.
func (r *resolver) add(text string) {
	at := len(r.list)
	r.list = append(r.list, Target{Given: text})
	if r.channel(at, text) || r.stream(at, text) {
		return
	}
	u, err := url.Parse(text)
	if err == nil && u.Scheme != "" && u.Host != "" {
		if r.own[strings.ToLower(u.Hostname())] {
			r.inPath(at, u)
			return
		}
		r.urls[text] = append(r.urls[text], at)
		text = u.Hostname()
	}
	if host, ok := catalog.Hostname(text); ok && !r.own[host] {
		r.list[at].Value = host
		r.hosts[host] = append(r.hosts[host], at)
	}
}

// channel reports whether an id is that of a channel, and enters it.
func (r *resolver) channel(at int, id string) bool {
	doc, ok := r.v.Index().Resolve(id)
	if ok {
		record := r.v.Index().Record(int(doc))
		r.list[at].Kind, r.list[at].Value, r.list[at].Name = block.Channel, record.ID, record.Name
	}
	return ok
}

// stream reports whether an id is that of a stream, and enters it.
func (r *resolver) stream(at int, id string) bool {
	i, ok := r.v.Index().ResolveStream(id)
	if ok {
		r.list[at].Kind, r.list[at].Value = block.Stream, r.v.Index().Stream(i).ID.String()
	}
	return ok
}

// inPath enters the channel or stream that an address of this service leads to.
func (r *resolver) inPath(at int, u *url.URL) {
	if a, ok := site.ChannelOf(u.EscapedPath(), catalog.PagePath); ok && r.channel(at, a.Channel) {
		return
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		part, _, _ = strings.Cut(part, ".") // such as the extension of a playlist
		if r.stream(at, part) {
			return
		}
	}
}

// scan looks for the addresses and hosts among the streams.
func (r *resolver) scan() {
	ix := r.v.Index()
	r.found = map[int][]string{}
	for i := range ix.StreamLen() {
		s := ix.Stream(uint32(i))
		for _, at := range r.urls[s.URL] {
			r.found[at] = append(r.found[at], s.ID.String())
		}
		host := hostOf(s.URL)
		for host != "" {
			for _, at := range r.hosts[host] {
				r.list[at].Streams++
			}
			_, host, _ = strings.Cut(host, ".")
		}
	}
}

// hostOf returns the host of an address in the form of catalog.Hostname.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host, _ := catalog.Hostname(u.Hostname())
	return host
}

// result returns the targets, each object once.
func (r *resolver) result() []Target {
	var out []Target
	seen := map[Target]bool{}
	add := func(t Target) {
		is := Target{Kind: t.Kind, Value: t.Value}
		if t.Kind == "" {
			is.Given, t.Value = t.Given, ""
		}
		if !seen[is] && len(out) < MaxTargets {
			seen[is] = true
			out = append(out, t)
		}
	}
	for at, t := range r.list {
		for _, id := range r.found[at] {
			add(Target{Given: t.Given, Kind: block.Stream, Value: id})
		}
		if len(r.found[at]) > 0 {
			continue
		}
		if t.Kind == "" && t.Streams > 0 {
			t.Kind = block.Host
		}
		add(t)
	}
	return out
}
