// Package media parses the first bytes of a media file or stream: its
// container, codecs, picture size and bitrate.
package media

import (
	"slices"
	"strconv"
	"time"

	"miramundo.dev/shared/probe/media/codec"
)

// Facts are what bytes of media say. Unknown values are zero.
type Facts struct {
	Container string   // "ts", "fmp4", "mp4", "flv", "adts", "mp3", "ac3", "ogg", "flac", "webm", "matroska"; empty when it is none of them
	Codecs    []string // of its tracks, as RFC 6381 writes them: "avc1.64001f", "hvc1.1.6.L93.B0", "mp4a.40.2", "mp3", "ac-3", "opus"
	Width     int      // of the largest picture, in pixels
	Height    int
	Bitrate   int // of all tracks, in bits per second, measured over the bytes when these span at least half a second
	Video     bool
	Audio     bool
	Encrypted bool // a track is encrypted; its codec is the container's, and its size may be missing
}

// Limit is the greatest number of bytes that Read looks at.
const Limit = 4 << 20

// minTime is the shortest time that a bitrate is measured over; less would
// describe one picture rather than the stream.
const minTime = time.Second / 2

// Merge returns the facts of f and g played together: video and its separate
// audio. Bitrates add up; when that of a part with video is unknown, so is
// the sum.
func (f Facts) Merge(g Facts) Facts {
	m := f
	m.Codecs = nil
	for _, c := range slices.Concat(f.Codecs, g.Codecs) {
		m.name(c)
	}
	if m.Container == "" {
		m.Container = g.Container
	}
	m.picture(g.Width, g.Height)
	m.Bitrate += g.Bitrate
	if f.Video && f.Bitrate == 0 || g.Video && g.Bitrate == 0 {
		m.Bitrate = 0
	}
	m.Video = f.Video || g.Video
	m.Audio = f.Audio || g.Audio
	m.Encrypted = f.Encrypted || g.Encrypted
	return m
}

// name adds a codec, once.
func (f *Facts) name(codec string) {
	if codec != "" && !slices.Contains(f.Codecs, codec) {
		f.Codecs = append(f.Codecs, codec)
	}
}

// picture keeps the larger picture.
func (f *Facts) picture(width, height int) {
	if width > 0 && height > 0 && width*height > f.Width*f.Height {
		f.Width, f.Height = width, height
	}
}

// croppedHeights maps the heights of pictures that are coded in blocks of 16
// lines and not cropped to the intended heights.
var croppedHeights = map[int]int{1088: 1080, 544: 540, 368: 360}

// Resolution returns the name of a picture height, such as "1080p", or "" for
// 0. Interlaced pictures get the same name, since only decoding would tell.
func Resolution(height int) string {
	if height <= 0 {
		return ""
	}
	if meant, ok := croppedHeights[height]; ok {
		height = meant
	}
	return strconv.Itoa(height) + "p"
}

// Read parses data, the beginning of media in any container. It never fails:
// data that makes no sense gives no facts. An fMP4 segment must come after
// its initialization. Data beyond Limit is not read.
func Read(data []byte) (f Facts) {
	defer func() {
		if recover() != nil { // a parser met input that its authors did not expect
			f = Facts{}
		}
	}()
	data = data[:min(len(data), Limit)]
	for _, read := range containers {
		if f := read(data); f.Container != "" {
			return f
		}
	}
	return Facts{}
}

// containers are the parsers, which ignore data of other containers.
// Containers with a signature come first. Audio frames that start at once
// come before transport stream packets, which may be found in any bytes;
// audio that starts later, as in the middle of a broadcast, comes last.
var containers = []func([]byte) Facts{
	readMP4, readFLV, readOgg, readFLAC, readMatroska, readFramesAtOnce, readTS, readFrames,
}

// maxTracks is how many tracks of a file are parsed.
const maxTracks = 64

// maxSide is the greatest believable width and height, in pixels.
const maxSide = 1 << 14

// add adds what is known of a track.
func (f *Facts) add(t codec.Track) {
	if t.Codec == "" {
		return
	}
	f.name(t.Codec)
	if t.Width <= maxSide && t.Height <= maxSide {
		f.picture(t.Width, t.Height)
	}
	f.Video = f.Video || t.Video
	f.Audio = f.Audio || !t.Video
	f.Encrypted = f.Encrypted || t.Encrypted
}

// maxBitrate is the greatest believable bitrate, in bits per second.
const maxBitrate = 10e9

// bitrate returns the bits per second of bytes in a time, or 0 when the time
// is too short or the rate is not believable.
func bitrate(bytes int64, seconds float64) int {
	rate := float64(bytes) * 8 / seconds
	if seconds < minTime.Seconds() || rate < 1 || rate > maxBitrate {
		return 0
	}
	return int(rate)
}
