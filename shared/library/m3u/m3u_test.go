package m3u

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var cases = []struct {
	name, list string
	want       []Entry
}{
	{"all attributes",
		"#EXTM3U x-tvg-url=\"https://a.example/g.xml\"\n" +
			`#EXTINF:-1 tvg-id="Aurora.br@Rio" tvg-name="A" tvg-logo="https://a.example/l.png" tvg-country="BR;PT" group-title="News;Public" radio="TRUE",Aurora, o canal` + "\n" +
			"#EXTVLCOPT:http-user-agent=Mozilla\nhttps://a.example/live.m3u8\n",
		[]Entry{{4, "Aurora, o canal", "Aurora.br@Rio", "", "News", "BR", "https://a.example/live.m3u8", true}}},
	{"byte order mark, CRLF, blanks around",
		"\ufeff#EXTM3U\r\n  #EXTINF:-1,Name  \r\n\t https://a.example/1\r\n",
		[]Entry{{Line: 3, Name: "Name", URL: "https://a.example/1"}}},
	{"a comma in a value", `#EXTINF:-1 tvg-logo="https://a.example/w,256/l.png" tvg-id="x",Name` + "\nhttps://a.example/1",
		[]Entry{{Line: 2, Name: "Name", ID: "x", URL: "https://a.example/1"}}},
	{"a quotation mark in a value", `#EXTINF:-1 tvg-name="Say "hi" now" tvg-id="x",Say "hi"` + "\nhttps://a.example/1",
		[]Entry{{Line: 2, Name: `Say "hi"`, ID: "x", URL: "https://a.example/1"}}},
	{"a quotation mark that never ends", `#EXTINF:-1 tvg-id="x tvg-name="y,Name` + "\nhttps://a.example/1",
		[]Entry{{Line: 2, Name: "Name", URL: "https://a.example/1"}}},
	{"single quotes, none, underscores, capitals", "#extinf:0 TVG_ID='x' group-title=News Radio=1,Name\nhttps://a.example/1",
		[]Entry{{Line: 2, Name: "Name", ID: "x", Group: "News", URL: "https://a.example/1", Radio: true}}},
	{"a name in an attribute alone", "#EXTINF:-1 tvg-name=\"Name\",\nhttps://a.example/1",
		[]Entry{{Line: 2, Name: "Name", URL: "https://a.example/1"}}},
	{"an equals sign in the title", "#EXTINF:-1,=>(TV)<= a=\"b\"\nhttps://a.example/1",
		[]Entry{{Line: 2, Name: `=>(TV)<= a="b"`, URL: "https://a.example/1"}}},
	{"a space before the duration", "#EXTINF: -1, name,with comma\nmovie.m3u8",
		[]Entry{{Line: 2, Name: "name,with comma", URL: "movie.m3u8"}}},
	{"a group line, which an attribute beats", "#EXTGRP:A\n#EXTINF:-1,1\nu://1\n#EXTINF:-1 group-title=\"B\",2\n#EXTGRP:C\nu://2\n#EXTINF:-1,3\nu://3",
		[]Entry{{Line: 3, Name: "1", Group: "A", URL: "u://1"}, {Line: 6, Name: "2", Group: "B", URL: "u://2"}, {Line: 8, Name: "3", URL: "u://3"}}},
	{"radio-browser", "#EXTM3U\n#RADIOBROWSERUUID:960E57C5-0000-4000-8000-000000000001\n#EXTINF:1,Radio\nhttps://a.example/1",
		[]Entry{{Line: 4, Name: "Radio", UUID: "960e57c5-0000-4000-8000-000000000001", URL: "https://a.example/1"}}},
	{"headers behind an address", "#EXTINF:-1 tvg-type=\"radio\",Name\nhttps://a.example/1|User-Agent=x&Referer=y",
		[]Entry{{Line: 2, Name: "Name", URL: "https://a.example/1", Radio: true}}},
	{"an entry without an address", "#EXTINF:-1 tvg-id=\"a\" group-title=\"A\",A\n#EXTINF:-1,B\nhttps://a.example/b\n#EXTINF:-1,C",
		[]Entry{{Line: 3, Name: "B", URL: "https://a.example/b"}}},
	{"addresses alone", "https://a.example/1\n\n# a word\n=====\nhttps://a.example/2",
		[]Entry{{Line: 1, URL: "https://a.example/1"}, {Line: 5, URL: "https://a.example/2"}}},
	{"bytes that are no text", "#EXTINF:-1,Caf\xe9\x00\x1b\nhttps://a.example/\x7f1\x85",
		[]Entry{{Line: 2, Name: "Caf\ufffd", URL: "https://a.example/ 1\ufffd"}}},
	{"a line that is too long", "#EXTINF:-1,A\n" + strings.Repeat("x", maxLine+1) + "\n#EXTINF:-1,B\nu://b",
		[]Entry{{Line: 4, Name: "B", URL: "u://b"}}},
	{"empty", "", nil},
	{"a header alone", "#EXTM3U\n", nil},
	{"no list", "<html><body>Not found</body></html>", nil},
}

