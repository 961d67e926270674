package feeds

import (
	"compress/gzip"
	"context"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// A grid is what channels show, in order.
type grid map[string][]guide.Programme

// Programmes returns those of a channel that have not ended before now.
func (g grid) Programmes(channel string, now time.Time) (list []guide.Programme) {
	for _, p := range g[channel] {
		if p.Stop.After(now) {
			list = append(list, p)
		}
	}
	return list
}

// Version returns a number that is another once a title has.
func (g grid) Version() (v uint64) {
	for _, ps := range g {
		for _, p := range ps {
			v += uint64(crc32.ChecksumIEEE([]byte(p.Title)))
		}
	}
	return v
}

// evening is what two channels show from six hours before noon on.
func evening() grid {
	g := grid{}
	for _, channel := range []string{"Aurora.br", "Beacon.uk", "Video.br"} {
		for i := range 4 {
			at := noon.Add(time.Duration(4*i-6) * time.Hour)
			g[channel] = append(g[channel], guide.Programme{
				Start: at, Stop: at.Add(4 * time.Hour), Title: fmt.Sprintf("%s %d <&> ]]>", channel, i), Desc: strings.Repeat("Long ago, ", 20),
			})
		}
	}
	yesterday := noon.Add(-20 * time.Hour)
	g["Aurora.br"] = append([]guide.Programme{{Start: yesterday, Stop: yesterday.Add(time.Hour), Title: "Yesterday"}}, g["Aurora.br"]...)
	return g
}

// An xmltv is a guide as readers see it.
type xmltv struct {
	Channels []struct {
		ID string `xml:"id,attr"`
	} `xml:"channel"`
	Programmes []struct {
		Channel string `xml:"channel,attr"`
		Start   string `xml:"start,attr"`
		Title   string `xml:"title"`
	} `xml:"programme"`
}

func parse(t testing.TB, text string) (g xmltv) {
	t.Helper()
	if err := xml.Unmarshal([]byte(text), &g); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return g
}

// serveGuide returns the function over db, a catalog and a guide, and the clock
// that it goes by.
func serveGuide(db store.DB, v index.Viewer, g Guide) (http.Handler, *atomic.Pointer[time.Time]) {
	var clock atomic.Pointer[time.Time]
	at := noon
	clock.Store(&at)
	return request.Handler(request.Options{CountryHeader: "X-Country"}, New(db, v, g, func() time.Time { return *clock.Load() }), Endpoints), &clock
}

// TestGuide reads the guides of every level: the programmes are those of the
// channels of the feed, under the ids that its lists have.
func TestGuide(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	h, _ := serveGuide(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}, evening())
	l := keepOne(t, db, "Old.br", "Aurora.br="+streamID("Aurora.br", "SD").String(), "Silent.br", "rb.1", "Nowhere.br", "Video.br")
	for _, path := range []string{"/guia.xml", "/c/noticias-do-dia/guia.xml", "/c/noticias-do-dia/g/geral/guia.xml"} {
		text := read(t, h, l, path)
		g := parse(t, text)
		want := []string{}
		for _, id := range []string{"Aurora.br@HD", "Aurora.br@SD", "Video.br@SD"} {
			channel, _, _ := strings.Cut(id, "@")
			for i, start := range []string{"20261122060000 +0000", "20261122100000 +0000", "20261122140000 +0000", "20261122180000 +0000"} {
				want = append(want, fmt.Sprintf("%s %s %s %d <&> ]]>", id, start, channel, i))
			}
		}
		got := []string{}
		for _, p := range g.Programmes {
			got = append(got, p.Channel+" "+p.Start+" "+p.Title)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", path, d)
		}
		if len(g.Channels) != 5 {
			t.Errorf("%s has %d channels", path, len(g.Channels))
		}
		for _, c := range g.Channels {
			if list := read(t, h, l, "/library.json"); !strings.Contains(list, `"epgId":"`+c.ID+`"`) {
				t.Errorf("%s: no list has the id %s", path, c.ID)
			}
		}
		if other := unpack(t, read(t, h, l, path+".gz")); other != text {
			t.Errorf("%s.gz holds %s", path, other)
		}
	}
}

func unpack(t testing.TB, data string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// TestGuideReads counts what a guide costs: the two documents of any feed.
func TestGuideReads(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	h, _ := serveGuide(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}, evening())
	l := keepOne(t, db, "Aurora.br", "Beacon.uk")
	for _, path := range []string{"/library.m3u", "/guia.xml", "/guia.xml.gz", "/guia.xml"} {
		before := db.Ops()
		read(t, h, l, path)
		if cost := db.Ops().Less(before); cost.Reads != 2 || cost.Writes != 0 {
			t.Errorf("%s costs %+v", path, cost)
		}
	}
}

