package probetest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"

	"miramundo.dev/shared/probe/probetest/clip"
)

// live has a live stream in two variants, and says where one of its playlists
// is. They go on with each request for them.
func live(name string) func(*host) string {
	return func(h *host) string {
		h.answers["/master.m3u8"] = func(v *visit) {
			v.say(200, typeHLS, []byte("#EXTM3U\n"+
				"#EXT-X-STREAM-INF:BANDWIDTH=200000,RESOLUTION=640x360\nlow.m3u8\n"+
				"#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=1920x1080,"+clip.CodecsHLS+"\nhigh.m3u8\n"))
		}
		h.answers["/apart.m3u8"] = func(v *visit) {
			v.say(200, typeHLS, []byte("#EXTM3U\n"+
				`#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",DEFAULT=YES,URI="radio.m3u8"`+"\n"+
				`#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=1920x1080,AUDIO="a",`+clip.CodecsHLS+"\nhigh.m3u8\n"))
		}
		for at, segment := range map[string]string{"/high.m3u8": "seg%d.ts", "/low.m3u8": "low%d.ts", "/radio.m3u8": "seg%d.aac"} {
			h.answers[at] = func(v *visit) { v.say(200, typeHLS, window(100+v.nth, segment, "")) }
		}
		h.other = segments
		return "/" + name
	}
}

// segments answers with the piece that a path names.
func segments(v *visit) {
	c := v.host.fleet.clips
	name := path.Base(v.URL.Path)
	switch {
	case path.Ext(name) == ".aac":
		v.say(200, "audio/aac", c.Radio)
	case strings.HasPrefix(name, "low"):
		v.say(200, "video/mp2t", c.Low)
	case strings.HasSuffix(name, ".ts"):
		v.say(200, "video/mp2t", c.High)
	case name == "init.mp4":
		v.say(200, "video/mp4", c.Init)
	case path.Ext(name) == ".m4s":
		v.say(200, "video/mp4", c.Part)
	default:
		v.say(404, "text/plain", []byte("no such file"))
	}
}

// fragments has a live stream in fragmented MP4.
func fragments(h *host) string {
	h.answers[entry] = func(v *visit) { v.say(200, typeHLS, window(100+v.nth, "seg%d.m4s", "#EXT-X-MAP:URI=\"init.mp4\"\n")) }
	h.other = segments
	return entry
}

// lowLatency has a live stream whose playlist goes on by parts of segments.
func lowLatency(h *host) string {
	h.answers[entry] = func(v *visit) {
		text := window(100, "seg%d.m4s", "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.0\n#EXT-X-PART-INF:PART-TARGET=0.33\n#EXT-X-MAP:URI=\"init.mp4\"\n")
		for i := range v.nth {
			text = fmt.Appendf(text, "#EXT-X-PART:DURATION=0.33,URI=\"part%d.m4s\"\n", i)
		}
		v.say(200, typeHLS, append(text, "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"next.m4s\"\n"...))
	}
	h.other = segments
	return entry
}

// untidy has a playlist such as are found: lines that end in all ways, empty
// ones, a mark before the first, tags that are wrong, no sequence.
func untidy(h *host) string {
	h.answers[entry] = func(v *visit) {
		var b strings.Builder
		b.WriteString("\ufeff#EXTM3U  \r\n\r\n#EXT-X-VERSION:three\r\n#EXT-X-TARGETDURATION:2.5\n#EXT-X-KEY:METHOD=NONE\n\n")
		for i := range uint64(4) {
			fmt.Fprintf(&b, "#EXTINF:2\r\n\r\n#EXT-X-PROGRAM-DATE-TIME:yesterday\n seg.ts?n=%d \r\n", v.nth+i)
		}
		v.say(200, "text/html", []byte(b.String()))
	}
	h.other = segments
	return entry
}

// firstGone has a live stream whose older segments are gone too early.
func firstGone(h *host) string {
	h.answers[entry] = func(v *visit) { v.say(200, typeHLS, window(100*v.nth, "seg%d.ts", "")) }
	h.other = func(v *visit) {
		if !strings.HasSuffix(v.URL.Path, "4.ts") {
			v.say(404, "text/plain", nil)
			return
		}
		segments(v)
	}
	return entry
}

// locked has a stream behind a key of so many bytes. Its segments look like
// noise.
func locked(size int) func(*host) string {
	return func(h *host) string {
		garbage(h)
		h.answers["/key"] = func(v *visit) { v.say(200, "application/octet-stream", bytes.Repeat([]byte{0xa5}, size)) }
		h.answers[entry] = func(v *visit) {
			v.say(200, typeHLS, window(100+v.nth, "seg%d.ts", "#EXT-X-KEY:METHOD=AES-128,URI=\"/key\"\n"))
		}
		return entry
	}
}

