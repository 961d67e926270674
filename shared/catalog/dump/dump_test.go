package dump_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/dump"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var links = catalog.LinkBase{Base: "https://m.example", Hop: "https://hop.example", Legacy: "https://legacy.example"}

// A shown is the catalog that a dump is made of.
type shown struct{ view *index.View }

func (s shown) View() (*index.View, error) {
	if s.view == nil {
		return nil, catalog.ErrNotLoaded
	}
	return s.view, nil
}

func (shown) Refresh(context.Context) error { return nil }

// A late catalog shows what is current once it is refreshed.
type late struct{ shown, current shown }

func (l *late) View() (*index.View, error) { return l.shown.View() }

func (l *late) Refresh(context.Context) error {
	l.shown = l.current
	return nil
}

// TestRefresh dumps a catalog of which an instance shows an old state: the dump is of
// the current one, without what is blocked in it.
func TestRefresh(t *testing.T) {
	db := wiretest.OpenDB(t)
	catalog := &late{register(t, index.Overlay{}), register(t, index.Overlay{BlockedChannels: []string{"B.br"}})}
	d, err := run(t, db, catalog, wiretest.Epoch(), job.Order{Manual: true})
	if err != nil {
		t.Fatal(err)
	}
	if data := read(t, db, d.ID, dump.Records); bytes.Contains(data, []byte(`"B.br"`)) {
		t.Errorf("the blocked channel is in the dump: %s", data)
	}
}

