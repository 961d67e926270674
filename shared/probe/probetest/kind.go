package probetest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/probetest/clip"
)

// A kind is a way in which origins behave.
type kind struct {
	name    string
	parts   int // of 100
	want    probe.Status
	stream  string // kind of its streams; the zero is HLS
	height  int    // of the pictures, for the good
	headers bool   // its streams need them
	closed  bool   // it does not give media without them

	build func(*host) (path string) // says what the host answers, and where the stream is
	at    func(*host) string        // the stream's address, where it is not at the host
}

// Headers of the streams that need them.
const (
	referrer = "https://player.example/live"
	agent    = "Player/1.0"
)

// plan has each kind as often as it has parts, mixed.
var plan = mixed(kinds)

func mixed(kinds []kind) []*kind {
	var all []*kind
	for i := range kinds {
		for range kinds[i].parts {
			all = append(all, &kinds[i])
		}
	}
	rand.New(rand.NewPCG(5, 500)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// kinds are all of them; their parts come to 100.
var kinds = []kind{
	{name: "live", parts: 10, want: probe.Online, height: clip.High, build: live("master.m3u8")},
	{name: "one variant", parts: 3, want: probe.Online, height: clip.High, build: live("high.m3u8")},
	{name: "slow", parts: 2, want: probe.Online, height: clip.High, build: slow(live("master.m3u8"))},
	{name: "fragments", parts: 3, want: probe.Online, height: clip.High, build: fragments},
	{name: "sound only", parts: 2, want: probe.Online, build: live("radio.m3u8")},
	{name: "sound apart", parts: 1, want: probe.Online, height: clip.High, build: live("apart.m3u8")},
	{name: "low latency", parts: 1, want: probe.Online, height: clip.High, build: lowLatency},
	{name: "untidy", parts: 1, want: probe.Online, height: clip.High, build: untidy},
	{name: "first gone", parts: 1, want: probe.Online, height: clip.High, build: firstGone},
	{name: "locked", parts: 1, want: probe.Online, build: locked(16)},
	{name: "film", parts: 3, want: probe.Online, height: clip.High, build: film},
	{name: "redirected", parts: 2, want: probe.Online, height: clip.High, build: redirected},
	{name: "transport", parts: 2, want: probe.Online, stream: catalog.StreamTS, height: clip.High, build: transportStream},
	{name: "transport called HLS", parts: 1, want: probe.Online, height: clip.High, build: transportStream},
	{name: "HLS called transport", parts: 1, want: probe.Online, stream: catalog.StreamTS, height: clip.High, build: live("master.m3u8")},
	{name: "flash", parts: 1, want: probe.Online, stream: catalog.StreamFLV, height: clip.High, build: file("video/x-flv", func(c *clip.Set) []byte { return c.Film })},
	{name: "MP3", parts: 2, want: probe.Online, stream: catalog.StreamAudio, build: station("audio/mpeg", func(c *clip.Set) []byte { return c.Song })},
	{name: "AAC", parts: 1, want: probe.Online, stream: catalog.StreamAudio, build: station("audio/aac", func(c *clip.Set) []byte { return c.Radio })},
	{name: "shoutcast", parts: 2, want: probe.Online, stream: catalog.StreamAudio, build: shoutcast},
	{name: "station list", parts: 1, want: probe.Online, stream: catalog.StreamAudio, build: stationList},
	{name: "DASH", parts: 1, want: probe.Online, stream: catalog.StreamDASH, height: clip.High, build: dash},

	{name: "header only", parts: 3, want: probe.Online, height: clip.High, headers: true, closed: true, build: needing(live("master.m3u8"), "")},
	{name: "playlist header only", parts: 1, want: probe.Online, height: clip.High, headers: true, build: needing(live("master.m3u8"), ".m3u8")},
	{name: "page for nobody", parts: 1, want: probe.Online, height: clip.High, headers: true, closed: true, build: pageless},
	{name: "header unknown", parts: 1, want: probe.Blocked, build: needing(live("master.m3u8"), "")},
	{name: "no pages", parts: 1, want: probe.Online, height: clip.High, build: noPages},

	{name: "dead port", parts: 5, want: probe.Offline, build: nowhere, at: func(h *host) string {
		h.fleet.allow = append(h.fleet.allow, h.name+":1") // nobody listens there
		return "http://" + h.name + ":1/live.m3u8"
	}},
	{name: "no such name", parts: 2, want: probe.Offline, build: nowhere, at: func(h *host) string { return "http://gone.example.com/" + h.name }},
	{name: "404", parts: 3, want: probe.Offline, build: status(404)},
	{name: "410", parts: 1, want: probe.Offline, build: status(410)},
	{name: "redirect inward", parts: 1, want: probe.Offline, build: toward("http://10.0.0.1/admin")},
	{name: "playlist inward", parts: 1, want: probe.Offline, build: text("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://169.254.169.254/latest\n#EXT-X-ENDLIST\n")},

	{name: "403", parts: 3, want: probe.Blocked, build: status(403)},
	{name: "401", parts: 1, want: probe.Blocked, build: status(401)},
	{name: "451", parts: 1, want: probe.Blocked, build: status(451)},
	{name: "country", parts: 2, want: probe.Blocked, build: country},
	{name: "country page", parts: 1, want: probe.Blocked, build: text("<html><body>This video is not available in your country.</body></html>")},
	{name: "segments 403", parts: 1, want: probe.Blocked, build: segmentsFail(403)},

	{name: "mute", parts: 2, want: probe.Timeout, build: mute},
	{name: "drip", parts: 1, want: probe.Timeout, build: drip},

	{name: "500", parts: 2, want: probe.Error, build: status(500)},
	{name: "page", parts: 3, want: probe.Error, build: text("<!DOCTYPE html><title>Parked</title><p>This domain is for sale")},
	{name: "JSON", parts: 2, want: probe.Error, build: text(`{"error":"no such stream"}`)},
	{name: "empty", parts: 1, want: probe.Error, build: text("")},
	{name: "empty list", parts: 1, want: probe.Error, build: text("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:1\n")},
	{name: "redirect loop", parts: 1, want: probe.Error, build: toward("/live.m3u8")},
	{name: "stalled", parts: 4, want: probe.Error, build: stalled},
	{name: "wrong codecs", parts: 2, want: probe.Error, stream: catalog.StreamTS, build: file("video/mp2t", func(c *clip.Set) []byte { return c.Noise })},
	{name: "wrong codecs in segments", parts: 1, want: probe.Error, build: wrongSegments(func(c *clip.Set) []byte { return c.Noise })},
	{name: "tiny segments", parts: 1, want: probe.Error, build: wrongSegments(func(*clip.Set) []byte { return []byte{0x47} })},
	{name: "segments 404", parts: 1, want: probe.Error, build: segmentsFail(404)},
	{name: "no key", parts: 1, want: probe.Error, build: locked(5)},
	{name: "in itself", parts: 1, want: probe.Error, build: text("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nlive.m3u8\n")},
	{name: "truncated", parts: 1, want: probe.Error, build: truncated},
	{name: "garbage", parts: 1, want: probe.Error, build: garbage},
	{name: "packed bomb", parts: 1, want: probe.Error, build: packed},
	{name: "endless bomb", parts: 1, want: probe.Error, build: endless},
	{name: "many variants", parts: 1, want: probe.Error, build: text("#EXTM3U\n" + strings.Repeat("#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n", 100_000))},
}

// entry is where streams are that have nowhere else to be.
const entry = "/live.m3u8"

const typeHLS = "application/vnd.apple.mpegurl"

// nowhere answers nothing.
func nowhere(*host) string { return entry }

// status answers with a status.
func status(code int) func(*host) string {
	return func(h *host) string {
		h.other = func(v *visit) { v.say(code, "text/plain", []byte(http.StatusText(code))) }
		return entry
	}
}

// text answers with a text, which nobody need believe to be HLS.
func text(body string) func(*host) string {
	return func(h *host) string {
		h.answers[entry] = func(v *visit) { v.say(200, typeHLS, []byte(body)) }
		return entry
	}
}

// file answers with some bytes.
func file(kind string, data func(*clip.Set) []byte) func(*host) string {
	return func(h *host) string {
		h.answers["/file"] = func(v *visit) { v.say(200, kind, data(h.fleet.clips)) }
		return "/file"
	}
}

// toward redirects all requests.
func toward(to string) func(*host) string {
	return func(h *host) string {
		h.other = func(v *visit) {
			v.w.Header().Set("Location", to)
			v.say(302, "text/plain", nil)
		}
		return entry
	}
}

// segmentsFail has a good playlist, and no segments.
func segmentsFail(code int) func(*host) string {
	return func(h *host) string {
		path := live("high.m3u8")(h)
		h.other = func(v *visit) { v.say(code, "text/plain", nil) }
		return path
	}
}

// wrongSegments has a good playlist, and other segments.
func wrongSegments(data func(*clip.Set) []byte) func(*host) string {
	return func(h *host) string {
		path := live("high.m3u8")(h)
		h.other = func(v *visit) { v.say(200, "video/mp2t", data(h.fleet.clips)) }
		return path
	}
}

// mute never answers.
func mute(h *host) string {
	h.other = (*visit).hold
	return entry
}

// drip sends a byte from time to time.
func drip(h *host) string {
	h.other = func(v *visit) {
		v.stream(typeHLS, func(w io.Writer) error {
			for {
				if _, err := io.WriteString(w, "#"); err != nil {
					return err
				}
				_ = http.NewResponseController(v.w).Flush() // the next byte fails
				select {
				case <-time.After(300 * time.Millisecond):
				case <-v.Context().Done():
					return v.Context().Err()
				}
			}
		})
	}
	return entry
}

// endless sends a playlist without end.
func endless(h *host) string {
	h.other = func(v *visit) {
		v.stream(typeHLS, func(w io.Writer) error {
			line := []byte("#EXTM3U\n" + strings.Repeat("#EXTINF:2,\nsegment.ts\n#EXT-X-DISCONTINUITY\n", 100))
			for {
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
		})
	}
	return entry
}

// packed sends a small answer that unpacks to a large one.
func packed(h *host) string {
	h.other = func(v *visit) {
		v.w.Header().Set("Content-Encoding", "gzip")
		v.say(200, typeHLS, h.fleet.clips.Bomb)
	}
	return entry
}

// truncated sends less than it says.
func truncated(h *host) string {
	h.other = func(v *visit) {
		v.w.Header().Set("Content-Length", "100000")
		v.say(200, typeHLS, []byte("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nsegment.ts\n"))
	}
	return entry
}

// garbage sends bytes that mean nothing.
func garbage(h *host) string {
	data := make([]byte, 64<<10)
	random := rand.NewChaCha8([32]byte{5})
	_, _ = random.Read(data) // it never fails
	h.other = func(v *visit) { v.say(200, "video/mp2t", data) }
	return entry
}

// country answers to one country only.
func country(h *host) string {
	path := live("master.m3u8")(h)
	return guard(h, path, func(v *visit) bool { return v.Header.Get("X-Country") == "BR" })
}

// guard refuses requests that are not let in.
func guard(h *host, path string, let func(*visit) bool) string {
	wrap := func(do answer) answer {
		return func(v *visit) {
			if !let(v) {
				v.say(403, "text/plain", []byte("Forbidden"))
				return
			}
			do(v)
		}
	}
	for at, do := range h.answers {
		h.answers[at] = wrap(do)
	}
	h.other = wrap(h.other)
	return path
}

// needing refuses requests without the headers, for paths that end so.
func needing(build func(*host) string, suffix string) func(*host) string {
	return func(h *host) string {
		return guard(h, build(h), func(v *visit) bool {
			return !strings.HasSuffix(v.URL.Path, suffix) ||
				v.Header.Get("Referer") == referrer && v.UserAgent() == agent
		})
	}
}

// pageless gives a page in place of media to who lacks the headers.
func pageless(h *host) string {
	path := live("master.m3u8")(h)
	media := h.other
	h.other = func(v *visit) {
		if v.Header.Get("Referer") != referrer {
			v.say(200, "text/html", []byte("<html><p>Watch on our site</p></html>"))
			return
		}
		media(v)
	}
	return path
}

// noPages refuses requests from pages, and nobody else.
func noPages(h *host) string {
	return guard(h, live("master.m3u8")(h), func(v *visit) bool { return v.Header.Get("Origin") == "" })
}

// stalled has a live playlist that does not go on.
func stalled(h *host) string {
	h.other = segments
	h.answers[entry] = func(v *visit) { v.say(200, typeHLS, window(100, "seg%d.ts", "")) }
	return entry
}

// slow takes its time.
func slow(build func(*host) string) func(*host) string {
	return func(h *host) string {
		path := build(h)
		do := h.answers[path]
		h.answers[path] = func(v *visit) {
			select {
			case <-time.After(400 * time.Millisecond):
			case <-v.Context().Done():
			}
			do(v)
		}
		return path
	}
}

// window writes a live playlist of five segments, from segment n on.
func window(n uint64, name, head string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:%d\n#EXT-X-MEDIA-SEQUENCE:%d\n%s", clip.Seconds, n, head)
	for i := range uint64(5) {
		fmt.Fprintf(&b, "#EXTINF:%d.0,\n"+name+"\n", clip.Seconds, n+i)
	}
	return b.Bytes()
}
