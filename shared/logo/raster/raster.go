// Package raster decodes pictures that strangers sent, in bounded memory.
//
// A file is what its first bytes say; its name and media type play no part. Before
// a decoder runs, the header is read here, to compute how much memory decoding
// takes; a file that would take more than maxDecode is refused. Formats for which
// no kept decoder exists are recognized and refused by name.
package raster

import (
	"bytes"
	"errors"
	"fmt"
	"image"

	"miramundo.dev/shared/fault"
)

// ErrSkipped is the error of a file that no logo can be made from. Its field
// "reason" is one of the reasons below.
var ErrSkipped = fault.New(fault.Unprocessable, "logo_skipped")

// Reasons why no logo is made from a file.
const (
	TooManyBytes = "too_many_bytes" // more than MaxSource
	TooLarge     = "too_large"      // decoding it would take more memory than maxDecode
	TooSmall     = "too_small"      // a side has fewer than minSide pixels, such as a tracking pixel
	Blank        = "blank"          // transparent, or of one colour
	Damaged      = "damaged"        // the decoder refuses it: cut off, broken, or of an unsupported kind
	SVG          = "svg"            // no maintained Go package renders it
	AVIF         = "avif"           // no maintained Go package decodes it, nor HEIF
	TIFF         = "tiff"           // browsers do not show it
	Animated     = "animated_webp"  // the decoder does not support its frames
	HTML         = "html"           // a page instead of a picture
	Unknown      = "unknown"        // any other file, or an empty one
)

// Limits of the files that logos are made from.
const (
	MaxSource = 4 << 20 // bytes of a file
	minSide   = 8       // pixels of a picture

	// maxDecode is how much memory a decoder may take, in bytes, as computed from
	// the header before it runs. With scaling and encoding, a logo is made in
	// 64 MiB.
	maxDecode = 48 << 20
)

// Skip returns ErrSkipped with a reason.
func Skip(reason string) error { return ErrSkipped.With("reason", reason) }

// Reason returns the reason of an ErrSkipped, and "" for any other error.
func Reason(err error) string {
	if !errors.Is(err, ErrSkipped) {
		return ""
	}
	reason, _ := fault.From(err).Fields["reason"].(string)
	return reason
}

// Format returns the format of a file by its first bytes: "png", "jpeg", "gif",
// "webp", "bmp", "ico", or the reason why a file in any other format is skipped.
func Format(data []byte) string {
	if f := formatOf(data); f != nil {
		return f.name
	}
	return foreign(data)
}

// A Picture is a decoded file.
type Picture struct {
	image.Image
	Canvas image.Rectangle // the visible area, of which the image may fill a part
}

// Decode decodes a file; of an animation, its first picture. The error is an
// ErrSkipped, also when the decoder panics.
func Decode(data []byte) (p Picture, err error) {
	if len(data) > MaxSource {
		return p, Skip(TooManyBytes)
	}
	f := formatOf(data)
	if f == nil {
		return p, Skip(foreign(data))
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
		return p, Skip(TooLarge)
	case min(n.width, n.height) < minSide:
		return p, Skip(TooSmall)
	}
	im, err := f.decode(bytes.NewReader(n.data))
	if err != nil {
		return p, damaged(err)
	}
	p = Picture{im, im.Bounds()}
	if f.name == "gif" {
		p.Canvas = image.Rect(0, 0, n.width, n.height)
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

// foreign returns the reason why a file in a format without a decoder is skipped.
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

// has reports whether data starts with one of the prefixes.
func has(data []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(data, []byte(p)) {
			return true
		}
	}
	return false
}
