// Package logo stores the logos of channels and stations.
//
// It keeps these documents:
//
//	logos/{id}           an Image of at most 256 by 256 pixels
//	overlays/logos       which logo each channel has
//	overlays/logo-state  when and how its source was last requested, for the job logos
//	logo-batches/last    which Images that job is about to store
package logo

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"regexp"
	"strings"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of logos.
var (
	ErrNoLogo  = fault.New(fault.NotFound, "not_found")
	ErrInvalid = fault.New(fault.Invalid, "invalid_logo") // an image that must not be served
)

// MaxBytes is the greatest size of an image, which fits a document in base64.
const MaxBytes = 700 << 10

// An Image is a logo as it is stored.
type Image struct {
	Type string `json:"type"` // image/webp or image/png
	Data []byte `json:"data"`
	Hash string `json:"hash"` // of Data, in hex; a new image has a new id, so it serves as a version only
	Tone Tone   `json:"tone,omitempty"`
}

// ID returns the id of an image, a hash of its bytes and its tone: equal images are
// stored once, and the image of an id never changes.
func (im *Image) ID() string {
	sum := sha256.Sum256(im.Data)
	id := base64.RawURLEncoding.EncodeToString(sum[:hashLength*6/8])
	if im.Tone == "" {
		return id
	}
	return id + mark + string(im.Tone)
}

// NewImage returns the image of encoded bytes.
func NewImage(mediaType string, data []byte) Image {
	sum := sha256.Sum256(data)
	return Image{Type: mediaType, Data: data, Hash: hex.EncodeToString(sum[:])}
}

// ids matches the ids that a channel's logo_url may hold, and a few names that the
// store reserves.
var ids = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)

// isID reports whether an image can be stored under an id.
func isID(id string) bool {
	reserved := strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__")
	return ids.MatchString(id) && !reserved
}

// Get returns the image with an id, or ErrNoLogo. It reads the database.
func Get(ctx context.Context, db store.DB, id string) (*Image, error) {
	if !isID(id) {
		return nil, ErrNoLogo
	}
	im := new(Image)
	err := db.Get(ctx, at(id), im)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, ErrNoLogo.Because(err)
	case err != nil:
		return nil, fault.ErrUnavailable.Because(err)
	case im.Check() != nil:
		return nil, fault.ErrInternal.Because(im.Check())
	}
	return im, nil
}

// Put stores an image under an id, and replaces any other.
func Put(ctx context.Context, db store.DB, id string, im Image) error {
	if !isID(id) {
		return ErrInvalid.With("problem", "id")
	}
	if err := im.Check(); err != nil {
		return err
	}
	return db.Set(ctx, at(id), im)
}

// Check returns ErrInvalid for an image that must not be served, and nil for any
// other. It does not look into the data.
func (im *Image) Check() error {
	switch {
	case im.Type != "image/webp" && im.Type != "image/png":
		return ErrInvalid.With("problem", "type")
	case len(im.Data) == 0 || len(im.Data) > MaxBytes:
		return ErrInvalid.With("problem", "size")
	case im.Hash == "":
		return ErrInvalid.With("problem", "hash")
	case im.Tone != "" && !im.Tone.valid():
		return ErrInvalid.With("problem", "tone")
	}
	return nil
}

func at(id string) store.Path { return store.Path("logos/" + id) }
