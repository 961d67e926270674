package build

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
)

func TestSurvivor(t *testing.T) {
	const s = "https://s.example/x"
	silent := listed(1, "Nova", "FR", s, "", 50)
	silent.LastCheckOK = false
	full := listed(2, "Nova", "FR", s, "", 5)
	full.Tags, full.LanguageCodes, full.Favicon = []string{"pop"}, []string{"fr"}, "https://l.example/x.png"
	for _, test := range []struct {
		name string
		rows []source.Station
		want string
	}{
		{"most votes", []source.Station{listed(1, "Nova", "FR", s, "", 5), listed(2, "Nova", "FR", s, "", 500)}, "2 1"},
		{"one that plays", []source.Station{silent, listed(2, "Nova", "FR", s, "", 5)}, "2 1"},
		{"the name of most voters", []source.Station{
			listed(1, "Nova: la radio de toutes les musiques", "FR", s, "", 40), listed(2, "Nova", "FR", s, "", 35), listed(3, "Nova", "FR", s, "", 30),
		}, "2 1 3"},
		{"the name of its stream", []source.Station{listed(1, "Rixx Nova", "FR", "https://nova.example/x", "", 5), listed(2, "Nova", "FR", "https://nova.example/x", "", 5)}, "1 2"},
		{"a site of its name", []source.Station{listed(1, "Mera FM", "FR", s, "https://tunes.example/", 5), listed(2, "Mera FM", "FR", s, "https://mera.example/", 5)}, "2 1"},
		{"the most complete", []source.Station{listed(1, "Nova", "FR", s, "", 5), full}, "2 1"},
		{"the first by id", []source.Station{listed(2, "Nova", "FR", s, "", 5), listed(1, "Nova", "FR", s, "", 5)}, "1 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := foldedIDs(merge(test.rows)); got != test.want {
				t.Errorf("stations %q, want %q", got, test.want)
			}
		})
	}
}

// TestSurvivorStays follows the id of a station through reloads.
func TestSurvivorStays(t *testing.T) {
	const s = "https://s.example/x"
	load := func(prev *catalog.Register, rows ...source.Station) *catalog.Register {
		reg, _ := Register(&source.Dataset{Stations: rows}, prev, now)
		return reg
	}
	first, second := "rb."+uuid(1), "rb."+uuid(2)
	a := load(nil, listed(1, "Nova", "FR", s, "", 50), listed(2, "Nova", "FR", s, "", 40))
	b := load(a, listed(1, "Nova", "FR", s, "", 50), listed(2, "Nova", "FR", s, "", 60))
	if b.Records[0].ID != first || b.ChannelAliases[second] != first {
		t.Errorf("after a few votes %s is shown and the aliases are %v, want %s as before", b.Records[0].ID, b.ChannelAliases, first)
	}
	silent := listed(1, "Nova", "FR", s, "", 50)
	silent.LastCheckOK = false
	c := load(b, silent, listed(2, "Nova", "FR", s, "", 60))
	if c.Records[0].ID != second || c.ChannelAliases[first] != second {
		t.Errorf("when %s does not play, %s is shown and the aliases are %v", first, c.Records[0].ID, c.ChannelAliases)
	}
	if d := cmp.Diff(streamsOf(b, first), streamsOf(c, second)); d != "" {
		t.Errorf("the ids of the streams changed with the survivor (-before +after):\n%s", d)
	}
	d := load(c, listed(1, "Mera", "FR", s, "", 50), listed(2, "Nova", "FR", s, "", 60))
	if to, ok := d.ChannelAliases[first]; ok || len(d.Records) != 2 {
		t.Errorf("%s under a name of its own leads to %q, want a station again", first, to)
	}
	e := load(c, listed(2, "Nova", "FR", s, "", 60))
	if e.ChannelAliases[first] != second {
		t.Errorf("%s, which the source dropped, leads to %q, want %s", first, e.ChannelAliases[first], second)
	}
}

