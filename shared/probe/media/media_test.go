package media

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Encoders of the tests, as quick as they go.
const (
	x264   = "libx264 -preset ultrafast -pix_fmt yuv420p -g 25 -b:v 1500k -maxrate 1500k -bufsize 1500k"
	x264B  = "libx264 -preset superfast -pix_fmt yuv420p -g 25 -bf 2 -b:v 1500k"
	x265   = "libx265 -preset ultrafast -pix_fmt yuv420p -x265-params log-level=none:keyint=25 -b:v 800k"
	svtAV1 = "libsvtav1 -preset 12 -g 25 -b:v 500k"
	vpx9   = "libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 500k"
	vpx8   = "libvpx -deadline realtime -cpu-used 8 -b:v 500k"
	mpeg2e = "mpeg2video -b:v 2M -maxrate 2M -bufsize 1M -g 12"
	aac128 = "aac -b:a 128k"

	ts         = "mpegts"
	fragments  = "mp4 -movflags frag_keyframe+empty_moov+default_base_moof -frag_duration 500000"
	hlsMP4     = "hls -hls_segment_type fmp4 -hls_time 1 -hls_list_size 0 -hls_fmp4_init_filename init.mp4 -hls_segment_filename out%d.m4s"
	faststart  = "mp4 -movflags faststart"
	encryption = " -encryption_scheme cenc-aes-ctr -encryption_key 000102030405060708090a0b0c0d0e0f -encryption_kid 0f0e0d0c0b0a09080706050403020100"
)

// real are the media that Read is held to.
var real = []struct {
	name string
	recipe
	container string
}{
	{"ts h264 aac 1080p25", recipe{"1920x1080", 25, x264, aac128, ts, 1}, "ts"},
	{"ts h264 mp2 720p50", recipe{"1280x720", 50, x264, "mp2 -b:a 192k", ts, 1}, "ts"},
	{"ts h264 mp3 cropped", recipe{"320x180", 25, x264, "libmp3lame -b:a 128k", ts, 2}, "ts"},
	{"ts h264 with later pictures first", recipe{"640x360", 25, x264B, aac128, ts, 2}, "ts"},
	{"ts h264 interlaced", recipe{"1920x1080", 25, x264 + " -flags +ildct+ilme -x264opts tff=1", aac128, ts, 1}, "ts"},
	{"ts h264 4:2:2", recipe{"320x180", 25, "libx264 -preset ultrafast -pix_fmt yuv422p -g 25 -b:v 500k", aac128, ts, 2}, "ts"},
	{"ts h264 filled up", recipe{"854x480", 25, x264, aac128, ts + " -muxrate 3M", 2}, "ts"},
	{"ts h264 latm", recipe{"640x360", 25, x264, aac128, ts + " -mpegts_flags +latm", 2}, "ts"},
	{"ts h264 of recorders", recipe{"640x360", 25, x264, aac128, ts + " -mpegts_m2ts_mode 1", 2}, "ts"},
	{"ts hevc eac3 cropped", recipe{"416x234", 25, x265, "eac3 -b:a 192k", ts, 2}, "ts"},
	{"ts mpeg2 mp2 576i", recipe{"720x576", 25, mpeg2e + " -flags +ildct+ilme", "mp2 -b:a 192k", ts, 2}, "ts"},
	{"ts mpeg2 1080", recipe{"1920x1080", 25, mpeg2e, "ac3 -b:a 192k", ts, 2}, "ts"},
	{"ts mpeg1", recipe{"352x288", 25, "mpeg1video -b:v 1M", "mp2 -b:a 192k", ts, 2}, "ts"},
	{"ts mpeg4 part 2", recipe{"352x288", 25, "mpeg4 -b:v 1M", "mp2 -b:a 192k", ts, 2}, "ts"},
	{"ts h264 alone", recipe{"640x360", 50, x264, "", ts, 2}, "ts"},
	{"ts aac alone", recipe{"", 0, "", aac128, ts, 3}, "ts"},
	{"ts mp2 alone", recipe{"", 0, "", "mp2 -b:a 192k", ts, 3}, "ts"},
	{"ts mp3 alone", recipe{"", 0, "", "libmp3lame -b:a 128k", ts, 3}, "ts"},
	{"ts ac3 alone", recipe{"", 0, "", "ac3 -b:a 192k", ts, 3}, "ts"},
	{"ts opus alone", recipe{"", 0, "", "libopus -b:a 128k", ts, 3}, "ts"},
	{"fmp4 h264 aac", recipe{"854x480", 25, x264, aac128, hlsMP4, 2}, "fmp4"},
	{"fmp4 h264 in short fragments", recipe{"640x360", 25, x264B, aac128, fragments, 3}, "fmp4"},
	{"fmp4 hevc ac3", recipe{"416x240", 25, x265 + " -tag:v hvc1", "ac3 -b:a 192k", hlsMP4, 2}, "fmp4"},
	{"fmp4 hevc eac3", recipe{"416x240", 25, x265 + " -tag:v hev1", "eac3 -b:a 192k", hlsMP4, 2}, "fmp4"},
	{"fmp4 av1 opus", recipe{"416x234", 25, svtAV1, "libopus -b:a 96k", hlsMP4, 2}, "fmp4"},
	{"fmp4 vp9 flac", recipe{"416x234", 25, vpx9, "flac", hlsMP4, 2}, "fmp4"},
	{"fmp4 mp3", recipe{"", 0, "", "libmp3lame -b:a 128k", fragments, 2}, "fmp4"},
	{"fmp4 aac alone", recipe{"", 0, "", aac128, fragments, 2}, "fmp4"},
	{"fmp4 encrypted", recipe{"640x360", 25, x264, aac128, fragments + encryption, 2}, "fmp4"},
	{"mp4 h264 aac", recipe{"854x480", 25, x264, aac128, faststart, 2}, "mp4"},
	{"mp4 mpeg2", recipe{"720x576", 25, mpeg2e, aac128, faststart, 2}, "mp4"},
	{"flv h264 aac", recipe{"640x360", 25, x264, aac128, "flv", 2}, "flv"},
	{"flv sorenson mp3", recipe{"320x240", 25, "flv -b:v 500k", "libmp3lame -b:a 128k -ar 44100", "flv", 2}, "flv"},
	{"adts", recipe{"", 0, "", aac128, "adts", 2}, "adts"},
	{"mp3 of one rate", recipe{"", 0, "", "libmp3lame -b:a 128k", "mp3", 2}, "mp3"},
	{"mp3 of many rates", recipe{"", 0, "", "libmp3lame -q:a 4", "mp3", 3}, "mp3"},
	{"mp3 of MPEG-2", recipe{"", 0, "", "libmp3lame -b:a 64k -ar 22050", "mp3", 6}, "mp3"},
	{"mp3 of MPEG-2.5", recipe{"", 0, "", "libmp3lame -b:a 32k -ar 11025", "mp3", 6}, "mp3"},
	{"mp2", recipe{"", 0, "", "mp2 -b:a 192k", "mp2", 2}, "mp3"},
	{"ac3", recipe{"", 0, "", "ac3 -b:a 192k", "ac3", 2}, "ac3"},
	{"eac3", recipe{"", 0, "", "eac3 -b:a 192k", "eac3", 2}, "ac3"},
	{"ogg opus", recipe{"", 0, "", "libopus -b:a 96k", "ogg -page_duration 200000", 3}, "ogg"},
	{"ogg vorbis", recipe{"", 0, "", "libvorbis -b:a 128k", "ogg -page_duration 200000", 12}, "ogg"},
	{"ogg flac", recipe{"", 0, "", "flac", "ogg -page_duration 200000", 3}, "ogg"},
	{"webm vp9 opus", recipe{"320x180", 25, vpx9, "libopus -b:a 96k", "webm", 2}, "webm"},
	{"webm vp8 vorbis", recipe{"320x180", 25, vpx8, "libvorbis -b:a 96k", "webm -live 1", 2}, "webm"},
	{"webm av1 opus", recipe{"320x180", 25, svtAV1, "libopus -b:a 96k", "webm", 2}, "webm"},
	{"matroska h264 aac", recipe{"640x360", 25, x264, aac128, "matroska", 2}, "matroska"},
}

