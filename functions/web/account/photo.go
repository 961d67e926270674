package account

import (
	"context"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/catalog"
)

// setPhoto makes the uploaded picture the photo of the account.
func (s *Server) setPhoto(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	if _, err := s.photos.Set(ctx, v.Speaker.Account, v.File("photo")); err != nil {
		return nil, err
	}
	return v.Finish("photo"), nil
}

// removePhoto removes the photo of the account.
func (s *Server) removePhoto(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	if err := s.photos.Remove(ctx, v.Speaker.Account); err != nil {
		return nil, err
	}
	return v.Finish("photo_removed"), nil
}

// photoPath is where the API has the photo of the session's account.
const photoPath = catalog.IndexPath + "account/avatar"

// Photo returns the path of the account's photo.
func (profileBody) Photo() string { return photoPath }
