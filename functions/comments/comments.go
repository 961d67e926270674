// Package comments is the function that publishes the comments of callers on
// channels.
package comments

import (
	"context"
	"slices"
	"strconv"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
)

const (
	ofChannel = "/comments" // below the path of a channel
	path      = "/api/comments"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).list, api.Endpoint{
		Name: "list_comments", Tool: true,
		Brief:  "total next_offset items.id items.author items.body items.created_at items.mine",
		Method: "GET", Path: catalog.ChannelsPath + api.ByID + ofChannel, Auth: api.None, Speaker: true,
		Summary: "List the comments on a channel",
		Doc: "Returns a page of the public comments on a channel, newest first; following next reads every comment, also while others are " +
			"posted. With a valid credential the caller's own comments have mine set to true, and those of authors that the caller hides " +
			"are left out, so that a page may have fewer items than its limit; an invalid one is treated as absent.",
		Faults: []*fault.Error{fault.ErrInvalid, catalog.ErrNoChannel, catalog.ErrNotLoaded, fault.ErrUnavailable},
	}),
	api.Bind((*Server).add, api.Endpoint{
		Name: "add_comment", Tool: true,
		Brief:  "comment.id comment.author comment.body",
		Method: "POST", Path: catalog.ChannelsPath + api.ByID + ofChannel, Auth: api.Guest,
		Summary: "Post a comment on a channel",
		Doc: "Publishes a comment that everyone can read at once, under the name that is sent or the caller's own nickname, and " +
			"returns it. A caller can post " + strconv.Itoa(comment.PerHour) + " comments an hour; one more, a text that is repeated, and " +
			"very many from one network answer 429. A caller that the operator muted is answered 403.",
		Faults: []*fault.Error{
			catalog.ErrNoChannel, comment.ErrWords, comment.ErrLimit, comment.ErrNetworkLimit, comment.ErrRepeated, moderation.ErrMuted,
			catalog.ErrNotLoaded, fault.ErrUnavailable,
		},
	}),
	api.Bind((*Server).remove, api.Endpoint{
		Name: "delete_comment", Tool: true,
		Method: "DELETE", Path: path + api.ByID, Auth: api.Guest,
		Summary: "Delete a comment",
		Doc:     "Deletes one of the caller's own comments for good. A comment of anyone else answers 404.",
		Faults:  []*fault.Error{comment.ErrUnknown, fault.ErrUnavailable},
	}),
}

// Options are what a Server is made from.
type Options struct {
	DB      store.DB
	Outbox  *outbox.Outbox
	Catalog index.Viewer
	Links   catalog.LinkBase
	People  *identity.People // names the networks of callers
	Now     func() time.Time
}

// A Server answers for the comments in a database.
type Server struct {
	Options
	heads *heads
}

// New returns a server of the comments in o.DB.
func New(o Options) *Server {
	s := &Server{Options: o}
	s.heads = newHeads(o.Now, s.head)
	return s
}

// An item is a comment as the API shows it.
type item struct {
	ID        string `json:"id" description:"Id: cm_ followed by letters and digits."`
	ChannelID string `json:"channel_id"`
	Author    string `json:"author" description:"Name that the author chose, or a nickname; several authors can have the same."`
	Body      string `json:"body" description:"The text as the author wrote it, without invisible characters: escape it before showing it in HTML."`
	CreatedAt string `json:"created_at" format:"date-time"`
	Mine      bool   `json:"mine" description:"Whether the caller wrote the comment; false without a credential."`
	API       string `json:"api" format:"uri" description:"Address at which the author deletes it."`
}

// show returns a comment as a caller sees it; owner is empty for a caller without a
// credential.
func (s *Server) show(c comment.Comment, owner identity.Owner) item {
	return item{
		ID: c.PublicID(), ChannelID: c.Channel, Author: c.Author, Body: c.Body,
		CreatedAt: c.CreatedAt.UTC().Format(time.RFC3339), Mine: owner != "" && c.Owner == owner,
		API: s.Links.Base + path + "/" + c.PublicID(),
	}
}

type listIn struct {
	ID string `path:"id" maxLength:"256" description:"The channel's catalog id."`
	page.In
	After string `query:"after" maxLength:"64" description:"Position of the last comment of the page before, as next has it; offset is then only repeated."`
}

// A list is a page of comments.
type list struct {
	Items []item `json:"items" nullable:"false"`
	page.Position
	ChannelID string `json:"channel_id"`
	MaxLength int    `json:"max_length" description:"Maximum length of a comment, in Unicode code points."`
}

func (s *Server) list(ctx context.Context, in listIn) (out list, err error) {
	channel, err := index.CurrentID(s.Catalog, in.ID)
	if err != nil {
		return out, err
	}
	after, ok := comment.ParsePosition(in.After)
	if in.After != "" && !ok {
		return out, fault.ErrInvalid.With("param", "after")
	}
	speaker, _ := identity.SpeakerOf(ctx)
	e, hidden, err := s.seenBy(ctx, channel, speaker.Owner)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	shown, err := s.read(ctx, channel, e, in, after)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	last := ""
	if len(shown) > in.Limit {
		shown = shown[:in.Limit]
		last = shown[in.Limit-1].Position().String()
	}
	out = list{
		Items: []item{}, Position: in.From(e.total, s.Links.Channel(channel)+ofChannel, last),
		ChannelID: channel, MaxLength: comment.MaxLength,
	}
	for _, c := range shown {
		if !hidden.Has(c.Owner) {
			out.Items = append(out.Items, s.show(c, speaker.Owner))
		}
	}
	return out, nil
}

