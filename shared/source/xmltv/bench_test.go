package xmltv

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ulikunitz/xz"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"miramundo.dev/shared/reference"
)

// realistic returns programmes as grabbers write them, without the element
// around them.
func realistic(programmes int) []byte {
	var b bytes.Buffer
	start := time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)
	for i := range programmes {
		begin := start.Add(time.Duration(i%336) * 30 * time.Minute) // a week of each channel
		fmt.Fprintf(&b, `  <programme start="%s" stop="%s" channel="Canal%d.br">
    <title lang="pt">Jornal das %d &amp; Esporte</title>
    <sub-title lang="pt">Edição nº %d</sub-title>
    <desc lang="pt">As notícias do dia, com a previsão do tempo, o trânsito nas capitais e a agenda de %d. Reportagens de cada estado do país, entrevistas ao vivo e os gols da rodada, com comentários no estúdio.</desc>
    <credits>
      <director>Direção da casa</director>
      <presenter>Apresentação %d</presenter>
    </credits>
    <category lang="pt">Jornalismo</category>
    <category lang="en">News</category>
    <icon src="https://example.com/images/%d.jpg"/>
    <episode-num system="xmltv_ns">2.%d.</episode-num>
    <rating system="BR">
      <value>L</value>
    </rating>
  </programme>
`, begin.Format("20060102150405 -0700"), begin.Add(30*time.Minute).Format("20060102150405 -0700"), i/336, i%24, i, i, i%100, i, i%50)
	}
	return b.Bytes()
}

// BenchmarkRead reads a guide of about 14 MB in the forms that there are. Bytes
// are of the guide unpacked and in its own encoding.
func BenchmarkRead(b *testing.B) {
	plain := append(append([]byte("<?xml version=\"1.0\"?>\n<tv>\n"), realistic(14_000)...), "</tv>\n"...)
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(plain)
	if err != nil {
		b.Fatal(err)
	}
	narrow, err := charmap.ISO8859_1.NewEncoder().Bytes(plain)
	if err != nil {
		b.Fatal(err)
	}
	narrow = bytes.Replace(narrow, []byte(`?>`), []byte(` encoding="iso-8859-1"?>`), 1)
	day := Options{From: time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 3, 17, 0, 0, 0, 0, time.UTC)}
	few := Options{Wants: func(channel string) bool { return channel == "Canal7.br" }}
	b.Run("plain", func(b *testing.B) { bench(b, plain, len(plain), Options{}) })
	b.Run("language", func(b *testing.B) { bench(b, plain, len(plain), Options{Language: "en"}) })
	b.Run("two days", func(b *testing.B) { bench(b, plain, len(plain), day) })
	b.Run("one channel", func(b *testing.B) { bench(b, plain, len(plain), few) })
	b.Run("gzip", func(b *testing.B) { bench(b, gzipped(b, plain), len(plain), Options{}) })
	b.Run("xz", func(b *testing.B) { bench(b, xzipped(b, plain, xz.WriterConfig{}), len(plain), Options{}) })
	b.Run("utf-16", func(b *testing.B) { bench(b, wide, len(wide), Options{}) })
	b.Run("latin-1", func(b *testing.B) { bench(b, narrow, len(narrow), Options{}) })
}

func bench(b *testing.B, data []byte, size int, o Options) {
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		count, err := Read(bytes.NewReader(data), o, func(*Channel) error { return nil }, func(*Programme) error { return nil })
		if err != nil || count.Items == 0 {
			b.Fatalf("%+v, %v", count, err)
		}
	}
}

// BenchmarkReal reads the guide of Freeview, with what the standard library
// takes to find its tags.
func BenchmarkReal(b *testing.B) {
	packed, err := os.ReadFile(filepath.Join(reference.Dir(b), "guide", "freeview-uk-20230417.xml.xz"))
	if err != nil {
		b.Skip("no guide of Freeview in ../shared/data")
	}
	plain := unpacked(b, packed)
	b.Run("plain", func(b *testing.B) { bench(b, plain, len(plain), Options{}) })
	b.Run("xz", func(b *testing.B) { bench(b, packed, len(plain), Options{}) })
	b.Run("encoding-xml", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		for b.Loop() {
			d := xml.NewDecoder(bytes.NewReader(plain))
			for {
				if _, err := d.RawToken(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkGigabyte reads a guide of a gigabyte, and tells the most that the
// heap holds meanwhile.
func BenchmarkGigabyte(b *testing.B) {
	part := realistic(1_000)
	b.SetBytes(1 << 30)
	for b.Loop() {
		heap, _ := greatest(b, newEndless(part, 1<<30), Options{})
		b.ReportMetric(float64(heap)/(1<<20), "MiB-heap")
	}
}