// register has two channels, of which one is blocked in some tests, and a station.
func register(t *testing.T, o index.Overlay) shown {
	t.Helper()
	bitrate := 128
	ix, err := index.Build(&catalog.Register{Records: []catalog.Record{
		{ID: "A.br", Name: "=HYPERLINK(\"x\")", AltNames: []string{"Á;\n\"b\""}, Country: "BR", Origin: "o", Streams: []catalog.StreamRecord{
			{ID: 1, URL: "https://a.example/1.m3u8", Kind: catalog.StreamHLS, Origin: "o", Playable: true},
			{ID: 2, URL: "http://a.example/2", Kind: catalog.StreamTS, Origin: "o"},
		}},
		{ID: "B.br", Name: "B", Origin: "o"},
		{ID: "rb.1", Kind: catalog.Station, Name: "R", Origin: "o", Radio: &catalog.Radio{
			Tags: []string{"jazz", "soul"}, Votes: 7, Bitrate: &bitrate, Geo: &catalog.Geo{Lat: -23.5, Lon: -46.6},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return shown{index.NewView(ix, o, links)}
}

// run runs the job.
func run(t *testing.T, db store.DB, from dump.Catalog, at time.Time, o job.Order) (*dump.Dump, error) {
	t.Helper()
	now := func() time.Time { return at }
	j := dump.NewJob(dump.Options{DB: db, Catalog: from, Now: now})
	rep, err := job.NewRunner(db, slog.New(slog.DiscardHandler), now, j).Run(t.Context(), dump.Name, o)
	if rep == nil {
		return nil, err
	}
	return rep.Result.(*dump.Dump), err
}

func reader(db store.DB) *dump.Reader { return dump.NewReader(db, wiretest.Epoch) }

// read returns the bytes of a file, unpacked.
func read(t *testing.T, db store.DB, id, name string) []byte {
	t.Helper()
	_, data, err := reader(db).File(t.Context(), id, name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return data
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFiles reads each file of a dump as its users do.
func TestFiles(t *testing.T) {
	db := wiretest.OpenDB(t)
	d, err := run(t, db, register(t, index.Overlay{}), wiretest.Epoch(), job.Order{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, f := range d.Files {
		if f.Rows != nil {
			rows = append(rows, fmt.Sprint(f.Name, " ", *f.Rows))
		}
		_, data, err := reader(db).File(t.Context(), d.ID, f.Name)
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); err != nil || len(data) != f.Bytes || sum != f.SHA256 {
			t.Errorf("%s: %d bytes, sum %s, %v, want %+v", f.Name, len(data), sum, err, f)
		} else if line := sum + "  " + f.Name + "\n"; f.Rows != nil && !strings.Contains(string(read(t, db, d.ID, dump.Sums)), line) {
			t.Errorf("the checksums do not have %q", line)
		}
	}
	if diff := cmp.Diff([]string{"catalog.ndjson.gz 3", "channels.csv.gz 3", "streams.csv.gz 2", "catalog.sqlite.gz 3"}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	checkRecords(t, read(t, db, d.ID, dump.Records))
	checkTables(t, read(t, db, d.ID, dump.Channels), read(t, db, d.ID, dump.Streams))
	checkDatabase(t, read(t, db, d.ID, dump.Database))
}

func checkRecords(t *testing.T, data []byte) {
	t.Helper()
	var ids []string
	for line := range bytes.Lines(data) {
		var c catalog.ChannelFull
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, fmt.Sprint(c.ID, " ", len(c.Streams), " ", c.Social != nil))
	}
	slices.Sort(ids)
	if diff := cmp.Diff([]string{"A.br 2 false", "B.br 0 false", "rb.1 0 false"}, ids); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func checkTables(t *testing.T, channels, streams []byte) {
	t.Helper()
	table := func(data []byte, columns ...string) (out []string) {
		all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range all[1:] {
			var cells []string
			for _, name := range columns {
				cells = append(cells, line[slices.Index(all[0], name)])
			}
			out = append(out, strings.Join(cells, "|"))
		}
		slices.Sort(out)
		return out
	}
	want := []string{"A.br|'=HYPERLINK(\"x\")|Á;\n\"b\"|BR||", "B.br|B||||", "rb.1|R|||jazz;soul|-23.5"}
	if diff := cmp.Diff(want, table(channels, "id", "name", "alt_names", "country", "tags", "lat")); diff != "" {
		t.Errorf("channels (-want +got):\n%s", diff)
	}
	id := func(n catalog.StreamID) string { return n.String() }
	want = []string{
		id(1) + "|A.br|hls|https://hop.example/api/s/" + id(1) + ".m3u8|https://a.example/1.m3u8|1",
		id(2) + "|A.br|ts|http://a.example/2|http://a.example/2|0",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, table(streams, "id", "channel_id", "kind", "play_url", "provider_url", "playable_hint")); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
}

func checkDatabase(t *testing.T, data []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "catalog.sqlite")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var got string
	if err := db.QueryRowContext(t.Context(), `SELECT group_concat(x, ' ') FROM (SELECT c.name || '/' || typeof(c.lat) || '/' || coalesce(c.bitrate + 1, '-')
		|| '/' || count(s.id) AS x FROM channels c LEFT JOIN streams s ON s.channel_id = c.id GROUP BY c.id ORDER BY c.id)`).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if want := `=HYPERLINK("x")/null/-/2 B/null/-/0 R/real/129/0`; got != want {
		t.Errorf("the database has %s, want %s", got, want)
	}
}

// TestBlocked checks that a dump has what is shown and nothing else.
func TestBlocked(t *testing.T) {
	db := wiretest.OpenDB(t)
	from := register(t, index.Overlay{BlockedChannels: []string{"B.br"}, BlockedStreams: []catalog.StreamID{2}})
	d, err := run(t, db, from, wiretest.Epoch(), job.Order{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Files {
		if text := string(read(t, db, d.ID, f.Name)); strings.Contains(text, "B.br") || strings.Contains(text, catalog.StreamID(2).String()) {
			t.Errorf("%s has what is blocked", f.Name)
		}
	}
}

// TestKept checks which dumps are kept, and that the files of no other are left.
func TestKept(t *testing.T) {
	db := wiretest.OpenDB(t)
	from := register(t, index.Overlay{})
	at := wiretest.Epoch()
	for _, test := range []struct {
		manual bool
		want   int
	}{{false, 1}, {false, 2}, {false, 2}, {true, 1}, {false, 2}} {
		at = at.Add(24 * time.Hour)
		d, err := run(t, db, from, at, job.Order{Manual: test.manual})
		if err != nil {
			t.Fatal(err)
		}
		check(t, db, d.ID, test.want)
	}
	if _, err := run(t, db, shown{}, at.Add(time.Hour), job.Order{}); !errors.Is(err, catalog.ErrNotLoaded) {
		t.Errorf("without a catalog: %v", err)
	}
}

// check checks that so many dumps are kept, the newest first, with their files alone.
func check(t *testing.T, db store.DB, newest string, dumps int) {
	t.Helper()
	all, err := reader(db).Kept(t.Context())
	if err != nil || len(all) != dumps || all[0].ID != newest {
		t.Fatalf("%d dumps are kept, %v, want %d", len(all), err, dumps)
	}
	for _, d := range all {
		for _, f := range d.Files {
			read(t, db, d.ID, f.Name)
		}
	}
	n, err := db.Count(t.Context(), store.Query{Collection: "catalog_dumps"})
	if err != nil || n != dumps*len(all[0].Files) {
		t.Errorf("%d files are stored for %d dumps, %v", n, dumps, err)
	}
}

// TestFaults lets each call of the database fail: the dump before stays whole, and the
// next run leaves nothing of the failed one.
func TestFaults(t *testing.T) {
	from := register(t, index.Overlay{})
	for n := 1; ; n++ {
		db := storetest.NewFaulty(wiretest.OpenDB(t))
		first, err := run(t, db, from, wiretest.Epoch(), job.Order{})
		if err != nil {
			t.Fatal(err)
		}
		db.Fail(n, false)
		_, failed := run(t, db, from, wiretest.Epoch().Add(24*time.Hour), job.Order{})
		db.Fail(0, false)
		all, err := reader(db).Kept(t.Context())
		if err != nil || all[len(all)-1].ID != first.ID {
			t.Fatalf("call %d: the first dump is lost, %v", n, err)
		}
		last, err := run(t, db, from, wiretest.Epoch().Add(48*time.Hour), job.Order{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, db, last.ID, 2)
		if failed == nil {
			return
		}
	}
}

// BenchmarkFiles measures a dump of 20,000 records.
func BenchmarkFiles(b *testing.B) {
	ix, err := index.Build(indextest.Synthetic(1, 20_000))
	if err != nil {
		b.Fatal(err)
	}
	db, view := wiretest.OpenDB(b), index.NewView(ix, index.Overlay{}, links)
	for b.Loop() {
		j := dump.NewJob(dump.Options{DB: db, Catalog: shown{view}, Now: wiretest.Epoch})
		if _, err := j.Run(b.Context(), job.Order{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReader checks what a reader finds, that it reads each file once, and that it asks
// the database for no file that the list does not name.
func TestReader(t *testing.T) {
	db := storetest.NewMeter(wiretest.OpenDB(t))
	r := reader(db)
	if all, err := r.Kept(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("before the first dump: %v, %v", all, err)
	}
	d, err := run(t, db, register(t, index.Overlay{}), wiretest.Epoch(), job.Order{})
	if err != nil {
		t.Fatal(err)
	}
	r = reader(db)
	if f, _, err := r.File(t.Context(), d.ID, dump.Sums); err != nil || f.Name != dump.Sums {
		t.Errorf("a file is %+v, %v", f, err)
	}
	before := db.Ops()
	for _, at := range [][2]string{{d.ID, dump.Sums}, {d.ID, "x"}, {"x", dump.Sums}, {d.ID, "../x"}, {"", ""}} {
		if _, _, err := r.File(t.Context(), at[0], at[1]); (err == nil) != (at[1] == dump.Sums && at[0] == d.ID) || err != nil && !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%q is %v", at, err)
		}
	}
	if ops := db.Ops().Less(before); ops != (storetest.Ops{}) {
		t.Errorf("the database was asked: %+v", ops)
	}
}
