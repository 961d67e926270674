package readers

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"miramundo.dev/functions/feeds"
	"miramundo.dev/scripts/dev/testchannel"
	"miramundo.dev/scripts/players/container"
	"miramundo.dev/scripts/players/journal"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire"
)

// A channel is a channel of the catalog, with its name as readers of M3U show it.
type channel struct{ name, meant string }

// channels are the channels of the catalog. Their positions are their numbers.
var channels = []channel{
	{"Canal de Teste", "Canal de Teste"},
	{"One HD, the good one", "One HD the good one"},
	{`Tape "Live" \ One`, `Tape 'Live' \ One`},
	{"Sky News - UK", "Sky News – UK"},
	{"24 Horas", "24\u00a0Horas"},
	{"two\r\n#EXTINF:-1,lines", "two #EXTINF:-1 lines"},
	{"📺 Televisão 👨‍👩‍👧", "📺 Televisão 👨‍👩‍👧"},
	{"أخبار المدينة", "أخبار المدينة"},
	{"חדשות (720p) <b>&amp;</b> ]]>", "חדשות (720p) <b>&amp;</b> ]]>"},
	{"media=1 catchup=2", "media = 1 catchup = 2"},
}

// Request headers that the origins of the channels require.
const (
	agent    = "Player/1 (KHTML, like Gecko)"
	referrer = "https://site.example/"
)

func channelID(i int) string { return fmt.Sprintf("Channel%d.br", i) }

// A stack is a running service: an origin with the test channel, the hop in front of
// it, and the feeds of libraries whose channels all lead to it.
type stack struct {
	origin journal.Journal
	base   string
	hop    string
	db     store.DB
	view   *index.View
	now    time.Time // the time at which all feeds are read, so that midnight changes nothing
	guide  *guide.Live
}

// View returns the only view of the catalog.
func (s *stack) View() (*index.View, error) { return s.view, nil }

// nowhere is an address at which nothing listens.
const nowhere = "http://127.0.0.1:1"

// start runs the feeds without the hop, for readers that play nothing.
func start(t *testing.T) *stack {
	t.Helper()
	s := &stack{db: openDB(t), hop: nowhere}
	s.serve(t, register(nowhere))
	return s
}

// startAll runs the feeds, the hop and the origin, for players.
func startAll(t *testing.T) *stack {
	t.Helper()
	s := &stack{db: openDB(t)}
	channel, err := testchannel.New(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	origin := httptest.NewServer(s.origin.Wrap(channel))
	t.Cleanup(func() {
		origin.CloseClientConnections() // a player may keep one open
		origin.Close()
	})
	reg := register(origin.URL + "/tv/master.m3u8")
	s.hop = startHop(t, reg, origin.Listener.Addr().String())
	s.serve(t, reg)
	return s
}

// startHop runs the hop on a catalog whose streams come from the given origin on this
// machine, and returns the address of the hop.
func startHop(t *testing.T, reg *catalog.Register, origin string) string {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir() // ends after the test's own context
	if err := container.Publish(ctx, dir, reg); err != nil {
		t.Fatal(err)
	}
	program, err := container.Build(ctx, dir, container.Hop)
	if err != nil {
		t.Fatal(err)
	}
	hop, err := container.Start(ctx, container.Options{Program: program, Data: dir, Allow: []string{origin}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := hop.Stop(); err != nil {
			t.Error(err)
		}
	})
	return hop.URL
}

// serve serves the feeds of libraries of a catalog.
func (s *stack) serve(t *testing.T, reg *catalog.Register) {
	t.Helper()
	s.now = time.Now()
	s.guide = s.follow(t)
	server := httptest.NewServer(request.Handler(request.Options{}, feeds.New(s.db, s, s.guide, func() time.Time { return s.now }), feeds.Endpoints))
	t.Cleanup(server.Close)
	s.base = server.URL
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	s.view = index.NewView(ix, index.Overlay{}, catalog.LinkBase{Base: s.base, Hop: s.hop, Legacy: s.base})
}

// shows is how many programmes each channel has today and tomorrow, in UTC.
const shows = 16

// follow stores programmes for the channels, titled after their names, and returns a
// guide that has read them.
func (s *stack) follow(t *testing.T) *guide.Live {
	t.Helper()
	w, grids := guide.WindowOf(s.now), map[string]guide.Grid{}
	for i := range channels {
		var ps []guide.Programme
		for k := range shows {
			c := channels[(i+k)%len(channels)]
			at := w.From.Add(time.Duration(k) * 3 * time.Hour)
			ps = append(ps, guide.Programme{Start: at, Stop: at.Add(3 * time.Hour), Title: c.name, Desc: c.meant + "\n]]> & <more>", Category: c.meant})
		}
		grids[channelID(i)], _ = guide.NewGrid("test", "", w, ps)
	}
	c := guide.Change{Window: w, Sources: []string{"test"}}
	c.Add("test", grids)
	if _, err := c.Keep(t.Context(), s.db); err != nil {
		t.Fatal(err)
	}
	return guide.Follow(t.Context(), overlay.NewSet(s.db, slog.New(slog.DiscardHandler), time.Now))
}

func openDB(t *testing.T) store.DB {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{
		Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data"), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return db
}

// register returns the catalog, in which every stream is at url.
func register(url string) *catalog.Register {
	reg := &catalog.Register{BuiltAt: time.Now()}
	for i, c := range channels {
		reg.Records = append(reg.Records, catalog.Record{
			ID: channelID(i), Name: c.name, Origin: "local", Country: "BR", Streams: []catalog.StreamRecord{{
				ID: catalog.StreamID(i + 1), URL: url, Feed: "SD", Kind: catalog.StreamHLS, Origin: "local", Playable: true,
				UserAgent: agent, Referrer: referrer,
			}},
		})
	}
	return reg
}

// The folder and sub-tab that libraries of these tests have.
const (
	folder    = `Notícias, "Brasil"; 1|2`
	meantPath = "Notícias 'Brasil' 1 2 / Geral"
)

// library stores a library with the channels of the given numbers for an owner, and
// returns the address of the owner's feeds without a file name.
func (s *stack) library(t *testing.T, owner identity.Owner, numbers ...int) string {
	t.Helper()
	l, err := library.Update(t.Context(), s.db, owner, time.Now(), func(l *library.Library) error {
		c, err := l.AddCategory(folder)
		if err != nil {
			return err
		}
		for _, n := range numbers {
			if _, _, err := l.AddItem(c.Groups[0].ID, library.ItemOf(channelID(n), "", catalog.TV, "BR"), nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.base + library.FeedsPath + l.Token
}

// publish publishes the folder of an owner's library, and returns the address of its public
// feeds without a file name.
func (s *stack) publish(t *testing.T, owner identity.Owner) string {
	t.Helper()
	l, err := library.Load(t.Context(), s.db, owner)
	if err == nil {
		_, _, err = public.Put(t.Context(), s.db, owner, public.Draft{Name: "readers", Title: `TV, "Brasil"`, Folders: []string{l.Categories[0].ID}}, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.base + library.PublicPath + "readers"
}

// all are the numbers of all channels.
func all() (numbers []int) {
	for i := range channels {
		numbers = append(numbers, i)
	}
	return numbers
}

// fetch returns the body of the answer at an address.
func fetch(t *testing.T, url string) []byte {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := readAll(res)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return data
}
