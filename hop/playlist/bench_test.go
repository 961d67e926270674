package playlist

import (
	"bytes"
	"fmt"
	"net/url"
	"testing"

	"github.com/grafov/m3u8"
)

const benchBase = "https://edge-3.example.org/live/channel/1080p/index.m3u8?token=abc"

// mediaOf returns a media playlist of n lines with relative references.
func mediaOf(n int) []byte {
	b := []byte("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:1000\n")
	for i := range (n - 4) / 2 {
		b = fmt.Appendf(b, "#EXTINF:6.006,\nsegment-2026-01-02-%05d.ts\n", i)
	}
	return b
}

// masterOf returns 8 variants and 4 renditions.
func masterOf() []byte {
	b := []byte("#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n")
	for i := range 4 {
		b = fmt.Appendf(b, "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"%d\",LANGUAGE=\"pt\",URI=\"audio/%d/index.m3u8\"\n", i, i)
	}
	for i := range 8 {
		b = fmt.Appendf(b, "#EXT-X-STREAM-INF:BANDWIDTH=%d,CODECS=\"avc1.640028,mp4a.40.2\",RESOLUTION=1920x1080,AUDIO=\"a\"\nvideo/%d/index.m3u8?x=1\n", 1000*i, i)
	}
	return b
}

// direct writes a reference as it is.
func direct(dst []byte, ref Reference) ([]byte, error) { return append(dst, ref.URL...), nil }

func benchmarkRewrite(b *testing.B, src []byte) {
	var dst []byte
	var err error
	o := Options{Base: benchBase, Route: direct}
	b.ReportAllocs()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if dst, _, err = Rewrite(dst[:0], src, o); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*bytes.Count(src, []byte("\n"))), "ns/line")
}

func BenchmarkRewrite(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkRewrite(b, mediaOf(n)) })
	}
	b.Run("crlf", func(b *testing.B) { benchmarkRewrite(b, bytes.ReplaceAll(mediaOf(1000), []byte("\n"), []byte("\r\n"))) })
	b.Run("absolute", func(b *testing.B) {
		benchmarkRewrite(b, bytes.ReplaceAll(mediaOf(1000), []byte("segment"), []byte("https://edge-4.example.org/live/channel/segment")))
	})
	b.Run("root", func(b *testing.B) {
		benchmarkRewrite(b, bytes.ReplaceAll(mediaOf(1000), []byte("segment"), []byte("/live/channel/segment")))
	})
	b.Run("master", func(b *testing.B) { benchmarkRewrite(b, masterOf()) })
}

// BenchmarkPeers does the same work by other means: the same loop with net/url
// for the references, and a library that decodes and encodes.
func BenchmarkPeers(b *testing.B) {
	for name, rewrite := range map[string]func([]byte) ([]byte, error){"net-url": byNetURL, "grafov": byGrafov} {
		for _, n := range []int{100, 1000, 10000} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				src := mediaOf(n)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := rewrite(src); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/line")
			})
		}
	}
}

func byNetURL(src []byte) ([]byte, error) {
	base, err := url.Parse(benchBase)
	if err != nil {
		return nil, err
	}
	dst := make([]byte, 0, 3*len(src))
	for line := range bytes.Lines(src) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 && line[0] != '#' {
			ref, err := base.Parse(string(line))
			if err != nil {
				return nil, err
			}
			line = []byte(ref.String())
		}
		dst = append(append(dst, line...), '\n')
	}
	return dst, nil
}

// byGrafov recovers, as whoever gives origins' bytes to that library must.
func byGrafov(src []byte) (dst []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	base, err := url.Parse(benchBase)
	if err != nil {
		return nil, err
	}
	p, err := m3u8.NewMediaPlaylist(0, 16)
	if err != nil {
		return nil, err
	}
	if err := p.DecodeFrom(bytes.NewReader(src), false); err != nil {
		return nil, err
	}
	for _, s := range p.Segments {
		if s == nil {
			continue
		}
		ref, err := base.Parse(s.URI)
		if err != nil {
			return nil, err
		}
		s.URI = ref.String()
	}
	if err := p.SetWinSize(0); err != nil {
		return nil, err
	}
	return p.Encode().Bytes(), nil
}
