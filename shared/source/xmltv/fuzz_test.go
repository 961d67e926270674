package xmltv

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/ulikunitz/xz"
)

// FuzzRead compares with the naive reader: what that takes for a guide is read
// the same. What is read beyond it must hold nothing half: a beginning of it
// that is read too says the same.
func FuzzRead(f *testing.F) {
	for _, tc := range elements {
		f.Add([]byte("<tv>"+tc.in+"</tv>"), uint16(20))
	}
	for _, tc := range refused {
		if len(tc.in) < 1<<10 {
			f.Add([]byte(tc.in), uint16(5))
		}
	}
	for _, tc := range times {
		f.Add([]byte(`<tv><programme start="`+tc.in+`" channel="a"><title>T</title></programme></tv>`), uint16(0))
	}
	for _, tc := range encodings {
		f.Add(encoded(f, tc.says, tc.enc, tc.title), uint16(9))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint16) {
		if len(data) > MaxText/2 {
			return
		}
		got, err := readAll(bytes.NewReader(data), Options{Language: "pt"})
		if want, naiveErr := naive(data, Options{Language: "pt"}); naiveErr == nil && declaredNaively(data) {
			if err != nil {
				t.Fatal(err)
			}
			if diff := difference(want, got); diff != "" {
				t.Fatalf("-naive +read:\n%s", diff)
			}
		}
		sound(t, got)
		if err != nil || len(data) == 0 {
			return
		}
		before, err := readAll(bytes.NewReader(data[:int(at)%len(data)]), Options{Language: "pt"})
		if diff := difference(got, before); err == nil && diff != "" {
			t.Errorf("-whole +beginning:\n%s", diff)
		}
	})
}

// declaredNaively reports whether the standard library reads data in the
// encoding that this package reads it in: it knows neither marks nor wrong names.
func declaredNaively(data []byte) bool {
	return !bytes.Contains(data, []byte("encoding")) && utf8.Valid(data)
}

// sound checks what holds of whatever is read.
func sound(t *testing.T, g *guide) {
	t.Helper()
	for _, c := range g.Channels {
		for _, text := range append(c.Names, c.ID, c.Icon) {
			soundText(t, text, MaxTitle+len(c.Icon))
		}
	}
	for _, p := range g.Programmes {
		soundText(t, p.Title, MaxTitle)
		soundText(t, p.Category, MaxTitle)
		soundText(t, p.Channel, MaxID)
		soundText(t, p.Desc, MaxDesc)
		if p.Title == "" || p.Channel == "" || p.Start.IsZero() || p.Stop.Sub(p.Start) > MaxLength {
			t.Errorf("%+v", p)
		}
	}
}

func soundText(t *testing.T, text string, limit int) {
	t.Helper()
	if n := utf8.RuneCountInString(text); n > limit || !utf8.ValidString(text) || naiveFold(text, limit) != text {
		t.Errorf("%d characters: %q", n, text)
	}
}

// FuzzOpen unpacks what may be packed, and no more than it may.
func FuzzOpen(f *testing.F) {
	for _, data := range packings(f, []byte(small)) {
		f.Add(data)
	}
	f.Add([]byte("\xfd7zXZ\x00\x00\x00\xff\x12\xd9\x41\x02\x00\x21\x01\x28\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 16
		got, err := readAll(bytes.NewReader(data), Options{MaxBytes: limit})
		sound(t, got)
		if err != nil {
			return
		}
		again, err := readAll(bytes.NewReader(xzipped(t, unpacked(t, data), xz.WriterConfig{DictCap: 4096})), Options{MaxBytes: 4 * limit})
		if diff := difference(got, again); err != nil || diff != "" {
			t.Errorf("%v, -once +packed again:\n%s", err, diff)
		}
	})
}
