package liveorigin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Of the media that is made: enough for a run, small enough to make at once.
const (
	length        = 3 * time.Minute
	segmentLength = 2 * time.Second
	partLength    = 500 * time.Millisecond
	frameRate     = 20
)

// aesKey is the key of the encrypted stream. It protects nothing.
var aesKey = []byte("a key of no worth")[:16]

// Media is what ffmpeg made: a folder with a folder for each rendition.
type media string

// makeMedia renders two qualities with ffmpeg and packs them in all the ways
// that the streams need, into dir.
func makeMedia(ctx context.Context, dir string) (media, error) {
	m := media(dir)
	for _, rendition := range []string{"low", "high", "low-mp4", "high-mp4", "aes", "picture", "sound"} {
		if err := os.MkdirAll(m.path(rendition), 0o755); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(m.path("aes", "key.bin"), aesKey, 0o644); err != nil {
		return "", err
	}
	info := "key.bin\n" + m.path("aes", "key.bin") + "\n"
	if err := os.WriteFile(m.path("keyinfo"), []byte(info), 0o644); err != nil {
		return "", err
	}
	for _, args := range m.commands() {
		if out, err := exec.CommandContext(ctx, "ffmpeg", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("ffmpeg %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return m, nil
}

// path returns the place of a file of m.
func (m media) path(parts ...string) string {
	return filepath.Join(append([]string{string(m)}, parts...)...)
}

// commands are the arguments with which ffmpeg makes m: two encodings, and
// then copies of them in other containers.
func (m media) commands() [][]string {
	low, high := m.path("low.mp4"), m.path("high.mp4")
	hls := func(from, rendition string, more ...string) []string {
		args := append(strings.Fields("-v error -y -i"), from)
		args = append(args, strings.Fields(fmt.Sprintf("-c copy -f hls -hls_time %d -hls_list_size 0", int(segmentLength.Seconds())))...)
		return append(append(args, more...), m.path(rendition, "all.m3u8"))
	}
	fragments := func(from, rendition string) []string {
		return append(append(strings.Fields("-v error -y -i"), from), append(
			strings.Fields(fmt.Sprintf("-c copy -f mp4 -movflags empty_moov+default_base_moof+skip_trailer -frag_duration %d", partLength.Microseconds())),
			m.path(rendition+"-fragments.mp4"))...)
	}
	return [][]string{
		encode("160x90", "120k", low), encode("320x180", "300k", high),
		hls(low, "low"), hls(high, "high"),
		hls(low, "low-mp4", "-hls_segment_type", "fmp4"), hls(high, "high-mp4", "-hls_segment_type", "fmp4"),
		hls(low, "aes", "-hls_key_info_file", m.path("keyinfo")),
		hls(low, "picture", "-an"), hls(low, "sound", "-vn"),
		fragments(low, "low"), fragments(high, "high"),
	}
}

// encode returns the arguments that draw a picture with a sound, with a key
// frame at the start of every segment.
func encode(size, rate, to string) []string {
	group := int(segmentLength.Seconds()) * frameRate
	return append(strings.Fields(fmt.Sprintf(
		"-v error -y -f lavfi -i testsrc2=s=%s:r=%d -f lavfi -i sine=f=440:r=48000 -t %d -c:v libx264 -preset ultrafast -profile:v baseline -level 3.0 "+
			"-pix_fmt yuv420p -g %d -keyint_min %d -sc_threshold 0 -b:v %s -c:a aac -b:a 48k -ac 2",
		size, frameRate, int(length.Seconds()), group, group, rate)), to)
}
