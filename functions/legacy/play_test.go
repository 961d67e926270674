package legacy

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/scripts/dev/testchannel"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
)

var shots = flag.String("shots", "", "folder to leave pictures of the page in")

// A stack is the page, a main host that tells it of streams, and an origin,
// each on an origin of its own.
type stack struct {
	page, origin *httptest.Server
	streams      map[string]catalog.Legacy
}

// openStack serves streams of a local origin: the test channel, the test
// station, and files that ffmpeg made.
func openStack(t *testing.T, clips map[string][]string) *stack {
	t.Helper()
	s := &stack{streams: map[string]catalog.Legacy{}}
	channel, err := testchannel.New(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", channel)
	for name, args := range clips {
		mux.Handle("/"+name, clip(t, args))
	}
	mux.HandleFunc("/broken.m3u8", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, "<html>")
	})
	s.origin = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.origin.CloseClientConnections() // a station never ends
		s.origin.Close()
	})
	base := httptest.NewServer(http.HandlerFunc(s.describe))
	t.Cleanup(base.Close)
	s.page = httptest.NewServer(request.Handler(request.Options{}, New(base.URL), Endpoints))
	t.Cleanup(s.page.Close)
	for id, l := range map[string]catalog.Legacy{
		"hls":    {Kind: "hls", Name: "Canal de Teste", URL: "/tv/master.m3u8"},
		"audio":  {Kind: "audio", Name: "Rádio de Teste", URL: "/station.mp3", Radio: true},
		"ts":     {Kind: "ts", Name: "Continuous TS", URL: "/clip.ts"},
		"flv":    {Kind: "flv", Name: "Continuous FLV", URL: "/clip.flv"},
		"dash":   {Kind: "dash", Name: "DASH", URL: "/x.mpd"},
		"gone":   {Kind: "ts", Name: "Gone", URL: "/gone.ts"},
		"broken": {Kind: "hls", Name: "Broken", URL: "/broken.m3u8"},
	} {
		site := "https://example.org/"
		l.ID, l.Website, l.URL = id, &site, s.origin.URL+l.URL
		l.ProviderURL, l.LegacyURL = l.URL, s.page.URL+"/?stream="+id
		s.streams[id] = l
	}
	return s
}

// describe answers as GET /api/legacy/{id} of the main host does.
func (s *stack) describe(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	l, ok := s.streams[strings.TrimPrefix(r.URL.Path, "/api/legacy/")]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(l) // to a browser that may have left
}

// clips are what ffmpeg sends without end, by their path.
var clips = map[string][]string{
	"clip.ts":  {"-f", "mpegts"},
	"clip.flv": {"-f", "flv"},
}

// clip sends what ffmpeg makes as it makes it, as a broadcaster does.
func clip(t *testing.T, args []string) http.Handler {
	t.Helper()
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("no ffmpeg")
	}
	all := strings.Fields("-v error -re -f lavfi -i testsrc2=s=320x180:r=25 -re -f lavfi -i sine -pix_fmt yuv420p " +
		"-c:v libx264 -preset ultrafast -tune zerolatency -profile:v baseline -g 25 -c:a aac")
	all = append(append(all, args...), "pipe:1")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		cmd := exec.CommandContext(r.Context(), program, all...)
		cmd.Stdout = flushing{w}
		_ = cmd.Run() // ends when the browser has seen enough
	})
}

// flushing sends what is written to it at once.
type flushing struct{ http.ResponseWriter }

func (f flushing) Write(data []byte) (int, error) {
	n, err := f.ResponseWriter.Write(data)
	if err == nil {
		err = http.NewResponseController(f.ResponseWriter).Flush()
	}
	return n, err
}

