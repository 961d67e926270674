package lasting

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
)

// channel returns a TV channel of Brazil with a stream at each path.
func channel(id, name string, paths ...string) catalog.Record {
	r := catalog.Record{ID: id, Name: name, Country: "BR"}
	for _, p := range paths {
		r.Streams = append(r.Streams, catalog.StreamRecord{URL: "https://x.example/" + p, Origin: "iptv-org"})
	}
	return r
}

func with(r catalog.Record, change func(*catalog.Record)) catalog.Record {
	change(&r)
	return r
}

func station(r catalog.Record) catalog.Record {
	r.Kind = catalog.Station
	return r
}

func site(address string) func(*catalog.Record) {
	return func(r *catalog.Record) { r.Website = address }
}

func country(code string) func(*catalog.Record) {
	return func(r *catalog.Record) { r.Country = code }
}

func alt(names ...string) func(*catalog.Record) {
	return func(r *catalog.Record) { r.AltNames = names }
}

// TestMatch checks which record a vanished channel leads to. The earlier register
// has old and the records of stayed; the new one has those of stayed and of came.
func TestMatch(t *testing.T) {
	type records = []catalog.Record
	for _, test := range []struct {
		name         string
		old          catalog.Record
		stayed, came records
		want         string
	}{
		{"nothing is alike", channel("A.br", "Azul", "1"), records{channel("B.br", "Verde", "2")}, records{channel("C.br", "Roxo", "3")}, ""},
		{"a new channel with its stream", channel("A.br", "Azul", "1", "2"), nil, records{channel("B.br", "Verde", "2")}, "B.br"},
		{"a new channel of another country with its stream", channel("A.br", "Azul", "1"), nil, records{with(channel("B.pt", "Verde", "1"), country("PT"))}, ""},
		{"a renamed country", channel("A.br", "Azul", "1"), nil, records{with(channel("A.pt", "Azul", "1"), country("PT"))}, "A.pt"},
		{"http became https", channel("A.br", "Azul", "1"), nil, records{with(channel("B.br", "Verde", "1"), func(r *catalog.Record) { r.Streams[0].URL = "http://X.example/1" })}, "B.br"},
		{"its stream is of a channel that was there", channel("A.br", "Azul", "1"), records{channel("B.br", "Verde", "1")}, nil, ""},
		{"its stream and name are of a channel that was there", channel("A.br", "Azul HD", "1"), records{channel("B.br", "AZUL", "1")}, nil, "B.br"},
		{"two new channels have its stream", channel("A.br", "Azul", "1"), nil, records{channel("B.br", "Verde", "1"), channel("C.br", "Roxo", "1")}, ""},
		{"two new channels have its stream, one its name", channel("A.br", "Azul", "1"), nil, records{channel("B.br", "Verde", "1"), channel("C.br", "Ázul", "1")}, "C.br"},
		{"a new channel with its name", channel("A.br", "Azul"), nil, records{channel("B.br", "azul")}, "B.br"},
		{"a new channel with its name and another site", with(channel("A.br", "Azul"), site("https://a.example/")), nil, records{with(channel("B.br", "Azul"), site("https://b.example/"))}, ""},
		{"a new channel abroad with its name", channel("A.br", "Azul"), nil, records{with(channel("B.pt", "Azul"), country("PT"))}, ""},
		{"two new channels with its name", channel("A.br", "Azul"), nil, records{channel("B.br", "Azul"), channel("C.br", "Azul")}, ""},
		{"a channel with its name that was there", channel("A.br", "Azul"), records{channel("B.br", "Azul")}, nil, ""},
		{"such a channel with its site", with(channel("A.br", "Azul"), site("http://www.azul.example")), records{with(channel("B.br", "Azul"), site("https://azul.example/"))}, nil, "B.br"},
		{"its name became an alternative name", channel("A.br", "Azul"), nil, records{with(channel("B.br", "Verde"), alt("Azul", "Velho"))}, "B.br"},
		{"its alternative name became a name", with(channel("A.br", "Azul"), alt("Verde")), nil, records{channel("B.br", "Verde")}, ""},
		{"its plus is another channel", channel("A.br", "Azul+"), nil, records{channel("B.br", "Azul")}, ""},
		{"its id in another case", channel("AzulTV.br", "Azul"), nil, records{channel("azultv.br", "Verde")}, "azultv.br"},
		{"no name", channel("A.br", "?!"), nil, records{channel("B.br", "?!")}, ""},
		{"a station instead", channel("A.br", "Azul", "1"), nil, records{station(channel("B", "Azul", "1"))}, ""},
		{"a replacement", with(channel("A.br", "Azul"), func(r *catalog.Record) { r.ReplacedBy = "B.br" }), records{channel("B.br", "Verde")}, nil, "B.br"},
		{"a replacement that is not shown", with(channel("A.br", "Azul"), func(r *catalog.Record) { r.ReplacedBy = "b.BR" }), records{channel("B.br", "Verde")}, nil, ""},

		{"a station of another brand with its stream", station(channel("A", "Azul", "1")), records{station(channel("B", "Verde", "1"))}, nil, ""},
		{
			"a station of another brand with its stream and an address for a name", station(channel("A", "Azul", "1")),
			records{station(with(channel("B", "Verde", "1"), alt("http://spam.example")))}, nil, "",
		},
		{"a station of its brand with its stream", station(channel("A", "Rádio Azul", "1")), records{station(with(channel("B", "Azul 98.5 FM", "1;stream.mp3"), country("PT")))}, nil, "B"},
		{
			"a station with its stream, once of its brand", station(channel("A", "Rádio Azul", "1")),
			records{station(with(channel("B", "Verde", "1"), alt("Azul FM"))), station(channel("C", "Roxo", "1"))}, nil, "B",
		},
		{"a station with its name", station(channel("A", "Azul", "1")), nil, records{station(channel("B", "Azul", "2"))}, ""},
		{"a station with its name and another page of its site", station(with(channel("A", "Azul", "1"), site("https://azul.example"))), nil, records{station(with(channel("B", "Azul", "2"), site("https://azul.example/b")))}, "B"},
		{"a station with its name and site", station(with(channel("A", "Azul", "1"), site("https://azul.example/a"))), nil, records{station(with(channel("B", "Azul", "2"), site("https://www.azul.example/b")))}, "B"},
	} {
		prev := &catalog.Register{Records: append(records{test.old}, test.stayed...)}
		aliases := Channels(append(test.stayed, test.came...), nil, prev, nil)
		if got := aliases[test.old.ID]; got != test.want {
			t.Errorf("%s: %s leads to %q, want %q", test.name, test.old.ID, got, test.want)
		}
	}
}

