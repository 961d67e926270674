// Package player makes real players play an address for a few seconds, and checks
// from their output that they did.
package player

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// seconds is how much of a stream is played.
const seconds = 3

// patience is how long a player may take for it.
const patience = 40 * time.Second

// A Stream is what is played.
type Stream struct {
	Name       string
	URL        string
	LowLatency bool // is played in parts by those that can
	SoundOnly  bool
	NoPlaylist bool // is one answer without an end
}

// A Player plays. The User-Agent of its requests begins with its name, in
// whatever case.
type Player struct {
	Name string

	// Lacks returns the reason why the player cannot be used here, or nil.
	Lacks error

	// Play plays some seconds of a stream, and returns what was seen. It returns
	// ErrUnfit for a stream that the player cannot play by design.
	Play func(ctx context.Context, s Stream) (Seen, error)
}

// Seen is what a player did with a stream. The numbers are hls.js's alone.
type Seen struct {
	Note string // in a few words

	Parts      int      `json:"parts"`      // that it loaded
	Segments   int      `json:"segments"`   // that it loaded whole
	Reloads    int      `json:"reloads"`    // of media playlists
	Deltas     int      `json:"deltas"`     // of them, playlists that skipped segments
	Levels     int      `json:"levels"`     // qualities to choose from
	Exposed    int      `json:"exposed"`    // X-Service headers that the page could read
	Latency    float64  `json:"latency"`    // behind the live edge, in seconds
	SwitchedAt int64    `json:"switchedAt"` // when it went to the other quality, in Unix milliseconds
	Errors     []string `json:"errors"`     // those that it got over, too
	Fatal      string   `json:"fatal"`
}

// ErrUnfit is returned for a stream that a player cannot play by design.
var ErrUnfit = errors.New("not made for this stream")

// Programs are the players that are programs of their own. They keep what they
// must keep in dir.
func Programs(dir string) []Player {
	return []Player{
		{Name: "ffprobe", Lacks: lacks("ffprobe"), Play: ffprobe},
		{Name: "ffmpeg", Lacks: lacks("ffmpeg"), Play: ffmpeg},
		{Name: "mpv", Lacks: lacks("mpv"), Play: mpv},
		{Name: "vlc", Lacks: lacksVLC(), Play: vlc(dir)},
	}
}

func lacks(program string) error {
	_, err := exec.LookPath(program)
	return err
}

// output runs a program for as long as a player may take, and returns what it
// wrote.
func output(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = 2 * time.Second // for what it started, which may hold its output
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, errors.Join(err, ctx.Err()), tail(out))
	}
	return string(out), nil
}

// tail returns the last lines of what a player wrote.
func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-6):], " | ")
}

// ffprobe tells the streams within a stream.
func ffprobe(ctx context.Context, s Stream) (Seen, error) {
	out, err := output(ctx, "ffprobe", "-v", "error", "-user_agent", "ffprobe",
		"-show_entries", "stream=codec_name", "-of", "csv=p=0", s.URL)
	if err != nil {
		return Seen{}, err
	}
	if !strings.Contains(out, "aac") && !strings.Contains(out, "mp3") {
		return Seen{}, fmt.Errorf("found no sound: %s", tail([]byte(out)))
	}
	if !s.SoundOnly && !strings.Contains(out, "h264") {
		return Seen{}, fmt.Errorf("found no picture: %s", tail([]byte(out)))
	}
	return Seen{Note: fmt.Sprintf("%d tracks", strings.Count(out, "h264")+strings.Count(out, "aac")+strings.Count(out, "mp3"))}, nil
}

