package guide

import (
	"encoding/binary"
	"unicode/utf8"
)

// A cursor decodes values from a text. After the first invalid value it is
// broken and returns zero values, so that callers check for errors once, at
// the end.
type cursor struct {
	text   string // still to be read
	broken bool
}

func (c *cursor) uint() uint64 {
	var v uint64
	for i := range min(len(c.text), binary.MaxVarintLen64) {
		b := c.text[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			c.text = c.text[i+1:]
			return v
		}
	}
	c.broken, c.text = true, ""
	return 0
}

// below decodes a number less than n; otherwise the cursor is broken.
func (c *cursor) below(n uint64) uint64 {
	v := c.uint()
	if v >= n {
		c.broken, c.text = true, ""
		return 0
	}
	return v
}

// count decodes the number of values of at least size bytes each that follow.
// It is bounded by the remaining text, so that broken data allocates little.
func (c *cursor) count(size int) int { return int(c.below(uint64(len(c.text)/size) + 1)) }

func (c *cursor) string() string {
	n := c.uint()
	if n > uint64(len(c.text)) {
		c.broken, c.text = true, ""
		return ""
	}
	s := c.text[:n]
	c.text = c.text[n:]
	return s
}

// word decodes a valid UTF-8 string.
func (c *cursor) word() string {
	s := c.string()
	if !utf8.ValidString(s) {
		c.broken = true
	}
	return s
}

// texts decodes a list of strings that are not empty.
func (c *cursor) texts() (t texts) {
	n := c.count(2)
	t.all, t.ends = c.text, make([]uint32, n)
	start := len(c.text)
	for i := range t.ends {
		if c.word() == "" {
			c.broken = true
		}
		t.ends[i] = uint32(start - len(c.text))
	}
	t.all = t.all[:start-len(c.text)]
	return t
}
