package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/probe/content"
)

var readings = cmp.Options{cmp.AllowUnexported(HLS{}), cmpopts.EquateEmpty()}

// playlists are cases of playlists, and seeds.
var playlists = []struct {
	name, text string
	want       HLS
}{
	{"variants", "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"n\",URI=\"no.m3u8\"\n" +
		"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"d\",DEFAULT=YES,URI=\"a.m3u8\"\n" +
		"#EXT-X-STREAM-INF:BANDWIDTH=5,RESOLUTION=640x360\nlow.m3u8\n" +
		"#EXT-X-STREAM-INF:BANDWIDTH=9,CODECS=\"xyz\"\nodd.m3u8\n" +
		"#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=99,URI=\"i.m3u8\"\n" +
		"#EXT-X-STREAM-INF:BANDWIDTH=7,AVERAGE-BANDWIDTH=6,RESOLUTION=1280X720,CODECS=\"avc1.4d401f,mp4a.40.2\",AUDIO=\"g\"\nhigh.m3u8\n",
		HLS{Variants: []Variant{
			{URI: "high.m3u8", Audio: "a.m3u8", Codecs: "avc1.4d401f,mp4a.40.2", Bandwidth: 7, Average: 6, Height: 720},
			{URI: "low.m3u8", Bandwidth: 5, Height: 360},
			{URI: "odd.m3u8", Codecs: "xyz", Bandwidth: 9},
		}}},
	{"keys and maps stay", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:8\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n\n#EXT-X-MAP:URI=\"i\",BYTERANGE=\"9@1\"\n" +
		"#EXTINF:4,\na\n#EXTINF:3.5,\nb\n#EXT-X-KEY:METHOD=NONE\n#EXTINF:1,\nc\n",
		HLS{Target: 4, First: 8, Live: true, Segments: []Segment{
			{Span{URI: "a"}, 4, &Span{"i", 1, 9}, &Key{Method: "AES-128", URI: "k"}},
			{Span{URI: "b"}, 3.5, &Span{"i", 1, 9}, &Key{Method: "AES-128", URI: "k"}},
			{Span{URI: "c"}, 1, &Span{"i", 1, 9}, &Key{Method: "NONE"}},
		}}},
	{"ranges follow each other", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n#EXT-X-BYTERANGE:10@5\na\n#EXTINF:4,\n#EXT-X-BYTERANGE:20\na\n#EXTINF:4,\n#EXT-X-BYTERANGE:30\na\n#EXTINF:4,\n#EXT-X-BYTERANGE:40\nb\n#EXT-X-ENDLIST",
		HLS{Target: 4, Segments: []Segment{
			{Span{"a", 5, 10}, 4, nil, nil}, {Span{"a", 15, 20}, 4, nil, nil}, {Span{"a", 35, 30}, 4, nil, nil}, {Span{"b", 0, 40}, 4, nil, nil},
		}}},
	{"film without an end", "#EXTM3U\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na\n",
		HLS{Target: 1, Segments: []Segment{{Span{URI: "a"}, 1, nil, nil}}}},
	{"parts", "#EXTM3U\r\n#EXT-X-TARGETDURATION:1\r\n#EXTINF:1,\r\na\r\n#EXT-X-PART:URI=\"x\"\r\n#EXT-X-PART:URI=\"y\"\r\n",
		HLS{Target: 1, Live: true, part: "#EXT-X-PART:URI=\"y\"", Segments: []Segment{{Span{URI: "a"}, 1, nil, nil}}}},
	{"no durations", "#EXTM3U\n#EXT-X-VERSION:3\na.ts\nb.ts\n",
		HLS{Live: true, Segments: []Segment{{Span: Span{URI: "a.ts"}}, {Span: Span{URI: "b.ts"}}}}},
	{"nothing", "", HLS{Live: true}},
	{"the library panics", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\na.ts\n#EXTINF:2\nb.ts",
		HLS{Live: true, Segments: []Segment{{Span: Span{URI: "a.ts"}}, {Span: Span{URI: "b.ts"}}}}},
}

func TestReadPlaylist(t *testing.T) {
	for _, tc := range playlists {
		if diff := cmp.Diff(tc.want, ReadHLS([]byte(tc.text)), readings); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.name, diff)
		}
	}
}

