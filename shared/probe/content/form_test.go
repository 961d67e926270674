package content

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/probe/media"
)

// TestTell tells contents apart.
func TestTell(t *testing.T) {
	for text, want := range map[string]Form{
		"":                                   Nothing,
		"\ufeff \r\n":                        Nothing,
		"#EXTM3U\n#EXT-X-VERSION:3":          Playlist,
		"\ufeff\n#EXTM3U\n#EXT-X-VERSION:3":  Playlist,
		"#EXTM3U\n#EXTINF:-1,Radio\na":       List,
		"# made by hand\nhttp://a/":          List,
		"[Playlist]\nFile1=a":                List,
		"<asx version=\"3.0\">":              List,
		"<?xml version='1.0'?>\n<MPD type=a": Manifest,
		"<!doctype html>":                    Document,
		"{\"a\":1}":                          Document,
		"[1]":                                Document,
		"Service unavailable":                Document,
		"<x\x00y>":                           Binary,
		"<?xml version='1.0'?><!-- a --> <!DOCTYPE MPD>\n<dash:MPD/>": Manifest,
		"<MPD":                     Manifest,
		"<html><mpd></mpd>":        Document,
		"<rss><mpd/></rss>":        Document,
		"<HTML>\x00G@\x00\x10":     Document,
		"G@\x00\x10":               Binary,
		"ID3\x03\x00":              Binary,
		"\xff\xfb\x90\x64":         Binary,
		"caf\xe9 \xe9\xe9 au lait": Binary,
	} {
		if got := Tell([]byte(text)); got != want {
			t.Errorf("%q is told to be %d, want %d", text, got, want)
		}
	}
}

// TestListed reads the lists that stations have.
func TestListed(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"#EXTM3U\r\n#EXTINF:-1,Radio\r\nhttp://a/1\r\n\r\n  http://a/2  \r\n", []string{"http://a/1", "http://a/2"}},
		{"[playlist]\r\nNumberOfEntries=2\r\nFile1=http://a/1\r\nTitle1=x\r\nfile2 = http://a/2\r\n", []string{"http://a/1", "http://a/2"}},
		{"[Reference]\r\nRef1=http://a/1\r\n", []string{"http://a/1"}},
		{"<asx><title>x</title><Entry><Ref HREF = 'http://a/1'/></entry><entry><ref x=\"1\" href=\" http://a/2\"/></asx>", []string{"http://a/1", "http://a/2"}},
		{"[playlist]\nNumberOfEntries=0\n", nil},
		{"a\nb\nc\n", []string{"a", "b"}},
	} {
		if diff := cmp.Diff(tc.want, Listed([]byte(tc.text), 2)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tc.text, diff)
		}
	}
}

// TestOfPlace tells pages that speak of a place from others.
func TestOfPlace(t *testing.T) {
	for text, want := range map[string]bool{
		"This content is not available in your country.":  true,
		"error: GEO_BLOCKED":                              true,
		"<p>Este vídeo não está disponível na sua região": true,
		"No está disponible en tu país":                   true,
		"Access from your region is blocked":              true,
		"region blocked":                                  true,
		"geometry":                                        false,
		"This channel is not available at the moment":     false,
	} {
		if got := OfPlace([]byte(text), "http://a/"); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
	if !OfPlace(nil, "http://a/geoblock.html") {
		t.Error("an address says it, and is not heard")
	}
}

// TestIsTimed parts lists of stations from media that is played in turn.
func TestIsTimed(t *testing.T) {
	for text, want := range map[string]bool{
		"#EXTM3U\n#EXTINF:-1,Radio 1\na\n":        false,
		"#EXTM3U\n#EXTINF:0,Radio 1\na\n":         false,
		"#EXTM3U\n#EXTINF:0.0,1\na\n":             false,
		"#EXTM3U\n#EXTINF:-1 tvg-id=\"9\",A\na\n": false,
		"http://a/1\n":                            false,
		"#EXTM3U\r\n#EXTINF: 10,\r\na.ts\r\n":     true,
		"#EXTM3U\n#EXTINF:9.98,\na.ts\n":          true,
		"#EXTM3U\n#EXTINF:0.4,\na.ts\n":           true,
		"#EXTM3U\n#EXTINF:-1,A\na\n#EXTINF:5\nb":  true,
	} {
		if got := IsTimed([]byte(text)); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestKind has media of each container.
func TestKind(t *testing.T) {
	for _, tc := range []struct {
		facts media.Facts
		want  string
	}{
		{media.Facts{}, ""},
		{media.Facts{Container: "ts", Audio: true}, "ts"},
		{media.Facts{Container: "flv", Video: true}, "flv"},
		{media.Facts{Container: "mp3", Audio: true}, "audio"},
		{media.Facts{Container: "mp4", Audio: true}, "audio"},
		{media.Facts{Container: "mp4", Audio: true, Video: true}, ""},
	} {
		if got := Kind(tc.facts); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.facts, got, tc.want)
		}
	}
}

// FuzzTell reads any bytes: what is media is told by its bytes, and lists give no
// more addresses than they are asked for.
func FuzzTell(f *testing.F) {
	for _, text := range []string{"#EXTM3U\n#EXT-X-VERSION:3", "[playlist]\nFile1=a", "<?xml?><MPD>", "<asx><ref href='a'>", "G@\x00\x10", "\xff\xfb\x90\x64"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := len(Listed(data, 2)); n > 2 {
			t.Errorf("%q: %d addresses", data, n)
		}
		if _, ok := KindOf(data); ok && Tell(data) == Nothing {
			t.Errorf("%q is media, and nothing", data)
		}
		IsTimed(data)
	})
}
