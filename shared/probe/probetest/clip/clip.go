// Package clip makes the media that simulated origins send: transport streams,
// fragmented MP4, FLV, AAC and MP3 with noise for pictures and sound.
package clip

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"

	"github.com/bluenviron/mediacommon/v2/pkg/codecs/mpeg4audio"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/fmp4"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mp4/codecs"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"
	tscodecs "github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts/codecs"
)

// Seconds is the length of a segment.
const Seconds = 2

// CodecsHLS is the CODECS attribute of variants with pictures of 1080 lines and
// their sound.
const CodecsHLS = `CODECS="avc1.640028,mp4a.40.2"`

// All clips have 25 pictures a second and sound at 44.1 kHz.
const (
	pictures = 25 * Seconds
	rate     = 44100
	perFrame = 1024                      // samples of a frame of AAC
	frames   = Seconds*rate/perFrame + 1 // of sound in a segment
	tick     = 90000                     // of a transport stream, in a second
	picture  = tick / 25                 // ticks of a picture
)

// sequences are the parameter sets of H.264, high profile, by lines.
var sequences = map[int]string{
	1080: "67640028acd940780227e5c044000003000400000300c83c60c658",
	720:  "6764001facd9405005bb01100000030010000003032 0f1831960",
	360:  "6764001eacd940a02ff97011000003000100000300320f162d96",
}

// parameters returns the parameter sets of pictures of so many lines.
func parameters(lines int) (sps, pps []byte) {
	return unhex(sequences[lines]), unhex("68ebe3cb22c0")
}

// unhex reads what this package has written itself.
func unhex(s string) []byte {
	b, _ := hex.DecodeString(string(bytes.ReplaceAll([]byte(s), []byte(" "), nil))) // it is right
	return b
}

// aac is the form of the sound.
var aac = &mpeg4audio.AudioSpecificConfig{Type: 2, SampleRate: rate, ChannelConfig: 2}

// access returns picture n of a stream: one that all others need, or one of
// those. What they show is noise.
func access(n, lines int) [][]byte {
	noise := bytes.Repeat([]byte{0x9a, 0x5c, 0x33, 0xe1}, 60)
	if n%pictures != 0 {
		return [][]byte{append([]byte{0x41}, noise...)}
	}
	sps, pps := parameters(lines)
	return [][]byte{sps, pps, append([]byte{0x65}, bytes.Repeat(noise, 8)...)}
}

// sound is one frame of AAC.
var sound = bytes.Repeat([]byte{0x21, 0x5b, 0xa7}, 40)

