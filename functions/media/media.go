// Package media is the function that serves the flags of countries and the logos of
// channels. It also redirects the former addresses of streams to the hop.
package media

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/store"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).flag, api.Endpoint{
		Name:     "get_flag",
		Method:   "GET",
		Path:     "/flags/{file}",
		Auth:     api.None,
		Summary:  "Get the flag of a country",
		Doc:      "Returns an SVG image for an address that GET /api/countries gives as flag.",
		Faults:   []*fault.Error{fault.ErrNotFound},
		Cache:    api.Public(24 * time.Hour),
		Produces: []string{"image/svg+xml"},
	}),
	api.Bind((*Server).logo, api.Endpoint{
		Name:    "get_logo",
		Method:  "GET",
		Path:    "/logos/{id}",
		Auth:    api.None,
		Summary: "Get the logo of a channel",
		Doc: "Returns an image of at most 256 by 256 pixels for an address that a channel's record gives as logo_url. The image at " +
			"an address never changes. A logo that is not stored answers 404; it is never fetched from its origin at this time.",
		Faults:   []*fault.Error{logo.ErrNoLogo, fault.ErrUnavailable},
		Cache:    api.Immutable,
		Produces: []string{"image/webp", "image/png"},
	}),
	stream,
	relay,
}

// files holds the flags, which `make generate` copies from an npm package; before
// that it holds a README alone.
//
//go:embed flags
var files embed.FS

// A Server serves images, and redirects players to the hop.
type Server struct {
	db     store.DB
	flags  fs.FS
	hopURL string
	hidden func(logo string) bool
}

// New returns a server of the embedded flags and of the logos in db. The stream hop
// is at hopURL.
func New(db store.DB, hopURL string) *Server {
	return &Server{db, files, hopURL, func(string) bool { return false }}
}

// Hide makes the server answer logo not found for the logos that hidden reports:
// those of channels that the operator has blocked. It must be called before the
// server serves.
func (s *Server) Hide(hidden func(logo string) bool) *Server {
	s.hidden = hidden
	return s
}

type flagIn struct {
	File string `path:"file" maxLength:"64" description:"ISO 3166-1 alpha-2 code of the country, followed by .svg."`
}

// flagFile matches the name of a country's flag.
var flagFile = regexp.MustCompile(`^[a-z]{2}\.svg$`)

func (s *Server) flag(_ context.Context, in flagIn) (image, error) {
	name := strings.ToLower(in.File)
	if !flagFile.MatchString(name) {
		return image{}, fault.ErrNotFound
	}
	data, err := fs.ReadFile(s.flags, "flags/"+name)
	if err != nil {
		return image{}, fault.ErrNotFound.Because(err)
	}
	sum := sha256.Sum256(data)
	return image{api.Content{Type: "image/svg+xml", Data: data, Tag: hex.EncodeToString(sum[:8])}}, nil
}

type logoIn struct {
	ID string `path:"id" maxLength:"64" description:"Logo id, from a channel's logo_url."`
}

func (s *Server) logo(ctx context.Context, in logoIn) (image, error) {
	if s.hidden(in.ID) {
		return image{}, logo.ErrNoLogo
	}
	im, err := logo.Get(ctx, s.db, in.ID)
	if err != nil {
		return image{}, err
	}
	return image{api.Content{Type: im.Type, Data: im.Data, Tag: im.Hash}}, nil
}

// An image is sent with a policy that allows it nothing when it is opened as a page
// of its own, because an SVG is a document that may contain scripts.
type image struct{ api.Content }

var sandbox = []string{"default-src 'none'; style-src 'unsafe-inline'; sandbox"}

// Reply writes the image.
func (im image) Reply(w http.ResponseWriter, r *http.Request) error {
	w.Header()["Content-Security-Policy"] = sandbox
	w.Header()["Cross-Origin-Resource-Policy"] = []string{"cross-origin"}
	return im.Content.Reply(w, r)
}