// read returns the comments of the page that in asks for, and one more when others
// follow. It reads them from the remembered head of the channel where that has them all.
func (s *Server) read(ctx context.Context, channel string, e *head, in listIn, after comment.Position) ([]comment.Comment, error) {
	n := in.Limit + 1
	from := in.Offset
	if in.After != "" {
		from = 1 + slices.IndexFunc(e.newest, func(c comment.Comment) bool { return c.ID == after.ID })
	}
	whole := e.total <= len(e.newest) // the head is the whole list
	switch {
	case in.After != "" && from == 0:
		return comment.After(ctx, s.DB, channel, after, n)
	case whole || from+n <= len(e.newest):
		return e.newest[min(from, len(e.newest)):min(from+n, len(e.newest))], nil
	case in.After != "":
		return comment.After(ctx, s.DB, channel, after, n)
	case in.Offset >= e.total:
		return nil, nil
	}
	return comment.Skip(ctx, s.DB, channel, in.Offset, e.total, n)
}

// skew is by how much the clocks of two instances may differ.
const skew = 2 * time.Second

// seenBy returns the newest comments on a channel, and the owners that the owner hides.
// The comments include every one that the owner made and none that the owner deleted, on
// whichever instance that was: when the owner changed something since the comments were
// read, they are read again. The list of hidden owners is never cached, so that an author
// disappears at once; when the list cannot be read, all comments are shown.
func (s *Server) seenBy(ctx context.Context, channel string, owner identity.Owner) (e *head, hidden moderation.Hidden, err error) {
	e, known, err := s.heads.get(ctx, channel)
	if err != nil || owner == "" {
		return e, hidden, err
	}
	paths := []store.Path{moderation.HiddenPath(owner)}
	if known {
		paths = append(paths, comment.PacePath(owner))
	}
	var p comment.Pace
	if err := getAll(ctx, s.DB, paths, &hidden, &p); err != nil {
		return e, hidden, nil //nolint:nilerr // the remembered comments are better than none
	}
	if p.ChangedAt.Add(skew).After(e.at) {
		s.heads.drop(channel, e)
		e, _, err = s.heads.get(ctx, channel)
	}
	return e, hidden, err
}

// getAll decodes the documents at paths into values, in one request. The value of a
// missing document stays as it is.
func getAll(ctx context.Context, db store.DB, paths []store.Path, values ...any) error {
	docs, err := db.GetAll(ctx, paths)
	if err != nil {
		return err
	}
	for i, doc := range docs {
		if doc.Decode == nil {
			continue
		}
		if err := doc.Decode(values[i]); err != nil {
			return err
		}
	}
	return nil
}

// head reads the newest comments on a channel, and how many there are.
func (s *Server) head(ctx context.Context, channel string) ([]comment.Comment, int, error) {
	newest, err := comment.Newest(ctx, s.DB, channel, headLen)
	if err != nil || len(newest) < headLen {
		return newest, len(newest), err
	}
	total, err := comment.Count(ctx, s.DB, channel)
	return newest, max(total, headLen), err
}

type addIn struct {
	ID     string  `path:"id" maxLength:"256" description:"The channel's catalog id."`
	Body   string  `json:"body" required:"true" description:"Text of at most 500 characters (Unicode code points), of one or more lines."`
	Author *string `json:"author" description:"Name of the author, at most 40 characters; without it, the caller's nickname."`
}

// An added is the answer to a new comment.
type added struct {
	OK      bool `json:"ok" description:"Always true."`
	Comment item `json:"comment" description:"The comment as it is shown."`
}

func (s *Server) add(ctx context.Context, in addIn) (out added, err error) {
	speaker, ok := identity.SpeakerOf(ctx)
	if !ok {
		return out, identity.ErrCredential
	}
	who := speaker.Owner
	channel, err := index.CurrentID(s.Catalog, in.ID)
	if err != nil {
		return out, err
	}
	author := ""
	if in.Author != nil {
		author = *in.Author
	}
	c, err := comment.New(who, channel, author, in.Body, s.Now())
	if err != nil {
		return out, err
	}
	c.Network = s.People.WiderName(api.AddrOf(ctx), s.Now())
	c.Known = c.CreatedAt.Sub(speaker.Since) >= health.KnownAfter
	letter, err := comment.Post(ctx, s.DB, c)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	s.heads.drop(channel, nil)
	s.Outbox.Send(ctx, letter)
	return added{true, s.show(c, who)}, nil
}

type removeIn struct {
	ID string `path:"id" maxLength:"64" description:"Id of the comment."`
}

// A removed is the answer when a comment was deleted.
type removed struct {
	OK        bool   `json:"ok" description:"Always true."`
	Removed   string `json:"removed" description:"Id of the comment."`
	ChannelID string `json:"channel_id"`
}

func (s *Server) remove(ctx context.Context, in removeIn) (out removed, err error) {
	who, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	id, err := comment.ParseID(in.ID)
	if err != nil {
		return out, err
	}
	c, letter, err := comment.Remove(ctx, s.DB, who, id, s.Now())
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	s.heads.drop(c.Channel, nil)
	s.Outbox.Send(ctx, letter)
	return removed{true, in.ID, c.Channel}, nil
}