func TestParse(t *testing.T) {
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			got, whole := Parse(test.list)
			if d := cmp.Diff(test.want, got); d != "" || !whole {
				t.Errorf("Parse, whole %t (-want +got):\n%s", whole, d)
			}
		})
	}
}

func TestTooMany(t *testing.T) {
	for n, want := range map[int]bool{MaxEntries: true, MaxEntries + 1: false} {
		if got, whole := Parse(strings.Repeat("a://b\n", n)); whole != want || len(got) != MaxEntries {
			t.Errorf("of %d addresses %d are read, whole %t", n, len(got), whole)
		}
	}
}

// TestFixtures reads what the suites of public parsers read: as many entries
// as the lists have addresses.
func TestFixtures(t *testing.T) {
	const dir = "../../../../shared/data/m3u"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no ../shared/data")
	}
	lists, names := 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".m3u" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		got, whole := Parse(string(data))
		if want := addresses(string(data)); len(got) != want || !whole {
			t.Errorf("%s: %d entries, want %d", path, len(got), want)
		}
		lists++
		for _, e := range got {
			check(t, e)
			if e.Name != "" {
				names++
			}
		}
		return nil
	})
	if err != nil || lists < 50 || names < 100 {
		t.Errorf("%d lists with %d names, %v", lists, names, err)
	}
}

// addresses counts the lines of a list that no tag and no comment open: each is
// an address after an #EXTINF, or when it looks like one.
func addresses(list string) (n int) {
	titled := false
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#EXTINF"):
			titled = true
		case line == "", line[0] == '#':
		case titled, strings.Contains(line, "://"):
			n, titled = n+1, false
		}
	}
	return n
}

// check checks what holds of every entry.
func check(t *testing.T, e Entry) {
	t.Helper()
	for _, s := range []string{e.Name, e.ID, e.UUID, e.Group, e.Country, e.URL} {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || strings.TrimSpace(s) != s || len(s) > 3*maxLine {
			t.Fatalf("%q in %+v", s, e)
		}
	}
	if e.Line < 1 {
		t.Fatalf("line %d", e.Line)
	}
}

func FuzzParse(f *testing.F) {
	for _, test := range cases {
		f.Add(test.list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		got, _ := Parse(list)
		for _, e := range got {
			check(t, e)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	list := "#EXTM3U\n" + strings.Repeat(`#EXTINF:-1 tvg-id="Aurora.br@Rio" tvg-name="A" tvg-logo="https://a.example/l.png" group-title="News",Aurora`+"\nhttps://a.example/live.m3u8\n", 3840)
	b.SetBytes(int64(len(list)))
	for b.Loop() {
		if got, _ := Parse(list); len(got) != 3840 {
			b.Fatal(len(got))
		}
	}
}
