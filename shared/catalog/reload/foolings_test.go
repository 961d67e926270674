package reload_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/source/sample"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// A broken folder is another one whose files a script has edited. An edit that
// returns nil removes the file.
type broken struct {
	fs.FS
	edit func(file string, data []byte) []byte
}

func (b broken) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return f, err
	}
	f.Close()
	data, err := fs.ReadFile(b.FS, name)
	if err != nil {
		return nil, err
	}
	if data = b.edit(path.Base(name), data); data == nil {
		return nil, fs.ErrNotExist
	}
	return fstest.MapFS{name: {Data: data}}.Open(name)
}

var (
	rowStart    = regexp.MustCompile(`(?m)^([\w-]+\.[a-z]{2},)`)
	tvgStart    = regexp.MustCompile(`tvg-id="(\w)`)
	tvgID       = regexp.MustCompile(`tvg-id="[^"]*"`)
	closedDay   = regexp.MustCompile(`,FALSE,[\d-]*,\d{4}-\d\d-\d\d,`)
	stationUUID = regexp.MustCompile(`"stationuuid":\s*"[^"]*"`)
)

// renameChannels gives every channel another id, in all files alike.
func renameChannels(file string, data []byte) []byte {
	switch {
	case path.Ext(file) == ".m3u":
		return tvgStart.ReplaceAll(data, []byte(`tvg-id="New$1`))
	case slices.Contains([]string{"channels.csv", "feeds.csv", "logos.csv", "blocklist.csv"}, file):
		return rowStart.ReplaceAll(data, []byte("New$1"))
	}
	return data
}

// renameStations gives every station another id.
func renameStations(file string, data []byte) []byte {
	if file == "stations.json" {
		return stationUUID.ReplaceAllFunc(data, func(id []byte) []byte {
			return bytes.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return '9' - (r - '0')
				}
				return r
			}, id)
		})
	}
	return data
}

// unclose opens the closed channels of a file again, but keeps enough of the
// closing dates for the file to look right.
func unclose(file string, data []byte) []byte {
	if file != "channels.csv" {
		return data
	}
	n := 0
	return closedDay.ReplaceAllFunc(data, func(day []byte) []byte {
		if n++; n%3 != 0 {
			return day
		}
		return []byte(",FALSE,,,")
	})
}

// lowerTVG writes the channel ids of all streams in lower case.
func lowerTVG(file string, data []byte) []byte {
	if path.Ext(file) == ".m3u" {
		return tvgID.ReplaceAllFunc(data, bytes.ToLower)
	}
	return data
}

// without removes a file, in both of its layouts.
func without(name string) func(string, []byte) []byte {
	return func(file string, data []byte) []byte {
		if file == name+".csv" || file == name+".json" || file == name+".json.gz" {
			return nil
		}
		return data
	}
}

// An installation reloads one database from folders.
type installation struct {
	db      store.DB
	archive *release.Archive
	options collect.Options
}

func install(t *testing.T) *installation {
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &installation{db, &release.Archive{DB: db, Now: time.Now}, collect.Options{Cache: collect.Documents(db)}}
}

// reload runs the job on the channels of one folder and the stations of another,
// which may be nil.
func (i *installation) reload(t *testing.T, tv, radio fs.FS, o job.Order) (*reload.Report, error) {
	t.Helper()
	plan := collect.Plan{IPTVOrg: collect.Place{Folder: tv, Name: "tv"}}
	if radio != nil {
		plan.Radio = collect.Place{Folder: radio, Name: "radio"}
	}
	j := reload.NewJob(reload.Options{Plan: plan, Archive: i.archive, Collect: i.options, Now: time.Now})
	rep, err := job.NewRunner(i.db, slog.New(slog.DiscardHandler), time.Now, j).Run(t.Context(), reload.Name, o)
	if rep == nil {
		t.Fatal(err)
	}
	return rep.Result.(*reload.Report), err
}

// good reloads folders of which nothing is refused.
func (i *installation) good(t *testing.T, tv, radio fs.FS) *reload.Report {
	t.Helper()
	rep, err := i.reload(t, tv, radio, job.Order{})
	if err != nil || !rep.Shown || len(rep.Refusals)+len(rep.Overridden) > 0 {
		t.Fatalf("a good folder: shown %v, %v, refusals %+v, overridden %+v", rep.Shown, err, rep.Refusals, rep.Overridden)
	}
	return rep
}

