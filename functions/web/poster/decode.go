package poster

import (
	"bytes"
	"errors"
	"image"
	"image/png"

	"golang.org/x/image/webp"
)

// maxLogo is the greatest side of a logo that is drawn, in pixels. Those that the
// service keeps have less than half of it.
const maxLogo = 640

var errLogo = errors.New("the logo is neither PNG nor WebP, or too large")

// Decode returns a logo of a media type, PNG or WebP.
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
