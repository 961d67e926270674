package match

import (
	"context"
	"hash/fnv"
	"path/filepath"
	"testing"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
)

// channelsOf yields the channels of a register that are not closed.
func channelsOf(ds *source.Dataset) func(yield func(Listing) bool) {
	main := map[string]string{}
	for _, f := range ds.Feeds {
		if f.Main {
			main[f.Channel] = f.Name
		}
	}
	return func(yield func(Listing) bool) {
		for _, c := range ds.Channels {
			l := Listing{ID: c.ID, Names: append([]string{c.Name}, c.AltNames...), Country: catalog.CountryCode(c.Country), Feed: main[c.ID]}
			if c.Closed == "" && !yield(l) {
				return
			}
		}
	}
}

// TestReal matches the channels that a fifth of the real sites list by their ids and
// names, as if they were guides, with the lists of the other sites, and compares the
// matches with what those lists say. They have mistakes of their own: of 60 matches
// that differ, read by hand, about two in three are right or as right as the list.
func TestReal(t *testing.T) {
	if testing.Short() {
		t.Skip("the real register takes long with the race detector")
	}
	ds, err := collect.Load(context.Background(), collect.Plan{IPTVOrg: collect.Folder(filepath.Join(reference.Dir(t), "catalog"))}, collect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	known, asked := *ds, []source.Guide{}
	known.Guides = nil
	for _, g := range ds.Guides {
		h := fnv.New32a()
		h.Write([]byte(g.Site))
		if h.Sum32()%5 == 0 {
			asked = append(asked, g)
		} else {
			known.Guides = append(known.Guides, g)
		}
	}
	m := New(channelsOf(ds), nil, NewDirectory(&known))
	for _, test := range []struct {
		name        string
		country     func(*source.Guide) string
		right, most float64 // shares: of all that are right, and of the matches that differ
	}{
		{"without a country", func(*source.Guide) string { return "" }, 0.45, 0.025},
		{"in the country of the site", siteCountry, 0.5, 0.055},
	} {
		all, right, differ := 0, 0, 0
		for i := range asked {
			g := &asked[i]
			if _, ok := m.ids[g.Channel]; !ok {
				continue
			}
			all++
			switch got := m.Find(&Channel{ID: g.SiteID, Names: []string{g.SiteName}, Country: test.country(g)}); got.Channel {
			case "":
			case g.Channel:
				right++
			default:
				differ++
			}
		}
		t.Logf("%s: of %d channels %d match as listed, %d otherwise", test.name, all, right, differ)
		if float64(right) < test.right*float64(all) || float64(differ) > test.most*float64(right+differ) {
			t.Errorf("%s: of %d channels %d match as listed, %d otherwise", test.name, all, right, differ)
		}
	}
	wrong := 0
	m = New(channelsOf(ds), nil, NewDirectory(ds))
	for i := range ds.Guides {
		g := &ds.Guides[i]
		if got := m.Find(&Channel{ID: g.SiteID, Site: g.Site}); got.Channel != "" && got.Channel != g.Channel {
			wrong++
		}
	}
	if wrong > len(ds.Guides)/1000 {
		t.Errorf("%d of %d match another channel by the list of their own site", wrong, len(ds.Guides))
	}
}
