package logo

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"

	"miramundo.dev/shared/fault"
)

// ErrSkipped says that no logo is made of a file. Its field "reason" holds one
// of the reasons below.
var ErrSkipped = fault.New(fault.Unprocessable, "logo_skipped")

// Why no logo is made of a file.
const (
	TooManyBytes = "too_many_bytes" // more than MaxSource
	TooLarge     = "too_large"      // to decode it would take more than maxDecode of memory
	TooSmall     = "too_small"      // a side of less than minSide pixels: a pixel that counts visits, not a logo
	Blank        = "blank"          // transparent, or of one colour
	Damaged      = "damaged"        // its decoder refuses it: cut, broken, or of a kind that the decoder does not know
	SVG          = "svg"            // a document, which nothing that is kept well renders in Go
	AVIF         = "avif"           // likewise, as HEIF
	TIFF         = "tiff"           // which browsers do not show
	Animated     = "animated_webp"  // whose frames the decoder does not read
	HTML         = "html"           // a page in place of a picture
	Unknown      = "unknown"        // no picture that is known here, or nothing at all
)

// Bounds of what logos are made of, and of what is made.
const (
	MaxSource = 4 << 20 // bytes of a file
	MaxSide   = 256     // pixels of a logo
	minSide   = 8       // pixels of a picture

	// maxDecode is how much memory a decoder may ask for, in bytes, as
	// computed from the header before it runs. With what scaling and encoding
	// take, a logo is made in 64 MiB.
	maxDecode = 48 << 20
)

func skip(reason string) error { return ErrSkipped.With("reason", reason) }

// Reason returns why no logo was made, or "" when err is no ErrSkipped.
func Reason(err error) string {
	if !errors.Is(err, ErrSkipped) {
		return ""
	}
	reason, _ := fault.From(err).Fields["reason"].(string)
	return reason
}

// Make makes a logo of a file: scaled to at most MaxSide pixels and encoded
// anew, as PNG or WebP, whichever takes fewer bytes. The first picture of an
// animation is taken. What the file is called and what its server says it is
// play no part: a file is what its first bytes say, and nothing of it but its
// pixels is kept. The error is ErrSkipped.
func Make(data []byte) (Image, error) {
	if len(data) > MaxSource {
		return Image{}, skip(TooManyBytes)
	}
	p, err := decode(data)
	if err != nil {
		return Image{}, err
	}
	small := scale(p)
	if blank(small) {
		return Image{}, skip(Blank)
	}
	return encode(small)
}

// Format names the kind of a file by its first bytes: "png", "jpeg", "gif",
// "webp", "bmp", "ico", or the reason for which others are skipped.
func Format(data []byte) string {
	if f := formatOf(data); f != nil {
		return f.name
	}
	return foreign(data)
}

// ID returns the id of an image, which is one of its bytes: equal images are
// kept once, and what an id names never changes.
func (im *Image) ID() string {
	sum := sha256.Sum256(im.Data)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// newImage returns an image of encoded bytes.
func newImage(mediaType string, data []byte) Image {
	sum := sha256.Sum256(data)
	return Image{Type: mediaType, Data: data, Hash: hex.EncodeToString(sum[:])}
}

// A picture is a decoded file.
type picture struct {
	image.Image
	canvas image.Rectangle // what is seen: the image may fill a part of it
}

// decode decodes a file within maxDecode.
func decode(data []byte) (p picture, err error) {
	f := formatOf(data)
	if f == nil {
		return p, skip(foreign(data))
	}
	defer func() {
		if r := recover(); r != nil {
			err = ErrSkipped.With("reason", Damaged).Because(fmt.Errorf("%s: panic: %v", f.name, r))
		}
	}()
	n, err := f.need(data)
	if err != nil {
		return p, damaged(err)
	}
	switch {
	case n.memory > maxDecode:
		return p, skip(TooLarge)
	case min(n.width, n.height) < minSide:
		return p, skip(TooSmall)
	}
	im, err := f.decode(bytes.NewReader(n.data))
	if err != nil {
		return p, damaged(err)
	}
	p = picture{im, im.Bounds()}
	if f.name == "gif" {
		p.canvas = image.Rect(0, 0, n.width, n.height)
	}
	return p, nil
}

// damaged returns err as an ErrSkipped.
func damaged(err error) error {
	if errors.Is(err, ErrSkipped) {
		return err
	}
	return ErrSkipped.With("reason", Damaged).Because(err)
}

// foreign says why what has no decoder is skipped.
func foreign(data []byte) string {
	switch {
	case has(data, "II*\x00", "MM\x00*"):
		return TIFF
	case len(data) >= 12 && string(data[4:8]) == "ftyp":
		return AVIF
	}
	head := bytes.ToLower(data[:min(len(data), 1024)])
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case !has(head, "<"):
		return Unknown
	case bytes.Contains(head, []byte("<svg")):
		return SVG
	case bytes.Contains(head, []byte("html")):
		return HTML
	}
	return Unknown
}

// has reports whether data begins with one of some texts.
func has(data []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(data, []byte(p)) {
			return true
		}
	}
	return false
}
