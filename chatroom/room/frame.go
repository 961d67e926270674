package room

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
)

// A Frame is what members are sent, in JSON. One frame serves all members: nobody may
// change its bytes.
type Frame struct {
	Text  []byte         // for everybody but Owner
	Owner identity.Owner // that wrote the message; empty for other frames
	Own   []byte         // for the members of Owner
}

// For returns what a member of an owner is sent, or nil when it hides the author.
func (f *Frame) For(owner identity.Owner, hidden *moderation.Hidden) []byte {
	return f.choose(owner, hidden, f.Text, f.Own)
}

// choose returns own for a member of the owner that wrote the message of f, nil for a
// member that hides this owner, and text for every other.
func (f *Frame) choose(member identity.Owner, hidden *moderation.Hidden, text, own []byte) []byte {
	switch {
	case f.Owner == "":
	case f.Owner == member:
		return own
	case hidden != nil && hidden.Has(f.Owner):
		return nil
	}
	return text
}

// An item is a message as the interface shows it, with members that it adds.
type item struct {
	ID      string `json:"id"`
	Author  string `json:"autor"`
	Body    string `json:"body"`
	At      string `json:"at"`
	Removed bool   `json:"apagada,omitempty"` // by the operator
	Mine    bool   `json:"mine,omitempty"`    // to its author alone
	Ref     string `json:"ref,omitempty"`     // to its author alone
}

// An entry is an entry of a room with the texts that members are sent.
type entry struct {
	message   chat.Message
	item, own []byte // in a list, for everybody and for its author
	frame     Frame
}

func newEntry(m chat.Message) *entry {
	it := item{ID: m.ID, Author: m.Author, Body: m.Body, At: m.At.UTC().Format(time.RFC3339), Removed: m.Removed}
	e := &entry{message: m, item: encode(it)}
	it.Mine, it.Ref = true, m.Ref
	e.own = encode(it)
	e.frame = Frame{Text: tagged("msg", e.item), Owner: m.Owner, Own: tagged("msg", e.own)}
	return e
}

func entriesOf(list []chat.Message) (entries []*entry) {
	for _, m := range list {
		entries = append(entries, newEntry(m))
	}
	return entries
}

// Own returns a message as its author is sent it.
func Own(m chat.Message) []byte { return newEntry(m).frame.Own }

// tagged returns an object with the member t before its others.
func tagged(t string, object []byte) []byte {
	return append([]byte(`{"t":"`+t+`",`), object[1:]...)
}

// encode returns the JSON of v, a struct of strings, numbers and booleans.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("room: %v", err))
	}
	return text
}

func encodePresence(watching int) []byte {
	return []byte(`{"t":"presenca","watching":` + strconv.Itoa(watching) + `}`)
}

func encodeGreeting(g Greeting, list []*entry, watching int, more bool) []byte {
	var b bytes.Buffer
	b.WriteString(`{"t":"pronto","autor":`)
	b.Write(encode(g.Author))
	b.WriteString(`,"items":[`)
	var items [][]byte
	for _, e := range list {
		if text := e.frame.choose(g.Owner, g.Hidden, e.item, e.own); text != nil {
			items = append(items, text)
		}
	}
	b.Write(bytes.Join(items, []byte(",")))
	fmt.Fprintf(&b, `],"watching":%d,"max_length":%d`, watching, chat.MaxLength)
	if more {
		b.WriteString(`,"more":true`)
	}
	b.WriteByte('}')
	return b.Bytes()
}
