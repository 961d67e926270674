package poster

import (
	"bytes"
	"errors"
	"image"
	"image/png"

	"golang.org/x/image/webp"
)

// maxLogo is the greatest side of a logo that is decoded, in pixels. Stored logos
// have less than half of it; the limit bounds the memory of a file that does not.
const maxLogo = 640

var errLogo = errors.New("the logo is neither PNG nor WebP, or too large")

// Decode decodes a logo with the media type image/png or image/webp. It checks the
// size in the file's header before it allocates the picture.
func Decode(mediaType string, data []byte) (image.Image, error) {
	config, decode := png.DecodeConfig, png.Decode
	switch mediaType {
	case "image/png":
	case "image/webp":
		config, decode = webp.DecodeConfig, webp.Decode
	default:
		return nil, errLogo
	}
	c, err := config(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if c.Width > maxLogo || c.Height > maxLogo {
		return nil, errLogo
	}
	return decode(bytes.NewReader(data))
}
