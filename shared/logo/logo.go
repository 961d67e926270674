// Package logo knows the images of channels and stations.
//
// It keeps these documents:
//
//	logos/{id}           an Image of at most 256 by 256 pixels
//	overlays/logos       which logo each channel has
//	overlays/logo-state  when and how its source was last asked, of the job logos
//	logo-batches/last    which Images that job is about to keep
package logo

import (
	"context"
	"errors"
	"regexp"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of logos.
var (
	ErrNoLogo  = fault.New(fault.NotFound, "not_found")
	ErrInvalid = fault.New(fault.Invalid, "invalid_logo") // an image that would not be served
)

// MaxBytes is the greatest size of an image: in base64 it fits a document.
const MaxBytes = 700 << 10

// An Image is a logo as it is kept.
type Image struct {
	Type string `json:"type"` // image/webp or image/png
	Data []byte `json:"data"`
	Hash string `json:"hash"` // of Data, in hex; a new image has a new id, so it serves as a version only
}

// ids are those that a channel's logo_url may hold.
var ids = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)

// Get returns the image with an id, or ErrNoLogo.
func Get(ctx context.Context, db store.DB, id string) (*Image, error) {
	if !ids.MatchString(id) {
		return nil, ErrNoLogo
	}
	im := new(Image)
	err := db.Get(ctx, at(id), im)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, ErrNoLogo.Because(err)
	case err != nil:
		return nil, fault.ErrUnavailable.Because(err)
	case im.check() != nil:
		return nil, fault.ErrInternal.Because(im.check())
	}
	return im, nil
}

// Put keeps an image under an id, in place of what was there.
func Put(ctx context.Context, db store.DB, id string, im Image) error {
	if !ids.MatchString(id) {
		return ErrInvalid.With("problem", "id")
	}
	if err := im.check(); err != nil {
		return err
	}
	return db.Set(ctx, at(id), im)
}

// check refuses what a browser should not get from us as an image.
func (im *Image) check() error {
	switch {
	case im.Type != "image/webp" && im.Type != "image/png":
		return ErrInvalid.With("problem", "type")
	case len(im.Data) == 0 || len(im.Data) > MaxBytes:
		return ErrInvalid.With("problem", "size")
	case im.Hash == "":
		return ErrInvalid.With("problem", "hash")
	}
	return nil
}

func at(id string) store.Path { return store.Path("logos/" + id) }
