package server

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"miramundo.dev/shared/catalog"
)

// TestOtherScripts plays a stream whose host the catalog and the playlists name
// in another script. The origin gets its headers also when it is asked again at
// the address that answered, and players get the name in Punycode.
func TestOtherScripts(t *testing.T) {
	var port string
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host != "xn--bcher-kva.example.com:"+port, r.Header.Get("Referer") != "https://site.example/" && r.URL.Path == "/master.m3u8":
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Path == "/master.m3u8":
			fmt.Fprintf(w, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://bücher.example.com:%s/low.m3u8\n", port)
		default:
			io.WriteString(w, media+"#EXTINF:6,\nhttps://medien.bücher.example.com/ü.ts\n")
		}
	}))
	t.Cleanup(origin.Close)
	_, port, _ = net.SplitHostPort(origin.Listener.Addr().String())
	w := start(t, setup{
		resolver: newZone().resolver(), allow: []string{"xn--bcher-kva.example.com:" + port},
		streams: []catalog.StreamRecord{
			{URL: "http://bücher.example.com:" + port + "/master.m3u8", Referrer: "https://site.example/"},
			{URL: "https://bücher.example.com/live/ü", Kind: catalog.StreamAudio},
		},
	})
	for range 3 {
		a := w.get(path(1, ""))
		if a.StatusCode != 200 {
			t.Fatalf("the master: %d %s", a.StatusCode, a.body)
		}
		child := w.get(w.child(a.body))
		if want := "\nhttp://xn--bcher-kva.example.com:" + port + "/seg.ts\n"; !strings.Contains(child.body, want) {
			t.Errorf("%d %q has no %q", child.StatusCode, child.body, want)
		}
		if want := "\nhttps://medien.xn--bcher-kva.example.com/ü.ts\n"; !strings.Contains(child.body, want) {
			t.Errorf("%d %q has no %q", child.StatusCode, child.body, want)
		}
		w.clock.Add(3e9)
	}
	if a := w.get(path(2, "")); a.Header.Get("Location") != "https://xn--bcher-kva.example.com/live/%C3%BC" {
		t.Errorf("audio: %d, Location %q", a.StatusCode, a.Header.Get("Location"))
	}
}

// TestInnerReferences has playlists that refer to addresses of the networks
// that players are in. None reaches a player: the answer is that of an origin
// that fails, unless a variant is left that does not.
func TestInnerReferences(t *testing.T) {
	forms := []string{
		"%s", "#EXT-X-KEY:METHOD=AES-128,URI=\"%s\"", "#EXT-X-MAP:URI=\"%s\"", "#EXT-X-PART:DURATION=1,URI=\"%s\"", "#EXT-X-PREFETCH:%s",
		"#EXT-X-SESSION-DATA:DATA-ID=\"a\",URI=\"%s\"", "#EXT-X-DATERANGE:ID=\"a\",CLASS=\"com.apple.hls.interstitial\",X-ASSET-URI=\"%s\"",
	}
	hosts := []string{"192.168.0.1", "localhost:631", "0x7f.1", "2130706433", "017700000001", "[::ffff:192.168.0.1]", "[::1]", "router.local", "１２７.０.０.１"}
	var streams []catalog.StreamRecord
	texts := map[string]string{}
	add := func(text string) {
		url := fmt.Sprintf("/%d", len(streams))
		texts[url], streams = text, append(streams, catalog.StreamRecord{URL: url})
	}
	for _, host := range hosts {
		for _, form := range forms {
			add("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXTINF:6,\n" + fmt.Sprintf(form, "http://"+host+"/reboot") + "\n")
		}
		add("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n//" + host + "/reboot\n")
	}
	w := start(t, setup{streams: streams, origin: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { io.WriteString(rw, texts[r.URL.Path]) })})
	for i, st := range streams {
		a := w.get(path(i+1, ""))
		checkEnding(t, a, "422 playlist_origem")
		if strings.Contains(a.body, "reboot") {
			t.Errorf("%q reaches a player as %q", texts[st.URL], a.body)
		}
	}
}
