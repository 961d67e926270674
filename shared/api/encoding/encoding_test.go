package encoding

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

func TestQuick(t *testing.T) {
	for accept, want := range map[string]Coding{
		"":                               Identity,
		"gzip":                           Gzip,
		"GZIP":                           Gzip,
		"x-gzip":                         Gzip,
		"gzip, deflate, br, zstd":        Zstd,
		"gzip, deflate, br":              Gzip,
		"br":                             Identity,
		"zstd;q=0.5, gzip;q=0.8":         Gzip,
		"zstd;q=0, gzip;q=0":             Identity,
		"*":                              Zstd,
		"*;q=0":                          Identity,
		"zstd;q=0, *":                    Gzip,
		"identity;q=1, *;q=0":            Identity,
		"gzip;q=2":                       Identity,
		"gzip;q=-1":                      Identity,
		"gzip;q=0.0001":                  Identity,
		"gzip;q=":                        Identity,
		"gzip;quality=1":                 Identity,
		" gzip ; q=0.001 ,":              Gzip,
		",,;;=,gzip":                     Gzip,
		"gzip;q=1.000":                   Gzip,
		"deflate":                        Identity,
		strings.Repeat("x,", 1000):       Identity,
		"gzip;q=0.9, zstd;q=0.899, br;q": Gzip,
	} {
		if got := Quick(accept); got != want {
			t.Errorf("Quick(%.40q) = %s, want %s", accept, got, want)
		}
	}
}

func TestTakes(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "br, gzip;q=0.1": true, "gzip;q=0": false, "*": true, "*;q=0, gzip": true, "br": false, "gzip;q=x": false,
	} {
		if got := Takes(accept, Gzip); got != want {
			t.Errorf("Takes(%q, gzip) = %t", accept, got)
		}
	}
}

func TestCompressible(t *testing.T) {
	for media, want := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "text/html": true, "image/svg+xml": true,
		"application/vnd.apple.mpegurl": true, "application/linkset+json": true, "image/png": false, "image/webp": false,
		"": false, "application/octet-stream": false,
	} {
		if got := Compressible(media); got != want {
			t.Errorf("Compressible(%q) = %t", media, got)
		}
	}
}

var samples = map[string][]byte{
	"empty":  {},
	"text":   []byte(strings.Repeat("the same thing again ", 200)),
	"noise":  noise(5000),
	"single": {0},
}

// noise returns bytes that do not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	for i, x := 0, uint32(1); i < n; i++ {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func decode(t testing.TB, c Coding, body []byte) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch c {
	case Gzip:
		r, err = gzip.NewReader(r)
	case Brotli:
		r = brotli.NewReader(r)
	case Zstd:
		d, e := zstd.NewReader(r, zstd.WithDecoderMaxWindow(8<<20)) // as browsers do
		r, err = d, e
		if err == nil {
			defer d.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestEncode checks that bodies come back as they were, also when many are
// encoded at a time.
func TestEncode(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for name, data := range samples {
				for _, c := range []Coding{Zstd, Gzip, Identity} {
					err := Encode(c, data, func(body []byte) error {
						if got := decode(t, c, body); !bytes.Equal(got, data) {
							t.Errorf("%s in %s came back as %d bytes, not %d", name, c, len(got), len(data))
						}
						return nil
					})
					if err != nil {
						t.Errorf("%s in %s: %v", name, c, err)
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestPrecompress(t *testing.T) {
	for name, data := range samples {
		v := Precompress(data)
		for _, accept := range []string{"", "br", "gzip", "zstd", "gzip, br, zstd"} {
			c, body := v.Choose(accept)
			if got := decode(t, c, body); !bytes.Equal(got, data) {
				t.Errorf("%s for %q came in %s as %d bytes, not %d", name, accept, c, len(got), len(data))
			}
			if len(body) > len(data) {
				t.Errorf("%s for %q grew", name, accept)
			}
		}
	}
	if c, _ := Precompress(samples["text"]).Choose("gzip, br, zstd"); c != Brotli {
		t.Errorf("a text came in %s", c)
	}
}

// FuzzQuick checks that no header gets a coding that it does not name.
func FuzzQuick(f *testing.F) {
	for _, seed := range []string{"gzip", "gzip;q=0.5,*;q=0", "zstd;q=1.0", ";q=", "*"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		c := Quick(accept)
		if c != Identity && !strings.Contains(strings.ToLower(accept), c.String()) && !strings.Contains(accept, "*") {
			t.Errorf("Quick(%q) = %s", accept, c)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	data := []byte(strings.Repeat(`{"id":"channel","name":"Channel","country":"BR","languages":["por"]},`, 260))
	for _, c := range []Coding{Zstd, Gzip} {
		b.Run(c.String(), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := Encode(c, data, func([]byte) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
