package measure

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestStripICY checks that metadata is removed, however the body is read.
func TestStripICY(t *testing.T) {
	block := func(text string) string {
		n := (len(text) + 15) / 16
		return string(rune(n)) + text + strings.Repeat("\x00", 16*n-len(text))
	}
	whole := "abcd" + block("StreamTitle='a song';") + "efgh" + block("") + "ijkl" + block("StreamTitle='';") + "mn"
	for _, test := range []struct {
		name, in string
		interval int
		want     string
		err      error
	}{
		{"blocks", whole, 4, "abcdefghijklmn", nil},
		{"no blocks", "abcdefgh", 0, "abcdefgh", nil},
		{"a nonsense interval", "abcdefgh", -5, "abcdefgh", nil},
		{"ends before a block", "abcd", 4, "abcd", nil},
		{"ends within a block", "abcd\x02Stream", 4, "abcd", nil},
		{"nothing", "", 4, "", nil},
	} {
		for _, reader := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader, iotest.HalfReader,
		} {
			got, err := io.ReadAll(stripICY(reader(strings.NewReader(test.in)), test.interval))
			if string(got) != test.want || !errors.Is(err, test.err) {
				t.Errorf("%s: %q, %v, want %q, %v", test.name, got, err, test.want, test.err)
			}
		}
	}
	broken := errors.New("broken off")
	_, err := io.ReadAll(stripICY(io.MultiReader(strings.NewReader("abcd"), iotest.ErrReader(broken)), 4))
	if !errors.Is(err, broken) {
		t.Errorf("a broken stream fails with %v, want %v", err, broken)
	}
}
