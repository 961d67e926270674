package library

import (
	"context"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/library"
)

type nameIn struct {
	Name string `json:"name" required:"true" description:"Name of the folder, at most 40 characters (grapheme clusters), without control and text direction characters."`
}

// A madeCategory is a library with a new folder.
type madeCategory struct {
	*Library
	ID      string `json:"id" description:"Id of the new folder."`
	Name    string `json:"name"`
	Slug    string `json:"slug"`
	GroupID string `json:"group_id" description:"Id of the folder's sub-tab."`
}

// addCategory adds a folder. The answer names the new folder beside the whole
// library.
func (s *Server) addCategory(ctx context.Context, in nameIn) (out madeCategory, err error) {
	out.Library, err = s.change(ctx, func(l *library.Library, _ *index.View) error {
		c, err := l.AddCategory(in.Name)
		if err == nil {
			out.ID, out.Name, out.Slug, out.GroupID = c.ID, c.Name, c.Slug, c.Groups[0].ID
		}
		return err
	})
	return out, err
}

type renameIn struct {
	ID   string `path:"id" maxLength:"64" description:"Id of the folder."`
	Name string `json:"name" required:"true" description:"New name of the folder, at most 40 characters and without control characters."`
}

func (s *Server) renameCategory(ctx context.Context, in renameIn) (*Library, error) {
	return s.change(ctx, func(l *library.Library, _ *index.View) error { return l.RenameCategory(in.ID, in.Name) })
}

type positionIn struct {
	ID       string `path:"id" maxLength:"64" description:"Id of the folder."`
	Position int    `json:"position" required:"true" minimum:"0" description:"New position, from 0; a number past the end means last."`
}

func (s *Server) moveCategory(ctx context.Context, in positionIn) (*Library, error) {
	return s.change(ctx, func(l *library.Library, _ *index.View) error { return l.MoveCategory(in.ID, in.Position) })
}

type idIn struct {
	ID string `path:"id" maxLength:"64" description:"Id of the folder, sub-tab or item."`
}

func (s *Server) removeCategory(ctx context.Context, in idIn) (*Library, error) {
	return s.change(ctx, func(l *library.Library, _ *index.View) error { return l.RemoveCategory(in.ID) })
}

type groupIn struct {
	CategoryID string `json:"category_id" required:"true" maxLength:"64" description:"Id of the folder."`
	Name       string `json:"name" required:"true" description:"Name of the sub-tab, at most 40 characters and without control characters."`
}

// A madeGroup is a library with a new sub-tab.
type madeGroup struct {
	*Library
	ID         string `json:"id" description:"Id of the new sub-tab."`
	Name       string `json:"name"`
	Slug       string `json:"slug"`
	CategoryID string `json:"category_id"`
}

func (s *Server) addGroup(ctx context.Context, in groupIn) (out madeGroup, err error) {
	out.Library, err = s.change(ctx, func(l *library.Library, _ *index.View) error {
		c, g, err := l.AddGroup(in.CategoryID, in.Name)
		if err == nil {
			out.ID, out.Name, out.Slug, out.CategoryID = g.ID, g.Name, g.Slug, c.ID
		}
		return err
	})
	return out, err
}

type groupChangeIn struct {
	ID         string  `path:"id" maxLength:"64" description:"Id of the sub-tab."`
	Name       *string `json:"name" description:"Its new name, at most 40 characters; its slug changes with it."`
	CategoryID *string `json:"category_id" maxLength:"64" description:"Id of the folder to move it to, as its last sub-tab."`
	Position   *int    `json:"position" minimum:"0" description:"New position in its folder, from 0; a number past the end means last."`
}

// errNothing means that a call asks for no change.
var errNothing = fault.ErrBody.With("reason", "missing")

func (s *Server) changeGroup(ctx context.Context, in groupChangeIn) (*Library, error) {
	if in.Name == nil && in.CategoryID == nil && in.Position == nil {
		return nil, errNothing
	}
	return s.change(ctx, func(l *library.Library, _ *index.View) error {
		return l.ChangeGroup(in.ID, library.GroupChange{Name: in.Name, Category: in.CategoryID, Position: in.Position})
	})
}

func (s *Server) removeGroup(ctx context.Context, in idIn) (*Library, error) {
	return s.change(ctx, func(l *library.Library, _ *index.View) error { return l.RemoveGroup(in.ID) })
}

