// Package raster decodes pictures that strangers sent, in bounded memory.
//
// A file is what its first bytes say; its name and media type play no part. Before
// a decoder runs, the header is read here, to compute how much memory decoding
// takes; a file that would take more than the caller's [Limits] is refused. Formats
// for which no kept decoder exists are recognized and refused by name.
package raster

import (
	"bytes"
	"errors"
	"fmt"
	"image"

	"miramundo.dev/shared/fault"
)

// ErrRefused is the error of a file that is not decoded. Its field "reason" is one
// of the reasons below.
var ErrRefused = fault.New(fault.Unprocessable, "picture_refused")

// Reasons why a file is refused.
const (
	TooManyBytes = "too_many_bytes" // more than Limits.Bytes
	TooLarge     = "too_large"      // decoding it would take more memory than Limits.Memory
	TooSmall     = "too_small"      // a side has fewer pixels than Limits.Side, such as a tracking pixel
	Blank        = "blank"          // transparent, or of one colour; [Decode] never says so
	Damaged      = "damaged"        // the decoder refuses it: cut off, broken, or of an unsupported kind
	SVG          = "svg"            // no maintained Go package renders it
	AVIF         = "avif"           // no maintained Go package decodes it, nor HEIF
	TIFF         = "tiff"           // browsers do not show it
	Animated     = "animated_webp"  // the decoder does not support its frames
	HTML         = "html"           // a page instead of a picture
	Unknown      = "unknown"        // any other file, or an empty one
)

// Limits bound the files that a caller accepts. All of them must be set.
type Limits struct {
	Bytes  int   // of a file, at most
	Memory int64 // bytes that the decoder may take, as computed from the header before it runs; at most maxMemory
	Side   int   // pixels of each side of a picture, at least
}

// maxMemory is the greatest Limits.Memory. Headers that ask for more are not read to
// their end.
const maxMemory = 96 << 20

// Refuse returns ErrRefused with a reason.
func Refuse(reason string) error { return ErrRefused.With("reason", reason) }

// Reason returns the reason of an ErrRefused, and "" for any other error.
func Reason(err error) string {
	if !errors.Is(err, ErrRefused) {
		return ""
	}
	reason, _ := fault.From(err).Fields["reason"].(string)
	return reason
}

// Format returns the format of a file by its first bytes: "png", "jpeg", "gif",
// "webp", "bmp", "ico", or the reason why a file in any other format is refused.
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

// Decode decodes a file within limits; of an animation, its first picture. The error
// is an ErrRefused, also when the decoder panics.
func Decode(data []byte, within Limits) (p Picture, err error) {
	if len(data) > within.Bytes {
		return p, Refuse(TooManyBytes)
	}
	f := formatOf(data)
	if f == nil {
		return p, Refuse(foreign(data))
	}
	defer func() {
		if r := recover(); r != nil {
			err = ErrRefused.With("reason", Damaged).Because(fmt.Errorf("%s: panic: %v", f.name, r))
		}
	}()
	n, err := f.need(data)
	if err != nil {
		return p, damaged(err)
	}
	switch {
	case n.memory > min(within.Memory, maxMemory):
		return p, Refuse(TooLarge)
	case min(n.width, n.height) < within.Side:
		return p, Refuse(TooSmall)
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

// damaged returns err as an ErrRefused.
func damaged(err error) error {
	if errors.Is(err, ErrRefused) {
		return err
	}
	return ErrRefused.With("reason", Damaged).Because(err)
}

// foreign returns the reason why a file in a format without a decoder is refused.
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
