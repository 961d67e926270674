package xmltv

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/ulikunitz/xz"

	"miramundo.dev/shared/source"
)

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// xzipped packs data in blocks of a size.
func xzipped(t testing.TB, data []byte, c xz.WriterConfig) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := c.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packings returns data as it is and packed.
func packings(t testing.TB, data []byte) map[string][]byte {
	t.Helper()
	half := len(data) / 2
	small := xz.WriterConfig{DictCap: 4096, BlockSize: 64, CheckSum: xz.SHA256}
	return map[string][]byte{
		"plain":           data,
		"gzip":            gzipped(t, data),
		"gzip in members": append(gzipped(t, data[:half]), gzipped(t, data[half:])...),
		"xz":              xzipped(t, data, xz.WriterConfig{DictCap: 1 << 16}),
		"xz in blocks":    xzipped(t, data, small),
		"xz without sums": xzipped(t, data, xz.WriterConfig{DictCap: 1 << 16, NoCheckSum: true}),
		"xz in streams":   append(append(xzipped(t, data[:half], small), 0, 0, 0, 0), xzipped(t, data[half:], xz.WriterConfig{DictCap: 1 << 16, CheckSum: xz.CRC32})...),
	}
}

const small = `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE tv [<!ELEMENT tv (channel*)><!-- ' -->]>
<tv><channel id="um.br"><display-name>Um &amp; <![CDATA[<Dois>]]></display-name></channel>` + newsTag + `<title lang="pt">Jornal</title><desc>à noite</desc></programme></tv>`

// TestPrefixes reads every beginning of a small guide in every packing: none is
// taken for a whole one.
func TestPrefixes(t *testing.T) {
	want, err := readText(small)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range packings(t, []byte(small)) {
		t.Run(name, func(t *testing.T) {
			got, err := readAll(iotest.OneByteReader(bytes.NewReader(data)), Options{})
			if diff := difference(want, got); diff != "" || err != nil {
				t.Fatalf("%v, -plain +packed:\n%s", err, diff)
			}
			for n := range len(data) {
				_, err := readAll(bytes.NewReader(data[:n]), Options{})
				known := errors.Is(err, source.ErrTruncated) || n == 0 && errors.Is(err, source.ErrEmpty)
				if !known && !between(name, data[:n]) {
					t.Errorf("the first %d bytes of %d: %v", n, len(data), err)
				}
			}
		})
	}
}

// between reports whether a beginning ends where the packing may end, or is of
// a few bytes that may be anything. What it holds is cut then, and refused too.
func between(name string, data []byte) bool {
	if len(data) < len("\xfd7zXZ\x00") {
		return name != "plain"
	}
	return false
}

// TestCorrupt changes each byte of packed guides: what is not noticed changes
// nothing.
func TestCorrupt(t *testing.T) {
	want, err := readText(small)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range packings(t, []byte(small)) {
		if name == "plain" || name == "xz without sums" {
			continue
		}
		for i := range data {
			bad := bytes.Clone(data)
			bad[i] ^= 0x55
			got, err := readAll(bytes.NewReader(bad), Options{})
			if err == nil && difference(want, got) != "" {
				t.Errorf("%s with another byte at %d gives %+v", name, i, got)
			}
		}
	}
}

func TestPackings(t *testing.T) {
	zeros := bytes.Repeat([]byte(" "), 1<<20)
	for _, tc := range []struct {
		name string
		data []byte
		want error
	}{
		{"gzip in gzip", gzipped(t, gzipped(t, []byte(small))), ErrPacking},
		{"xz in gzip", gzipped(t, xzipped(t, []byte(small), xz.WriterConfig{})), ErrPacking},
		{"gzip in xz", xzipped(t, gzipped(t, []byte(small)), xz.WriterConfig{}), ErrPacking},
		{"a bomb of gzip", gzipped(t, zeros), ErrTooLarge},
		{"a bomb of xz", xzipped(t, zeros, xz.WriterConfig{DictCap: 4096}), ErrTooLarge},
		{"a bomb of members that are empty", bytes.Repeat(gzipped(t, nil), 1<<14), ErrTooLarge},
		{"a bomb of streams that are empty", bytes.Repeat(xzipped(t, nil, xz.WriterConfig{DictCap: 4096}), 1<<14), ErrTooLarge},
		{"a plain one that is too large", zeros, ErrTooLarge},
		{"empty gzip", gzipped(t, nil), source.ErrEmpty},
		{"empty xz", xzipped(t, nil, xz.WriterConfig{}), source.ErrEmpty},
		{"garbage after gzip", append(gzipped(t, []byte(small)), "garbage garbage"...), source.ErrForm},
		{"garbage after xz", append(xzipped(t, []byte(small), xz.WriterConfig{}), "garbage garbage"...), source.ErrForm},
		{"zip", []byte("PK\x03\x04\x14\x00\x00\x00\x08\x00"), source.ErrForm},
	} {
		if _, err := readAll(bytes.NewReader(tc.data), Options{MaxBytes: 64 << 10}); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

// TestMaxBytes reads a guide that takes just what it may, and one byte more.
func TestMaxBytes(t *testing.T) {
	for name, data := range packings(t, []byte("<tv>"+strings.Repeat(" ", 10_000)+"</tv>")) {
		if _, err := readAll(bytes.NewReader(data), Options{MaxBytes: 10_009}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := readAll(bytes.NewReader(data), Options{MaxBytes: 10_008}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCheck reads bombs of every packing with a check that fails after a few calls:
// reading ends with its error, after at most 64 KiB for each call.
func TestCheck(t *testing.T) {
	late := errors.New("out of time")
	for name, data := range packings(t, []byte("<tv>"+strings.Repeat("<url></url>", 100_000)+"</tv>")) {
		calls := 0
		_, err := readAll(bytes.NewReader(data), Options{Check: func() error {
			if calls++; calls > 3 {
				return late
			}
			return nil
		}})
		if !errors.Is(err, late) || calls != 4 {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
	}
}
