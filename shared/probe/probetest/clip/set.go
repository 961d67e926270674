package clip

import (
	"bytes"
	"compress/gzip"
	"strings"
	"sync"
)

// A Set holds the clips that origins send.
type Set struct {
	High, Low   []byte // segments of a transport stream
	Long        []byte // 64 segments of one
	Init, Part  []byte // fragmented MP4
	Radio, Song []byte // AAC and MP3
	Noise       []byte // a transport stream without pictures or sound
	Film        []byte // FLV
	Bomb        []byte // a playlist of 16 MiB, compressed by gzip
}

// Heights of the pictures, in lines.
const (
	High = 1080
	Low  = 360
)

// Cut returns the clips, which are made at the first call.
var Cut = sync.OnceValues(cutAll)

func cutAll() (*Set, error) {
	c := &Set{Song: mp3(400), Film: video(High)}
	var b [4]bytes.Buffer
	var err [8]error
	err[0] = transport(&b[0], 1, High)
	err[1] = transport(&b[1], 1, Low)
	err[2] = telemetry(&b[2])
	err[7] = transport(&b[3], 64, High)
	c.High, c.Low, c.Noise, c.Long = b[0].Bytes(), b[1].Bytes(), b[2].Bytes(), b[3].Bytes()
	c.Init, err[3] = header(High)
	c.Part, err[4] = fragment(0, High)
	c.Radio, err[5] = adts(frames)
	c.Bomb, err[6] = bomb()
	for _, e := range err {
		if e != nil {
			return nil, e
		}
	}
	return c, nil
}

// bomb compresses a playlist that is as large as a film.
func bomb() ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	line := []byte(strings.Repeat("#EXT-X-NOTHING\n", 1<<10))
	if _, err := z.Write([]byte("#EXTM3U\n#EXT-X-TARGETDURATION:2\n")); err != nil {
		return nil, err
	}
	for range 16 << 10 / 15 {
		if _, err := z.Write(line); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), z.Close()
}
