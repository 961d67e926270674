package nowplaying

import (
	"bytes"
	"html"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Bounds of what is read of a stream.
const (
	maxInterval = 64 << 10 // bytes of audio before the first block; servers send 8 to 32 KiB
	maxBlock    = 255 * 16 // bytes of a block, whose length is one byte in units of 16
	maxRead     = maxInterval + 1 + maxBlock
	maxTitle    = 200 // characters of a title
)

// interval returns how many bytes of audio come before each block of metadata, by the
// header icy-metaint; false when there are no blocks, or too far apart.
func interval(header string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(header))
	return n, err == nil && n > 0 && n <= maxInterval
}

// block returns the first block of metadata of a stream, after n bytes of audio.
func block(stream io.Reader, n int) ([]byte, error) {
	if _, err := io.CopyN(io.Discard, stream, int64(n)); err != nil {
		return nil, err
	}
	var length [1]byte
	if _, err := io.ReadFull(stream, length[:]); err != nil {
		return nil, err
	}
	data := make([]byte, 16*int(length[0]))
	if _, err := io.ReadFull(stream, data); err != nil {
		return nil, err
	}
	return data, nil
}

const titleField = "StreamTitle='"

// titleOf returns the title in a block of metadata, such as
// "StreamTitle='Artist - Song';StreamUrl=”;". It is empty when the block names none. A
// title may itself contain quotation marks: it ends at the first one before a semicolon.
func titleOf(block []byte) string {
	block = bytes.TrimRight(block, "\x00")
	_, rest, ok := bytes.Cut(block, []byte(titleField))
	if !ok {
		return ""
	}
	title, _, ended := bytes.Cut(rest, []byte("';"))
	if !ended {
		title = bytes.TrimSuffix(rest, []byte("'"))
	}
	return clean(decoded(title))
}

// decoded returns a text of unknown encoding: UTF-8, or else the one that most old
// servers of the West use.
func decoded(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	s, err := charmap.Windows1252.NewDecoder().Bytes(text)
	if err != nil {
		return strings.ToValidUTF8(string(text), "") // never: each byte has a meaning
	}
	return string(s)
}

// clean returns a title for people: entities of HTML are resolved, which many servers
// send, control and format characters are removed, spaces are single, and it is bounded.
// A title without a letter or a digit is none.
func clean(title string) string {
	title = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, html.UnescapeString(title))
	title = strings.Join(strings.Fields(title), " ")
	if !strings.ContainsFunc(title, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	n := 0
	for i := range title {
		if n++; n > maxTitle {
			return strings.TrimSpace(title[:i]) + "…"
		}
	}
	return title
}
