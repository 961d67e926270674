package media

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A recipe makes media with ffmpeg: pictures and sound of its test sources.
type recipe struct {
	size    string // of the pictures: "1920x1080"; none when empty
	rate    int    // of the pictures, a second
	video   string // the encoder and its options
	audio   string // the encoder and its options; no sound when empty
	mux     string // the muxer and its options
	seconds int
}

// A product is what a recipe makes.
type product struct {
	data    []byte
	streams []probed // as ffprobe sees them
}

// made is what recipes have made so far: the tests may run many times.
var made sync.Map // recipe: func() (product, error)

// make returns the media that ffmpeg makes. An HLS muxer's initialisation and
// first segments are put behind each other.
func (r recipe) make(t testing.TB) product {
	t.Helper()
	for _, tool := range []string{"ffmpeg", "ffprobe"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no " + tool)
		}
	}
	for _, encoder := range []string{r.video, r.audio} {
		if name, _, _ := strings.Cut(encoder, " "); name != "" && !encoders()[name] {
			t.Skip("no encoder " + name)
		}
	}
	once, _ := made.LoadOrStore(r, sync.OnceValues(r.run))
	p, err := once.(func() (product, error))()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (r recipe) run() (product, error) {
	dir, err := os.MkdirTemp("", "media")
	if err != nil {
		return product{}, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("ffmpeg", r.args()...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return product{}, fmt.Errorf("ffmpeg: %w: %s", err, out)
	}
	data, err := gather(dir)
	if err != nil {
		return product{}, err
	}
	streams, err := ffprobe(data)
	return product{data, streams}, err
}

// gather puts what ffmpeg wrote behind each other, playlists aside.
func gather(dir string) ([]byte, error) {
	var data []byte
	for _, pattern := range []string{"init.mp4", "out*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			part, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			if !bytes.HasPrefix(part, []byte("#EXTM3U")) {
				data = append(data, part...)
			}
		}
	}
	return data, nil
}

func (r recipe) args() []string {
	seconds := strconv.Itoa(r.seconds)
	args := []string{"-hide_banner", "-loglevel", "fatal", "-threads", "1"}
	if r.size != "" {
		args = append(args, "-f", "lavfi", "-i", "testsrc2=size="+r.size+":rate="+strconv.Itoa(r.rate))
	}
	if r.audio != "" {
		args = append(args, "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000", "-f", "lavfi", "-i", "anoisesrc=amplitude=0.1:seed=1:sample_rate=48000")
		first := strings.Count(strings.Join(args, " "), "testsrc2")
		args = append(args, "-filter_complex", "["+strconv.Itoa(first)+"]["+strconv.Itoa(first+1)+"]amix,aformat=channel_layouts=stereo[a]", "-map", "[a]")
	}
	if r.size != "" {
		args = append(args, "-map", "0:v", "-c:v")
		args = append(args, strings.Fields(r.video)...)
	}
	if r.audio != "" {
		args = append(args, "-c:a")
		args = append(args, strings.Fields(r.audio)...)
	}
	args = append(args, "-t", seconds, "-strict", "-2", "-f")
	args = append(args, strings.Fields(r.mux)...)
	return append(args, "out")
}

// encoders are those of the installed ffmpeg.
var encoders = sync.OnceValue(func() map[string]bool {
	out, err := exec.Command("ffmpeg", "-hide_banner", "-encoders").Output()
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 1 {
			names[f[1]] = true
		}
	}
	return names
})

// A probed stream is what ffprobe says of one.
type probed struct {
	Name    string `json:"codec_name"`
	Kind    string `json:"codec_type"`
	Profile string `json:"profile"`
	Level   int    `json:"level"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
}

// ffprobe returns what ffprobe says of media.
func ffprobe(data []byte) ([]probed, error) {
	cmd := exec.Command("ffprobe", "-loglevel", "fatal", "-show_streams", "-of", "json", "pipe:0")
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ffprobe: %w", err)
	}
	var said struct {
		Streams []probed `json:"streams"`
	}
	err = json.Unmarshal(out, &said)
	return said.Streams, err
}
