package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/rank"
)

// TestPlayURL checks the play_url of a stream of each kind and scheme against the
// answers of the hop: an address at the hop leads a player to the stream, and a stream
// without one is refused by the hop, or belongs to a player of its own.
func TestPlayURL(t *testing.T) {
	hop, suffixed := hopURL+path(1, ""), hopURL+path(1, "")+".m3u8"
	for _, test := range []struct {
		kind, url, want string
		status          int // of the address at the hop
	}{
		{"hls", "/master.m3u8", suffixed, 200},
		{"dash", "https://tv.example.com/live.mpd", hop, 302},
		{"dash", "http://tv.example.com/live.mpd", "http://tv.example.com/live.mpd", 422},
		{"ts", "https://tv.example.com/live.ts", hop, 302},
		{"ts", "HTTP://tv.example.com/live.ts", "HTTP://tv.example.com/live.ts", 422},
		{"flv", "https://tv.example.com/live.flv", hop, 302},
		{"flv", "http://tv.example.com/live.flv", "http://tv.example.com/live.flv", 422},
		{"audio", "https://radio.example.com/live", hop, 302},
		{"audio", "http://radio.example.com:8000/;", "http://radio.example.com:8000/;", 422},
		{"youtube", "https://www.youtube.com/watch?v=jfKfPfyJRdk", "", 302},
		{"youtube", "http://www.youtube.com/@someone", "", 422},
		{"externo", "rtmp://tv.example.com/live", "", 422},
	} {
		w := start(t, setup{streams: []catalog.StreamRecord{{URL: test.url, Kind: test.kind}}, origin: family})
		view, err := w.catalog.View()
		if err != nil {
			t.Fatal(err)
		}
		record, ok := view.Channel("c1", 0, rank.Caller{})
		if !ok {
			t.Fatal("the channel is not in the catalog")
		}
		if d := cmp.Diff(catalog.TextOrNil(test.want), record.Streams[0].PlayURL); d != "" {
			t.Errorf("play_url of %s %s (-want +got):\n%s", test.kind, test.url, d)
		}
		at := path(1, "")
		if rest, ok := strings.CutPrefix(test.want, hopURL); ok {
			at = rest
		}
		a := w.get(at)
		if a.StatusCode != test.status {
			t.Errorf("%s %s: the hop answers %d, want %d: %s", test.kind, test.url, a.StatusCode, test.status, a.body)
		}
		if a.StatusCode == http.StatusOK && a.Header.Get("Content-Type") != mpegURL[0] {
			t.Errorf("%s %s: the hop answers with %s", test.kind, test.url, a.Header.Get("Content-Type"))
		}
	}
}