// TestAfter tells playlists that go on from those that stand still.
func TestAfter(t *testing.T) {
	live := func(head string, uris ...string) HLS {
		return ReadHLS([]byte("#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + head + "\n#EXTINF:2,\n" + strings.Join(uris, "\n#EXTINF:2,\n") + "\n"))
	}
	for _, tc := range []struct {
		name      string
		then, now HLS
		want      bool
	}{
		{"the same", live("#EXT-X-MEDIA-SEQUENCE:5", "a", "b"), live("#EXT-X-MEDIA-SEQUENCE:5", "a", "b"), false},
		{"other tokens", live("#EXT-X-MEDIA-SEQUENCE:5", "a?1", "b?1"), live("#EXT-X-MEDIA-SEQUENCE:5", "a?2", "b?2"), false},
		{"next number", live("#EXT-X-MEDIA-SEQUENCE:5", "a"), live("#EXT-X-MEDIA-SEQUENCE:6", "a"), true},
		{"one more", live("#EXT-X-MEDIA-SEQUENCE:5", "a"), live("#EXT-X-MEDIA-SEQUENCE:5", "a", "b"), true},
		{"other name", live("#EXT-X-MEDIA-SEQUENCE:5", "a"), live("#EXT-X-MEDIA-SEQUENCE:5", "b"), true},
		{"not numbered, by query", live("", "a?1"), live("", "a?2"), true},
		{"not numbered, the same", live("", "a?1"), live("", "a?1"), false},
		{"has ended", live("", "a"), live("#EXT-X-ENDLIST", "a"), true},
		{"another part", live("", "a"), live("#EXT-X-PART:URI=\"x\"", "a"), true},
		{"empty", live(""), live(""), false},
	} {
		if got := tc.now.After(tc.then); got != tc.want {
			t.Errorf("%s: %t", tc.name, got)
		}
	}
}

// TestRealPlaylists reads those that are kept beside the repository, and finds
// what they name.
func TestRealPlaylists(t *testing.T) {
	var read, wrong int
	for _, name := range shared(t, "data/hls") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, line := range cleanLines(data) {
			if line[0] != '#' {
				named++
			}
		}
		if content.Tell(data) != content.Playlist || named == 0 {
			continue
		}
		read++
		m := ReadHLS(data)
		if got := len(m.Variants) + len(m.Segments); got == 0 {
			t.Errorf("%s: nothing to play", filepath.Base(name))
		} else if got != named {
			wrong++
		}
	}
	t.Logf("%d playlists, %d of them read in part", read, wrong)
	if read == 0 || wrong*25 > read {
		t.Errorf("%d of %d are read in part", wrong, read)
	}
}

// shared returns the files below a folder beside the repository.
func shared(t *testing.T, dir string) []string {
	t.Helper()
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(at) != at; at = filepath.Dir(at) {
		beside := filepath.Join(filepath.Dir(at), "shared", dir)
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err != nil {
			continue
		}
		var files []string
		if err := filepath.WalkDir(beside, func(name string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.HasPrefix(filepath.Ext(name), ".m3u") {
				files = append(files, name)
			}
			return nil
		}); err == nil && len(files) > 0 {
			return files
		}
	}
	t.Skip("no ../shared/data")
	return nil
}

// manifests are cases of manifests, and seeds, with the first media of their
// best track at noon of the first day of 2026.
var manifests = []struct {
	name, text, init string
	segments         []string
	seconds          float64
}{
	{"number", `<MPD><Period><AdaptationSet contentType="video"><SegmentTemplate initialization="$RepresentationID$/i" media="$RepresentationID$/$Number%05d$-$Bandwidth$$$" duration="4" startNumber="7"/>` +
		`<Representation id="a" bandwidth="5"/><Representation id="b" bandwidth="9"/></AdaptationSet></Period></MPD>`, "b/i", []string{"b/00007-9$"}, 4},
	{"time", `<MPD><Period><AdaptationSet mimeType="video/mp4"><SegmentTemplate timescale="10" media="$Time$"><SegmentTimeline><S t="40" d="20" r="3"/></SegmentTimeline></SegmentTemplate>` +
		`<Representation id="a"/></AdaptationSet></Period></MPD>`, "", []string{"80", "40"}, 2},
	{"third of three", `<MPD mediaPresentationDuration="PT12S"><Period><AdaptationSet contentType="video"><SegmentTemplate media="$Number$" duration="4"/><Representation id="a"/></AdaptationSet></Period></MPD>`, "", []string{"3", "1"}, 4},
	{"live until now", `<MPD type="dynamic"><Period><AdaptationSet contentType="video"><SegmentTemplate media="$Time$"><SegmentTimeline><S t="0" d="2" r="-1"/></SegmentTimeline></SegmentTemplate><Representation id="a"/></AdaptationSet></Period></MPD>`, "", nil, 0},
	{"live by number", `<MPD type="dynamic" availabilityStartTime="2026-01-01T11:00:00Z"><Period start="PT10M"><AdaptationSet mimeType="video/mp4"><SegmentTemplate media="$Number$" duration="2"/>` +
		`<Representation id="a"/></AdaptationSet></Period></MPD>`, "", []string{"1497", "1499"}, 2},
	{"live by time", `<MPD type="dynamic"><Period/><Period><AdaptationSet mimeType="video/mp4"><SegmentTemplate timescale="1" media="$Time$-$Number$"><SegmentTimeline><S t="100" d="2" r="9"/><S d="2"/></SegmentTimeline></SegmentTemplate>` +
		`<Representation id="a"/></AdaptationSet></Period></MPD>`, "", []string{"116-9", "120-11"}, 2},
	{"live without a clock", `<MPD type="dynamic"><Period><AdaptationSet mimeType="video/mp4"><SegmentTemplate initialization="i" media="$Number$" duration="2"/>` +
		`<Representation id="a"/></AdaptationSet></Period></MPD>`, "i", nil, 0},
	{"list", `<MPD><Period><AdaptationSet mimeType="audio/mp4"><Representation id="a"><SegmentList timescale="1000" duration="5000"><Initialization sourceURL="i" range="0-99"/><SegmentURL media="s" mediaRange="100-299"/></SegmentList>` +
		`</Representation></AdaptationSet></Period></MPD>`, "i", []string{"s", "s"}, 5},
	{"numbers of other forms", `<MPD><Period><AdaptationSet contentType="video"><SegmentTemplate media="$Number$" timescale="x" duration="99999999999999999999" startNumber="-"/>` +
		`<Representation id="a" bandwidth="much" height="1080p"/></AdaptationSet></Period></MPD>`, "", nil, 0},
	{"what holds for a set", `<MPD><Period><SegmentTemplate media="p$Number$" timescale="2"/><AdaptationSet contentType="video"><SegmentTemplate duration="4"/>` +
		`<Representation id="a"/></AdaptationSet></Period></MPD>`, "", []string{"p1"}, 2},
}

func TestManifests(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range manifests {
		m, err := ReadMPD([]byte(tc.text))
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		best := m.Best()
		if len(best) != 1 {
			t.Errorf("%s: %d tracks", tc.name, len(best))
			continue
		}
		initial, segments := best[0].Spans(m, now)
		var got []string
		for _, s := range segments {
			got = append(got, s.URI)
			if s.Seconds != tc.seconds {
				t.Errorf("%s: %v seconds, want %v", tc.name, s.Seconds, tc.seconds)
			}
		}
		if initial == nil {
			initial = &Span{}
		}
		if diff := cmp.Diff(append([]string{tc.init}, tc.segments...), append([]string{initial.URI}, got...)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.name, diff)
		}
	}
}

// TestSeconds reads durations.
func TestSeconds(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"PT0S": 0, "PT1.5S": 1500 * time.Millisecond, "P1DT2H3M4S": 26*time.Hour + 3*time.Minute + 4*time.Second,
		"": 0, "PT": 0, "1S": 0, "PT99999999999S": 0, "P1Y": 0,
	} {
		if got := seconds(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func FuzzReadPlaylist(f *testing.F) {
	for _, tc := range playlists {
		f.Add([]byte(tc.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := ReadHLS(data)
		for _, s := range m.Choices() {
			if s.URI == "" {
				t.Errorf("%q: a segment without an address", data)
			}
		}
		if m.After(m) && m.Live {
			t.Errorf("%q goes on after itself", data)
		}
	})
}

func FuzzReadMPD(f *testing.F) {
	for _, tc := range manifests {
		f.Add([]byte(tc.text))
	}
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadMPD(data)
		if err != nil {
			return
		}
		for _, track := range m.Best() {
			_, segments := track.Spans(m, now)
			for _, s := range segments {
				if s.Seconds < 0 || s.Offset < 0 || s.Length < 0 {
					t.Errorf("%q: %+v", data, s)
				}
			}
		}
	})
}