// transport writes so many pieces of a transport stream.
func transport(w io.Writer, pieces, lines int) error {
	video := &mpegts.Track{Codec: &tscodecs.H264{}}
	audio := &mpegts.Track{Codec: &tscodecs.MPEG4Audio{Config: *aac}}
	out := &mpegts.Writer{W: w, Tracks: []*mpegts.Track{video, audio}}
	if err := out.Initialize(); err != nil {
		return err
	}
	for piece := range pieces {
		heard := 0
		for i := range pictures {
			at := int64(piece*pictures+i)*picture + tick
			if err := out.WriteH264(video, at, at, access(i, lines)); err != nil {
				return err
			}
			for ; heard*pictures < (i+1)*frames; heard++ {
				pts := int64(piece*Seconds*tick+heard*perFrame*tick/rate) + tick
				if err := out.WriteMPEG4Audio(audio, pts, [][]byte{sound}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// telemetry writes a transport stream in which there is nothing to see or hear.
func telemetry(w io.Writer) error {
	data := &mpegts.Track{Codec: &tscodecs.KLV{Synchronous: true}}
	out := &mpegts.Writer{W: w, Tracks: []*mpegts.Track{data}}
	if err := out.Initialize(); err != nil {
		return err
	}
	for i := range pictures {
		if err := out.WriteKLV(data, int64(i)*picture, bytes.Repeat([]byte{0x06, 0x0e, 0x2b, 0x34}, 100)); err != nil {
			return err
		}
	}
	return nil
}

// header returns the initialisation of fragmented MP4.
func header(lines int) ([]byte, error) {
	sps, pps := parameters(lines)
	var b seekable
	err := fmp4.Init{Tracks: []*fmp4.InitTrack{
		{ID: 1, TimeScale: tick, Codec: &codecs.H264{SPS: sps, PPS: pps}},
		{ID: 2, TimeScale: rate, Codec: &codecs.MPEG4Audio{Config: *aac}},
	}}.Marshal(&b)
	return b.data, err
}

// fragment returns piece n of fragmented MP4.
func fragment(n, lines int) ([]byte, error) {
	video := &fmp4.PartTrack{ID: 1, BaseTime: uint64(n) * Seconds * tick}
	for i := range pictures {
		var s fmp4.Sample
		if err := s.FillH264(0, access(i, lines)); err != nil {
			return nil, err
		}
		s.Duration = picture
		video.Samples = append(video.Samples, &s)
	}
	audio := &fmp4.PartTrack{ID: 2, BaseTime: uint64(n) * Seconds * rate}
	for range frames {
		audio.Samples = append(audio.Samples, &fmp4.Sample{Duration: perFrame, Payload: sound})
	}
	var b seekable
	err := fmp4.Part{SequenceNumber: uint32(n), Tracks: []*fmp4.PartTrack{video, audio}}.Marshal(&b)
	return b.data, err
}

// adts returns so many frames of AAC as stations send them.
func adts(n int) ([]byte, error) {
	packets := make(mpeg4audio.ADTSPackets, n)
	for i := range packets {
		packets[i] = &mpeg4audio.ADTSPacket{Type: aac.Type, SampleRate: rate, ChannelConfig: 2, AU: sound}
	}
	return packets.Marshal()
}

// mp3 returns so many frames of MP3, at 128 kbit/s.
func mp3(n int) []byte {
	frame := make([]byte, 417)
	copy(frame, []byte{0xff, 0xfb, 0x90, 0x00})
	return bytes.Repeat(frame, n)
}

// video returns a piece of FLV.
func video(lines int) []byte {
	sps, pps := parameters(lines)
	b := []byte("FLV\x01\x05\x00\x00\x00\x09\x00\x00\x00\x00")
	record := append([]byte{1, sps[1], sps[2], sps[3], 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(sps)))...)
	record = append(record, sps...)
	record = append(append(record, 1), binary.BigEndian.AppendUint16(nil, uint16(len(pps)))...)
	b = tag(b, 9, 0, append([]byte{0x17, 0, 0, 0, 0}, append(record, pps...)...))
	b = tag(b, 8, 0, []byte{0xaf, 0, 0x12, 0x10})
	for i := range 4 * pictures {
		at := uint32(i * 1000 / 25)
		data := []byte{0x27, 1, 0, 0, 0}
		if i%pictures == 0 {
			data[0] = 0x17
		}
		for _, nalu := range access(i, lines) {
			data = append(binary.BigEndian.AppendUint32(data, uint32(len(nalu))), nalu...)
		}
		b = tag(b, 9, at, data)
		b = tag(b, 8, at, append([]byte{0xaf, 1}, sound...))
	}
	return b
}

// tag adds a tag of FLV.
func tag(b []byte, kind byte, at uint32, data []byte) []byte {
	n := uint32(len(data))
	b = append(b, kind, byte(n>>16), byte(n>>8), byte(n), byte(at>>16), byte(at>>8), byte(at), byte(at>>24), 0, 0, 0)
	return binary.BigEndian.AppendUint32(append(b, data...), n+11)
}

// seekable is what MP4 is written into.
type seekable struct {
	data []byte
	at   int
}

func (s *seekable) Write(p []byte) (int, error) {
	if need := s.at + len(p); need > len(s.data) {
		s.data = append(s.data, make([]byte, need-len(s.data))...)
	}
	s.at += copy(s.data[s.at:], p)
	return len(p), nil
}

func (s *seekable) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += int64(s.at)
	case io.SeekEnd:
		offset += int64(len(s.data))
	}
	if offset < 0 {
		return 0, errors.New("before the beginning")
	}
	s.at = int(offset)
	return offset, nil
}
