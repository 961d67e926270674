package collect

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/blob"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/iptvorg"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
	"miramundo.dev/shared/store/storetest"
)

func openDB(t *testing.T) store.DB {
	t.Helper()
	db, err := embedded.Open(filepath.Join(t.TempDir(), "documents.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func aFile(sha string) source.File {
	return source.File{
		Name: "iptv-org/channels", Location: "https://example.com/channels.json",
		FetchedAt: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), SHA256: sha,
		Items: 3, Skipped: 1, Bytes: 7, ETag: `"x"`, Modified: "Fri, 02 Jan 2026 03:04:05 GMT",
		Origin: "sample", Filled: map[string]int{"closed": 2},
	}
}

func TestDocuments(t *testing.T) {
	db := openDB(t)
	c := Documents(db)
	ctx := t.Context()
	f := aFile("aa")
	if _, err := c.Last(ctx, f.Name); !errors.Is(err, ErrNothing) {
		t.Errorf("Last of nothing: %v", err)
	}
	if _, err := c.Body(ctx, f); !errors.Is(err, ErrNothing) {
		t.Errorf("Body of nothing: %v", err)
	}
	large := []byte(strings.Repeat("0123456789abcdef", 100_000))
	checkSaved(t, c, f, large)

	confirmed := f
	confirmed.FetchedAt = confirmed.FetchedAt.Add(time.Hour)
	if err := c.Save(ctx, []Entry{{confirmed, nil}}); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Body(ctx, confirmed); err != nil || len(got) != len(large) {
		t.Errorf("body after it was confirmed: %d bytes, %v", len(got), err)
	}

	other := aFile("cc")
	other.Name = "iptv-org/channelsfar"
	checkSaved(t, c, other, []byte("other"))
	next := aFile("bb")
	checkSaved(t, c, next, []byte("next"))
	if got := bodyIDs(t, db); !cmp.Equal(got, []string{"iptv-org_channels-bb", "iptv-org_channelsfar-cc"}) {
		t.Errorf("bodies kept: %v", got)
	}
	if _, err := c.Body(ctx, f); !errors.Is(err, ErrNothing) {
		t.Errorf("Body of what was replaced: %v", err)
	}
}

func checkSaved(t *testing.T, c Cache, f source.File, body []byte) {
	t.Helper()
	if err := c.Save(t.Context(), []Entry{{f, body}}); err != nil {
		t.Fatal(err)
	}
	last, err := c.Last(t.Context(), f.Name)
	if diff := cmp.Diff(f, last); diff != "" || err != nil {
		t.Errorf("Last: %v, -want +got:\n%s", err, diff)
	}
	if got, err := c.Body(t.Context(), f); err != nil || string(got) != string(body) {
		t.Errorf("Body: %d bytes, %v, want %d", len(got), err, len(body))
	}
}

func bodyIDs(t *testing.T, db store.DB) (ids []string) {
	t.Helper()
	for doc, err := range db.Query(t.Context(), store.Query{Collection: bodies}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, doc.ID)
	}
	return ids
}

