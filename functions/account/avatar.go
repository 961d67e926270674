package account

import (
	"context"

	"miramundo.dev/shared/account/avatar"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

const avatarPath = "/api/account/avatar"

var avatarEndpoints = []api.Endpoint{
	api.Bind((*Server).avatar, api.Endpoint{
		Name:   "get_account_photo",
		Method: "GET", Path: avatarPath, Auth: api.Session,
		Summary: "Get the account's photo",
		Doc: "Returns the photo of the session's account: a square WebP of at most 64 KiB. It takes no id, so nobody gets the photo of " +
			"somebody else.",
		Faults:   []*fault.Error{fault.ErrNotFound, fault.ErrUnavailable},
		Produces: []string{avatar.MediaType},
	}),
	api.Bind((*Server).setAvatar, api.Endpoint{
		Name:   "replace_account_photo",
		Method: "PUT", Path: avatarPath, Auth: api.Session, MaxBody: avatar.MaxUpload,
		Summary: "Replace the account's photo",
		Doc: "Makes the account's photo from the picture in the body: the square in its middle, upright, as WebP of at most 64 KiB. Of an " +
			"animation it takes the first picture. Nothing else of the file is kept, such as where the photo was taken.",
		Faults: []*fault.Error{avatar.ErrImage, throttle.ErrTooMany, fault.ErrUnavailable},
	}),
	api.Bind((*Server).removeAvatar, api.Endpoint{
		Name:   "delete_account_photo",
		Method: "DELETE", Path: avatarPath, Auth: api.Session,
		Summary: "Delete the account's photo",
		Doc:     "Deletes the photo of the session's account. Deleting it again is harmless.",
		Faults:  []*fault.Error{fault.ErrUnavailable},
	}),
}

func (s *Server) avatar(ctx context.Context, _ struct{}) (out api.Content, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	photo, err := s.photos.Get(ctx, owner)
	if err != nil {
		return out, err
	}
	return api.Content{Type: avatar.MediaType, Data: photo.Data}, nil
}

type photoIn struct {
	File []byte `body:"image/png,image/jpeg,image/webp,image/gif" description:"A picture of at most 8 MiB. Its content decides, not the media type."`
}

// A photoOut says what a photo has become.
type photoOut struct {
	OK    bool `json:"ok" description:"Always true."`
	Bytes int  `json:"bytes" description:"Size of the photo, at most 65,536."`
}

func (s *Server) setAvatar(ctx context.Context, in photoIn) (out photoOut, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	photo, err := s.photos.Set(ctx, owner, in.File)
	if err != nil {
		return out, err
	}
	return photoOut{true, len(photo.Data)}, nil
}

func (s *Server) removeAvatar(ctx context.Context, _ struct{}) (out done, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	return done{true}, s.photos.Remove(ctx, owner)
}