// TestTag checks that a guide has another version when a programme or the day
// changed, and the same one while neither did.
func TestTag(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	g := evening()
	v := &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}
	h, clock := serveGuide(db, v, g)
	l := keepOne(t, db, "Aurora.br")
	tag := func() string {
		t.Helper()
		res, _ := apitest.Do(t, h, "GET", "/f/"+l.Token+"/guia.xml", "")
		packed, _ := apitest.Do(t, h, "GET", "/f/"+l.Token+"/guia.xml.gz", "")
		if res.Header.Get("Etag") == "" || res.Header.Get("Etag") != packed.Header.Get("Etag") {
			t.Fatalf("the guide is %v, its archive %v", res.Header, packed.Header)
		}
		return res.Header.Get("Etag")
	}
	pass := func(d time.Duration) {
		at := clock.Load().Add(d)
		clock.Store(&at)
	}
	first := tag()
	pass(11 * time.Hour) // programmes have ended
	v.Shown = v.Shown.WithOverlay(index.Overlay{})
	if again := tag(); again != first {
		t.Errorf("%s becomes %s with the hour", first, again)
	}
	g["Beacon.uk"] = nil
	v.Shown = v.Shown.WithOverlay(index.Overlay{})
	if again := tag(); again != first {
		t.Errorf("%s becomes %s by another channel", first, again)
	}
	g["Aurora.br"][2].Title = "Changed"
	second := tag()
	if second == first {
		t.Errorf("%s stays when a title changes", first)
	}
	pass(time.Hour) // it is midnight
	if third := tag(); third == second {
		t.Errorf("%s stays on another day", second)
	}
}

// TestPlain asks for guides in the codings that callers take.
func TestPlain(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	h, _ := serveGuide(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}, evening())
	l := keepOne(t, db, "Aurora.br", "Beacon.uk")
	want := read(t, h, l, "/guia.xml")
	for accept, coding := range map[string]string{"": "", "gzip": "gzip", "br, gzip;q=0.5": "gzip", "br": "", "zstd": "", "gzip;q=0": "", "*": "gzip"} {
		r := httptest.NewRequest("GET", "/f/"+l.Token+"/guia.xml", http.NoBody)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		head, body := w.Result().Header, w.Body.String()
		if head.Get("Content-Length") != fmt.Sprint(len(body)) || head.Get("Content-Encoding") != coding || head.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: %d bytes, %v", accept, len(body), head)
		}
		if coding != "" {
			body = unpack(t, body)
		}
		if body != want {
			t.Errorf("%q: %d bytes, want %d", accept, len(body), len(want))
		}
	}
}

// A slow guide waits at its first programme until it may go on.
type slow struct {
	grid
	began, on chan struct{}
	asked     *atomic.Int32
}

func (s slow) Programmes(channel string, now time.Time) []guide.Programme {
	s.asked.Add(1)
	select {
	case s.began <- struct{}{}:
	default:
	}
	<-s.on
	return s.grid.Programmes(channel, now)
}

// A telling database tells of each document that was read.
type telling struct {
	store.DB
	reads chan struct{}
}

func (d telling) Get(ctx context.Context, p store.Path, doc any) error {
	err := d.DB.Get(ctx, p, doc)
	d.reads <- struct{}{}
	return err
}

func (d telling) GetAll(ctx context.Context, ps []store.Path) ([]store.Doc, error) {
	docs, err := d.DB.GetAll(ctx, ps)
	for range docs {
		d.reads <- struct{}{}
	}
	return docs, err
}

// TestTogether asks for one guide many times at once: it is written once, and
// who goes away does not wait for it.
func TestTogether(t *testing.T) {
	db := telling{wiretest.OpenDB(t), make(chan struct{}, 100)}
	g := slow{evening(), make(chan struct{}, 1), make(chan struct{}), new(atomic.Int32)}
	h, _ := serveGuide(db, &indextest.Catalog{Shown: viewOf(t, records(), index.Overlay{})}, g)
	l := keepOne(t, db, "Aurora.br")
	answers := make(chan int, 8)
	var all sync.WaitGroup
	for range cap(answers) {
		all.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/f/"+l.Token+"/guia.xml", http.NoBody))
			answers <- w.Code
		})
	}
	<-g.began
	for range 2 * cap(answers) {
		<-db.reads // the library is open: nobody finds its guide yet
	}
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan int, 1)
	all.Go(func() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/f/"+l.Token+"/guia.xml.gz", http.NoBody).WithContext(ctx))
		gone <- w.Code
	})
	<-db.reads
	<-db.reads
	leave()
	if code := <-gone; code != http.StatusServiceUnavailable {
		t.Errorf("who went away gets %d", code)
	}
	close(g.on)
	all.Wait()
	for range cap(answers) {
		if code := <-answers; code != http.StatusOK {
			t.Errorf("answered %d", code)
		}
	}
	if n := g.asked.Load(); n != 1 {
		t.Errorf("the guide was asked %d times", n)
	}
}

// crowded keeps eighty programmes of each channel, and returns them as the
// service has them.
func crowded(b *testing.B, db store.DB, list []catalog.Record) *guide.Live {
	b.Helper()
	w, grids := guide.WindowOf(noon), map[string]guide.Grid{}
	for i := range list {
		ps := make([]guide.Programme, 80)
		for k := range ps {
			at := w.From.Add(time.Duration(k) * 36 * time.Minute)
			ps[k] = guide.Programme{
				Start: at, Stop: at.Add(36 * time.Minute), Title: fmt.Sprintf("Notícias da cidade %d", k*i%997), Category: "News",
				Desc: fmt.Sprintf("O que aconteceu hoje na cidade %d, no estado %d e no país, com entrevistas, esportes, o tempo de amanhã e a agenda cultural da semana %d.", k*7%1009, i%27, k%53),
			}
		}
		grids[list[i].ID], _ = guide.NewGrid("test", "", w, ps)
	}
	c := guide.Change{Window: w, Sources: []string{"test"}}
	c.Add("test", grids)
	if _, err := c.Keep(b.Context(), db); err != nil {
		b.Fatal(err)
	}
	return guide.Follow(b.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
}
