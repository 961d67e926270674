package media

import (
	"bytes"

	"miramundo.dev/shared/probe/media/codec"
)

// A framed is audio without a container: consecutive frames.
type framed struct {
	codec.Framing
	container string
}

var framings = []framed{{codec.ADTS, "adts"}, {codec.MPEG, "mp3"}, {codec.Dolby, "ac3"}}

// readFramesAtOnce parses audio whose first frame is at the beginning, or
// after tags.
func readFramesAtOnce(data []byte) Facts {
	data = skipID3(data)
	for _, f := range framings {
		if f.Run(data, codec.Enough) {
			return f.measure(data)
		}
	}
	return Facts{}
}

// readFrames parses audio whose first complete frame is anywhere near the
// beginning.
func readFrames(data []byte) Facts {
	data = skipID3(data)
	for _, f := range framings {
		if at := f.Find(data[:min(len(data), searchLimit)]); at >= 0 {
			return f.measure(data[at:])
		}
	}
	return Facts{}
}

// searchLimit is how far the first frame is searched for, in bytes.
const searchLimit = 64 << 10

// measure adds up all frames. After an interruption it continues with the
// next run.
func (f framed) measure(data []byte) Facts {
	facts := Facts{Container: f.container}
	var size int64
	var seconds float64
	for len(data) >= codec.HeaderSize {
		h, ok := f.Header(data)
		if !ok {
			at := f.Find(data)
			if at < 0 {
				break
			}
			data = data[at:]
			continue
		}
		if len(facts.Codecs) == 0 {
			facts.add(codec.Track{Codec: h.Codec})
		}
		if len(data) < h.Size {
			break
		}
		size += int64(h.Size)
		seconds += float64(h.Samples) / float64(h.Rate)
		data = data[h.Size:]
	}
	facts.Bitrate = bitrate(size, seconds)
	return facts
}

// skipID3 returns data after the ID3v2 tags at its beginning.
func skipID3(data []byte) []byte {
	for len(data) >= 10 && bytes.HasPrefix(data, []byte("ID3")) {
		size := 10
		for i, b := range data[6:10] {
			size += int(b&0x7f) << (21 - 7*i)
		}
		data = data[min(size, len(data)):]
	}
	return data
}

// readFLAC reads the head of a FLAC file. The end of a FLAC frame is found only
// by decoding it, so that the bitrate stays unknown.
func readFLAC(data []byte) Facts {
	data = skipID3(data)
	if !bytes.HasPrefix(data, []byte("fLaC")) {
		return Facts{}
	}
	f := Facts{Container: "flac"}
	f.add(codec.Track{Codec: codec.FLAC})
	return f
}
