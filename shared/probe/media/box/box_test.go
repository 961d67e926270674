package box

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEach checks the sizes that the header of a box may have.
func TestEach(t *testing.T) {
	for name, test := range map[string]struct {
		data string
		want []Box
	}{
		"two":         {"\x00\x00\x00\x0amoovab\x00\x00\x00\x08free", []Box{{"moov", []byte("ab"), 10, false}, {"free", []byte{}, 8, false}}},
		"to the end":  {"\x00\x00\x00\x00mdatabc", []Box{{"mdat", []byte("abc"), 11, false}}},
		"of 64 bits":  {"\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x12ab", []Box{{"mdat", []byte("ab"), 18, false}}},
		"cut off":     {"\x00\x00\x01\x00mdatab", []Box{{"mdat", []byte("ab"), 256, true}}},
		"too small":   {"\x00\x00\x00\x07moovab", nil},
		"half a head": {"\x00\x00\x00", nil},
	} {
		var got []Box
		Each([]byte(test.data), func(x Box) { got = append(got, x) })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestChild checks that the first box along a path is found.
func TestChild(t *testing.T) {
	data := []byte("\x00\x00\x00\x1dmdia\x00\x00\x00\x0ahdlrab\x00\x00\x00\x0bhdlrcde")
	for path, want := range map[string]string{"mdia/hdlr": "ab", "mdia/none": "", "hdlr": "", "mdia/hdlr/none": ""} {
		if got := string(Child(data, path)); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}
