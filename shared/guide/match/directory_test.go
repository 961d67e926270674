package match

import (
	"slices"
	"testing"

	"miramundo.dev/shared/source"
)

// directory is what the register says of the channels of these tests.
var directory = NewDirectory(&source.Dataset{
	Feeds: []source.Feed{
		{Channel: "BBCOne.uk", ID: "Scotland", Name: "Scotland", AltNames: []string{"Scot"}, BroadcastArea: []string{"s/GB-SCT"}, Timezones: []string{"Europe/London"}, Languages: []string{"eng"}},
		{Channel: "BBCOne.uk", ID: "London", Name: "London", Main: true, BroadcastArea: []string{"c/UK", "c/IE"}, Timezones: []string{"Europe/London"}, Languages: []string{"eng"}},
		{Channel: "BBCOne.uk", ID: "LondonHD", Name: "London HD", Timezones: []string{"Europe/London"}, Languages: []string{"eng"}},
		{Channel: "BBCOne.uk", ID: "LondonPlus1", Name: "London +1", Timezones: []string{"Europe/London"}, Languages: []string{"eng"}},
		{Channel: "BBCOne.uk", ID: "Gaelic", Name: "Gaelic", Timezones: []string{"Europe/Dublin"}, Languages: []string{"gla"}},
		{Channel: "AMC.us", ID: "East", Name: "East", Main: true, BroadcastArea: []string{"c/US"}, Timezones: []string{"America/New_York"}, Languages: []string{"eng"}},
		{Channel: "AMC.us", ID: "West", Name: "West", BroadcastArea: []string{"c/US"}, Timezones: []string{"America/Los_Angeles"}, Languages: []string{"eng"}},
		{Channel: "AMC.us", ID: "Canada", Name: "Canada", BroadcastArea: []string{"c/CA"}, Timezones: []string{"America/Toronto", "Nowhere/Nothing"}, Languages: []string{"eng"}},
		{Channel: "AMCLatin.us", ID: "South", Name: "South", Main: true, BroadcastArea: []string{"r/SUR", "ct/CLSCL"}},
		{Channel: "Darts.uk", ID: "UK", Name: "UK", Main: true, BroadcastArea: []string{"c/UK"}, Languages: []string{"eng"}},
		{Channel: "Darts.uk", ID: "Ireland", Name: "Ireland", BroadcastArea: []string{"c/IE"}, Languages: []string{"eng"}},
		{Channel: "Darts.uk", ID: "Spain", Name: "Spain", BroadcastArea: []string{"c/ES"}, Languages: []string{"spa"}},
		{Channel: "World.us", ID: "SD", Name: "SD", Main: true, BroadcastArea: []string{"r/INT"}},
	},
	Regions: []source.Region{{Code: "SUR", Countries: []string{"AR", "UY"}}},
	Guides: []source.Guide{
		{Channel: "AMCLatin.us", Feed: "South", Site: "mi.example", SiteID: "ar#amc", SiteName: "AMC"},
		{Channel: "AMCLatin.us", Feed: "South", Site: "guia.pe", SiteID: "7", SiteName: "AMC"},
		{Channel: "AMC.us", Feed: "East", Site: "guide.us", SiteID: "7", SiteName: "AMC"},
		{Channel: "BBCOne.uk", Feed: "London", Site: "freeview.example", SiteID: "64257#4164", SiteName: "BBC ONE Lon"},
		{Channel: "BBCOne.uk", Feed: "Scotland", Site: "freeview.example", SiteID: "64392#4220", SiteName: "BBC ONE Scot"},
		{Channel: "BBCOne.uk", Feed: "LondonPlus1", Site: "freeview.example", SiteID: "64257#4165", SiteName: "BBC ONE +1"},
		{Channel: "World.us", Site: "freeview.example", SiteID: "64257#9", SiteName: "x"},
		{Channel: "AMC.us", Site: "freeview.example", SiteID: "64258#9", SiteName: "x"},
		{Channel: "World.us", Site: "one.fr", SiteID: "1", SiteName: "Quelque Chose"}, // a mistake: nothing like it
		{Channel: "World4.us", Site: "one.mx", SiteID: "1", SiteName: "Mundo"},
		{Channel: "World4.us", Site: "two.mx", SiteID: "1", SiteName: "Mundo"},
		{Channel: "World4.us", Site: "tri.mx", SiteID: "1", SiteName: "Mundo"},
		{Channel: "World4.us", Site: "tri.mx", SiteID: "2", SiteName: "Mundo 4"},
		{Channel: "World.us", Site: "one.de", SiteID: "1", SiteName: "Weltfernsehen"},
		{Channel: "World.us", Site: "two.de", SiteID: "1", SiteName: "Weltfernsehen"},
		{Channel: "World.us", Site: "tri.de", SiteID: "1", SiteName: "Weltfernsehen HD"},
		{Channel: "World.us", Site: "for.de", SiteID: "1", SiteName: "Weltfernsehen"},
		{Channel: "AMC.us", Site: "a.example", SiteID: "1", SiteName: "World Stories"},
		{Channel: "AMC.us", Site: "b.example", SiteID: "1", SiteName: "World Stories"},
		{Channel: "Nowhere.us", Site: "a.example", SiteID: "2", SiteName: "Nowhere"},
	},
})

