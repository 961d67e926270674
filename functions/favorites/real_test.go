package favorites

import (
	"fmt"
	"path/filepath"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store"
)

// TestRealFavorites keeps 100 favorites that the next real sources no longer list:
// those that vanished within a week, and others that the test takes out. None may
// drop out silently: each is listed under the channel that it has become, or as
// gone with its name.
func TestRealFavorites(t *testing.T) {
	dir := reference.Dir(t)
	if testing.Short() {
		t.Skip("the real sources take long with the race detector")
	}
	first, _ := build.Register(load(t, filepath.Join(dir, "catalog-before")), nil, noon)
	ds := load(t, filepath.Join(dir, "catalog"))
	chosen := leave(ds, first, 100)
	next, _ := build.Register(ds, first, noon)

	w := newWorld(t)
	_, _, err := kept.UpdateFavorites(t.Context(), w.db, "g_ana", func(f *kept.Favorites) ([]social.Favorite, error) {
		for _, id := range chosen {
			f.Rows = append(f.Rows, kept.Favorite{Channel: id, Since: store.At(noon)})
		}
		return []social.Favorite{{Key: fact.NewKey(), Channel: chosen[0], Delta: 1, At: noon}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Build(next)
	if err != nil {
		t.Fatal(err)
	}
	w.catalog.Shown = index.NewView(ix, index.Overlay{}, links)
	_, l := call(t, w.instance(), "ana", "GET", path+"?limit=50", "")
	gone := map[string]catalog.GoneChannel{}
	for _, g := range l.Gone {
		gone[g.ChannelID] = g
	}
	led := 0
	for _, id := range chosen {
		_, leads := w.catalog.Shown.Current(id)
		switch g, listed := gone[id]; {
		case leads:
			led++
		case !listed:
			t.Errorf("%s is neither shown nor listed as gone", id)
		case g.Name == nil:
			t.Errorf("%s is listed without its name: %+v", id, g)
		}
	}
	if led+len(gone) != 100 || l.Total == 0 && led > 0 {
		t.Errorf("%d lead on, %d are gone, and the list has %d: want 100 in all", led, len(gone), l.Total)
	}
	t.Logf("%d of 100 lead on, %d are listed as gone", led, len(gone))
}

// load reads the TV channels of a folder of real sources.
func load(t *testing.T, folder string) *source.Dataset {
	t.Helper()
	ds, err := collect.Load(t.Context(), collect.Plan{IPTVOrg: collect.Folder(folder)}, collect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

// leave returns n ids of playable channels of first that ds lacks. It takes every
// 20th channel out of ds, and renames every 19th, until there are enough.
func leave(ds *source.Dataset, first *catalog.Register, n int) (chosen []string) {
	playable, listed := map[string]bool{}, map[string]bool{}
	for i := range ds.Channels {
		listed[ds.Channels[i].ID] = true
	}
	for i := range first.Records {
		r := &first.Records[i]
		playable[r.ID] = r.Playable()
		if !listed[r.ID] {
			chosen = append(chosen, r.ID)
		}
	}
	renamed := map[string]string{}
	for i := range ds.Channels {
		id := ds.Channels[i].ID
		if len(chosen) == n || !playable[id] || i%20 != 0 && i%19 != 0 {
			continue
		}
		chosen = append(chosen, id)
		renamed[id] = fmt.Sprintf("Gone%d.zz", i)
		if i%19 == 0 {
			ds.Channels[i].ID = "New" + id
			renamed[id] = ds.Channels[i].ID
			continue
		}
		ds.Channels[i] = source.Channel{}
	}
	for i := range ds.Streams {
		if to, ok := renamed[ds.Streams[i].Channel]; ok {
			ds.Streams[i].Channel = to
		}
	}
	return chosen
}
