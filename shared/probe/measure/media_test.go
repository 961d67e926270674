package measure_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/probe/measure"
)

// forever is how long tests wait for what comes at once.
const forever = time.Minute

// measurer returns a measurer that may ask servers, and does not wait for live
// playlists.
func measurer(servers ...*httptest.Server) *measure.Measurer {
	opts := origin.Options{PerHost: 1, Shoutcast: true, Header: forever, Timeout: forever}
	for _, s := range servers {
		opts.Allow = append(opts.Allow, s.Listener.Addr().String())
	}
	return measure.New(measure.Options{
		Origin: origin.New(opts), Patience: forever, Wait: func(context.Context, time.Duration) {},
	})
}

// encode makes media in a folder by ffmpeg, and returns the folder.
func encode(t *testing.T, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: no media are made")
	}
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("no ffmpeg")
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), ffmpeg, append([]string{"-nostdin", "-v", "error", "-y"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	return dir
}

// Sources of what is encoded: pictures in which much changes, and a tone.
func pictures(size string) []string {
	return []string{"-f", "lavfi", "-i", "testsrc2=s=" + size + ":r=25:d=8,noise=alls=12:allf=t", "-f", "lavfi", "-i", "anoisesrc=d=8:c=pink:r=44100:a=0.4"}
}

func h264(rate string) []string {
	return []string{"-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-keyint_min", "50", "-sc_threshold", "0",
		"-b:v", rate, "-minrate", rate, "-maxrate", rate, "-bufsize", "400k", "-threads", "1", "-pix_fmt", "yuv420p"}
}

var aac = []string{"-c:a", "aac", "-b:a", "128k"}

func join(parts ...[]string) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// bits returns the bits per second of all files that match, in so many seconds.
func bits(t *testing.T, dir, pattern string, seconds float64) float64 {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	var total float64
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += float64(info.Size())
	}
	return total * 8 / seconds
}

// TestMedia measures what ffmpeg makes: the picture, the codecs, and a bitrate
// within a tenth of what the files take.
func TestMedia(t *testing.T) {
	for _, tc := range []struct {
		name, kind, url string
		args            []string
		files           string // of which the bitrate is
		height          int
		codecs          string // of which the measured ones are some beginnings
	}{
		{
			name: "variants", kind: catalog.StreamHLS, url: "master.m3u8", files: "hi*.ts", height: 360, codecs: "avc1.,mp4a.40.2",
			args: join(pictures("640x360"), []string{"-map", "0:v", "-map", "1:a", "-map", "0:v", "-map", "1:a"},
				h264("2M"), []string{"-s:v:1", "320x180", "-b:v:1", "500k", "-maxrate:v:1", "500k"}, aac,
				[]string{"-f", "hls", "-hls_time", "2", "-hls_list_size", "0", "-master_pl_name", "master.m3u8",
					"-var_stream_map", "v:0,a:0,name:hi v:1,a:1,name:lo", "-hls_segment_filename", "%v%d.ts", "%v.m3u8"}),
		},
		{
			name: "fragments", kind: catalog.StreamHLS, url: "a.m3u8", files: "seg*.m4s", height: 240, codecs: "avc1.,mp4a.40.2",
			args: join(pictures("426x240"), h264("1M"), aac, []string{"-f", "hls", "-hls_time", "2", "-hls_list_size", "0",
				"-hls_segment_type", "fmp4", "-hls_segment_filename", "seg%d.m4s", "a.m3u8"}),
		},
		{
			name: "ranges", kind: catalog.StreamHLS, url: "a.m3u8", files: "a.ts", height: 360, codecs: "avc1.,mp4a.40.2",
			args: join(pictures("640x360"), h264("1M"), aac, []string{"-f", "hls", "-hls_time", "2", "-hls_list_size", "0",
				"-hls_flags", "single_file", "a.m3u8"}),
		},
		{
			name: "DASH", kind: catalog.StreamDASH, url: "a.mpd", files: "chunk-*", height: 240, codecs: "avc1.,mp4a.40.2",
			args: join(pictures("426x240"), h264("1M"), aac, []string{"-f", "dash", "-seg_duration", "2", "a.mpd"}),
		},
		{
			name: "DASH with a time line in one file", kind: catalog.StreamDASH, url: "a.mpd", files: "a-stream*", height: 240, codecs: "avc1.,mp4a.40.2",
			args: join(pictures("426x240"), h264("1M"), aac, []string{"-f", "dash", "-seg_duration", "2", "-single_file", "1", "a.mpd"}),
		},
		{
			name: "transport", kind: catalog.StreamTS, url: "a.ts", files: "a.ts", height: 360, codecs: "avc1.,mp4a.40.2",
			args: join(pictures("640x360"), h264("2M"), aac, []string{"a.ts"}),
		},
		{
			name: "flash", kind: catalog.StreamFLV, url: "a.flv", files: "a.flv", height: 360, codecs: "avc1.,mp4a.40.2",
			args: join(pictures("640x360"), h264("1M"), aac, []string{"a.flv"}),
		},
		{
			name: "MP3", kind: catalog.StreamAudio, url: "a.mp3", files: "a.mp3", codecs: "mp3",
			args: join(pictures("16x16")[4:], []string{"-c:a", "libmp3lame", "-b:a", "128k", "a.mp3"}),
		},
		{
			name: "MP3 with texts between", kind: catalog.StreamAudio, url: "icy/a.mp3", files: "a.mp3", codecs: "mp3",
			args: join(pictures("16x16")[4:], []string{"-c:a", "libmp3lame", "-b:a", "128k", "a.mp3"}),
		},
		{
			name: "AAC", kind: catalog.StreamAudio, url: "a.aac", files: "a.aac", codecs: "mp4a.40.2",
			args: join(pictures("16x16")[4:], aac, []string{"a.aac"}),
		},
		{
			name: "Ogg", kind: catalog.StreamAudio, url: "a.ogg", files: "a.ogg", codecs: "opus",
			args: join(pictures("16x16")[4:], []string{"-c:a", "libopus", "-b:a", "96k", "-vbr", "off", "a.ogg"}),
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := encode(t, tc.args...)
			s := httptest.NewServer(serving(dir))
			defer s.Close()
			r := measurer(s).Measure(t.Context(), probe.Target{URL: s.URL + "/" + tc.url, Kind: tc.kind})
			want := bits(t, dir, tc.files, 8)
			if r.Status != probe.Online || r.Height != tc.height || !r.CORS {
				t.Errorf("%+v, want %d lines", r, tc.height)
			}
			if off := float64(r.Bitrate)/want - 1; math.Abs(off) > 0.1 {
				t.Errorf("%d bit/s, %.1f %% off of %.0f", r.Bitrate, off*100, want)
			}
			if !names(r.Codecs, tc.codecs) {
				t.Errorf("codecs %q, want %q", r.Codecs, tc.codecs)
			}
		})
	}
}

