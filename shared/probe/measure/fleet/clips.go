package fleet

import (
	"bytes"
	"compress/gzip"
	"strings"
	"sync"
)

// Clips are what good origins send, made once.
type clips struct {
	high, low   []byte // pieces of a transport stream
	long        []byte // many of them
	init, part  []byte // fragmented MP4
	radio, song []byte // AAC and MP3
	noise       []byte // a transport stream with nothing to see or hear
	film        []byte // FLV
	bomb        []byte // a playlist of 16 MiB, packed
}

// Lines of the pictures.
const (
	high = 1080
	low  = 360
)

// cut makes the clips, once.
var cut = sync.OnceValues(cutAll)

func cutAll() (*clips, error) {
	c := &clips{song: mp3(400), film: video(high)}
	var b [4]bytes.Buffer
	var err [8]error
	err[0] = transport(&b[0], 1, high)
	err[1] = transport(&b[1], 1, low)
	err[2] = telemetry(&b[2])
	err[7] = transport(&b[3], 64, high)
	c.high, c.low, c.noise, c.long = b[0].Bytes(), b[1].Bytes(), b[2].Bytes(), b[3].Bytes()
	c.init, err[3] = header(high)
	c.part, err[4] = fragment(0, high)
	c.radio, err[5] = adts(frames)
	c.bomb, err[6] = bomb()
	for _, e := range err {
		if e != nil {
			return nil, e
		}
	}
	return c, nil
}

// bomb packs a playlist that is as large as a film.
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
