package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/coder/websocket"

	"miramundo.dev/chatroom/room"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/social/speech"
)

// speakTime is how long a frame may take to be done.
const speakTime = 10 * time.Second

// A frame is what a client sends. Members that it does not name are ignored.
type frame struct {
	T     string `json:"t"`
	Token string `json:"token"`  // hello: a guest token or an API key; empty keeps the identity
	After string `json:"depois"` // hello: id of the last message that the client has
	Body  string `json:"body"`   // msg
	Ref   string `json:"ref"`    // msg
}

// Codes of refusals.
const (
	codeAuth  = "auth"
	codeEmpty = "vazio"
	codePaid  = "pago"
)

// A refusal is the frame of a refused frame.
type refusal struct {
	T          string `json:"t"`
	Code       string `json:"code"`
	Reason     string `json:"reason"` // the code of the fault
	Message    string `json:"message"`
	RetryAfter int    `json:"retry_after,omitempty"` // in seconds
	Ref        string `json:"ref,omitempty"`         // of the refused message
}

// codeOf returns the code of a fault.
func codeOf(f *fault.Error) string {
	switch {
	case errors.Is(f, ErrSockets):
		return codeAuth
	case f.Kind == fault.Unpaid:
		return codePaid
	case f.Kind == fault.Unauthenticated, f.Kind == fault.Forbidden, f.Kind == fault.Gone, errors.Is(f, identity.ErrUnavailable):
		return codeAuth
	}
	return codeEmpty
}

// refuse sends the refusal of a frame.
func (k *socket) refuse(err error, ref string) {
	f := fault.From(fault.OrUnavailable(err))
	if errors.Is(err, chat.ErrPass) {
		f = price.ErrRequired
	}
	r := refusal{T: "erro", Code: codeOf(f), Reason: f.Code, Message: api.Message(k.locale, f), Ref: ref}
	r.RetryAfter, _ = f.Fields["retry_after"].(int)
	text, err := json.Marshal(r)
	if err == nil {
		k.send(text)
	}
}

// enter takes the socket into its room, mute unless the upgrade shows who calls.
func (k *socket) enter() {
	ctx, cancel := context.WithTimeout(context.Background(), speakTime)
	defer cancel()
	g, err := k.identify(ctx)
	k.room.Enter(k, g)
	if err != nil && k.showsAny() {
		k.refuse(err, "")
	}
}

// showsAny reports whether the caller has tried to say who it is.
func (k *socket) showsAny() bool {
	c := k.shown
	return c.Session != "" || c.GuestToken != "" || c.APIKey != "" || c.Authorization != ""
}

// identify checks who the caller is, and returns the greeting for it: that of a mute
// caller when there is an error.
func (k *socket) identify(ctx context.Context) (room.Greeting, error) {
	speaker, err := k.srv.Speakers.Speaker(ctx, k.shown, identity.Anyone)
	var hidden moderation.Hidden
	if err == nil {
		hidden, err = moderation.HiddenBy(ctx, k.srv.DB, speaker.Owner)
	}
	if err == nil {
		err = k.srv.sockets.identify(k, speaker.Owner)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = err == nil
	if err != nil {
		k.owner, k.hidden = "", nil
		return room.Greeting{}, err
	}
	k.owner, k.hidden = speaker.Owner, nil
	if len(hidden.Owners) > 0 {
		k.hidden = &hidden
	}
	name := speech.Nickname(string(speaker.Owner))
	return room.Greeting{Author: &name, Owner: speaker.Owner, Hidden: k.hidden}, nil
}

// do does what a frame asks for, and reports whether the socket stays open. A frame of
// a kind that is not known is refused, since a later version may know it.
func (k *socket) do(f frame) bool {
	ctx, cancel := context.WithTimeout(context.Background(), speakTime)
	defer cancel()
	switch f.T {
	case "hello":
		return k.hello(ctx, f)
	case "msg":
		return k.say(ctx, f)
	}
	k.refuse(fault.ErrInvalid.With("param", "t"), "")
	return true
}

// hello identifies the caller, and greets it.
func (k *socket) hello(ctx context.Context, f frame) bool {
	if k.hellos++; k.hellos > k.srv.Limits.Hellos {
		k.shut(websocket.StatusPolicyViolation, "too many hellos")
		return false
	}
	if f.Token != "" {
		k.shown = identity.Credentials{Authorization: "Bearer " + f.Token}
	}
	g, err := k.identify(ctx)
	if err != nil {
		k.refuse(err, "")
		if f.After == "" {
			return true
		}
	}
	g.After = f.After
	if err := k.room.Greet(ctx, k, g); err != nil { // going on would leave a gap
		k.shut(websocket.StatusTryAgainLater, "the missed messages cannot be read")
		return false
	}
	return true
}

// say posts a message. Its author gets it from the room as every member does, or from
// here when the room has sent it before.
func (k *socket) say(ctx context.Context, f frame) bool {
	channel, err := index.CurrentID(k.srv.Catalog, k.room.Channel())
	if err == nil && channel != k.room.Channel() {
		k.shut(websocket.StatusGoingAway, "the channel has another id now")
		return false
	}
	if err == nil {
		err = k.speak(ctx, f)
	}
	if err != nil {
		k.refuse(err, refOf(f.Ref))
	}
	return true
}

// refOf returns a ref as a refusal repeats it: not one that is too long to be one.
func refOf(ref string) string {
	if len(ref) > chat.MaxRef {
		return ""
	}
	return strings.ToValidUTF8(ref, "")
}

// speak posts a message by the caller, whose credential is checked again: a session
// may have ended since.
func (k *socket) speak(ctx context.Context, f frame) (err error) {
	ctx, span := k.srv.Trace.Begin(ctx, "chat message")
	defer func() { span.End(err) }()
	if !k.known { // perhaps because the database did not answer
		if _, err := k.identify(ctx); err != nil {
			return err
		}
	}
	speaker, err := k.srv.Speakers.Speaker(ctx, k.shown, identity.Anyone)
	switch {
	case err != nil:
		return err
	case speaker.ReadOnly:
		return identity.ErrOrganization
	}
	m, err := k.srv.Rooms.Post(ctx, chat.Draft{
		Channel: k.room.Channel(), Owner: speaker.Owner, Network: k.network, Wider: k.srv.People.WiderName(k.addr, k.srv.Now()), Body: f.Body, Ref: f.Ref,
	})
	if err != nil {
		return err
	}
	if k.room.Expect(m.Seq) && m.Again {
		k.send(room.Own(m))
	}
	return nil
}
