package feed

import (
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

var links = catalog.LinkBase{Base: "https://mira.example", Hop: "https://hop.example", Legacy: "https://legacy.example"}

// names are those that readers are known to misread, and more.
var names = []string{
	"One HD, the good one", `Tape "Live" \ One`, "Sky News - UK", "24 Horas", "a - - b", "line\r\n#EXTINF:-1,two", "tab\tand\vfeed\u2028end",
	"📺 Televisão 👨‍👩‍👧", "أخبار المدينة", "חדשות \u202eabc", "nul\x00nul", "]]><b>&amp;</b>", "bad \xff\xfe bytes", "media=1 catchup=2 tvg-id=x",
	"; | `", "#EXTM3U", "\ufeffmark", "  ", "-", strings.Repeat("x", 500), strings.Repeat("長", 500),
}

// sample returns a list with an entry for each name, in two folders.
func sample() *List {
	l := &List{
		Name: "Minha \"lista\" <1>", Level: Library, Guide: "https://mira.example/f/token/guia.xml.gz", UpdatedAt: noon,
		Feeds: AddressesOf(func(format string) string { return "https://mira.example/f/token/library." + format }),
	}
	for i, name := range names {
		e := EntryOf(&catalog.Listing{
			ID: fmt.Sprintf("Channel%d.br", i), Name: name, Languages: []string{"por"}, LanguageLabels: []string{"Portuguese, Brazil"},
		}, &catalog.StreamRecord{ID: catalog.StreamID(i + 1), Kind: catalog.StreamHLS, URL: "https://origin.example/", Feed: "SD"}, links)
		e.Folders = []string{"Folder; | \"1\"", "Tab " + string(rune('A'+i/8))}
		e.Group = strings.Join(e.Folders, " / ")
		l.Entries = append(l.Entries, e)
	}
	l.Programmes = hostile
	return l
}

// kinds are streams of every kind, with what the entry's address is.
var kinds = []struct {
	name, kind, url, want string
}{
	{"playlist", catalog.StreamHLS, "https://o.example/a.m3u8", "https://hop.example/api/s/s_0000000000000.m3u8"},
	{"plain playlist", catalog.StreamHLS, "http://o.example/a.m3u8", "https://hop.example/api/s/s_0000000000000.m3u8"},
	{"sound", catalog.StreamAudio, "https://o.example/a.mp3", "https://hop.example/api/s/s_0000000000000"},
	{"plain sound", catalog.StreamAudio, "HTTP://o.example:8000/a b|c.mp3", "HTTP://o.example:8000/a%20b%7Cc.mp3"},
	{"plain transport stream", catalog.StreamTS, "http://o.example/live.ts", "http://o.example/live.ts"},
	{"too long", catalog.StreamTS, "http://o.example/" + strings.Repeat("x", 2000), "https://hop.example/api/s/s_0000000000000"},
	{"platform", catalog.StreamYouTube, "https://www.youtube.com/watch?v=AAAAAAAAAAA", "https://hop.example/api/s/s_0000000000000"},
}

func TestEntryOf(t *testing.T) {
	for _, test := range kinds {
		e := EntryOf(&catalog.Listing{ID: "A.br", Name: "A"}, &catalog.StreamRecord{Kind: test.kind, URL: test.url}, links)
		if e.URL != test.want {
			t.Errorf("%s: %s, want %s", test.name, e.URL, test.want)
		}
		if (e.YouTube != nil) != (test.kind == catalog.StreamYouTube) {
			t.Errorf("%s: the platform is %+v", test.name, e.YouTube)
		}
	}
	c := &catalog.Listing{ID: "A.br", Name: "A", Quality: "1080p", Kind: catalog.Station}
	if e := EntryOf(c, nil, links); e.URL != "" || e.Kind != "" || e.GuideID != "A.br" || !e.Radio {
		t.Errorf("without a stream: %+v", e)
	}
	if e := EntryOf(c, &catalog.StreamRecord{Feed: "SD", Quality: "576i"}, links); e.GuideID != "A.br@SD" || e.Quality != "576i" {
		t.Errorf("with a feed: %+v", e)
	}
}

// mixed returns a list with one entry of each sort.
func mixed() *List {
	c := &catalog.Listing{ID: "Aurora.br", Name: "Aurora", Country: "BR", Logo: "https://mira.example/logos/x9", Website: "https://site.example/?a=1&b=2", Languages: []string{"por"}, LanguageLabels: []string{"Portuguese"}}
	l := &List{Name: "Notícias", Level: Category, Guide: "https://mira.example/f/t/c/noticias/guia.xml.gz", UpdatedAt: noon}
	l.Feeds = AddressesOf(func(f string) string { return "https://mira.example/f/t/c/noticias." + f })
	add := func(e Entry) {
		e.Group, e.Folders = "Geral", []string{"Geral"}
		l.Entries = append(l.Entries, e)
	}
	add(EntryOf(c, &catalog.StreamRecord{
		ID: 1, Kind: catalog.StreamHLS, URL: "https://o.example/a.m3u8", Feed: "SP", Quality: "1080p",
		Referrer: "https://site.example/\r\nX-Bad: 1", UserAgent: "Mozilla/5.0 (KHTML, like Gecko)",
	}, links))
	add(EntryOf(c, &catalog.StreamRecord{ID: 2, Kind: catalog.StreamYouTube, URL: "https://www.youtube.com/watch?v=AAAAAAAAAAA"}, links))
	radio := *c
	radio.ID, radio.Name, radio.Kind, radio.Website, radio.Logo = "rb.1", "Rádio", catalog.Station, "", ""
	add(EntryOf(&radio, &catalog.StreamRecord{ID: 3, Kind: catalog.StreamAudio, URL: "http://radio.example:8000/;"}, links))
	silent := radio
	silent.ID, silent.Name = "Silent.br", "Silent"
	add(EntryOf(&silent, nil, links))
	for i, bad := range []string{"www.site.example", "javascript:alert(1)", "https://", "https://site.example/%zz"} {
		odd := *c
		odd.ID, odd.Website, odd.Logo = fmt.Sprintf("Odd%d.br", i), bad, ""
		add(EntryOf(&odd, &catalog.StreamRecord{ID: 9, Kind: catalog.StreamHLS}, links))
	}
	add(Entry{Channel: "Gone.br", Name: "Gone", Gone: true, API: links.Channel("Gone.br")})
	l.Programmes = plain
	return l
}

func TestGolden(t *testing.T) {
	lists := map[string]*List{"mixed": mixed(), "hostile": sample(), "empty": {Name: "Empty", Level: Group}}
	for name, l := range lists {
		for _, format := range []string{M3U, JSON, XSPF, XMLTV} {
			t.Run(name+"."+format, func(t *testing.T) {
				f := as(l, format, name)
				if f.File != name+"."+format || len(f.Tag) != 32 {
					t.Errorf("named %s, tagged %s", f.File, f.Tag)
				}
				file := filepath.Join("testdata", f.File)
				if *update {
					if err := os.WriteFile(file, f.Data, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(string(want), string(f.Data)); d != "" {
					t.Errorf("%s differs (go test -update rewrites it) (-want +got):\n%s", file, d)
				}
			})
		}
	}
}

func TestTypes(t *testing.T) {
	for format, want := range map[string]string{
		M3U: "audio/x-mpegurl", M3U8: "audio/x-mpegurl", JSON: "application/json", XSPF: "application/xspf+xml",
	} {
		if got := mixed().As(format, "a").Type; got != want {
			t.Errorf("%s is %s, want %s", format, got, want)
		}
	}
}

// TestLink checks that a file names the other formats.
func TestLink(t *testing.T) {
	const at = "<https://mira.example/f/t/c/noticias."
	want := at + `m3u>; rel="alternate"; type="audio/x-mpegurl", ` + at + `m3u8>; rel="alternate"; type="audio/x-mpegurl", ` + at + `json>; rel="alternate"; type="application/json"`
	if d := cmp.Diff(want, mixed().As(XSPF, "a").Link); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	long := mixed()
	long.Feeds = AddressesOf(func(f string) string { return "https://mira.example/" + strings.Repeat("a", 1000) + "." + f })
	if got := long.As(JSON, "a").Link; got != "" {
		t.Errorf("a header of %d bytes", len(got))
	}
	odd := mixed()
	odd.Feeds = Addresses{M3U: "https://mira.example/>,<x", JSON: "https://mira.example/a.json"}
	if d := cmp.Diff("", odd.As(JSON, "a").Link); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// as returns l in a format, a guide too.
func as(l *List, format, name string) File {
	if format == XMLTV {
		return fileOf(guideOf(l), GuideType, name+"."+format)
	}
	return l.As(format, name)
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		name      string
		f         func(string) string
		from, out string
	}{
		{"comma", title, "One HD, the good one", "One HD the good one"},
		{"quote", title, `Say "hi"`, "Say 'hi'"},
		{"artist", title, "Sky News - UK", "Sky News – UK"},
		{"artists", title, "a - - b - c", "a – – b – c"},
		{"breaks", title, "a\r\nb\tc\u0085d\u2028e\u2029f\vg\fh\x1ci", "a b c d e f g h i"},
		{"bytes", title, "a\xffb\ufffdc", "abc"},
		{"direction", title, "a\u202eb\u2066c\u200fd", "abc\u200fd"},
		{"emoji", title, "👨‍👩‍👧 TV", "👨‍👩‍👧 TV"},
		{"attributes", title, `media=1 radio="true"`, "media = 1 radio = 'true'"},
		{"blank", title, " \t ", ""},
		{"number", displayTitle, "24 Horas", "24\u00a0Horas"},
		{"digits", displayTitle, "24Horas 2", "24Horas 2"},
		{"only digits", displayTitle, "24", "24"},
		{"groups", group, "News; Sport|All, \"x\"", "News Sport All 'x'"},
		{"address", escapeURL, "https://o.example/a b\",|<>é\n", "https://o.example/a%20b%22%2C%7C%3C%3E%C3%A9%0A"},
		{"plain address", escapeURL, "https://o.example/?a=%20&b=c#d", "https://o.example/?a=%20&b=c#d"},
		{"logo", logo, "https://o.example/l.png?w=3", "https://o.example/l.png?w=3"},
		{"logo of media", logo, "https://o.example/l.png?media=1", ""},
	} {
		if got := test.f(test.from); got != test.out {
			t.Errorf("%s: %q, want %q", test.name, got, test.out)
		}
	}
}

// An item is what the small readers of these tests see of an entry.
type item struct {
	id, name, group, url, radio, chno string
	options                           []string
}

// readM3U reads a list as the plainest of players does: a line at a time, an
// attribute from quote to quote, a title after the last quote and comma.
func readM3U(data string) (head string, items []item, err error) {
	lines := strings.Split(strings.TrimSuffix(data, "\n"), "\n")
	if !strings.HasPrefix(lines[0], "#EXTM3U") {
		return "", nil, fmt.Errorf("begins with %.20q", lines[0])
	}
	var at item
	for n, line := range lines[1:] {
		switch {
		case strings.ContainsAny(line, "\r\x00\t") || line == "":
			return "", nil, fmt.Errorf("line %d is %.50q", n+2, line)
		case strings.HasPrefix(line, "#EXTINF:-1 "):
			if at.name != "" {
				return "", nil, fmt.Errorf("line %d: %q has no address", n+2, at.name)
			}
			end := strings.LastIndex(line, `",`)
			at.name = line[end+2:]
			attribute := func(name string) string {
				_, rest, _ := strings.Cut(line[:end+1], " "+name+`="`)
				value, _, _ := strings.Cut(rest, `"`)
				return value
			}
			at.id, at.group, at.radio, at.chno = attribute("tvg-id"), attribute("group-title"), attribute("radio"), attribute("tvg-chno")
			if strings.Count(line[:end+1], `"`)%2 != 0 || strings.Contains(line[:end+1], ",") {
				return "", nil, fmt.Errorf("line %d: %q", n+2, line)
			}
		case strings.HasPrefix(line, "#EXTVLCOPT:"):
			at.options = append(at.options, line[len("#EXTVLCOPT:"):])
		case strings.HasPrefix(line, "#"):
			return "", nil, fmt.Errorf("line %d is unknown: %.50q", n+2, line)
		default:
			if at.name == "" {
				return "", nil, fmt.Errorf("line %d: %q has no title", n+2, line)
			}
			at.url = line
			items = append(items, at)
			at = item{}
		}
	}
	return lines[0], items, nil
}

// An xspf is a list as VLC reads it.
type xspf struct {
	Title  string `xml:"title"`
	Tracks []struct {
		Location  string `xml:"location"`
		Title     string `xml:"title"`
		Album     string `xml:"album"`
		Number    int    `xml:"trackNum"`
		Extension *struct {
			Application string   `xml:"application,attr"`
			ID          *int     `xml:"http://www.videolan.org/vlc/playlist/ns/0/ id"`
			Options     []string `xml:"http://www.videolan.org/vlc/playlist/ns/0/ option"`
		} `xml:"extension"`
	} `xml:"trackList>track"`
	Extension *struct {
		Nodes []xspfNode `xml:"http://www.videolan.org/vlc/playlist/ns/0/ node"`
	} `xml:"extension"`
}

type xspfNode struct {
	Title string `xml:"title,attr"`
	Items []struct {
		ID int `xml:"tid,attr"`
	} `xml:"http://www.videolan.org/vlc/playlist/ns/0/ item"`
	Nodes []xspfNode `xml:"http://www.videolan.org/vlc/playlist/ns/0/ node"`
}

// flat returns the tracks in folders, each with the folders it lies in.
func flat(nodes []xspfNode, in string) (list []string) {
	for _, n := range nodes {
		for _, it := range n.Items {
			list = append(list, fmt.Sprintf("%d in %s%s", it.ID, in, n.Title))
		}
		list = append(list, flat(n.Nodes, in+n.Title+"/")...)
	}
	return list
}

func TestFolders(t *testing.T) {
	l := mixed()
	l.Entries = l.Entries[:4]
	l.Entries[0].Folders = []string{"A", "x"}
	l.Entries[2].Folders = []string{"A", "y"}
	more := l.Entries[2]
	more.Folders = []string{"B", "x"}
	l.Entries = append(l.Entries, more, more)
	var got xspf
	if err := xml.Unmarshal(l.XSPF(), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"0 in A/x", "1 in A/y", "2 in B/x", "3 in B/x"}, flat(got.Extension.Nodes, "")); d != "" {
		t.Error(d)
	}
	for i, track := range got.Tracks {
		if track.Extension == nil || *track.Extension.ID != i || track.Number != i+1 {
			t.Errorf("track %d is %+v", i, track)
		}
	}
	if d := cmp.Diff([]string{"http-referrer=https://site.example/ X-Bad: 1", "http-user-agent=Mozilla/5.0 (KHTML, like Gecko)"}, got.Tracks[0].Extension.Options); d != "" {
		t.Error(d)
	}
	l.Entries[2].Folders = nil // then no folder is told of any
	got = xspf{}
	if err := xml.Unmarshal(l.XSPF(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Extension != nil || got.Tracks[0].Extension.ID != nil || got.Tracks[1].Extension != nil {
		t.Errorf("some tracks lie in folders and some do not: %+v", got)
	}
}

// FuzzList writes an entry of any texts in each format and reads it back: there
// are as many as there were, with the same ids in all of them.
func FuzzList(f *testing.F) {
	for _, name := range names {
		f.Add(name, name, "https://o.example/live.ts", "agent", "Folder")
	}
	f.Add("a", "b", "http://o.example/x\n#EXTINF:-1,z", "x\r\nhttp://evil.example/", "\x00")
	f.Fuzz(func(t *testing.T, name, feed, url, agent, folder string) {
		c := &catalog.Listing{ID: "Channel.br", Name: name, LanguageLabels: []string{name}, Website: url, Logo: url, Country: feed}
		l := &List{Name: name, Level: Library, Guide: url, Programmes: showing(Programme{noon, noon.Add(time.Hour), name, agent, folder})}
		for i := range 3 {
			e := EntryOf(c, &catalog.StreamRecord{ID: catalog.StreamID(i), Kind: catalog.StreamTS, URL: url, Feed: feed, UserAgent: agent, Referrer: agent}, links)
			e.Folders, e.Group = []string{folder}, folder
			l.Entries = append(l.Entries, e)
		}
		_, items, err := readM3U(string(l.M3U()))
		if err != nil || len(items) != 3 {
			t.Fatalf("read %d entries of M3U: %v\n%s", len(items), err, l.M3U())
		}
		var d ChannelList
		if err := json.Unmarshal(l.JSON(), &d); err != nil || len(d.Channels) != 3 {
			t.Fatalf("read %d entries of JSON: %v", len(d.Channels), err)
		}
		var x xspf
		if err := xml.Unmarshal(l.XSPF(), &x); err != nil || len(x.Tracks) != 3 || len(flat(x.Extension.Nodes, "")) != 3 {
			t.Fatalf("read %d entries of XSPF: %v\n%s", len(x.Tracks), err, l.XSPF())
		}
		var g xmltv
		if err := xml.Unmarshal(guideOf(l), &g); err != nil || len(g.Channels) != 1 || len(g.Channels[0].Names) == 0 || !g.fits() {
			t.Fatalf("read %+v of XMLTV: %v\n%s", g, err, guideOf(l))
		}
		for i, it := range items {
			if it.id != *d.Channels[i].EPGID || it.id != g.Channels[0].ID || it.url != x.Tracks[i].Location || it.url != *d.Channels[i].URL {
				t.Fatalf("M3U has %+v, JSON %+v, XSPF %+v, the guide %+v", it, d.Channels[i], x.Tracks[i], g)
			}
		}
	})
}

func TestM3U(t *testing.T) {
	head, items, err := readM3U(string(mixed().M3U()))
	if err != nil {
		t.Fatal(err)
	}
	if want := `#EXTM3U x-tvg-url="https://mira.example/f/t/c/noticias/guia.xml.gz" url-tvg="https://mira.example/f/t/c/noticias/guia.xml.gz"`; head != want {
		t.Errorf("begins with %s", head)
	}
	want := []item{
		{"Aurora.br@SP", "Aurora", "Geral", "https://hop.example/api/s/s_0000000000002.m3u8", "", "1", []string{
			"http-referrer=https://site.example/ X-Bad: 1", "http-user-agent=Mozilla/5.0 (KHTML, like Gecko)",
		}},
		{"rb.1", "Rádio", "Geral", "http://radio.example:8000/;", "true", "2", nil},
	}
	items = items[:min(len(items), len(want))]
	if d := cmp.Diff(want, items, cmp.AllowUnexported(item{})); d != "" {
		t.Error(d)
	}
}

// TestRealNames writes the names of all channels of a real catalog and reads
// them back.
func TestRealNames(t *testing.T) {
	data, err := os.ReadFile("../../../shared/data/catalog/api/channels.json")
	if err != nil {
		data, err = unpacked("../../../shared/data/catalog/api/channels.json.gz")
	}
	if err != nil {
		t.Skip("no ../shared/data")
	}
	var channels []struct{ ID, Name string }
	if err := json.Unmarshal(data, &channels); err != nil || len(channels) == 0 {
		t.Fatalf("%d channels: %v", len(channels), err)
	}
	if testing.Short() {
		channels = channels[:min(len(channels), 5000)]
	}
	l := &List{Name: "all", Level: Search}
	for i, c := range channels {
		l.Entries = append(l.Entries, EntryOf(&catalog.Listing{ID: c.ID, Name: c.Name}, &catalog.StreamRecord{ID: catalog.StreamID(i), Kind: catalog.StreamHLS}, links))
	}
	_, items, err := readM3U(string(l.M3U()))
	if err != nil || len(items) != len(channels) {
		t.Fatalf("read %d of %d entries: %v", len(items), len(channels), err)
	}
	changed := 0
	for i, it := range items {
		if it.id != channels[i].ID {
			t.Fatalf("entry %d is %+v, want %+v", i, it, channels[i])
		}
		if strings.ReplaceAll(it.name, "\u00a0", " ") != channels[i].Name {
			changed++
		}
	}
	if changed*20 > len(channels) {
		t.Errorf("%d of %d names were changed", changed, len(channels))
	}
}

// unpacked returns what a file in gzip holds.
func unpacked(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func BenchmarkWrite(b *testing.B) {
	small := sample()
	l := *small
	l.Entries = nil
	for i := range 3840 {
		l.Entries = append(l.Entries, small.Entries[i%len(small.Entries)])
		l.Entries[i].GuideID = fmt.Sprintf("Channel%d.br@SD", i)
	}
	for _, format := range []string{M3U, JSON, XSPF} {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				data, _ := l.write(format)
				b.SetBytes(int64(len(data)))
			}
		})
	}
}
