package feed

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// numbered returns the sample with numbers: of entries from 1, and two groups.
func numbered() *List {
	l := sample()
	for i := range l.Entries {
		l.Entries[i].Number, l.Entries[i].GroupNumber = i+1, 100+i/8
	}
	return l
}

func decodeStreams(t *testing.T, data []byte) (list []LiveStream) {
	t.Helper()
	if err := json.Unmarshal(data, &list); err != nil || list == nil {
		t.Fatalf("%s: %v", data, err)
	}
	return list
}

// TestLineup checks that every name comes through, and that the parts of a document are
// those of their categories.
func TestLineup(t *testing.T) {
	l := numbered()
	u := l.Lineup()
	all := decodeStreams(t, u.Streams(0))
	if len(all) != len(names) {
		t.Fatalf("%d streams", len(all))
	}
	for i, s := range all {
		want := line(names[i])
		if want == "" {
			want = l.Entries[i].Channel
		}
		if s.Name != want || s.Num != i+1 || s.GuideID != l.Entries[i].guideID() {
			t.Errorf("%q is %+v", names[i], s)
		}
		if found, ok := u.Stream(s.ID); !ok || found.Channel != l.Entries[i].Channel || found.GuideID != s.GuideID || found.URL != l.Entries[i].URL {
			t.Errorf("the stream %d is %+v, %v", s.ID, found, ok)
		}
	}
	var parts []LiveStream
	for _, c := range u.Categories() {
		var number int
		if err := json.Unmarshal([]byte(c.ID), &number); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, decodeStreams(t, u.Streams(number))...)
	}
	if d := cmp.Diff(all, parts); d != "" {
		t.Error(d)
	}
	if none := decodeStreams(t, u.Streams(7)); len(none) > 0 {
		t.Errorf("a category that is not there has %v", none)
	}
	if _, ok := u.Stream(0); ok {
		t.Error("there is a stream 0")
	}
	if again := l.Lineup(); string(again.Streams(0)) != string(u.Streams(0)) || u.File().Tag != again.File().Tag {
		t.Error("the same list has another document")
	}
}

// TestLineupLeavesOut checks which entries a lineup leaves out: those without a number, those
// with the number of another entry, and those that M3U leaves out.
func TestLineupLeavesOut(t *testing.T) {
	l := numbered()
	l.Entries = l.Entries[:5]
	l.Entries[1].Number, l.Entries[2].Number, l.Entries[3].URL, l.Entries[4].Kind = 0, 1, "", "youtube"
	if got := decodeStreams(t, l.Lineup().Streams(0)); len(got) != 1 || got[0].ID != 1 {
		t.Errorf("%+v", got)
	}
	empty := (&List{}).Lineup()
	if got := string(empty.Streams(0)) + string(empty.Streams(1)); got != "[][]" || empty.Categories() == nil || len(empty.Categories()) > 0 {
		t.Errorf("an empty list has %s and %v", got, empty.Categories())
	}
}

// TestLineupListings writes hostile programmes: those that guides leave out are left out
// here too.
func TestLineupListings(t *testing.T) {
	s := Lined{Number: 12, Channel: "Channel4.br", GuideID: "Channel4.br@SD"}
	var want []string
	for p := range hostile(s.Channel) {
		if line(p.Title) != "" && p.Start.Before(p.Stop) {
			want = append(want, line(p.Title))
		}
	}
	var got []string
	for _, p := range s.Listings(hostile(s.Channel), noon, 1000).Listings {
		title, err := base64.StdEncoding.DecodeString(p.Title)
		if err != nil || p.Stream != "12" || p.Channel != s.GuideID || strings.ContainsAny(string(title), "\r\n\x00") {
			t.Errorf("%+v: %v", p, err)
		}
		got = append(got, string(title))
	}
	if d := cmp.Diff(want, got); d != "" || len(want) == 0 {
		t.Error(d)
	}
	three := slices.Values([]Programme{
		{Start: noon.Add(-time.Hour), Stop: noon, Title: "Before"},
		{Start: noon, Stop: noon.Add(time.Hour), Title: "On", Desc: "Long\nago"},
		{Start: noon.Add(time.Hour), Stop: noon.Add(2 * time.Hour), Title: "Then"},
	})
	short := s.Listings(three, noon, 2).Listings
	if len(short) != 2 || short[0].Now != 0 || short[1].Now != 1 {
		t.Fatalf("%+v", short)
	}
	on := Listing{
		ID: "1795348800", GuideID: "12", Title: "T24=", Start: "2026-11-22 12:00:00", End: "2026-11-22 13:00:00", Description: "TG9uZyBhZ28=",
		Channel: "Channel4.br@SD", StartUnix: "1795348800", StopUnix: "1795352400", Stream: "12", Now: 1,
	}
	if d := cmp.Diff(on, short[1]); d != "" {
		t.Error(d)
	}
	if none := s.Listings(three, noon, 0); none.Listings == nil || len(none.Listings) > 0 {
		t.Errorf("%+v", none)
	}
}

// TestPlayerServer divides the address of the server as players put it together again.
func TestPlayerServer(t *testing.T) {
	for base, want := range map[string]PlayerServer{
		"https://mira.example":      {Host: "mira.example", Port: "443", HTTPSPort: "443", Protocol: "https"},
		"https://mira.example:8443": {Host: "mira.example", Port: "8443", HTTPSPort: "8443", Protocol: "https"},
		"http://127.0.0.1:8787":     {Host: "127.0.0.1", Port: "8787", Protocol: "http"},
		"http://[::1]":              {Host: "::1", Port: "80", Protocol: "http"},
		"http://a b":                {Protocol: "https"},
	} {
		want.Zone, want.Unix, want.Now, want.Process = "UTC", noon.Unix(), "2026-11-22 12:00:00", true
		if d := cmp.Diff(want, PlayerAccountOf("k3m7q2x5", "x", base, noon).Server); d != "" {
			t.Errorf("%s: %s", base, d)
		}
	}
}
