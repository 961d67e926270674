package meaning_test

import (
	"bytes"
	"testing"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/meaning"
)

func BenchmarkNew(b *testing.B) {
	c := sample()
	b.ReportAllocs()
	for b.Loop() {
		meaning.New(c)
	}
}

func BenchmarkAppend(b *testing.B) {
	m := meaning.New(sample())
	for _, q := range []string{"globo", "news in english", "noticias de argentina en español en vivo hoy mismo", "united states of america rock 80s radio live"} {
		b.Run(q, func(b *testing.B) {
			words := bytes.Fields(fold.AppendWords(nil, q))
			var dst []meaning.Span
			b.ReportAllocs()
			for b.Loop() {
				dst = m.Append(dst[:0], words)
			}
		})
	}
}
