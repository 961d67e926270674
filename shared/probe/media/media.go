// Package media knows what the first bytes of a media file or stream say of it:
// its container, codecs, picture and bitrate.
package media

import (
	"slices"
	"strconv"
	"time"

	"miramundo.dev/shared/probe/media/codec"
)

// Facts are what bytes of media say. A zero is not known.
type Facts struct {
	Container string   // "ts", "fmp4", "mp4", "flv", "adts", "mp3", "ac3", "ogg", "flac", "webm", "matroska"; empty when it is none of them
	Codecs    []string // of its tracks, as RFC 6381 writes them: "avc1.64001f", "hvc1.1.6.L93.B0", "mp4a.40.2", "mp3", "ac-3", "opus"
	Width     int      // of the largest picture, in pixels
	Height    int
	Bitrate   int // of all tracks, in bits per second, measured over the bytes when these span at least half a second
	Video     bool
	Audio     bool
	Encrypted bool // a track is locked behind a key; its codec is what the container says, its picture may be missing
}

// Limit is the most of data that Read looks at, in bytes.
const Limit = 4 << 20

// shortest is the least time that a bitrate is measured over: shorter ones say
// more of one picture than of the stream.
const shortest = time.Second / 2

// Merge returns what f and g say when both are played at once: a picture and
// its separate sound. Bitrates add up; when that of a part with pictures is
// not known, that of the whole is not.
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

// picture keeps the larger of the pictures.
func (f *Facts) picture(width, height int) {
	if width > 0 && height > 0 && width*height > f.Width*f.Height {
		f.Width, f.Height = width, height
	}
}

// uncropped are the lines of pictures that are coded in whole blocks of 16
// and not cropped, with the lines that are meant.
var uncropped = map[int]int{1088: 1080, 544: 540, 368: 360}

// Resolution names a picture by its lines: "1080p". It is empty for none.
// Interlaced pictures are named so too, since nothing says which they are
// before they are decoded.
func Resolution(height int) string {
	if height <= 0 {
		return ""
	}
	if meant, ok := uncropped[height]; ok {
		height = meant
	}
	return strconv.Itoa(height) + "p"
}

// Read returns what data, the beginning of media in any container, says. It
// never fails: bytes that make no sense say nothing. An fMP4 segment is read
// behind its initialisation, which the caller puts before it. Data beyond Limit
// are not read.
func Read(data []byte) (f Facts) {
	defer func() {
		if recover() != nil { // a parser met what its authors did not think of
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

// containers read data in one container each, and say nothing of other data.
// Those with a mark at their beginning come first. Frames of audio that start
// at once come before packets of a transport stream, which may be looked for
// in any bytes; those that start late, as in the middle of a broadcast, last.
var containers = []func([]byte) Facts{
	readMP4, readFLV, readOgg, readFLAC, readMatroska, readFramesAtOnce, readTS, readFrames,
}

// mostTracks is how many tracks of a file are looked at.
const mostTracks = 64

// largest is the most pixels that a picture is believed to have on a side.
const largest = 1 << 14

// add takes what is known of a track.
func (f *Facts) add(t codec.Track) {
	if t.Codec == "" {
		return
	}
	f.name(t.Codec)
	if t.Width <= largest && t.Height <= largest {
		f.picture(t.Width, t.Height)
	}
	f.Video = f.Video || t.Video
	f.Audio = f.Audio || !t.Video
	f.Encrypted = f.Encrypted || t.Encrypted
}

// fastest is the highest bitrate that is believed, in bits per second.
const fastest = 10e9

// bitrate returns the bits per second of bytes in a time, or 0 when the time
// is too short or the rate is none.
func bitrate(bytes int64, seconds float64) int {
	rate := float64(bytes) * 8 / seconds
	if seconds < shortest.Seconds() || rate < 1 || rate > fastest {
		return 0
	}
	return int(rate)
}