// TestPlays plays each kind of stream in a browser: time goes on, nothing is
// told to the console, and the policy of the page holds.
func TestPlays(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	if !built() {
		t.Skip("no players: make generate takes them from npm")
	}
	b := startBrowser(t)
	s := openStack(t, clips)
	for _, id := range []string{"hls", "audio", "ts", "flv"} {
		b.visit(s.page.URL + "/?lang=en&stream=" + id)
		got := b.until(`(() => {
				const state = document.getElementById("stage")?.dataset.state, media = document.querySelector("video, audio");
				if (state === "playing") window.began ??= media.currentTime;
				return media?.currentTime > window.began + 1 || state === "failed";
			})()`,
			`[document.querySelector("video, audio")?.currentTime > window.began + 1, document.getElementById("status").textContent, document.title].join("|")`)
		if want := "true|Playing live.|" + s.streams[id].Name + " · Miramundo"; got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
		for _, trouble := range b.troubles() {
			t.Errorf("%s: %s", id, trouble)
		}
		if kept := b.until("true", `document.cookie.length + localStorage.length + sessionStorage.length`); kept != "0" {
			t.Errorf("%s: the page stored %s things", id, kept)
		}
	}
}

// TestTells checks what people read when a stream does not play.
func TestTells(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	if !built() {
		t.Skip("no players: make generate takes them from npm")
	}
	b := startBrowser(t)
	s := openStack(t, nil)
	for _, test := range []struct{ query, want string }{
		{"lang=en", "This stream does not exist, has left the catalog or does not need this page.|true|"},
		{"lang=en&stream=unknown", "This stream does not exist, has left the catalog or does not need this page.|true|"},
		{"lang=en&stream=dash", "Browsers do not play this format here. Open the address in your player.|false|" + s.origin.URL + "/x.mpd"},
		{"lang=en&stream=gone", "The stream is no longer at the provider's address.|false|" + s.origin.URL + "/gone.ts"},
		{"lang=de&stream=broken", "Die Playlist, die der Anbieter gesendet hat, ist defekt.|false|" + s.origin.URL + "/broken.m3u8"},
		{"lang=en&stream=%22%3E%3Cimg%20src=x%3E", "This stream does not exist, has left the catalog or does not need this page.|true|"},
	} {
		b.visit(s.page.URL + "/?" + test.query)
		got := b.until(`document.readyState === "complete" && (document.getElementById("stage").dataset.state === "failed" || document.getElementById("stage").hidden)`,
			`[document.getElementById("status").textContent, document.getElementById("open").hidden, document.getElementById("open").href].join("|")`)
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.query, got, test.want)
		}
	}
}

// TestFits checks that the page needs no scrolling sideways and that what is
// pressed is large enough, on a small screen and in the longest language, and
// leaves pictures when it is told to.
func TestFits(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	b := startBrowser(t)
	s := openStack(t, nil)
	for _, width := range []int{320, 360, 1280} {
		for _, query := range []string{"lang=de&theme=dark&stream=hls", "lang=pt&theme=light&stream=hls", "lang=fr&stream=audio", "lang=de&theme=light&stream=gone", "lang=pt&theme=dark&stream=dash"} {
			b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false})
			b.visit(s.page.URL + "/?" + query)
			got := b.until(`document.readyState === "complete" && !document.getElementById("actions").hidden && document.getElementById("stage").dataset.state !== "connecting"`, `[
				document.documentElement.scrollWidth - document.documentElement.clientWidth,
				[...document.querySelectorAll("nav a, button, .button")].filter((e) => e.getClientRects().length && e.getBoundingClientRect().height < 24).length,
			].join(" ")`)
			if got != "0 0" {
				t.Errorf("%d px, %s: %s (pixels too wide, small targets), want 0 0", width, query, got)
			}
			b.picture(fmt.Sprintf("%d-%s.png", width, strings.NewReplacer("=", "-", "&", "-").Replace(query)))
		}
	}
}

// picture leaves a picture of the page in the folder that the flag says.
func (b *browser) picture(name string) {
	if *shots == "" {
		return
	}
	var shot struct{ Data string }
	b.into(&shot, "Page.captureScreenshot", map[string]any{"format": "png"})
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(*shots, name), data, 0o600)
	}
	if err != nil {
		b.t.Error(err)
	}
}
