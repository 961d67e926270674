// Package liveorigin serves live streams of every form that players meet: transport
// stream and fragmented MP4, one quality and several, encrypted, with separate
// sound, with low latency, behind lists of addresses, and by names that promise
// something else.
//
// ffmpeg renders their media anew for each run. The segments that a playlist shows
// depend on the time since then.
package liveorigin

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/scripts/dev/testchannel"
	"miramundo.dev/scripts/players/journal"
)

// token is a query parameter in the address of every playlist below a master. It has
// the characters that careless rewriting would change.
const token = "sig=a~b/c==&exp=1%2F2"

// A Form is one of the streams that an origin has.
type Form struct {
	Name       string
	Path       string // of the playlist or the media that a catalog would name
	Kind       string // of the stream, as package catalog names it
	Secure     bool   // is named by its https address
	LowLatency bool   // plays in parts, and waits for them
	Sends      string // the kind of what it sends, when its address promises Kind; empty when it keeps the promise
}

// Redirected reports whether the hop leads players to the provider of a form, because
// it has no playlist.
func (f Form) Redirected() bool { return f.Kind != "hls" || f.Sends != "" }

// SoundOnly reports whether a form has no pictures.
func (f Form) SoundOnly() bool { return f.Kind == "audio" || f.Sends == "audio" }

// Forms are all streams of an origin.
var Forms = []Form{
	{Name: "test channel", Path: testchannel.MasterPath, Kind: "hls"},
	{Name: "several qualities", Path: "/moved/live/multi/master.m3u8", Kind: "hls"},
	{Name: "fragmented MP4", Path: "/live/fmp4/master.m3u8", Kind: "hls"},
	{Name: "AES-128", Path: "/live/aes/aes/live.m3u8?" + token, Kind: "hls"},
	{Name: "sound apart", Path: "/live/apart/master.m3u8", Kind: "hls"},
	{Name: "low latency", Path: "/low/master.m3u8", Kind: "hls", LowLatency: true},
	{Name: "radio", Path: testchannel.StationPath, Kind: "audio", Secure: true},
	{Name: "transport stream", Path: "/endless.ts", Kind: "ts", Secure: true},
	{Name: "plain radio", Path: testchannel.StationPath, Kind: "audio"},
	{Name: "radio by a wrong name", Path: "/misnamed/station", Kind: "hls", Sends: "audio"},
	{Name: "transport stream by a wrong name", Path: "/misnamed/endless", Kind: "hls", Sends: "ts"},
	{Name: "list of a radio", Path: "/lists/radio.pls", Kind: "hls", Sends: "audio"},
	{Name: "list of a channel", Path: "/lists/channel.pls", Kind: "hls"},
	{Name: "M3U of a channel", Path: "/lists/channel.m3u", Kind: "hls"},
}

// An Origin serves all forms, over HTTP and over HTTPS, and keeps a journal of the
// requests.
type Origin struct {
	Journal journal.Journal
	addr    string // host:port of HTTP
	secure  string // host:port of HTTPS
	media   media
	windows map[string]*window     // by rendition
	low     map[string]*lowLatency // by rendition
	servers []*http.Server
	cancel  context.CancelFunc // ends the requests under way
}

// Start makes the media in dir and serves it on the loopback interface.
func Start(ctx context.Context, dir string) (*Origin, error) {
	m, err := makeMedia(ctx, dir)
	if err != nil {
		return nil, err
	}
	o := &Origin{media: m, windows: map[string]*window{}, low: map[string]*lowLatency{}}
	start := time.Now()
	for _, name := range []string{"low", "high", "low-mp4", "high-mp4", "aes", "picture", "sound"} {
		if o.windows[name], err = readWindow(m.path(name, "all.m3u8"), start); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"low", "high"} {
		f, err := readFragments(m.path(name + "-fragments.mp4"))
		if err != nil {
			return nil, err
		}
		o.low[name] = &lowLatency{f, start, time.Now}
	}
	return o, o.serve(ctx)
}

