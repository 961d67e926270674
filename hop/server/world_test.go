package server

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"miramundo.dev/hop/networkpass"
	"miramundo.dev/hop/ticket"
	"miramundo.dev/hop/upstream"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/origin"
)

const (
	hopURL    = "https://hop.example"
	legacyURL = "https://legacy.example"
	testKey   = "a key of the tests that nobody else has"
	oldKey    = "the key before it that nobody else has either"
)

const media = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:6,\nseg.ts\n"

// A setup says what a world is made of. Its zero value is a hop with keys,
// nobody's allowance and an origin that serves nothing.
type setup struct {
	streams   []catalog.StreamRecord // without ids; a URL that begins with / is of the origin
	origin    http.Handler
	keys      string // setting of the keys of tickets; empty for testKey, "none" for no key
	fallback  bool
	allowance Allowance
	till      *billing.Till
	passes    *networkpass.Passes
	playlists func(Playlists) Playlists // put around the real ones
	resolver  *net.Resolver
	ownHosts  []string
	allow     []string      // further origins that may be asked
	patience  time.Duration // with origins; 0 is that of the service
	audience  Audience      // nil is the notes of the world
	log       slog.Handler  // nil is the lines of the world
}

// A world is a hop over real sockets with an origin beside it.
type world struct {
	t         testing.TB
	hop       *httptest.Server
	server    *Server
	origin    *httptest.Server
	serves    atomic.Value // what the origin answers with, an http.HandlerFunc
	catalog   *shown
	audience  *notes
	log       *lines
	clock     atomic.Int64 // nanoseconds that the hop's clock is ahead
	asked     sync.Map     // requests that reached the origin: path to *atomic.Int64
	register  *catalog.Register
	transport *http.Transport
}

func start(t testing.TB, s setup) *world {
	t.Helper()
	w := &world{t: t, audience: &notes{}, log: &lines{}, catalog: &shown{}, transport: &http.Transport{DisableCompression: true}}
	w.origin = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.count(r.URL.Path)
		w.serves.Load().(http.HandlerFunc)(rw, r)
	}))
	w.serve(http.NotFoundHandler())
	if s.origin != nil {
		w.serve(s.origin)
	}
	t.Cleanup(w.origin.Close)
	w.show(s.streams)
	o := Options{
		Catalog: w.catalog, Audience: w.audience, Log: slog.New(cloudlog.New(w.log, slog.LevelInfo, "")), Allowance: s.allowance, Now: w.now, Fallback: s.fallback, Speakers: known{},
		Till: s.till, Passes: s.passes, HopURL: hopURL, OwnHosts: s.ownHosts,
		CountryHeader: "X-Client-Region", AddressHeader: "X-Client-Address", Build: "abc1234",
	}
	if s.audience != nil {
		o.Audience = s.audience
	}
	if s.log != nil {
		o.Log = slog.New(s.log)
	}
	signer := ticket.New(ring(s.keys), w.now)
	o.Tickets = signer
	o.Playlists = upstream.New(upstream.Options{
		Client: origin.New(origin.Options{
			Allow: append(s.allow, w.origin.Listener.Addr().String()), Deny: s.ownHosts, Resolver: s.resolver,
			Timeout: s.patience, Header: s.patience, Shoutcast: true, MaxInFlight: upstream.MaxFetches,
		}),
		Signer: signer, HopURL: hopURL, Now: w.now, Log: o.Log, Timeout: s.patience,
	})
	if s.playlists != nil {
		o.Playlists = s.playlists(o.Playlists)
	}
	w.hop = httptest.NewUnstartedServer(nil)
	w.server = New(o)
	w.hop.Config = HTTP(w.server, o.Log)
	w.hop.Start()
	t.Cleanup(w.hop.Close)
	return w
}

// ring returns the keys of a setup.
func ring(setting string) *keyring.Ring {
	if setting == "none" {
		return nil
	}
	return keyringtest.Ring(cmp.Or(setting, testKey))
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.clock.Load())) }

// serve makes h what the origin answers from now on.
func (w *world) serve(h http.Handler) { w.serves.Store(http.HandlerFunc(h.ServeHTTP)) }