// names reports whether codecs are those whose beginnings are wanted.
func names(codecs, want string) bool {
	got := strings.Split(codecs, ",")
	wanted := strings.Split(want, ",")
	if len(got) != len(wanted) {
		return false
	}
	for i := range got {
		if !strings.HasPrefix(got[i], wanted[i]) {
			return false
		}
	}
	return true
}

// serving serves the files of a folder to pages of all origins, and those in
// icy as radio servers do.
func serving(dir string) http.HandlerFunc {
	files := http.FileServer(http.Dir(dir))
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if !strings.HasPrefix(r.URL.Path, "/icy/") {
			files.ServeHTTP(w, r)
			return
		}
		song, err := os.Open(filepath.Join(dir, path.Base(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer song.Close()
		w.Header().Set("Icy-Metaint", "4096")
		w.Header().Set("Content-Type", "audio/mpeg")
		for n := int64(4096); n == 4096; {
			n, _ = io.CopyN(w, song, n)
			fmt.Fprintf(w, "\x03%-48s", "StreamTitle='The tune';")
		}
	}
}

// TestLocked measures a stream whose segments are locked, with its key and
// without.
func TestLocked(t *testing.T) {
	dir := encode(t, join(pictures("640x360"), h264("1M"), aac, []string{"-f", "hls", "-hls_time", "2", "-hls_list_size", "0",
		"-master_pl_name", "master.m3u8", "-hls_enc", "1", "-hls_enc_key", "0123456789abcdef", "-hls_enc_key_url", "the.key", "a.m3u8"})...)
	s := httptest.NewServer(serving(dir))
	defer s.Close()
	key := filepath.Join(dir, "the.key")
	if _, err := os.Stat(key); err != nil {
		if err := os.WriteFile(key, []byte("0123456789abcdef"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	target := probe.Target{URL: s.URL + "/master.m3u8", Kind: catalog.StreamHLS}
	r := measurer(s).Measure(t.Context(), target)
	if want := bits(t, dir, "*.ts", 8); r.Status != probe.Online || r.Height != 360 || math.Abs(float64(r.Bitrate)/want-1) > 0.1 || !strings.HasPrefix(r.Codecs, "avc1.") {
		t.Errorf("%+v, want %.0f bit/s", r, want)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if r := measurer(s).Measure(t.Context(), target); r.Status != probe.Error || r.Reason != "key" {
		t.Errorf("without the key: %+v", r)
	}
}