// film has a stream that has ended, as ranges of one file.
func film(h *host) string {
	c := h.fleet.clips
	size := len(c.High)
	h.answers[entry] = func(v *visit) {
		v.say(200, typeHLS, fmt.Appendf(nil, "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-VERSION:4\n"+
			"#EXTINF:2,\n#EXT-X-BYTERANGE:%d@%d\nall.ts\n#EXTINF:2,\n#EXT-X-BYTERANGE:%d\nall.ts\n#EXT-X-ENDLIST\n", size, 188, size))
	}
	all := append(bytes.Repeat([]byte{0xff}, 188), bytes.Repeat(c.High, 2)...)
	h.answers["/all.ts"] = func(v *visit) {
		var from, to int
		if n, err := fmt.Sscanf(v.Header.Get("Range"), "bytes=%d-%d", &from, &to); n != 2 || err != nil || from > to || to >= len(all) {
			v.say(200, "video/mp2t", all)
			return
		}
		v.w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(all)))
		v.say(206, "video/mp2t", all[from:to+1])
	}
	return entry
}

// redirected sends requests on, to itself.
func redirected(h *host) string {
	live("master.m3u8")(h)
	h.answers[entry] = func(v *visit) {
		v.w.Header().Set("Location", "/master.m3u8?session=1")
		v.say(302, "text/plain", nil)
	}
	return entry
}

// transportStream sends pictures and sound without end.
func transportStream(h *host) string {
	h.answers["/stream"] = func(v *visit) {
		v.stream("video/mp2t", func(w io.Writer) error {
			for {
				if _, err := w.Write(h.fleet.clips.Long); err != nil {
					return err
				}
			}
		})
	}
	return "/stream"
}

// station sends sound without end.
func station(kind string, data func(*clip.Set) []byte) func(*host) string {
	return func(h *host) string {
		h.answers["/stream"] = func(v *visit) {
			v.w.Header().Set("Icy-Br", "128")
			v.stream(kind, func(w io.Writer) error {
				for {
					if _, err := w.Write(data(h.fleet.clips)); err != nil {
						return err
					}
				}
			})
		}
		return "/stream"
	}
}

// stationList has a list that names a station.
func stationList(h *host) string {
	station("audio/mpeg", func(c *clip.Set) []byte { return c.Song })(h)
	h.answers["/listen.pls"] = func(v *visit) {
		v.say(200, "audio/x-scpls", []byte("[playlist]\nNumberOfEntries=1\nFile1=http://"+h.at+"/stream\nTitle1=Radio\n"))
	}
	return "/listen.pls"
}

// shoutcast answers as old radio servers do, with words of its own and blocks
// of text between the frames.
func shoutcast(h *host) string {
	const interval = 8192
	h.answers["/stream"] = func(v *visit) {
		conn, _, err := http.NewResponseController(v.w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		v.hungUp = true // it ends when nobody listens
		song := bytes.Repeat(h.fleet.clips.Song, 8)[:16*interval]
		title := append([]byte{2}, "StreamTitle='A and B - C and D';"...)
		if _, err = io.WriteString(conn, "ICY 200 OK\r\nicy-name:Radio\r\nicy-br:128\r\nicy-metaint:"+strconv.Itoa(interval)+"\r\nContent-Type:audio/mpeg\r\n\r\n"); err != nil {
			return
		}
		for at := 0; err == nil; at = (at + interval) % len(song) {
			_, err = conn.Write(append(song[at:at+interval:at+interval], title...))
		}
	}
	return "/stream"
}

// dash has a film in DASH.
func dash(h *host) string {
	h.answers["/film.mpd"] = func(v *visit) {
		v.say(200, "application/dash+xml", []byte(`<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S" profiles="urn:mpeg:dash:profile:isoff-live:2011">
 <Period><AdaptationSet mimeType="video/mp4" segmentAlignment="true">
  <SegmentTemplate timescale="1000" duration="2000" startNumber="1" initialization="init.mp4?$RepresentationID$" media="$RepresentationID$-$Number%05d$.m4s"/>
  <Representation id="low" bandwidth="200000" width="640" height="360" codecs="avc1.64001e"/>
  <Representation id="high" bandwidth="900000" width="1920" height="1080" codecs="avc1.640028"/>
 </AdaptationSet></Period></MPD>`))
	}
	h.answers["/high-00001.m4s"] = func(v *visit) { v.say(200, "video/mp4", h.fleet.clips.Part) }
	h.other = func(v *visit) {
		if path.Ext(v.URL.Path) == ".mp4" {
			segments(v)
			return
		}
		v.say(404, "text/plain", nil)
	}
	return "/film.mpd"
}
