package iptvorg

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/source"
)

const address = "https://example.com/live.m3u8"

// entries are single entries of playlists, with what they say.
var entries = []struct {
	name, in string
	want     source.Stream
}{
	{
		"plain", "#EXTINF:-1,Canal Um\n" + address,
		source.Stream{Title: "Canal Um", URL: address},
	},
	{
		"id with feed", `#EXTINF:-1 tvg-id="CanalUm.br@HD",Canal Um (720p) [Not 24/7]` + "\n" + address,
		source.Stream{Channel: "CanalUm.br", Feed: "HD", Title: "Canal Um", Quality: "720p", Labels: []string{"Not 24/7"}, URL: address},
	},
	{
		"id without feed", `#EXTINF:-1 tvg-id="CanalUm.br",Canal Um` + "\n" + address,
		source.Stream{Channel: "CanalUm.br", Title: "Canal Um", URL: address},
	},
	{
		"empty id", `#EXTINF:-1 tvg-id="",Canal Um` + "\n" + address,
		source.Stream{Title: "Canal Um", URL: address},
	},
	{
		"line ends of the other kind", "#EXTINF:-1 tvg-id=\"A.br@SD\",A\r\n" + address + "\r",
		source.Stream{Channel: "A.br", Feed: "SD", Title: "A", URL: address},
	},
	{
		"options", "#EXTINF:-1,A\n#EXTVLCOPT:http-referrer=https://example.com/?a=b\n#EXTVLCOPT:http-user-agent=Mozilla/5.0 (X11; Linux)\n" + address,
		source.Stream{Title: "A", Referrer: "https://example.com/?a=b", UserAgent: "Mozilla/5.0 (X11; Linux)", URL: address},
	},
	{
		"attributes", `#EXTINF:-1 tvg-id="A.br" group-title="News, Sports" http-user-agent="UA 1" http-referrer="https://e.com/",A, B` + "\n" + address,
		source.Stream{Channel: "A.br", Title: "A, B", UserAgent: "UA 1", Referrer: "https://e.com/", URL: address},
	},
	{
		"attributes without quotes", "#EXTINF:0 tvg-id=A.br@SD user-agent=UA,A\n" + address,
		source.Stream{Channel: "A.br", Feed: "SD", Title: "A", UserAgent: "UA", URL: address},
	},
	{
		"a quote that is not closed", `#EXTINF:-1 tvg-id="A.br,A` + "\n" + address,
		source.Stream{Title: "A", URL: address},
	},
	{
		"headers behind the address", "#EXTINF:-1,A\n" + address + "|User-Agent=UA%201&Referer=https%3A%2F%2Fe.com",
		source.Stream{Title: "A", UserAgent: "UA 1", Referrer: "https://e.com", URL: address},
	},
	{
		"a bar that belongs to the address", "#EXTINF:-1,A\n" + address + "?q=a|b=c",
		source.Stream{Title: "A", URL: address + "?q=a|b=c"},
	},
	{
		"other tags between", "#EXTINF:-1,A\n#EXTGRP:News\n#KODIPROP:x=y\n\n# a remark\n" + address,
		source.Stream{Title: "A", URL: address},
	},
	{
		"two labels", "#EXTINF:-1,A (1080i) [Geo-blocked] [Not 24/7]\n" + address,
		source.Stream{Title: "A", Quality: "1080i", Labels: []string{"Geo-blocked", "Not 24/7"}, URL: address},
	},
	{
		"label before the height", "#EXTINF:-1,A [Not 24/7] (576p)\n" + address,
		source.Stream{Title: "A", Quality: "576p", Labels: []string{"Not 24/7"}, URL: address},
	},
	{
		"a name in brackets before the height", "#EXTINF:-1,KXYZ [Green Hills] (576p)\n" + address,
		source.Stream{Title: "KXYZ [Green Hills]", Quality: "576p", URL: address},
	},
	{
		"label with underscores", "#EXTINF:-1,A [_Geo-blocked_]\n" + address,
		source.Stream{Title: "A", Labels: []string{"Geo-blocked"}, URL: address},
	},
	{
		"label in two brackets", "#EXTINF:-1,A (576i) [[Not 24/7]]\n" + address,
		source.Stream{Title: "A", Quality: "576i", Labels: []string{"Not 24/7"}, URL: address},
	},
	{
		"label that is not closed", "#EXTINF:-1,A (576i) [[Not 24/7\n" + address,
		source.Stream{Title: "A", Quality: "576i", Labels: []string{"Not 24/7"}, URL: address},
	},
	{
		"a bracket that is not closed", "#EXTINF:-1,A [live\n" + address,
		source.Stream{Title: "A [live", URL: address},
	},
	{
		"a name that is all brackets", "#EXTINF:-1,[adult] (720p)\n" + address,
		source.Stream{Title: "[adult]", Quality: "720p", URL: address},
	},
	{
		"height before another word", "#EXTINF:-1,A (1080p) (HEVC) [Geo-blocked]\n" + address,
		source.Stream{Title: "A (HEVC)", Quality: "1080p", Labels: []string{"Geo-blocked"}, URL: address},
	},
	{
		"no height", "#EXTINF:-1,A (UK) (p) (12345678p)\n" + address,
		source.Stream{Title: "A (UK) (p) (12345678p)", URL: address},
	},
	{
		"many blanks before the height", "#EXTINF:-1,A        (720p)\n" + address,
		source.Stream{Title: "A", Quality: "720p", URL: address},
	},
	{
		"a height that is not closed", "#EXTINF:-1,A (720p\n" + address,
		source.Stream{Title: "A (720p", URL: address},
	},
	{
		"no title", "#EXTINF:-1\n" + address,
		source.Stream{URL: address},
	},
	{
		"bytes that are not UTF-8", "#EXTINF:-1,Televisi\xf3n\n" + address,
		source.Stream{Title: "Televisi\ufffdn", URL: address},
	},
	{
		"another scheme", "#EXTINF:-1,A\nrtmp://example.com/live",
		source.Stream{Title: "A", URL: "rtmp://example.com/live"},
	},
}

