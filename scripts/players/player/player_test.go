package player

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestPrograms judges players by what they write, in the place of which here
// are scripts.
func TestPrograms(t *testing.T) {
	tv, radio := Stream{URL: "http://x"}, Stream{URL: "http://x", SoundOnly: true}
	for _, test := range []struct {
		name    string
		program string
		says    string
		status  int
		play    func(context.Context, Stream) (Seen, error)
		stream  Stream
		want    string // of the error; empty when it plays
	}{
		{"picture and sound", "ffprobe", "h264\naac", 0, ffprobe, tv, ""},
		{"sound", "ffprobe", "mp3", 0, ffprobe, radio, ""},
		{"no sound", "ffprobe", "h264", 0, ffprobe, tv, "no sound"},
		{"no picture", "ffprobe", "aac", 0, ffprobe, tv, "no picture"},
		{"a failure", "ffprobe", "404 not found", 1, ffprobe, tv, "404 not found"},
		{"decoded", "ffmpeg", "out_time_us=40000\nout_time_us=2980000", 0, ffmpeg, tv, ""},
		{"decoded too little", "ffmpeg", "out_time_us=40000", 0, ffmpeg, tv, "decoded 40000 µs"},
		{"decoded nothing", "ffmpeg", "", 0, ffmpeg, tv, "decoded nothing"},
		{"no number", "ffmpeg", "out_time_us=N/A", 0, ffmpeg, tv, "decoded N/A"},
		{"shown", "mpv", "[cplayer] first video frame after restart shown", 0, mpv, tv, ""},
		{"heard", "mpv", "[cplayer] starting audio playback", 0, mpv, radio, ""},
		{"heard but not shown", "mpv", "[cplayer] starting audio playback", 0, mpv, tv, "showed nothing"},
	} {
		dir := t.TempDir()
		script := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' '%s'\nexit %d\n", test.says, test.status)
		if err := os.WriteFile(filepath.Join(dir, test.program), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		_, err := test.play(t.Context(), test.stream)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, %s: %v, want %q", test.program, test.name, err, test.want)
		}
	}
}

// TestLacks says what is not installed.
func TestLacks(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, p := range Programs(t.TempDir()) {
		if p.Lacks == nil {
			t.Errorf("%s is said to be installed", p.Name)
		}
	}
	if p, browser, err := Chromium(t.Context(), "no such file", t.TempDir()); p.Lacks == nil || browser != nil || err != nil {
		t.Errorf("chromium is said to be installed: %v", err)
	}
}

// TestPage plays the part of the page: it asks, and tells what it saw.
func TestPage(t *testing.T) {
	b := &Browser{script: []byte("// hls.js"), next: make(chan order), done: make(chan Seen), closed: make(chan struct{})}
	address, err := b.serve()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, file := range []string{"", "page.js", "hls.js"} {
		if res := call(t, http.MethodGet, address+file, ""); res.StatusCode != http.StatusOK {
			t.Errorf("/%s: %s", file, res.Status)
		}
	}
	for _, test := range []struct{ seen, want string }{
		{`{"segments":4}`, ""},
		{`{"segments":4,"fatal":"levelLoadError"}`, "levelLoadError"},
	} {
		var page sync.WaitGroup
		page.Go(func() {
			call(t, http.MethodGet, address+"next", "")
			call(t, http.MethodPost, address+"done", test.seen)
		})
		seen, err := b.Play(t.Context(), Stream{URL: "http://x"})
		page.Wait() // Play returns before the page's last request is answered.
		if seen.Segments != 4 || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: saw %+v, %v", test.seen, seen, err)
		}
	}
	if res := call(t, http.MethodPost, address+"done", "no JSON"); res.StatusCode != http.StatusBadRequest {
		t.Errorf("no JSON: %s", res.Status)
	}
	if _, err := b.Play(t.Context(), Stream{NoPlaylist: true}); !errors.Is(err, ErrUnfit) {
		t.Errorf("a stream without a playlist: %v", err)
	}
	close(b.closed)
	if _, err := b.Play(t.Context(), Stream{}); err == nil {
		t.Error("played in a browser that has ended")
	}
}

func call(t *testing.T, method, address, body string) *http.Response {
	req, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return nil
	}
	res.Body.Close()
	return res
}