// figures returns the files and figures of refusals.
func figures(refusals []catalog.Refusal) (all []string) {
	for _, r := range refusals {
		all = append(all, r.File+" "+r.Figure)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// noted returns the files and figures that the current release shows as refused.
func (i *installation) noted(t *testing.T) []string {
	t.Helper()
	p, err := i.archive.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []catalog.Refusal
	for _, s := range p.Sources {
		if len(s.Refusals) > 0 && (!s.Kept || s.Problem == "") {
			t.Errorf("source %+v", s)
		}
		all = append(all, s.Refusals...)
	}
	return figures(all)
}

// TestFoolings breaks the sample in each way: the other kind goes on, the kind
// stays as it was, and the refusals are in the report and in the release.
func TestFoolings(t *testing.T) {
	folder := sample.Folder()
	for _, test := range []struct {
		name string
		edit func(string, []byte) []byte
		want []string
	}{
		{"channels renamed", renameChannels, []string{"iptv-org/channels same_ids"}},
		{"stations renamed", renameStations, []string{"radio-browser/stations same_ids"}},
		{"tvg-ids in lower case", lowerTVG, []string{"iptv-org/streams links"}},
		{"no feeds", without("feeds"), []string{"iptv-org/feeds readable"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := install(t)
			before := i.good(t, folder, folder)
			rep, err := i.reload(t, broken{folder, test.edit}, broken{folder, test.edit}, job.Order{})
			if err != nil || !rep.Shown || rep.Version != before.Version {
				t.Errorf("shown %v, %v, another release: %v", rep.Shown, err, rep.Version != before.Version)
			}
			if diff := cmp.Diff(test.want, figures(rep.Refusals)); diff != "" {
				t.Errorf("the report refuses (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, i.noted(t)); diff != "" {
				t.Errorf("the release says (-want +got):\n%s", diff)
			}
			i.good(t, folder, folder)
			if got := i.noted(t); len(got) > 0 {
				t.Errorf("after it is well again: %v", got)
			}
		})
	}
}

// TestForcedFooling takes what was refused, and lists it.
func TestForcedFooling(t *testing.T) {
	i, folder := install(t), sample.Folder()
	before := i.good(t, folder, folder)
	renamed := broken{folder, renameChannels}
	rep, err := i.reload(t, renamed, folder, job.Order{Manual: true, Force: true})
	if err != nil || !rep.Shown || rep.Version == before.Version || len(rep.Refusals) > 0 {
		t.Fatalf("forced: %+v, %v", rep, err)
	}
	if diff := cmp.Diff([]string{"iptv-org/channels same_ids"}, figures(rep.Overridden)); diff != "" {
		t.Errorf("overridden (-want +got):\n%s", diff)
	}
	i.good(t, renamed, folder)
}

// TestRefusedRelease reloads without saved files: there is nothing to fall back
// to, so the release is refused, the current one says why, and the files do not
// become the last good ones.
func TestRefusedRelease(t *testing.T) {
	i, folder := install(t), sample.Folder()
	cache := i.options.Cache
	i.options.Cache = nil
	before := i.good(t, folder, folder)
	i.options.Cache = cache
	rep, err := i.reload(t, broken{folder, renameChannels}, folder, job.Order{})
	if !errors.Is(err, release.ErrRefused) || rep.Shown {
		t.Fatalf("shown %v, %v", rep.Shown, err)
	}
	want := []string{"iptv-org/channels same_ids"}
	if diff := cmp.Diff([][]string{want, want}, [][]string{figures(rep.Refusals), i.noted(t)}); diff != "" {
		t.Errorf("refusals (-want +got):\n%s", diff)
	}
	if p, err := i.archive.Current(t.Context()); err != nil || p.Version != before.Version {
		t.Errorf("the current release is %s, %v, want %s", p.Version, err, before.Version)
	}
	if f, err := cache.Last(t.Context(), "iptv-org/channels"); !errors.Is(err, collect.ErrNothing) {
		t.Errorf("a refused file was saved: %+v, %v", f, err)
	}
}

// TestRealFoolings breaks the real files of a week, after those of the week
// before: no release mixes the two, and none has other ids.
func TestRealFoolings(t *testing.T) {
	if testing.Short() {
		t.Skip("the real sources take long with the race detector")
	}
	data := reference.Dir(t)
	before, now := os.DirFS(filepath.Join(data, "catalog-before")), os.DirFS(filepath.Join(data, "catalog"))
	i := install(t)
	first := i.good(t, before, nil)
	for _, test := range []struct {
		name string
		edit func(string, []byte) []byte
		want []string
	}{
		{"half of the files of today", without("channels"), []string{"iptv-org/channels readable"}},
		{"channels renamed", renameChannels, []string{"iptv-org/channels same_ids"}},
		{"tvg-ids in lower case", lowerTVG, []string{"iptv-org/streams links"}},
		{"a third of the closed channels open", unclose, []string{"iptv-org/channels hidden"}},
	} {
		rep, err := i.reload(t, broken{now, test.edit}, nil, job.Order{})
		if err != nil || rep.Version != first.Version || rep.Built.Playable != first.Built.Playable {
			t.Errorf("%s: %v, another release: %v, %+v", test.name, err, rep.Version != first.Version, rep.Built)
		}
		if diff := cmp.Diff(test.want, figures(rep.Refusals)); diff != "" {
			t.Errorf("%s: refused (-want +got):\n%s", test.name, diff)
		}
	}
	if last := i.good(t, now, nil); last.Version == first.Version || last.Changes.Channels.Came < 30 {
		t.Errorf("the files of today: %+v", last.Changes.Channels)
	}
}