// serve listens for HTTP and for HTTPS.
func (o *Origin) serve(ctx context.Context) error {
	h, err := o.handler()
	if err != nil {
		return err
	}
	ctx, o.cancel = context.WithCancel(ctx)
	for _, secure := range []bool{false, true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
		o.servers = append(o.servers, srv)
		if !secure {
			o.addr = l.Addr().String()
			go func() { _ = srv.Serve(l) }() // ends with Close
			continue
		}
		o.secure = l.Addr().String()
		if srv.TLSConfig, err = selfSigned(); err != nil {
			return err
		}
		go func() { _ = srv.ServeTLS(l, "", "") }() // likewise
	}
	return nil
}

// Close stops serving.
func (o *Origin) Close() {
	if o.cancel != nil {
		o.cancel()
	}
	for _, srv := range o.servers {
		_ = srv.Close() // nothing is lost
	}
}

// URL returns the address of a form, as a catalog would have it.
func (o *Origin) URL(f Form) string {
	if f.Secure {
		return "https://" + o.secure + f.Path
	}
	return "http://" + o.addr + f.Path
}

// Addrs are the host:port pairs that a guarded client must be allowed.
func (o *Origin) Addrs() []string { return []string{o.addr, o.secure} }

// handler returns the routes of all forms, written down and open to all pages.
func (o *Origin) handler() (http.Handler, error) {
	channel, err := testchannel.New(time.Now)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /tv/", channel)
	mux.Handle("GET /station.mp3", channel)
	mux.HandleFunc("GET /moved/{path...}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/"+r.PathValue("path"), http.StatusFound)
	})
	mux.HandleFunc("GET /live/{stream}/master.m3u8", o.master)
	mux.HandleFunc("GET /live/{stream}/{rendition}/live.m3u8", o.live)
	mux.HandleFunc("GET /live/{stream}/{rendition}/{file}", o.file)
	mux.HandleFunc("GET /low/master.m3u8", func(w http.ResponseWriter, _ *http.Request) { send(w, []byte(masters["multi"])) })
	mux.HandleFunc("GET /low/{rendition}/live.m3u8", o.lowLive)
	mux.HandleFunc("GET /low/{rendition}/{file}", o.lowFile)
	mux.HandleFunc("GET /endless.ts", o.endless)
	mux.HandleFunc("GET /misnamed/endless", o.endless)
	mux.HandleFunc("GET /misnamed/station", func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = testchannel.StationPath
		channel.ServeHTTP(w, r)
	})
	for path, text := range lists {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, text) // a player that hung up reads no more
		})
	}
	return o.Journal.Wrap(open(mux)), nil
}

// lists are the texts that stations give instead of a stream, with its address.
var lists = map[string]string{
	"/lists/radio.pls":   "[playlist]\nNumberOfEntries=1\nFile1=" + testchannel.StationPath + "\nTitle1=Radio\nLength1=-1\nVersion=2\n",
	"/lists/channel.pls": "[playlist]\nNumberOfEntries=1\nFile1=/live/multi/master.m3u8\nTitle1=TV\nLength1=-1\nVersion=2\n",
	"/lists/channel.m3u": "#EXTM3U\n#EXTINF:-1,TV\n/live/multi/master.m3u8\n",
}