// ffmpeg decodes all that it finds.
func ffmpeg(ctx context.Context, s Stream) (Seen, error) {
	out, err := output(ctx, "ffmpeg", "-nostdin", "-v", "error", "-xerror", "-user_agent", "ffmpeg", "-i", s.URL,
		"-t", strconv.Itoa(seconds), "-f", "null", "-", "-progress", "pipe:1")
	if err != nil {
		return Seen{}, err
	}
	i := strings.LastIndex(out, "out_time_us=")
	if i < 0 {
		return Seen{}, fmt.Errorf("ffmpeg decoded nothing: %s", tail([]byte(out)))
	}
	line, _, _ := strings.Cut(out[i+len("out_time_us="):], "\n")
	us, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || us < (seconds-1)*1e6 {
		return Seen{}, fmt.Errorf("ffmpeg decoded %s µs: %s", line, tail([]byte(out)))
	}
	return Seen{Note: fmt.Sprintf("%.1f s", float64(us)/1e6)}, nil
}

// mpv plays by the clock, to no screen.
func mpv(ctx context.Context, s Stream) (Seen, error) {
	out, err := output(ctx, "mpv", "--no-config", "--vo=null", "--ao=null", "--user-agent=mpv", "--tls-verify=no", "--terminal=yes",
		"--msg-level=all=warn,cplayer=v", "--term-status-msg=", "--length="+strconv.Itoa(seconds), s.URL)
	if err != nil {
		return Seen{}, err
	}
	mark := "first video frame after restart shown"
	if s.SoundOnly {
		mark = "starting audio playback"
	}
	if !strings.Contains(out, mark) {
		return Seen{}, fmt.Errorf("mpv showed nothing: %s", tail([]byte(out)))
	}
	return Seen{Note: fmt.Sprintf("%d s", seconds)}, nil
}

// lacksVLC says why VLC cannot be used: it refuses to be root.
func lacksVLC() error {
	if os.Geteuid() == 0 {
		return errors.Join(lacks("cvlc"), lacks("runuser"))
	}
	return lacks("cvlc")
}

// vlcRuns are how long VLC plays by the clock, in seconds: its time counts
// from its start, so that on a busy machine the first may show nothing.
var vlcRuns = []int{seconds, 4 * seconds}

// vlc plays to no screen.
func vlc(dir string) func(context.Context, Stream) (Seen, error) {
	return func(ctx context.Context, s Stream) (Seen, error) {
		if s.NoPlaylist && strings.HasPrefix(s.URL, "https:") {
			return Seen{}, ErrUnfit // it has no way to trust our certificate
		}
		mark := "received first picture"
		if s.SoundOnly {
			mark = "audio output"
		}
		var out string
		for _, run := range vlcRuns {
			args, err := vlcCommand(dir, s.URL, run)
			if err != nil {
				return Seen{}, err
			}
			if out, err = output(ctx, args[0], args[1:]...); err != nil {
				return Seen{}, err
			}
			if strings.Contains(strings.ToLower(out), mark) {
				return Seen{Note: fmt.Sprintf("%d s", run)}, nil
			}
		}
		return Seen{}, fmt.Errorf("vlc showed nothing: %s", tail([]byte(out)))
	}
}

// vlcCommand returns the command by which VLC plays for a while. In the place
// of root, which it refuses to be, it is run by nobody.
func vlcCommand(dir, url string, run int) ([]string, error) {
	home := filepath.Join(dir, "vlc")
	if err := os.MkdirAll(home, 0o777); err != nil {
		return nil, err
	}
	args := []string{"env", "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "LC_ALL=C.UTF-8",
		"cvlc", "-vv", "--no-color", "--no-lua", "--play-and-exit", "--run-time=" + strconv.Itoa(run),
		"--vout=dummy", "--aout=dummy", url, "vlc://quit"}
	if os.Geteuid() != 0 {
		return args, nil
	}
	return append([]string{"runuser", "-u", "nobody", "--"}, args...), openTo(dir, home)
}

// openTo lets everyone into a folder, and write below it.
func openTo(dir, home string) error {
	return errors.Join(os.Chmod(dir, 0o755), os.Chmod(home, 0o777))
}