func TestReadReal(t *testing.T) {
	if testing.Short() {
		t.Skip("ffmpeg takes its time")
	}
	for _, test := range real {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made := test.make(t)
			got := Read(made.data)
			if got.Container != test.container {
				t.Errorf("container %q, want %q", got.Container, test.container)
			}
			rate := float64(len(made.data)) * 8 / float64(test.seconds)
			if off := float64(got.Bitrate)/rate - 1; math.Abs(off) > 0.1 {
				t.Errorf("bitrate %d, want %.0f: %+.1f%%", got.Bitrate, rate, 100*off)
			}
			if got.Encrypted != strings.Contains(test.mux, "encryption") {
				t.Errorf("encrypted %v", got.Encrypted)
			}
			compare(t, got, made.streams)
		})
	}
}

// compare holds facts to what ffprobe says.
func compare(t *testing.T, got Facts, streams []probed) {
	t.Helper()
	want := Facts{}
	for _, s := range streams {
		want.Video = want.Video || s.Kind == "video"
		want.Audio = want.Audio || s.Kind == "audio"
		want.Width, want.Height = max(want.Width, s.Width), max(want.Height, s.Height)
		name := codecOf(s)
		if !slices.ContainsFunc(got.Codecs, func(c string) bool { return strings.HasPrefix(c, name) }) {
			t.Errorf("codecs %q lack %q, of %+v", got.Codecs, name, s)
		}
	}
	if len(got.Codecs) != len(streams) {
		t.Errorf("codecs %q of %d streams", got.Codecs, len(streams))
	}
	if slices.Contains(got.Codecs, "mp4v.20.1") && got.Container == "ts" { // nothing reads its picture
		want.Width, want.Height = 0, 0
	}
	got = Facts{Width: got.Width, Height: got.Height, Video: got.Video, Audio: got.Audio}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-ffprobe +got):\n%s", diff)
	}
}

// codecOf writes what ffprobe says of a codec as RFC 6381 does, as far as it says it.
func codecOf(s probed) string {
	switch s.Name {
	case "h264":
		if s.Profile == "" { // encrypted
			return "avc1."
		}
		profile := map[string]int{"Constrained Baseline": 0x42, "Main": 0x4d, "High": 0x64, "High 4:2:2": 0x7a}[s.Profile]
		return fmt.Sprintf("avc1.%02x", profile)
	case "hevc":
		return fmt.Sprintf("hvc1.1.6.L%d", s.Level)
	case "av1":
		return fmt.Sprintf("av01.0.%02dM.08", s.Level)
	case "vp9":
		return "vp"
	case "aac", "aac_latm":
		return "mp4a.40.2"
	case "ac3":
		return "ac-3"
	case "eac3":
		return "ec-3"
	case "mp2":
		return "mp4a.40.33"
	case "mpeg2video":
		return "mp4v.61"
	case "mpeg1video":
		return "mp4v.6A"
	case "mpeg4":
		return "mp4v.20.1"
	}
	return s.Name // mp3, opus, vorbis, flac, vp8, flv1
}
