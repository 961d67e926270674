package logo

import "strings"

// A Tone says which plate a logo is meant to stand on. It is measured when the logo
// is made, and stands at the end of its id, so that it goes wherever the address of
// the logo goes: to cards, to the answers of the API and to the lists that browsers
// keep. The zero Tone is that of logos made before tones were measured.
type Tone string

// The tones of logos with a transparent ground. A logo that fills its picture has
// the colour of its edge as its tone instead, in six hexadecimal digits.
const (
	OnLight Tone = "l" // it would be lost on a dark plate
	OnDark  Tone = "d" // it would be lost on a light plate, such as white letters
	OnAny   Tone = "a" // it is seen on either plate
)

// hashLength is the length of the hash that begins an id, and mark stands between it
// and the tone.
const (
	hashLength = 16
	mark       = "--"
)

// ToneOf returns the tone of the logo with an id, or at an address that ends in its
// id; the zero Tone when it has none.
func ToneOf(id string) Tone {
	id = id[strings.LastIndexByte(id, '/')+1:]
	if len(id) <= hashLength {
		return ""
	}
	tone, ok := strings.CutPrefix(id[hashLength:], mark)
	if !ok || !Tone(tone).valid() {
		return ""
	}
	return Tone(tone)
}

// Colour returns the colour that surrounds a logo which fills its picture, such as
// "#1f5f92"; the empty string for any other.
func (t Tone) Colour() string {
	if len(t) != 6 {
		return ""
	}
	return "#" + string(t)
}

// valid reports whether t is a tone that ids may end in.
func (t Tone) valid() bool {
	if t == OnLight || t == OnDark || t == OnAny {
		return true
	}
	return len(t) == 6 && strings.Trim(string(t), "0123456789abcdef") == ""
}
