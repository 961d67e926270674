package collect

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/source"
)

// shared returns the folder of reference data, or skips.
func shared(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the real sources take long with the race detector")
	}
	return reference.Dir(t)
}

func loadFolder(t testing.TB, plan Plan) *source.Dataset {
	t.Helper()
	d, err := Load(t.Context(), plan, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestRealFacts compares what is read of the real data with the facts that
// its own page states.
func TestRealFacts(t *testing.T) {
	place := Folder(filepath.Join(shared(t), "catalog"))
	d := loadFolder(t, Plan{IPTVOrg: place, Radio: place})
	for _, f := range d.Files {
		if f.Problem != "" || f.Skipped > 0 {
			t.Errorf("%+v", f)
		}
	}
	want := map[string]int{
		"channels": 41_105, "feeds": 45_082, "logos": 43_437, "cities": 57_182, "languages": 7_893, "countries": 250,
		"subdivisions": 4_997, "streams": 16_823, "blocklist": 1_578, "categories": 30, "stations": 55_170,
		"UK": 681, "NSFW": 375, "replaced_by": 526, "playable": 9_943, "addresses": 16_823,
		"no id": 1_954, "unknown channel": 12, "unknown feed": 91, "user agent": 857, "referrer": 283,
		"not 24/7": 1_819, "geo-blocked": 1_187, "no quality": 3_958,
		"not resolved": 28_449, "hls": 3_709, "not ok": 511, "MP3": 37_724, "no bitrate": 11_795, "place": 9_542, // of 9,547 that state one coordinate: 9,543 state both, one outside of the globe
	}
	if diff := cmp.Diff(want, facts(d)); diff != "" {
		t.Errorf("-stated +read:\n%s", diff)
	}
}

// facts counts what the page of the real data states.
func facts(d *source.Dataset) map[string]int {
	n := map[string]int{
		"channels": len(d.Channels), "feeds": len(d.Feeds), "logos": len(d.Logos), "cities": len(d.Cities),
		"languages": len(d.Languages), "countries": len(d.Countries), "subdivisions": len(d.Subdivisions),
		"streams": len(d.Streams), "blocklist": len(d.Blocklist), "categories": len(d.Categories), "stations": len(d.Stations),
	}
	known := channelFacts(d, n)
	streamFacts(d, known, n)
	for _, s := range d.Stations {
		count(n, "not resolved", s.URLResolved == "")
		count(n, "hls", s.HLS)
		count(n, "not ok", !s.LastCheckOK)
		count(n, "MP3", s.Codec == "MP3")
		count(n, "no bitrate", s.Bitrate == 0)
		count(n, "place", s.Latitude != nil && s.Longitude != nil)
	}
	return n
}

func count(n map[string]int, name string, holds bool) {
	if holds {
		n[name]++
	}
}

func channelFacts(d *source.Dataset, n map[string]int) map[string]bool {
	known := map[string]bool{}
	for _, c := range d.Channels {
		known[c.ID] = true
		count(n, "UK", c.Country == "UK")
		count(n, "NSFW", c.NSFW)
		count(n, "replaced_by", c.ReplacedBy != "")
	}
	for _, f := range d.Feeds {
		known[f.Channel+"@"+f.ID] = true
	}
	return known
}

func streamFacts(d *source.Dataset, known map[string]bool, n map[string]int) {
	playable, addresses := map[string]bool{}, map[string]bool{}
	for _, s := range d.Streams {
		addresses[s.URL] = true
		if known[s.Channel] {
			playable[s.Channel] = true
		}
		count(n, "no id", s.Channel == "")
		count(n, "unknown channel", s.Channel != "" && !known[s.Channel])
		count(n, "unknown feed", s.Feed != "" && known[s.Channel] && !known[s.Channel+"@"+s.Feed])
		count(n, "user agent", s.UserAgent != "")
		count(n, "referrer", s.Referrer != "")
		count(n, "no quality", s.Quality == "")
		for _, label := range s.Labels {
			count(n, strings.ToLower(label), label == "Not 24/7" || label == "Geo-blocked")
		}
	}
	n["playable"], n["addresses"] = len(playable), len(addresses)
}

// TestRealLayouts compares the two layouts of the real register, which hold
// the same channels.
func TestRealLayouts(t *testing.T) {
	dir := shared(t)
	tables := loadFolder(t, Plan{IPTVOrg: Folder(filepath.Join(dir, "catalog"))}) // it prefers the tables
	api := loadFolder(t, Plan{IPTVOrg: Folder(filepath.Join(dir, "catalog", "api"))})
	sameRows(t, tables.Channels, api.Channels)
	sameRows(t, tables.Feeds, api.Feeds)
	if len(api.Streams) == 0 || len(api.Guides) == 0 {
		t.Errorf("the api has %d streams, %d guides", len(api.Streams), len(api.Guides))
	}
}

// sameRows compares rows as text, to which no list and an empty one are equal.
func sameRows[T any](t *testing.T, tables, api []T) {
	t.Helper()
	if len(tables) != len(api) {
		t.Fatalf("%d and %d rows", len(tables), len(api))
	}
	for i := range tables {
		if a, b := fmt.Sprintf("%+v", tables[i]), fmt.Sprintf("%+v", api[i]); a != b {
			t.Fatalf("row %d is\n%s\nand\n%s", i, a, b)
		}
	}
}

// TestRealRows counts the rows of an older register without the readers.
func TestRealRows(t *testing.T) {
	dir := filepath.Join(shared(t), "catalog-before")
	d := loadFolder(t, Plan{IPTVOrg: Folder(dir)})
	f, err := os.Open(filepath.Join(dir, "database", "data", "channels.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Channels) != len(rows)-1 {
		t.Errorf("%d channels of %d rows", len(d.Channels), len(rows)-1)
	}
	if f := fileOf(t, d, "iptv-org/guides"); f.Problem != ErrMissing.Error() || f.Kept {
		t.Errorf("guides, which are not there: %+v", f)
	}
}

// BenchmarkLoad reads the whole real catalog from disk: as it is, and while it
// is packed to be kept.
func BenchmarkLoad(b *testing.B) {
	place := Folder(filepath.Join(shared(b), "catalog"))
	load := func(b *testing.B, cache func() Cache) {
		b.ReportAllocs()
		for b.Loop() {
			d, err := Load(b.Context(), Plan{IPTVOrg: place, Radio: place}, Options{Cache: cache()})
			if err != nil || len(d.Stations) == 0 {
				b.Fatalf("%d stations, %v", len(d.Stations), err)
			}
		}
	}
	b.Run("plain", func(b *testing.B) { load(b, func() Cache { return nil }) })
	b.Run("kept", func(b *testing.B) { load(b, func() Cache { return newMemory() }) })
}