type itemIn struct {
	GroupID   string  `json:"group_id" required:"true" maxLength:"64" description:"Id of the sub-tab."`
	ChannelID string  `json:"channel_id" required:"true" maxLength:"256" description:"Catalog id of the channel."`
	StreamID  *string `json:"stream_id" maxLength:"400" description:"Id of one of the channel's streams; null or absent for the best one."`
}

// A madeItem is a library with the item that was added, or was there.
type madeItem struct {
	*Library
	ID         string `json:"id" description:"Id of the item."`
	GroupID    string `json:"group_id"`
	CategoryID string `json:"category_id"`
}

// addItem adds a channel, or returns the item that is there. It looks the channel up within the change, so that the
// item is stored with the id and the name that the channel has at that time.
func (s *Server) addItem(ctx context.Context, in itemIn) (out madeItem, err error) {
	out.Library, err = s.change(ctx, func(l *library.Library, v *index.View) error {
		it, err := itemOf(v, in.ChannelID, deref(in.StreamID))
		if err != nil {
			return err
		}
		c, added, err := l.AddItem(in.GroupID, it, v.Current)
		if err == nil {
			out.ID, out.GroupID, out.CategoryID = added.ID, in.GroupID, c.ID
		}
		return err
	})
	return out, err
}

// deref returns the text that s points to; "" for none.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// itemOf returns an item of a channel, found by its id or by one that it once had.
// Unless stream is empty, that stream is pinned.
func itemOf(v *index.View, channel, stream string) (library.Item, error) {
	c, ok := v.Summary(channel)
	if !ok {
		return library.Item{}, v.NotFound(channel)
	}
	it := itemFor(c)
	var err error
	it.Stream, err = pinned(v, c.ID, stream)
	return it, err
}

// itemFor returns an item of the channel c.
func itemFor(c index.Summary) library.Item {
	return library.ItemOf(c.ID, c.Name, c.Kind, c.Country)
}

// pinned returns the id that a stream of the channel has now, found also by an id
// that it once had, or "" when stream is empty.
func pinned(v *index.View, channel, stream string) (string, error) {
	if stream == "" {
		return "", nil
	}
	f, ok := v.Stream(stream)
	if !ok || f.Channel.ID != channel {
		return "", catalog.ErrNoStream
	}
	return f.Stream.ID.String(), nil
}

type itemChangeIn struct {
	ID       string  `path:"id" maxLength:"64" description:"Id of the item."`
	GroupID  *string `json:"group_id" maxLength:"64" description:"Id of the sub-tab to move it to, as its last item."`
	StreamID *string `json:"stream_id" maxLength:"400" description:"Id of one of its channel's streams; an empty string for the best one."`
	Position *int    `json:"position" minimum:"0" description:"New position in its sub-tab, from 0; a number past the end means last."`
}

// changeItem changes an item. Which streams can be pinned depends on the channel of
// the item, so the stream is looked up once the item is found in the library.
func (s *Server) changeItem(ctx context.Context, in itemChangeIn) (*Library, error) {
	if in.GroupID == nil && in.StreamID == nil && in.Position == nil {
		return nil, errNothing
	}
	return s.change(ctx, func(l *library.Library, v *index.View) error {
		change := library.ItemChange{Group: in.GroupID, Position: in.Position}
		if in.StreamID != nil {
			change.Stream = func(channel string) (string, error) { return repinned(v, channel, *in.StreamID) }
		}
		return l.ChangeItem(in.ID, change)
	})
}

// repinned is pinned for a channel by any id that it ever had.
func repinned(v *index.View, channel, stream string) (string, error) {
	if c, ok := v.Summary(channel); ok {
		channel = c.ID
	}
	return pinned(v, channel, stream)
}

func (s *Server) removeItem(ctx context.Context, in idIn) (*Library, error) {
	return s.change(ctx, func(l *library.Library, _ *index.View) error { return l.RemoveItem(in.ID) })
}

func (s *Server) play(ctx context.Context, in idIn) (*Library, error) {
	return s.change(ctx, func(l *library.Library, _ *index.View) error { return l.Play(in.ID, s.now()) })
}

// rotate replaces the feed token. An owner without a stored library gets the first.
func (s *Server) rotate(ctx context.Context, _ struct{}) (*Library, error) {
	return s.change(ctx, func(l *library.Library, _ *index.View) error {
		l.RotateToken()
		return nil
	})
}
