package catalog

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/nowplaying"
	"miramundo.dev/shared/origin"
)

// TestNowPlaying checks that the first stream of a station that is audio is read, and
// nothing of a TV channel.
func TestNowPlaying(t *testing.T) {
	asked := 0
	radio := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("icy-metaint", "4")
		_, _ = w.Write([]byte("abcd\x02StreamTitle='Canção - Ação';" + strings.Repeat("\x00", 64))) // a reader that has enough ends the connection
	}))
	t.Cleanup(radio.Close)
	at, err := url.Parse(radio.URL)
	if err != nil {
		t.Fatal(err)
	}
	stream := func(id catalog.StreamID, address, kind string) catalog.StreamRecord {
		return catalog.StreamRecord{ID: id, URL: address, Kind: kind, Origin: "radio-browser", Playable: true}
	}
	reg := &catalog.Register{BuiltAt: noon, Records: []catalog.Record{
		{ID: "rb.1", Kind: catalog.Station, Name: "Rádio", Origin: "radio-browser", Radio: &catalog.Radio{}, Streams: []catalog.StreamRecord{stream(1, "https://hls.example/a.m3u8", catalog.StreamHLS), stream(2, radio.URL+"/live", catalog.StreamAudio)}},
		{ID: "rb.2", Kind: catalog.Station, Name: "Fora", Origin: "radio-browser", Radio: &catalog.Radio{}, Streams: []catalog.StreamRecord{stream(3, "http://127.0.0.1:1/live", catalog.StreamAudio)}},
		{ID: "rb.3", Kind: catalog.Station, Name: "Vazia", Origin: "radio-browser", Radio: &catalog.Radio{}},
		{ID: "Tv.br", Name: "TV", Origin: "iptv-org", Streams: []catalog.StreamRecord{stream(4, radio.URL+"/live", catalog.StreamAudio)}},
	}}
	ix, err := index.Build(reg)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return noon }
	h := request.Handler(request.Options{}, New(Options{
		Catalog: shown{index.NewView(ix, index.Overlay{}, catalog.LinkBase{})}, Now: now,
		Playing: nowplaying.New(origin.New(origin.Options{Allow: []string{at.Host}}), now),
	}), Endpoints)
	for _, test := range []struct {
		id, want string
		status   int
	}{
		{"rb.1", `{"channel_id":"rb.1","title":"Canção - Ação","checked_at":"2026-11-22T12:00:00Z"}`, 200},
		{"rb.2", `{"channel_id":"rb.2","title":null,"checked_at":"2026-11-22T12:00:00Z"}`, 200},
		{"rb.3", `{"channel_id":"rb.3","title":null,"checked_at":null}`, 200},
		{"Tv.br", `{"channel_id":"Tv.br","title":null,"checked_at":null}`, 200},
		{"rb.9", `"error":"channel_not_found"`, 404},
		{"%00", `"error":"channel_not_found"`, 404},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/api/channels/"+test.id+"/now-playing", nil))
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %s, want %d %s", test.id, w.Code, w.Body, test.status, test.want)
		}
	}
	if asked != 1 {
		t.Errorf("stations were asked %d times, want once", asked)
	}
}