var listedChannels = []Listing{
	{ID: "BBCOne.uk", Names: []string{"BBC One", "BBC1"}, Country: "GB", Feed: "London"},
	{ID: "AMC.us", Names: []string{"AMC"}, Country: "US", Feed: "East"},
	{ID: "AMCLatin.us", Names: []string{"AMC Latin America"}, Country: "US", Feed: "South"},
	{ID: "World.us", Names: []string{"World Stories", "Zoom"}, Country: "US"},
	{ID: "AMCSeries.uy", Names: []string{"AMC Series"}, Country: "UY"},
	{ID: "Darts.uk", Names: []string{"Darts"}, Country: "GB"},
	{ID: "World4.us", Names: []string{"El Mundo 4"}, Country: "US"},
	{ID: "NewsA.us", Names: []string{"News Now"}, Country: "US"},
	{ID: "NewsB.us", Names: []string{"News Now"}, Country: "US"},
}

// TestFindListed matches with the feeds and the lists of sites.
func TestFindListed(t *testing.T) {
	m := New(slices.Values(listedChannels), nil, directory)
	region, other := ranks*int(sibling), ranks*int(foreign)
	for _, test := range []struct {
		id, name, country, site string
		want                    string // a channel, or the reason for which none matches
		rank                    int
	}{
		{"BBCOne.uk@LondonHD", "", "", "", "BBCOne.uk", byID},
		{"BBCOne.uk@Scotland", "", "", "", "BBCOne.uk", byID + region},
		{"BBCOne.uk@Gaelic", "", "", "", "BBCOne.uk", byID + other},
		{"BBCOne.uk@LondonPlus1", "", "", "", atOther, unmatched},
		{"AMC.us@West", "", "", "", atOther, unmatched},
		{"AMC.us@Canada", "", "", "", "AMC.us", byID + region}, // at the same time
		{"BBCOneLondon.uk", "", "", "", "BBCOne.uk", byRegion},
		{"bbconescotland.uk", "", "", "", "BBCOne.uk", byRegion + region},
		{"BBCOneLondonPlus1.uk", "", "", "", atOther, unmatched},
		{"1", "BBC One Scotland HD", "GB", "", "BBCOne.uk", byPlain + region},
		{"1", "BBC1 Scot", "GB", "", "BBCOne.uk", byName + region},
		{"1", "BBC One London", "IE", "", "BBCOne.uk", byName},
		{"1", "BBC One London +1", "GB", "", atOther, unmatched},
		{"1", "BBC One +1", "GB", "", atOther, unmatched},
		{"1", "BBC One", "FR", "", NoneSuch, unmatched},

		{"1", "AMC", "US", "", "AMC.us", byName},
		{"1", "AR - AMC HD", "", "", "AMCLatin.us", bySimilar},
		{"AMC.pe", "AMC", "", "", "AMCLatin.us", byListed},
		{"1", "AMC", "UY", "", NoneSuch, unmatched}, // only listed elsewhere, and a channel of the country has a name like it
		{"1", "AMC", "CL", "", "AMCLatin.us", byListed},
		{"1", "Darts", "GB", "", "Darts.uk", byName},
		{"1", "Darts", "IE", "", "Darts.uk", byName + region},
		{"1", "Darts", "ES", "", atOther, unmatched}, // it shows other programmes there
		{"1", "AMC", "BR", "", NoneSuch, unmatched},
		{"1", "AMC Latin America", "AR", "", "AMCLatin.us", byName},

		{"64257#4164", "7", "", "freeview.example", "BBCOne.uk", byList},
		{"4164", "7", "", "www.Freeview.example", "BBCOne.uk", byList},
		{"4220", "7", "", "freeview.example", "BBCOne.uk", byList + region},
		{"4165", "7", "", "freeview.example", atOther, unmatched},
		{"4164", "AMC", "US", "freeview.example", "AMC.us", byName}, // the number is another's now
		{"9", "7", "", "freeview.example", NoneSuch, unmatched},     // two regions have another
		{"4164", "7", "", "other.example", NoneSuch, unmatched},

		{"1", "Quelque Chose", "FR", "", NoneSuch, unmatched},
		{"1", "Mundo 4", "MX", "", "World4.us", byListed},
		{"1", "Mundo", "MX", "", NoneSuch, unmatched}, // without the number it is another
		{"1", "Weltfernsehen", "DE", "", "World.us", byListed},
		{"1", "Weltfernsehen", "", "", "World.us", byListed},
		{"1", "World Stories", "", "", ambiguous, unmatched}, // sites mean another channel by it
		{"1", "World Stories", "NZ", "", "World.us", byName}, // broadcast everywhere
		{"1", "Zoom", "NZ", "", NoneSuch, unmatched},         // which says too little
		{"1", "News Now", "US", "", ambiguous, unmatched},
		{"1", "Nowhere", "", "", NoneSuch, unmatched},
	} {
		got := m.Find(&Channel{ID: test.id, Names: []string{test.name}, Country: test.country, Site: test.site})
		if got.Channel+got.Reason != test.want || got.Rank != test.rank {
			t.Errorf("Find(%q, %q, %q, %q) = %+v, want %q, rank %d", test.id, test.name, test.country, test.site, got, test.want, test.rank)
		}
	}
	if without := New(slices.Values(listedChannels), nil, nil); without.Sum() == m.Sum() {
		t.Error("matchers with and without a directory have one sum")
	}
}

func TestNearest(t *testing.T) {
	m := New(slices.Values(listings), nil, nil)
	for _, test := range []struct{ id, name, country, want string }{
		{"1", "Planta Azul", "BR", "Planeta.br"},
		{"1", "BR - TV Sao Paolo HD", "", "TVSãoPaulo.br"},
		{"1", "News Now HD", "BR", "NewsC.br"},
		{"1", "Film4 Extra", "GB", "Film4.uk"},
		{"1", "Film4+24", "GB", "Film4.uk"},
		{"GlobNews.br", "7", "", "GloboNews.br"},
		{"1", "Wholly Otherwise", "BR", ""},
		{"1", "Planeta Xyzzyq Wkjhgf", "BR", ""}, // a word in common is not enough
		{"1", "", "", ""},
	} {
		if got, name := m.Nearest(&Channel{ID: test.id, Names: []string{test.name}, Country: test.country}); got != test.want || (name == "") != (got == "") {
			t.Errorf("%q: %q, %q, want %q", test.name, got, name, test.want)
		}
	}
}