// count counts a request of the origin.
func (w *world) count(path string) {
	n, _ := w.asked.LoadOrStore(path, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

// fetches returns how many requests for a path reached the origin.
func (w *world) fetches(path string) int {
	if n, ok := w.asked.Load(path); ok {
		return int(n.(*atomic.Int64).Load())
	}
	return 0
}

// show puts streams into the catalog, in place of those before. Each is of a
// channel of its own, c1, c2 and so on; their ids are 1, 2 and so on.
func (w *world) show(streams []catalog.StreamRecord, blocked ...catalog.StreamID) {
	w.t.Helper()
	reg := &catalog.Register{BuiltAt: time.Unix(1e9, 0)}
	for i, st := range streams {
		st.ID = catalog.StreamID(i + 1)
		if strings.HasPrefix(st.URL, "/") && !strings.HasPrefix(st.URL, "//") {
			st.URL = w.origin.URL + st.URL
		}
		if st.Kind == "" {
			st.Kind = catalog.StreamHLS
		}
		st.Playable = true
		name := fmt.Sprintf("c%d", i+1)
		reg.Records = append(reg.Records, catalog.Record{
			ID: name, Name: name, Website: "https://" + name + ".example/é", Streams: []catalog.StreamRecord{st},
		})
	}
	ix, err := index.Build(reg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.register = reg
	w.catalog.view.Store(index.NewView(ix, index.Overlay{BlockedStreams: blocked}, catalog.LinkBase{Hop: hopURL, Legacy: legacyURL}))
}

// path returns the path of stream n at the hop, with a query.
func path(n int, query string) string {
	return catalog.StreamsPath + catalog.StreamID(n).String() + query
}

// An answer is one with its body.
type answer struct {
	*http.Response
	body string
}

// code returns the code of a fault, or nothing.
func (a answer) code() string {
	var fault struct{ Error string }
	if json.Unmarshal([]byte(a.body), &fault) != nil {
		return ""
	}
	return fault.Error
}

// get asks the hop. Headers are name, value and so on.
func (w *world) get(path string, headers ...string) answer { return w.do("GET", path, headers...) }

func (w *world) do(method, path string, headers ...string) answer {
	w.t.Helper()
	req, err := http.NewRequest(method, w.hop.URL+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("X-Client-Address", "192.0.2.7")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := w.transport.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{res, string(body)}
}

// shown is a catalog that tests swap.
type shown struct {
	view    atomic.Pointer[index.View]
	problem atomic.Bool
}

func (s *shown) View() (*index.View, error) {
	if v := s.view.Load(); v != nil {
		return v, nil
	}
	return nil, catalog.ErrNotLoaded
}

func (s *shown) Synced() (time.Time, bool) { return time.Unix(1e9, 0), s.view.Load() != nil }

func (s *shown) State() release.State {
	var state release.State
	if v := s.view.Load(); v != nil {
		state.Version = v.Version()
	}
	if s.problem.Load() {
		state.Problem = "dial tcp 10.1.2.3:443: no route"
	}
	return state
}

// notes is an audience that writes down what it is told.
type notes struct {
	mu    sync.Mutex
	plays []string // person and channel
	times []string // channel and country
}

func (n *notes) Play(who identity.Caller, channel string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.plays = append(n.plays, fmt.Sprintf("%s %s %s %s %s", who.Addr, who.UserAgent, who.Guest, who.Country, channel))
}

func (n *notes) Latency(channel, country string, d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if d < 0 {
		channel = "a negative time of " + channel
	}
	n.times = append(n.times, channel+" "+country)
}

// take returns what was noted, and forgets it.
func (n *notes) take() (plays, times []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	plays, times = n.plays, n.times
	n.plays, n.times = nil, nil
	return plays, times
}

// lines are what was logged.
type lines struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

// take returns what was logged, and forgets it.
func (l *lines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.out.Reset()
	return l.out.String()
}

// unpack returns the body of an answer as it was before it was packed.
func unpack(t *testing.T, a answer) string {
	t.Helper()
	if a.Header.Get("Content-Encoding") != "gzip" {
		return a.body
	}
	r, err := gzip.NewReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// known identifies one guest.
type known struct{}

func (known) Speaker(_ context.Context, shown identity.Credentials, _ identity.Class) (identity.Speaker, error) {
	if shown.GuestToken != "ipt_abc" && shown.Authorization != "Bearer ipt_abc" {
		return identity.Speaker{}, identity.ErrCredential
	}
	return identity.Speaker{Owner: "g_abc", Guest: true}, nil
}