func TestEntries(t *testing.T) {
	for _, tc := range entries {
		t.Run(tc.name, func(t *testing.T) {
			d, count, err := decodeStreams("#EXTM3U\n" + tc.in)
			if err != nil || count != (source.Count{Items: 1}) {
				t.Fatalf("%+v, %v", count, err)
			}
			if diff := cmp.Diff(tc.want, d.Streams[0], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func decodeStreams(in string) (*source.Dataset, source.Count, error) {
	d := new(source.Dataset)
	count, err := partOf("streams").Decode(d, strings.NewReader(in))
	return d, count, err
}

// partOf returns the part of a file.
func partOf(file string) source.Part {
	for _, p := range Parts {
		if p.Name == "iptv-org/"+file {
			return p
		}
	}
	panic("no part " + file)
}

func TestPlaylists(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, tc := range []struct {
		name, in string
		count    source.Count
		err      error
	}{
		{"only a heading", "#EXTM3U", source.Count{}, nil},
		{"byte order mark", "\ufeff#EXTM3U\n#EXTINF:-1,A\n" + address, source.Count{Items: 1}, nil},
		{"no heading", "#EXTINF:-1,A\n" + address + "\n", source.Count{Items: 1}, nil},
		{"repeated", strings.Repeat("#EXTINF:-1,A\n"+address+"\n", 2), source.Count{Items: 2}, nil},
		{"address without a title", "#EXTM3U\n" + address, source.Count{Skipped: 1}, nil},
		{"title without an address", "#EXTINF:-1,A\n#EXTINF:-1,B\n" + address, source.Count{Items: 1, Skipped: 1}, nil},
		{"no address", "#EXTINF:-1,A\nlive.m3u8\n#EXTINF:-1,B\n" + address, source.Count{Items: 1, Skipped: 1}, nil},
		{"long address", "#EXTINF:-1,A\nhttps://" + long + "\n#EXTINF:-1,B\n" + address, source.Count{Items: 1, Skipped: 1}, nil},
		{"long title", "#EXTINF:-1," + long + "\n" + address + "\n#EXTINF:-1,B\n" + address, source.Count{Items: 1, Skipped: 2}, nil},
		{"line of a megabyte", "#EXTM3U\n#" + strings.Repeat(long, 64) + "\n#EXTINF:-1,B\n" + address, source.Count{Items: 1, Skipped: 1}, nil},
		{"cut", "#EXTM3U\n#EXTINF:-1,A\n" + address + "\n#EXTINF:-1,B", source.Count{Items: 1}, source.ErrTruncated},
		{"remarks only", "# nothing here\n", source.Count{}, source.ErrForm},
		{"a page", "<!DOCTYPE html>\n<html>", source.Count{}, source.ErrForm},
		{"empty", "", source.Count{}, source.ErrEmpty},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, count, err := decodeStreams(tc.in)
			if count != tc.count || !errors.Is(err, tc.err) {
				t.Errorf("%+v, %v, want %+v, %v", count, err, tc.count, tc.err)
			}
		})
	}
}

func TestJoined(t *testing.T) {
	in := Heading("br") + "#EXTM3U\n#EXTINF:-1,A\n" + address + "\n#EXTINF:-1,cut" +
		Heading("br_pluto") + "\ufeff" + address + "\n#EXTINF:-1,B\n" + address
	d, count, err := decodeStreams(in)
	if err != nil || count != (source.Count{Items: 2, Skipped: 2}) {
		t.Fatalf("%+v, %v", count, err)
	}
	if d.Streams[0].File != "br" || d.Streams[1].File != "br_pluto" {
		t.Errorf("files %q and %q", d.Streams[0].File, d.Streams[1].File)
	}
}

// FuzzPlaylist checks what holds for the entries of every playlist.
func FuzzPlaylist(f *testing.F) {
	for _, tc := range entries {
		f.Add("#EXTM3U\n" + tc.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		d, count, err := decodeStreams("#EXTM3U\n" + in)
		if err != nil && !errors.Is(err, source.ErrTruncated) {
			t.Fatalf("error %v", err)
		}
		if count.Items != len(d.Streams) {
			t.Fatalf("%d items, %d streams", count.Items, len(d.Streams))
		}
		for _, s := range d.Streams {
			if !strings.Contains(s.URL, "://") && !strings.Contains(s.URL, "|") && s.URL == "" {
				t.Errorf("an address that is none: %+v", s)
			}
			if s.Quality != "" && !isQuality(s.Quality) {
				t.Errorf("quality %q", s.Quality)
			}
			if strings.ContainsAny(s.Title+s.URL+s.UserAgent+s.Referrer, "\n") {
				t.Errorf("a line end within %+v", s)
			}
		}
	})
}