// TestRefolded checks that an entry which is now of another station leads there,
// though the earlier one is still shown.
func TestRefolded(t *testing.T) {
	const s, other = "https://s.example/x", "https://t.example/y"
	load := func(prev *catalog.Register, rows ...source.Station) *catalog.Register {
		reg, _ := Register(&source.Dataset{Stations: rows}, prev, now)
		return reg
	}
	rows := []source.Station{listed(1, "Nova", "FR", s, "", 50), listed(2, "Nova", "FR", s, "", 5), listed(3, "Mera", "FR", other, "", 50)}
	before := load(nil, rows...)
	rows[1] = listed(2, "Mera", "FR", other, "", 5)
	after := load(before, rows...)
	id := "rb." + uuid(2)
	if from, to := before.ChannelAliases[id], after.ChannelAliases[id]; from != "rb."+uuid(1) || to != "rb."+uuid(3) {
		t.Errorf("%s leads to %s and then to %s, want %s and %s", id, from, to, "rb."+uuid(1), "rb."+uuid(3))
	}
}

// TestUnite checks what the survivor takes over.
func TestUnite(t *testing.T) {
	lat, lon, far := 48.8, 2.3, 10.0
	best := listed(1, "Nova", "FR", "https://s.example/nova", "", 100)
	best.Tags, best.LanguageCodes = []string{"pop"}, []string{"fr"}
	second := listed(2, "NOVA 101.5", "FR", "http://s.example/nova", "https://nova.example/", 50)
	second.Tags, second.LanguageCodes, second.Clicks, second.Favicon = []string{"pop", "Rock"}, []string{"en", "fr"}, 7, "https://l.example/2.png"
	second.Latitude, second.Longitude, second.Subdivision = &lat, &lon, "FR-IDF"
	silent := listed(3, "nova 101,5", "FR", "https://S.example:443/nova", "https://other.example/", 10)
	silent.Latitude, silent.Longitude, silent.Subdivision, silent.LastCheckOK = &far, &far, "FR-ARA", false
	third := listed(4, "Nova Paris", "", "https://s.example/nova?ref=a", "", 20)
	third.LastCheckOK = false
	playing := listed(5, "Nova Paris", "FR", "https://s.example/nova?ref=a", "", 1) // the stream that does not play for third
	fourth := listed(6, "Nova", "FR", "https://s.example/nova?ref=b", "", 60)
	fourth.LastCheckOK = false
	records, merged := merge([]source.Station{best, second, silent, third, playing, fourth})
	if got, want := foldedIDs(records, merged), "1 2 3 4 5 6"; got != want {
		t.Fatalf("stations %q, want %q", got, want)
	}
	stream := func(url string, playable bool) catalog.StreamRecord {
		return catalog.StreamRecord{URL: url, Kind: "audio", Origin: "radio-browser", Playable: playable}
	}
	want := catalog.Record{
		ID: "rb." + uuid(1), Kind: catalog.Station, Name: "Nova", Country: "FR", AltNames: []string{"NOVA 101.5", "Nova Paris"},
		Languages: []string{"fra", "eng"}, Website: "https://nova.example/", LogoSource: "https://l.example/2.png", Subdivision: "FR-IDF", Origin: "radio-browser",
		Radio: &catalog.Radio{Tags: []string{"pop", "rock"}, Votes: 100, Clicks: 7, Geo: &catalog.Geo{Lat: lat, Lon: lon}},
		Streams: []catalog.StreamRecord{
			stream("https://s.example/nova", true), stream("http://s.example/nova", true), stream("https://s.example/nova?ref=a", true),
			stream("https://s.example/nova?ref=b", false),
		},
	}
	if d := cmp.Diff(want, records[0]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestUsualName checks that a station has the name that most people use, though
// its survivor has another.
func TestUsualName(t *testing.T) {
	rows := []source.Station{
		listed(1, "Exa FM: ponte exa", "MX", "https://s.example/xhps", "https://exafm.example.mx/", 50), listed(9, "Exa FM", "MX", "https://t.example/other", "https://exafm.example.mx/", 1),
	}
	for i, c := range []string{"CU", "AD", "AO", "AF", "DZ"} {
		rows = append(rows, listed(i+2, "Exa FM", c, "https://s.example/xhps", "https://exafm.example.mx/", 100-i))
	}
	records, merged := merge(rows)
	if got, want := foldedIDs(records, merged), "1 2 3 4 5 6; 9"; got != want {
		t.Fatalf("stations %q, want %q", got, want)
	}
	for i := range records {
		if r := &records[i]; r.ID == "rb."+uuid(1) && (r.Name != "Exa FM" || r.Country != "MX" || !slices.Equal(r.AltNames, []string{"Exa FM: ponte exa"})) {
			t.Errorf("%s is %q of %s, also %q", r.ID, r.Name, r.Country, r.AltNames)
		}
	}
}

// TestUniteWorldwide checks that a place counts only in the survivor's country.
func TestUniteWorldwide(t *testing.T) {
	lat, lon := 36.7, 3.0
	var rows []source.Station
	for i, c := range []string{"MX", "CU", "AD", "AO", "AF", "DZ"} {
		row := listed(i+1, "Exa FM", c, "https://s.example.mx/xhps", "", 100-i)
		if c == "DZ" {
			row.Latitude, row.Longitude, row.Subdivision, row.Tags = &lat, &lon, "DZ-16", []string{"pop"}
		}
		rows = append(rows, row)
	}
	records, _ := merge(rows)
	if len(records) != 1 || records[0].Country != "MX" || records[0].Radio.Geo != nil || records[0].Subdivision != "" || len(records[0].Radio.Tags) != 1 {
		t.Errorf("stations %+v, want one of MX without a place in Algeria", records)
	}
}

// TestBounds checks that a station that is listed a thousand times keeps within
// bounds, and that what has the most votes is kept.
func TestBounds(t *testing.T) {
	var rows []source.Station
	for i := range 1000 {
		row := listed(i+1, fmt.Sprintf("Nova Paris %c%c%c", 'a'+i/100, 'a'+i/10%10, 'a'+i%10), "FR", "https://s.example/nova", "", 5000-i)
		row.Tags = []string{fmt.Sprintf("tag %d", i)}
		rows = append(rows, row)
	}
	rows[0].Name = "Nova Paris"
	records, _ := merge(rows)
	if len(records) != 1 {
		t.Fatalf("%d stations, want 1", len(records))
	}
	r := &records[0]
	if len(r.AltNames) != maxAltNames || len(r.Radio.Tags) != maxTags || r.AltNames[0] != rows[1].Name {
		t.Errorf("%d names from %q on, and %d tags, want %d from %q on, and %d", len(r.AltNames), r.AltNames[0], len(r.Radio.Tags), maxAltNames, rows[1].Name, maxTags)
	}
}

// TestAddressForName checks that an entry whose name is an address, which says
// nothing about the station, neither makes two stations one nor names one,
// however many votes it has.
func TestAddressForName(t *testing.T) {
	const s = "https://s.example/x"
	records, merged := merge([]source.Station{
		listed(1, "Listen at http://spam.example", "FR", s, "", 90_000), listed(2, "MC Doualiya", "FR", s, "", 20),
		listed(3, "Kuwait 2nd programme", "FR", s, "", 10), listed(4, "https://s.example/x", "FR", s, "", 5),
	})
	if got, want := foldedIDs(records, merged), "1 2 4; 3"; got != want {
		t.Errorf("stations %q, want %q", got, want)
	}
	var names []string
	for i := range records {
		names = append(names, records[i].Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"Kuwait 2nd programme", "MC Doualiya"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	alone, _ := merge([]source.Station{listed(1, "http://s.example/x", "FR", s, "", 2), listed(2, "https://s.example/x", "FR", s, "", 1)})
	if len(alone) != 1 || alone[0].Name != "http://s.example/x" {
		t.Errorf("entries that only have addresses for names are %+v, want one station", alone)
	}
}
