// Package chat is the function that reads and writes the chat rooms over HTTP, and sells
// the pass for writing. Messages go the same way as those of sockets: the rooms of every
// instance follow what is stored.
package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

const (
	messagesEnd  = "/mensagens"
	messagesPath = chat.InRoom + messagesEnd
	passPath     = chat.Path + "pass"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).list, api.Endpoint{
		Name: "list_chat_messages", Tool: true,
		Brief:  "watching items",
		Method: "GET", Path: messagesPath, Auth: api.None, Speaker: true, GuestFirst: true,
		Summary: "List the messages of a chat room",
		Doc: "Returns the newest messages in the chat room of a channel, oldest first, and how many sockets are in the room. With a valid " +
			"credential the caller's own messages have mine set to true, and authors that the caller hides are left out.",
		Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded, fault.ErrUnavailable},
	}),
	api.Bind((*Server).post, api.Endpoint{
		Name: "post_chat_message", Tool: true,
		Method: "POST", Path: messagesPath, Auth: api.Guest, GuestFirst: true,
		Summary: "Post a message in a chat room",
		Doc: "Publishes a message to everybody in the chat room of a channel, and returns it. Writing needs a pass of 30 days: without one " +
			"the answer is 402, and the same call with a payment buys the pass and posts. Send ref to repeat a call safely.",
		Prices: []price.Product{price.ChatPass},
		Faults: []*fault.Error{
			catalog.ErrNoChannel, chat.ErrWords, chat.ErrLimit, chat.ErrClosed, moderation.ErrMuted, catalog.ErrNotLoaded, fault.ErrUnavailable,
		},
	}),
	api.Bind((*Server).pass, api.Endpoint{
		Name: "buy_chat_pass", Tool: true,
		Repeatable: true,
		Method:     "POST", Path: passPath, Auth: api.Guest, GuestFirst: true,
		Summary: "Buy a pass for the chat",
		Doc: "Buys the pass with which the caller writes in every chat room for 30 days, for a payment or a credit. While a pass is valid, " +
			"and where the chat is free of charge, it answers without charging.",
		Prices: []price.Product{price.ChatPass},
	}),
	api.Bind((*Server).socket, api.Endpoint{
		Name:   "open_chat_socket",
		Method: "GET", Path: chat.SocketPath, Auth: api.None,
		Summary: "Open a socket in a chat room",
		Doc: "Upgrades to a WebSocket (101), on which messages of the room arrive and are sent as JSON; a socket is mute until it is " +
			"identified. Without an Upgrade header the answer is 426.",
		Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded, chat.ErrUpgrade},
		Status: 101,
	}),
}

// Options are what a Server is made from.
type Options struct {
	DB      store.DB
	Till    *billing.Till // nil: nothing is sold
	Catalog index.Viewer
	Links   catalog.LinkBase
	Limits  chat.Limits
	People  *identity.People // names the networks of callers for a day; nil stores no names
	Now     func() time.Time
}

// A Server answers for the chat rooms in a database.
type Server struct {
	Options
	rooms *chat.Rooms
	marks identity.Marks
}

// New returns a server of the rooms in o.DB.
func New(o Options) *Server {
	return &Server{Options: o, rooms: chat.New(chat.Options{DB: o.DB, Free: o.Till.Free(), Limits: o.Limits, Now: o.Now}), marks: identity.NewMarks()}
}

// address returns the address of a channel's room.
func (s *Server) address(channel string) string { return s.Links.Base + chat.Path + channel }

// An item is a message as the API shows it.
type item struct {
	ID      string `json:"id" description:"Id: 26 letters and digits."`
	Author  string `json:"autor" description:"Name that the author chose, or a nickname; several authors can have the same."`
	Body    string `json:"body" description:"The text, on one line: escape it before showing it in HTML. Empty when the operator removed the message."`
	At      string `json:"at" format:"date-time"`
	Mine    bool   `json:"mine" description:"Whether the caller wrote the message; false without a credential."`
	Removed bool   `json:"apagada" description:"Whether the operator removed the message; only in what follows another message."`
}

// show returns a message as a caller sees it; owner is empty for a caller without a
// credential.
func show(m chat.Message, owner identity.Owner) item {
	return item{
		ID: m.ID, Author: m.Author, Body: m.Body, At: m.At.UTC().Format(time.RFC3339),
		Mine: owner != "" && m.Owner == owner, Removed: m.Removed,
	}
}

type listIn struct {
	ID    string `path:"channel_id" maxLength:"256" description:"The channel's catalog id."`
	After string `query:"depois" maxLength:"64" description:"Id of a message: what follows it is returned, at most 200, with messages that were removed since."`
}