// open answers pages of all origins.
func open(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if r.Method == http.MethodOptions {
			w.Header().Set("Access-Control-Allow-Headers", "Range")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// codecs are those of every rendition.
const codecs = `CODECS="avc1.42c01e,mp4a.40.2"`

// qualities is a master playlist of two renditions.
func qualities(low, high string) string {
	return "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n" +
		"#EXT-X-STREAM-INF:BANDWIDTH=220000," + codecs + ",RESOLUTION=160x90\n" + low + "/live.m3u8?" + token + "\n" +
		"#EXT-X-STREAM-INF:BANDWIDTH=450000," + codecs + ",RESOLUTION=320x180\n" + high + "/live.m3u8?" + token + "\n"
}

// masters are the playlists of renditions, by stream.
var masters = map[string]string{
	"multi": qualities("low", "high"),
	"fmp4":  qualities("low-mp4", "../fmp4/high-mp4"),
	"apart": "#EXTM3U\n#EXT-X-VERSION:6\n" +
		`#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Tone",DEFAULT=YES,AUTOSELECT=YES,URI="sound/live.m3u8?` + token + "\"\n" +
		"#EXT-X-STREAM-INF:BANDWIDTH=220000," + codecs + ",RESOLUTION=160x90,AUDIO=\"a\"\n/live/apart/picture/live.m3u8?" + token + "\n",
}

func (o *Origin) master(w http.ResponseWriter, r *http.Request) {
	text, ok := masters[r.PathValue("stream")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	send(w, []byte(text))
}

func (o *Origin) live(w http.ResponseWriter, r *http.Request) {
	rendition := o.windows[r.PathValue("rendition")]
	if rendition == nil || r.URL.RawQuery != token {
		http.Error(w, "no such rendition, or a changed token", http.StatusForbidden)
		return
	}
	send(w, rendition.playlist(time.Now()))
}

// send sends a playlist.
func send(w http.ResponseWriter, text []byte) {
	w.Header().Set("Content-Type", "application/vnd.apple.mpegurl")
	w.Header().Set("Cache-Control", "no-cache")
	w.Write(text)
}

// file sends a segment, a key or the start of a rendition.
func (o *Origin) file(w http.ResponseWriter, r *http.Request) {
	if o.windows[r.PathValue("rendition")] == nil {
		http.NotFound(w, r)
		return
	}
	http.ServeFileFS(w, r, os.DirFS(o.media.path(r.PathValue("rendition"))), r.PathValue("file"))
}

// endless sends one transport stream without playlists.
func (o *Origin) endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "video/mp2t")
	for n := range o.windows["low"].segments {
		data, err := os.ReadFile(o.media.path("low", fmt.Sprintf("all%d.ts", n)))
		if err != nil {
			return
		}
		if _, err := w.Write(data); err != nil {
			return
		}
	}
}

// lowLive sends a low-latency playlist, when what it is asked for is there.
func (o *Origin) lowLive(w http.ResponseWriter, r *http.Request) {
	l := o.low[r.PathValue("rendition")]
	query, directives, _ := strings.Cut(r.URL.RawQuery, "&_HLS_")
	if l == nil || query != token {
		http.Error(w, "no such rendition, or a changed token", http.StatusForbidden)
		return
	}
	q := r.URL.Query()
	if part, ok, err := wanted(q.Get("_HLS_msn"), q.Get("_HLS_part")); err != nil {
		http.Error(w, err.Error()+": "+directives, http.StatusBadRequest)
		return
	} else if ok {
		if err := l.await(r.Context(), part); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	other := map[string]string{"low": "high", "high": "low"}[r.PathValue("rendition")]
	send(w, l.playlist(q.Get("_HLS_skip") == "YES", "../"+other+"/live.m3u8?"+token))
}

// wanted returns the part that the delivery directives of a request name.
func wanted(msn, part string) (n int, ok bool, err error) {
	if msn == "" {
		if part != "" {
			return 0, false, fmt.Errorf("a part without a segment")
		}
		return 0, false, nil
	}
	s, err := strconv.ParseUint(msn, 10, 20)
	if err != nil {
		return 0, false, err
	}
	if part == "" {
		return (int(s)+1)*partsEach - 1, true, nil
	}
	p, err := strconv.ParseUint(part, 10, 10)
	return int(s)*partsEach + int(p), true, err
}

// lowFile sends a part, when it is there, a whole segment, or their start.
func (o *Origin) lowFile(w http.ResponseWriter, r *http.Request) {
	l := o.low[r.PathValue("rendition")]
	if l == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "video/mp4")
	if r.PathValue("file") == "init.mp4" {
		w.Write(l.initial)
		return
	}
	if n, ok := numbered(r.PathValue("file"), "part"); ok && l.await(r.Context(), n) == nil {
		w.Write(l.parts[n])
		return
	}
	if n, ok := numbered(r.PathValue("file"), "seg"); ok && (n+1)*partsEach <= l.edge() {
		if data, ok := l.segment(n); ok {
			w.Write(data)
			return
		}
	}
	http.NotFound(w, r)
}

// numbered returns the number in the name of a file.
func numbered(file, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(file, ".m4s"), prefix)
	n, err := strconv.ParseUint(digits, 10, 20)
	return int(n), ok && err == nil
}
