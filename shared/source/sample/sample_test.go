package sample_test

import (
	"strings"
	"testing"
	"unicode"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/source/sample"
)

func load(t *testing.T) *source.Dataset {
	t.Helper()
	place := collect.Place{Folder: sample.Folder(), Name: "sample"}
	d, err := collect.Load(t.Context(), collect.Plan{IPTVOrg: place, Radio: place}, collect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFiles(t *testing.T) {
	for _, f := range load(t).Files {
		if f.Problem != "" || f.Skipped > 0 || f.SHA256 == "" {
			t.Errorf("%+v", f)
		}
	}
}

// TestScope checks that the sample is as wide as it says.
func TestScope(t *testing.T) {
	d := load(t)
	countries := map[string]bool{}
	for _, c := range d.Channels {
		countries[c.Country] = true
	}
	for _, s := range d.Stations {
		countries[s.CountryCode] = true
	}
	if len(d.Channels) < 60 || len(d.Stations) < 40 || len(countries) < 25 || len(d.Categories) != 30 {
		t.Errorf("%d channels, %d stations, %d countries, %d categories", len(d.Channels), len(d.Stations), len(countries), len(d.Categories))
	}
	for name, script := range map[string]*unicode.RangeTable{
		"Arabic": unicode.Arabic, "Cyrillic": unicode.Cyrillic, "Han": unicode.Han, "Greek": unicode.Greek, "Thai": unicode.Thai,
		"Hebrew": unicode.Hebrew, "Georgian": unicode.Georgian, "Hangul": unicode.Hangul, "Katakana": unicode.Katakana, "Devanagari": unicode.Devanagari,
	} {
		if !strings.ContainsFunc(allNames(d), func(r rune) bool { return unicode.Is(script, r) }) {
			t.Errorf("no name in %s", name)
		}
	}
}

func allNames(d *source.Dataset) string {
	var b strings.Builder
	for _, c := range d.Channels {
		b.WriteString(c.Name + strings.Join(c.AltNames, " "))
	}
	for _, s := range d.Stations {
		b.WriteString(s.Name)
	}
	return b.String()
}

// TestReferences checks that all that the records refer to is in the sample.
func TestReferences(t *testing.T) {
	d := load(t)
	known := references(t, d)
	need := func(from, kind string, ids ...string) {
		t.Helper()
		for _, id := range ids {
			if id != "" && !known[kind+" "+id] {
				t.Errorf("%s refers to the %s %q", from, kind, id)
			}
		}
	}
	for _, c := range d.Channels {
		need(c.ID, "country", c.Country)
		need(c.ID, "category", c.Categories...)
		need(c.ID, "main feed", c.ID)
	}
	for _, f := range d.Feeds {
		need(f.Channel, "channel", f.Channel)
		need(f.Channel, "area", f.BroadcastArea...)
		need(f.Channel, "timezone", f.Timezones...)
		need(f.Channel, "language", f.Languages...)
	}
	for _, s := range d.Streams {
		need(s.URL, "feed", s.Channel+"@"+s.Feed)
	}
	for _, s := range d.Stations {
		need(s.Name, "country", strings.Replace(s.CountryCode, "GB", "UK", 1))
	}
	for _, c := range d.Countries {
		need(c.Code, "language", c.Languages...)
	}
	for _, c := range d.Cities {
		need(c.Code, "area", "s/"+c.Subdivision)
	}
}

// references returns the ids of the sample by kind, each once.
func references(t *testing.T, d *source.Dataset) map[string]bool {
	known := map[string]bool{}
	add := func(kind, id string) {
		if known[kind+" "+id] {
			t.Errorf("%s %s is there twice", kind, id)
		}
		known[kind+" "+id] = true
	}
	for _, c := range d.Channels {
		add("channel", c.ID)
	}
	for _, f := range d.Feeds {
		add("feed", f.Channel+"@"+f.ID)
		if f.Main {
			add("main feed", f.Channel)
		}
	}
	for _, c := range d.Categories {
		add("category", c.ID)
	}
	for _, l := range d.Languages {
		add("language", l.Code)
	}
	for _, c := range d.Countries {
		add("country", c.Code)
		add("area", "c/"+c.Code)
	}
	for _, s := range d.Subdivisions {
		add("area", "s/"+s.Code)
	}
	for _, c := range d.Cities {
		add("area", "ct/"+c.Code)
	}
	for _, r := range d.Regions {
		add("area", "r/"+r.Code)
	}
	for _, z := range d.Timezones {
		add("timezone", z.ID)
	}
	for _, s := range d.Stations {
		add("station", s.UUID)
	}
	return known
}

// TestAddresses checks that every address is one that the service would ask,
// in secret from those on the way, and that none is there twice.
func TestAddresses(t *testing.T) {
	d := load(t)
	seen := map[string]bool{}
	check := func(address string) {
		t.Helper()
		if _, err := origin.Check(address); err != nil || !strings.HasPrefix(address, "https://") || seen[address] {
			t.Errorf("%s: %v, seen before: %v", address, err, seen[address])
		}
		seen[address] = true
	}
	for _, s := range d.Streams {
		check(s.URL)
	}
	for _, s := range d.Stations {
		check(s.URL)
	}
}
