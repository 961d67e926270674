package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/radiobrowser"
)

// memory is a cache in memory.
type memory struct {
	mu     sync.Mutex
	files  map[string]source.File
	bodies map[string][]byte
	saves  int // with a body
}

func newMemory() *memory {
	return &memory{files: map[string]source.File{}, bodies: map[string][]byte{}}
}

func (m *memory) Last(_ context.Context, name string) (source.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.files[name]
	if !ok {
		return f, ErrNothing
	}
	return f, nil
}

func (m *memory) Body(_ context.Context, f source.File) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.bodies[f.Name]
	if !ok {
		return nil, ErrNothing
	}
	return b, nil
}

func (m *memory) Save(_ context.Context, files []Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range files {
		m.files[f.File.Name] = f.File
		if f.Body != nil {
			m.bodies[f.File.Name] = bytes.Clone(f.Body)
			m.saves++
		}
	}
	return nil
}

// A site serves the JSON layout: a good file of each name, unless a handler
// overrides it.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	handlers map[string]http.HandlerFunc // by path
	asked    map[string]int              // answers with a body
}

func newSite(t *testing.T) *site {
	s := &site{handlers: map[string]http.HandlerFunc{}, asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		h := s.handlers[r.URL.Path]
		s.mu.Unlock()
		if h == nil {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	for name, text := range good {
		s.handle("/"+name+".json", s.conditional(name, text))
	}
	return s
}

func (s *site) handle(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[path] = h
}

// conditional serves text with an ETag of its own.
func (s *site) conditional(name, text string) http.HandlerFunc {
	etag := fmt.Sprintf(`"%x"`, len(text))
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		s.mu.Lock()
		s.asked[name]++
		s.mu.Unlock()
		io.WriteString(w, text)
	}
}

// good has a file of each name.
var good = map[string]string{
	"channels":     channels(100),
	"feeds":        `[{"channel":"C0.br","id":"SD","is_main":true,"broadcast_area":["c/BR"],"languages":["por"]}]`,
	"logos":        `[]`,
	"streams":      `[{"channel":"C0.br","feed":"SD","url":"https://example.com/a.m3u8"}]`,
	"guides":       `[]`,
	"categories":   `[{"id":"news","name":"News"}]`,
	"languages":    `[{"code":"por","name":"Portuguese"}]`,
	"countries":    `[{"code":"BR","name":"Brazil"}]`,
	"subdivisions": `[{"country":"BR","code":"BR-SP","name":"São Paulo"}]`,
	"cities":       `[{"country":"BR","code":"BRSAO","name":"São Paulo"}]`,
	"regions":      `[{"code":"INT","name":"Worldwide"}]`,
	"timezones":    `[{"id":"America/Sao_Paulo"}]`,
	"blocklist":    `[]`,
}

// channels returns n channels as JSON.
func channels(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"id":"C%d.br","name":"Channel %d","country":"BR","categories":["news"],"is_nsfw":false,"closed":null,"replaced_by":null}`, i, i)
	}
	return "[" + strings.TrimPrefix(b.String(), ",") + "]"
}

// options are for tests against s: few bytes and little time.
func (s *site) options(cache Cache) Options {
	return Options{
		Client:   origin.New(origin.Options{Allow: []string{s.Listener.Addr().String()}}),
		Cache:    cache,
		Timeout:  time.Minute,
		MaxBytes: 4 << 20,
		Now:      func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
}

func (s *site) load(t *testing.T, opts Options) *source.Dataset {
	t.Helper()
	d, err := Load(t.Context(), Plan{IPTVOrg: At(s.URL)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fileOf(t *testing.T, d *source.Dataset, name string) source.File {
	t.Helper()
	for _, f := range d.Files {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no file %s", name)
	return source.File{}
}

// checkGood fails unless all files are good and were taken.
func checkGood(t *testing.T, d *source.Dataset) {
	t.Helper()
	if len(d.Files) != len(good) || len(d.Streams) != 1 || len(d.Countries) != 1 {
		t.Errorf("%d files, %d streams, %d countries", len(d.Files), len(d.Streams), len(d.Countries))
	}
	for _, f := range d.Files {
		if f.Problem != "" || f.Kept {
			t.Errorf("not good: %+v", f)
		}
	}
}

// checkLeft fails unless all files of d were left because of one.
func checkLeft(t *testing.T, d *source.Dataset, because string) {
	t.Helper()
	for _, f := range d.Files {
		if !f.Kept || f.Problem == "" || (len(f.Refusals) > 0) != (f.Name == because) {
			t.Errorf("not left because of %s: %+v", because, f)
		}
	}
}

func TestConditional(t *testing.T) {
	s := newSite(t)
	m := newMemory()
	opts := s.options(m)
	first := s.load(t, opts)
	later := opts.Now().Add(time.Hour)
	opts.Now = func() time.Time { return later }
	d := s.load(t, opts)
	if s.asked["channels"] != 1 || m.saves != len(good) {
		t.Errorf("channels were sent %d times; %d bodies saved", s.asked["channels"], m.saves)
	}
	f := fileOf(t, d, "iptv-org/channels")
	if f.Kept || f.Problem != "" || !f.FetchedAt.Equal(later) || f.Items != 100 {
		t.Errorf("file confirmed: %+v", f)
	}
	if diff := cmp.Diff(first.Channels, d.Channels); diff != "" {
		t.Errorf("-first +confirmed:\n%s", diff)
	}
}

// TestConditionalWithoutBody loses the saved body: the file is requested
// again.
func TestConditionalWithoutBody(t *testing.T) {
	s := newSite(t)
	m := newMemory()
	s.load(t, s.options(m))
	for name := range m.bodies {
		m.bodies[name] = []byte("not what was kept")
	}
	d := s.load(t, s.options(m))
	checkGood(t, d)
	if len(d.Channels) != 100 || s.asked["channels"] != 2 {
		t.Errorf("%d channels, sent %d times", len(d.Channels), s.asked["channels"])
	}
	s.load(t, s.options(m))
	if s.asked["channels"] != 2 {
		t.Error("the body that was lost is not kept again")
	}
}

// TestUnexpectedNotModified has a server that answers 304 to everything.
func TestUnexpectedNotModified(t *testing.T) {
	s := newSite(t)
	s.handle("/channels.json", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	d := s.load(t, s.options(newMemory()))
	if f := fileOf(t, d, "iptv-org/channels"); f.Kept || !strings.Contains(f.Problem, "304") {
		t.Errorf("file %+v", f)
	}
}

// TestChangingETag has a server that never confirms that a file is unchanged.
func TestChangingETag(t *testing.T) {
	s := newSite(t)
	var n int
	s.handle("/channels.json", func(w http.ResponseWriter, _ *http.Request) {
		n++
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, n))
		io.WriteString(w, good["channels"])
	})
	m := newMemory()
	opts := s.options(m)
	for range 3 {
		if d := s.load(t, opts); len(d.Channels) != 100 {
			t.Fatalf("%d channels", len(d.Channels))
		}
	}
	if n != 3 || m.saves != len(good) {
		t.Errorf("sent %d times, %d bodies saved: the same bytes are saved once", n, m.saves)
	}
	if etag := m.files["iptv-org/channels"].ETag; etag != `"3"` {
		t.Errorf("kept ETag %s", etag)
	}
}

// TestOtherLocation checks that the validators of one address are not sent to
// another.
func TestOtherLocation(t *testing.T) {
	a, b := newSite(t), newSite(t)
	m := newMemory()
	a.load(t, a.options(m))
	others := strings.ReplaceAll(good["channels"], "Channel", "Station") // as long, so with the same ETag
	b.handle("/channels.json", b.conditional("channels", others))
	d := b.load(t, b.options(m))
	if b.asked["channels"] != 1 || d.Channels[0].Name != "Station 0" {
		t.Errorf("the second address sent %d bodies, %+v", b.asked["channels"], d.Channels[0])
	}
}

// TestForce takes a file that the guards refuse, and says what it overrides. A
// file without records cannot be taken.
func TestForce(t *testing.T) {
	s := newSite(t)
	opts := s.options(newMemory())
	s.load(t, opts)
	s.handle("/channels.json", text(channels(10)))
	plan := Plan{IPTVOrg: At(s.URL), Force: true}
	d, err := Load(t.Context(), plan, opts)
	if err != nil {
		t.Fatal(err)
	}
	want := []source.Refusal{{
		File: "iptv-org/channels", Figure: source.FigureRecords, Value: 10, Before: 100, Limit: 70,
		Reason: "the file has lost too many records: it has 10 records where it had 100, and must have 70",
	}}
	f := fileOf(t, d, "iptv-org/channels")
	if diff := cmp.Diff(want, f.Overridden); diff != "" || f.Items != 10 || f.Problem != "" || len(f.Refusals) > 0 {
		t.Errorf("accepted file: %+v, overridden (-want +got):\n%s", f, diff)
	}
	s.handle("/channels.json", text("[]"))
	s.handle("/countries.json", text(`[{"code":"BR","name":"Brazil"},{"code":"PT","name":"Portugal"}]`))
	if d, err = Load(t.Context(), plan, opts); err != nil {
		t.Fatal(err)
	}
	f = fileOf(t, d, "iptv-org/channels")
	if f.Items != 10 || !f.Kept || len(f.Overridden) != 1 || f.Overridden[0].Figure != source.FigureReadable || len(d.Countries) != 2 {
		t.Errorf("an empty file is accepted: %+v, beside %d countries", f, len(d.Countries))
	}
}

// TestTablesByAddress reads the layout of the repositories over HTTP.
func TestTablesByAddress(t *testing.T) {
	s := newSite(t)
	table := func(in string) http.HandlerFunc { return text(in) }
	for name, in := range map[string]string{
		"channels": "id,name,country,categories,is_nsfw,closed,replaced_by\nA.br,A,BR,,FALSE,,\n",
		"feeds":    "channel,id,is_main,broadcast_area,languages\nA.br,SD,TRUE,c/BR,por\n", "blocklist": "channel,reason,ref\n",
	} {
		s.handle("/data/"+name+".csv", table(in))
	}
	s.handle("/lists/br.m3u", table("#EXTM3U\n#EXTINF:-1,A\nhttps://example.com/a"))
	s.handle("/lists/pt.m3u", table("#EXTM3U\n#EXTINF:-1,B\nhttps://example.com/b"))
	place := At(s.URL + "/data/")
	place.Playlists = []string{s.URL + "/lists/br.m3u", s.URL + "/lists/pt.m3u"}
	d, err := Load(t.Context(), Plan{IPTVOrg: place}, s.options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Channels) != 1 || len(d.Streams) != 2 || d.Streams[1].File != "pt" {
		t.Errorf("%d channels, streams %+v", len(d.Channels), d.Streams)
	}
	s.handle("/lists/pt.m3u", http.NotFound)
	if d, err = Load(t.Context(), Plan{IPTVOrg: place}, s.options(nil)); err != nil {
		t.Fatal(err)
	}
	if f := fileOf(t, d, "iptv-org/streams"); len(d.Channels)+len(d.Streams) != 0 || !strings.Contains(f.Problem, "404") {
		t.Errorf("one list of two is missing: %d channels, %d streams, %+v", len(d.Channels), len(d.Streams), f)
	}
}

func TestRadioByAddress(t *testing.T) {
	s := newSite(t)
	station := `[{"stationuuid":"u","url":"https://example.com/","name":"U","countrycode":"BR","tags":"","votes":0,"lastcheckok":1}]`
	s.handle("/json/stations", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("offset") != "0" {
			station = "[]"
		}
		io.WriteString(w, station)
	})
	s.handle("/dump/stations.json.gz", func(w http.ResponseWriter, _ *http.Request) {
		w.Write(gzipped(`[{"stationuuid":"u","url":"https://example.com/","name":"U","countrycode":"BR","tags":"","votes":0,"lastcheckok":1}]`))
	})
	for _, address := range []string{s.URL, s.URL + "/dump/stations.json.gz"} {
		m := newMemory()
		d, err := Load(t.Context(), Plan{Radio: At(address)}, s.options(m))
		if err != nil {
			t.Fatal(err)
		}
		if f := d.Files[0]; len(d.Stations) != 1 || f.Problem != "" || len(d.Files) != 1 {
			t.Errorf("%s: %d stations, %+v", address, len(d.Stations), f)
		}
		if d, err = Load(t.Context(), Plan{Radio: Place{Folder: fstest.MapFS{}, Name: "gone"}}, s.options(m)); err != nil {
			t.Fatal(err)
		}
		if f := d.Files[0]; len(d.Stations) != 1 || !f.Kept || f.Problem != ErrMissing.Error() {
			t.Errorf("%s, then gone: %d stations, %+v", address, len(d.Stations), f)
		}
	}
}

// noNames is a resolver that finds nothing.
type noNames struct{}

var errNoName = errors.New("no such name")

func (noNames) LookupSRV(context.Context, string, string, string) (string, []*net.SRV, error) {
	return "", nil, errNoName
}
func (noNames) LookupHost(context.Context, string) ([]string, error) { return nil, errNoName }
func (noNames) LookupAddr(context.Context, string) ([]string, error) { return nil, errNoName }

// TestNoServer looks for the servers of stations where there are none.
func TestNoServer(t *testing.T) {
	d, err := Load(t.Context(), Plan{Radio: Live().Radio}, Options{Resolver: noNames{}})
	if err != nil {
		t.Fatal(err)
	}
	if f := d.Files[0]; f.Location != radiobrowser.Domain || !strings.Contains(f.Problem, radiobrowser.ErrNoServer.Error()) {
		t.Errorf("file %+v", f)
	}
}

func TestExtra(t *testing.T) {
	plan := Plan{Extra: &source.Dataset{
		Files: []source.File{{Name: "test"}}, Channels: []source.Channel{{ID: "Test.br"}},
	}}
	d, err := Load(t.Context(), plan, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plan.Extra, d); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCancelled(t *testing.T) {
	s := newSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, Plan{IPTVOrg: At(s.URL)}, s.options(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := Load(ctx, Sample(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("from a folder: error %v", err)
	}
}

func TestProgress(t *testing.T) {
	s := newSite(t)
	s.handle("/channels.json", text(strings.ReplaceAll(channels(400), "Channel", strings.Repeat("Channel", 1200))))
	opts := s.options(nil)
	var mu sync.Mutex
	var bytes []int64
	done := map[string]int{}
	opts.Progress = func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Done {
			done[p.Name] = p.Items
		} else if p.Name == "iptv-org/channels" {
			bytes = append(bytes, p.Bytes)
		}
	}
	s.load(t, opts)
	if len(done) != len(good) || done["iptv-org/channels"] != 400 {
		t.Errorf("done: %v", done)
	}
	if len(bytes) < 3 || bytes[0] < reportEvery || bytes[1] <= bytes[0] {
		t.Errorf("bytes on the way: %v", bytes)
	}
}

// TestOrigin checks that every record of the sample has the sample as its
// publisher.
func TestOrigin(t *testing.T) {
	ds, err := Load(t.Context(), Sample(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(ds.Channels) < 60 || len(ds.Stations) < 40 {
		t.Errorf("the sample has %d channels and %d stations, want 60 and 40 or more", len(ds.Channels), len(ds.Stations))
	}
	for _, c := range ds.Channels {
		if c.Origin != "sample" {
			t.Errorf("channel %s is of %q", c.ID, c.Origin)
		}
	}
	for _, s := range ds.Streams {
		if s.Origin != "sample" {
			t.Errorf("stream %s is of %q", s.URL, s.Origin)
		}
	}
	for _, s := range ds.Stations {
		if s.Origin != "sample" {
			t.Errorf("station %s is of %q", s.UUID, s.Origin)
		}
	}
}