// TestListedIsNoRename checks that a channel that its source lists without
// letting us show it does not lead to another by itself.
func TestListedIsNoRename(t *testing.T) {
	prev := &catalog.Register{Records: []catalog.Record{channel("A.br", "Azul", "1")}}
	came := []catalog.Record{channel("B.br", "Azul", "1")}
	if got := Channels(came, nil, prev, map[string]bool{"A.br": true}); len(got) > 0 {
		t.Errorf("aliases = %v, want none", got)
	}
	merged := map[string]string{"A.br": "B.br"}
	if d := cmp.Diff(merged, Channels(came, merged, prev, map[string]bool{"A.br": true})); d != "" {
		t.Errorf("aliases of what the source says (-want +got):\n%s", d)
	}
}

// TestReused checks that an id that another channel takes leads nowhere else any
// more, and that aliases that form a ring in an earlier register do no harm.
func TestReused(t *testing.T) {
	prev := &catalog.Register{
		Records:        []catalog.Record{channel("B.br", "Azul", "1")},
		ChannelAliases: map[string]string{"A.br": "B.br", "X.br": "Y.br", "Y.br": "X.br"},
	}
	got := Channels([]catalog.Record{channel("B.br", "Azul", "1"), channel("A.br", "Outro", "2")}, nil, prev, nil)
	if len(got) > 0 {
		t.Errorf("aliases = %v, want none", got)
	}
}

// TestManyAlike checks that a name that very many channels have says nothing.
func TestManyAlike(t *testing.T) {
	old := with(channel("A.br", "TV", "1"), site("https://tv.example/"))
	for count, want := range map[int]string{2: "B0.br", maxSharing + 1: ""} {
		var came []catalog.Record
		for i := range count {
			came = append(came, channel(fmt.Sprintf("B%d.br", i), "TV"))
		}
		came[0].Website = old.Website
		got := Channels(came, nil, &catalog.Register{Records: []catalog.Record{old}}, nil)
		if got["A.br"] != want {
			t.Errorf("%d channels of one name: it leads to %q, want %q", count, got["A.br"], want)
		}
	}
}

// TestMovedStreams checks which ids streams keep that move within a channel.
func TestMovedStreams(t *testing.T) {
	stream := func(id catalog.StreamID, feed, path string) catalog.StreamRecord {
		return catalog.StreamRecord{ID: id, Feed: feed, Origin: "iptv-org", URL: "https://x.example/" + path}
	}
	for _, test := range []struct {
		name        string
		before, now []catalog.StreamRecord
		want        []catalog.StreamID // by position in now; 0 for a new id
	}{
		{"to another feed", []catalog.StreamRecord{stream(1, "SD", "a")}, []catalog.StreamRecord{stream(0, "HD", "a")}, []catalog.StreamID{1}},
		{
			"two feeds change places", []catalog.StreamRecord{stream(1, "SD", "a"), stream(2, "HD", "b")},
			[]catalog.StreamRecord{stream(0, "SD", "b"), stream(0, "HD", "a")}, []catalog.StreamID{2, 1},
		},
		{
			"a move before a replacement", []catalog.StreamRecord{stream(1, "SD", "a")},
			[]catalog.StreamRecord{stream(0, "SD", "new"), stream(0, "HD", "a")}, []catalog.StreamID{0, 1},
		},
		{
			"it stays and is copied", []catalog.StreamRecord{stream(1, "SD", "a")},
			[]catalog.StreamRecord{stream(0, "HD", "a"), stream(0, "SD", "a")}, []catalog.StreamID{0, 1},
		},
		{
			"a copy is dropped", []catalog.StreamRecord{stream(1, "SD", "a"), stream(2, "HD", "a")},
			[]catalog.StreamRecord{stream(0, "HD", "a")}, []catalog.StreamID{2},
		},
	} {
		records := []catalog.Record{{ID: "A.br", Streams: test.now}}
		Streams(records, &catalog.Register{Records: []catalog.Record{{ID: "A.br", Streams: test.before}}}, nil)
		for i, want := range test.want {
			got := test.now[i].ID
			if want != 0 && got != want || want == 0 && got < 100 {
				t.Errorf("%s: the id of stream %d is %v, want %v", test.name, i, got, want)
			}
		}
	}
}