// TestBodyLost reads an unchanged file whose body is lost: the body is saved
// again.
func TestBodyLost(t *testing.T) {
	db := openDB(t)
	opts := Options{Cache: Documents(db)}
	if _, err := Load(t.Context(), Sample(), opts); err != nil {
		t.Fatal(err)
	}
	lost := bodyIDs(t, db)
	for _, id := range lost {
		if err := blob.Delete(t.Context(), db, store.Path(bodies).Join(id)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Load(t.Context(), Sample(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if got := bodyIDs(t, db); len(got) == 0 || !cmp.Equal(got, lost) {
		t.Errorf("bodies kept %v, want %v", got, lost)
	}
	for _, f := range d.Files {
		if f.Problem != "" {
			t.Errorf("%s: %s", f.Name, f.Problem)
		}
	}
}

// failingLast is a cache whose Last fails.
type failingLast struct{ *memory }

func (failingLast) Last(context.Context, string) (source.File, error) { return source.File{}, errDead }

// TestLastStateUnknown reads a file that has shrunk while its last state is
// unknown: the saved state stays.
func TestLastStateUnknown(t *testing.T) {
	s := newSite(t)
	m := newMemory()
	s.load(t, s.options(m))
	saves := m.saves
	s.handle("/channels.json", s.conditional("channels", channels(3)))
	d := s.load(t, s.options(failingLast{m}))
	f := fileOf(t, d, "iptv-org/channels")
	if f.Items != 3 || !strings.Contains(f.Problem, errDead.Error()) || m.saves != saves || m.files[f.Name].Items != 100 {
		t.Errorf("file %+v; kept %+v in %d saves", f, m.files[f.Name], m.saves-saves)
	}
	d = s.load(t, s.options(m))
	if f := fileOf(t, d, "iptv-org/channels"); !f.Kept || f.Items != 100 {
		t.Errorf("the next time: %+v", f)
	}
}

// failingAfter is a database that fails after some writes.
type failingAfter struct {
	store.DB
	writes int
}

var errDead = errors.New("the database is gone")

func (d *failingAfter) write() error {
	if d.writes--; d.writes < 0 {
		return errDead
	}
	return nil
}

func (d *failingAfter) Set(ctx context.Context, p store.Path, doc any) error {
	if err := d.write(); err != nil {
		return err
	}
	return d.DB.Set(ctx, p, doc)
}

func (d *failingAfter) Update(ctx context.Context, f func(store.Tx) error) error {
	if err := d.write(); err != nil {
		return err
	}
	return d.DB.Update(ctx, f)
}

func (d *failingAfter) Delete(ctx context.Context, p store.Path) error {
	if err := d.write(); err != nil {
		return err
	}
	return d.DB.Delete(ctx, p)
}

// TestSaveCutShort fails at every write of a Save of two files: the stored state
// is the complete old one or the complete new one, of both, and the next Save
// leaves nothing behind.
func TestSaveCutShort(t *testing.T) {
	db := openDB(t)
	files := func(sha, body string) []Entry {
		feeds := aFile(sha)
		feeds.Name = "iptv-org/feeds"
		return []Entry{{aFile(sha), []byte(body)}, {feeds, []byte(body)}}
	}
	bodies := map[string]string{"aa": "old body", "bb": "new body"}
	for writes := 0; ; writes++ {
		if err := Documents(db).Save(t.Context(), files("aa", bodies["aa"])); err != nil {
			t.Fatal(err)
		}
		err := Documents(&failingAfter{db, writes}).Save(t.Context(), files("bb", bodies["bb"]))
		stored := map[string]bool{}
		for _, f := range files("", "") {
			last, lastErr := Documents(db).Last(t.Context(), f.File.Name)
			body, bodyErr := Documents(db).Body(t.Context(), last)
			if stored[last.SHA256] = true; lastErr != nil || bodyErr != nil || string(body) != bodies[last.SHA256] || len(stored) > 1 {
				t.Fatalf("after %d writes: %+v, %v, %q, %v, of %v", writes, last, lastErr, body, bodyErr, stored)
			}
		}
		if err == nil {
			if writes < 2 {
				t.Errorf("a Save of %d writes", writes)
			}
			break
		}
		if !errors.Is(err, errDead) {
			t.Fatal(err)
		}
	}
	if got := bodyIDs(t, db); len(got) != 2 {
		t.Errorf("bodies left: %v", got)
	}
}

// TestLoadWithDocuments runs a good day, a bad day and a day without a
// database.
func TestLoadWithDocuments(t *testing.T) {
	db := openDB(t)
	s := newSite(t)
	if d := s.load(t, s.options(Documents(db))); len(d.Channels) != 100 {
		t.Fatalf("%d channels", len(d.Channels))
	}
	s.handle("/channels.json", text("<html>"))
	d := s.load(t, s.options(Documents(db)))
	if f := fileOf(t, d, "iptv-org/channels"); len(d.Channels) != 100 || !f.Kept {
		t.Errorf("bad day: %d channels, %+v", len(d.Channels), f)
	}
	s.handle("/channels.json", text(good["channels"]))
	d = s.load(t, s.options(Documents(storetest.Broken())))
	f := fileOf(t, d, "iptv-org/channels")
	if len(d.Channels) != 100 || f.Kept || !strings.Contains(f.Problem, "could not be saved") {
		t.Errorf("no database: %d channels, %+v", len(d.Channels), f)
	}
}

// TestSaved reads again what a load saved, without any request, and nothing of a
// file that was never saved; a body that is lost is an error.
func TestSaved(t *testing.T) {
	db := openDB(t)
	s := newSite(t)
	parts := iptvorg.Named("iptv-org/feeds", "iptv-org/channels", "iptv-org/guides")
	before, err := Saved(t.Context(), Documents(db), parts...)
	if diff := cmp.Diff(&source.Dataset{}, before); err != nil || diff != "" {
		t.Errorf("before any load: %v, %s", err, diff)
	}
	loaded := s.load(t, s.options(Documents(db)))
	s.Close()
	got, err := Saved(t.Context(), Documents(db), parts...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&source.Dataset{Channels: loaded.Channels, Feeds: loaded.Feeds, Guides: loaded.Guides}, got); diff != "" || len(got.Channels) == 0 || len(got.Feeds) == 0 {
		t.Errorf("-loaded +saved:\n%s", diff)
	}
	last, err := Documents(db).Last(t.Context(), "iptv-org/feeds")
	if err != nil {
		t.Fatal(err)
	}
	if err := blob.Delete(t.Context(), db, bodyPath(last)); err != nil {
		t.Fatal(err)
	}
	if _, err := Saved(t.Context(), Documents(db), parts...); !errors.Is(err, ErrNothing) {
		t.Errorf("without a body: %v", err)
	}
}
