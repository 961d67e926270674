// Package avatar stores the photos that people show of themselves.
//
//	avatars/{account}    a Photo
//
// Whatever picture is uploaded, the stored photo is made here: a square WebP of at
// most [MaxSize] bytes, without a byte of the uploaded file and so without its
// metadata.
package avatar

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// ErrImage means that no photo can be made from an uploaded file. Its field reason is
// one of those below.
var ErrImage = fault.New(fault.Invalid, "invalid_image")

// Reasons of ErrImage.
const (
	TooLarge = "image_too_large" // more than MaxUpload, or more pixels than can be decoded
	TooSmall = "image_too_small" // a side has fewer than minSide pixels
	Format   = "image_format"    // not a PNG, JPEG, WebP, GIF, BMP or ICO
	Animated = "image_animated"  // a WebP that moves
	Damaged  = "image_damaged"   // cut off or broken
)

// Sizes in bytes.
const (
	MaxUpload = 8 << 20  // of an uploaded file
	MaxSize   = 64 << 10 // of a photo
)

// MediaType is the media type of photos.
const MediaType = "image/webp"

// A Photo is a stored photo.
type Photo struct {
	Data      []byte     `json:"data"`
	Hash      string     `json:"hash"` // of the data, 16 hexadecimal digits
	ChangedAt store.Time `json:"changed_at"`
}

// Path returns where the photo of an account is.
func Path(owner identity.Owner) store.Path { return store.Path("avatars").Join(string(owner)) }

// Photos makes and stores photos. Its methods may be called concurrently; one photo
// is made at a time, since that takes up to 100 MiB.
type Photos struct {
	db       store.DB
	throttle *throttle.Throttle
	now      func() time.Time
	seat     chan struct{}
}

// NewPhotos returns the photos in db. The throttle slows down accounts that have many
// photos made.
func NewPhotos(db store.DB, t *throttle.Throttle, now func() time.Time) *Photos {
	return &Photos{db: db, throttle: t, now: now, seat: make(chan struct{}, 1)}
}

// Get returns the photo of an account, by one read, or fault.ErrNotFound.
func (p *Photos) Get(ctx context.Context, owner identity.Owner) (*Photo, error) {
	var photo Photo
	if err := p.db.Get(ctx, Path(owner), &photo); errors.Is(err, store.ErrNotFound) {
		return nil, fault.ErrNotFound
	} else if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	return &photo, nil
}

// Set makes a photo from an uploaded file and stores it as that of an account. It
// returns ErrImage when that is not possible, throttle.ErrTooMany, and
// fault.ErrUnavailable when ctx ends while others have their photos made.
func (p *Photos) Set(ctx context.Context, owner identity.Owner, upload []byte) (*Photo, error) {
	if err := p.throttle.Attempt(ctx, throttle.PhotoOfAccount.Of(string(owner))); err != nil {
		return nil, err
	}
	data, err := p.make(ctx, upload)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	photo := &Photo{Data: data, Hash: hex.EncodeToString(sum[:8]), ChangedAt: store.At(p.now())}
	return photo, fault.OrUnavailable(p.update(ctx, owner, photo))
}

// Remove deletes the photo of an account, if there is one.
func (p *Photos) Remove(ctx context.Context, owner identity.Owner) error {
	return fault.OrUnavailable(p.update(ctx, owner, nil))
}

// update stores or deletes a photo together with the mark of the account that it has
// one. An account that is deleted gets none: its id is never used again.
func (p *Photos) update(ctx context.Context, owner identity.Owner, photo *Photo) error {
	return p.db.Update(ctx, func(tx store.Tx) error {
		a, err := account.Get(tx, owner)
		if err != nil {
			return err
		}
		a.Avatar = photo != nil
		if photo == nil {
			return errors.Join(tx.Delete(Path(owner)), account.Put(tx, a))
		}
		return errors.Join(tx.Set(Path(owner), photo), account.Put(tx, a))
	})
}

// make makes a photo, once no other one is being made.
func (p *Photos) make(ctx context.Context, upload []byte) ([]byte, error) {
	select {
	case p.seat <- struct{}{}:
	case <-ctx.Done():
		return nil, fault.ErrUnavailable.Because(ctx.Err())
	}
	defer func() { <-p.seat }()
	return Make(upload)
}