// A list is the answer with the messages of a room.
type list struct {
	ChannelID string `json:"channel_id"`
	Items     []item `json:"items" nullable:"false" description:"At most the newest 50, oldest first."`
	Watching  int    `json:"watching" description:"Number of sockets in the room, at most five seconds old."`
	MaxLength int    `json:"max_length" description:"Maximum length of a message, in characters as a reader counts them (grapheme clusters)."`
	Links     links  `json:"_links"`
}

type links struct {
	Self      string `json:"self" format:"uri" description:"Address of this list."`
	WebSocket string `json:"websocket" format:"uri" description:"Address of the room's socket."`
	Channel   string `json:"channel" format:"uri" description:"Address of the channel."`
}

func (s *Server) list(ctx context.Context, in listIn) (out list, err error) {
	channel, err := index.CurrentID(s.Catalog, in.ID)
	if err != nil {
		return out, err
	}
	messages, err := s.rooms.Recent(ctx, channel, in.After)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	watching, err := s.rooms.Watching(ctx, channel)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	speaker, known := identity.SpeakerOf(ctx)
	var hidden moderation.Hidden
	if known {
		if hidden, err = moderation.HiddenBy(ctx, s.DB, speaker.Owner); err != nil {
			return out, fault.OrUnavailable(err)
		}
	}
	room := s.address(channel)
	out = list{ChannelID: channel, Items: []item{}, Watching: watching, MaxLength: chat.MaxLength, Links: links{
		Self: room + messagesEnd, WebSocket: "ws" + strings.TrimPrefix(room, "http") + chat.SocketEnd, Channel: s.Links.Channel(channel),
	}}
	for _, m := range messages {
		if !hidden.Has(m.Owner) {
			out.Items = append(out.Items, show(m, speaker.Owner))
		}
	}
	return out, nil
}

type postIn struct {
	ID     string  `path:"channel_id" maxLength:"256" description:"The channel's catalog id."`
	Body   string  `json:"body" required:"true" description:"Text of at most 500 characters; line breaks become spaces."`
	Author *string `json:"author" description:"Name of the author, at most 40 characters; without it, the caller's nickname."`
	Ref    string  `json:"ref" description:"Name of this message among the caller's, at most 64 letters, digits, - and _: a call that is repeated with it posts nothing more."`
}

// A posted is the answer to a new message.
type posted struct {
	OK      bool `json:"ok" description:"Always true."`
	Message item `json:"message" description:"The message as it is shown."`
}

func (s *Server) post(ctx context.Context, in postIn) (out api.WithHeader[posted], err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	channel, err := index.CurrentID(s.Catalog, in.ID)
	if err != nil {
		return out, err
	}
	shown := api.CredentialsOf(ctx)
	draft := chat.Draft{
		Channel: channel, Owner: owner, Network: s.network(ctx), Wider: s.People.WiderName(api.AddrOf(ctx), s.Now()),
		Body: in.Body, Ref: cmp.Or(in.Ref, paidRef(shown, in.Body)),
	}
	if in.Author != nil {
		draft.Author = *in.Author
	}
	m, err := s.rooms.Post(ctx, draft)
	if errors.Is(err, chat.ErrPass) {
		sale, failed := s.Till.Sell(ctx, s.order(owner, "POST "+messagesPath, s.address(channel)+messagesEnd), shown)
		if failed != nil {
			return out, failed
		}
		out.Header = sale.Header
		m, err = s.rooms.Post(ctx, draft)
	}
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	out.Body = posted{true, show(m, owner)}
	return out, nil
}

// network names the network of the caller within this process; empty when its address
// is not known.
func (s *Server) network(ctx context.Context) string {
	addr := api.AddrOf(ctx)
	if !addr.IsValid() {
		return ""
	}
	return strconv.FormatUint(s.marks.Network(identity.Caller{Addr: addr}, 0), 36)
}

// paidRef returns the ref of a message that is sent with a payment: the same call, sent
// again because its answer was lost, posts once. It is empty without a payment.
func paidRef(shown identity.Credentials, body string) string {
	if shown.Payment == "" && shown.Signature == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(shown.Payment + "\x00" + shown.Signature + "\x00" + body))
	return "paid_" + base64.RawURLEncoding.EncodeToString(sum[:18])
}

type socketIn struct {
	ID string `path:"channel_id" maxLength:"256" description:"The channel's catalog id."`
}

// socket answers the requests that the load balancer leads here and not to the chat
// room.
func (s *Server) socket(_ context.Context, in socketIn) (upgrade, error) {
	if _, err := index.CurrentID(s.Catalog, in.ID); err != nil {
		return upgrade{}, err
	}
	return upgrade{}, chat.ErrUpgrade
}
