package act

import (
	"context"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
)

// Bounds of a preview.
const (
	maxExamples = 5   // of comments, and of messages
	maxCounted  = 500 // messages
)

// A Preview is what RemoveTexts would remove.
type Preview struct {
	Comments int // at most: those of a network that their authors removed are counted too
	Messages int
	More     bool // there are more messages than were counted
	Examples []Example
}

// An Example is one of the texts of a preview.
type Example struct {
	Ref
	Author string
	Body   string
	At     store.Time
}

// Preview counts the texts of a sender, and returns some of them: by one read for each
// 1,000 comments and one for each message, up to 500. It returns fault.ErrBody for a
// sender that is missing or wrong.
func (m *Moderator) Preview(ctx context.Context, s Sender) (p Preview, err error) {
	if err := s.check(); err != nil {
		return p, err
	}
	if p.Comments, err = comment.CountSent(ctx, m.o.DB, comment.Sender(s)); err != nil {
		return p, err
	}
	ids, err := comment.Sent(ctx, m.o.DB, comment.Sender(s), maxExamples)
	if err != nil {
		return p, err
	}
	read := func(paths []store.Path) ([]store.Doc, error) { return m.o.DB.GetAll(ctx, paths) }
	list, err := comment.ReadAll(ids, read)
	if err != nil {
		return p, err
	}
	for _, c := range list {
		p.Examples = append(p.Examples, Example{Ref{Comment, c.Channel, c.PublicID()}, c.Author, c.Body, c.CreatedAt})
	}
	err = m.previewMessages(ctx, s, &p)
	return p, err
}

// previewMessages adds the messages of a sender to a preview.
func (m *Moderator) previewMessages(ctx context.Context, s Sender, p *Preview) error {
	places, err := chat.Places(ctx, m.o.DB, chat.Sender(s))
	if err != nil {
		return err
	}
	r := removal{sender: s}
	for _, place := range places {
		list, err := chat.Sent(ctx, m.o.DB, place.Channel, r.in(place), "", maxCounted+1-p.Messages)
		if err != nil {
			return err
		}
		for i, one := range list {
			if p.Messages+i < maxExamples {
				p.Examples = append(p.Examples, Example{Ref{Message, place.Channel, one.ID}, one.Author, one.Body, store.At(one.At)})
			}
		}
		if p.Messages += len(list); p.Messages > maxCounted {
			p.Messages, p.More = maxCounted, true
			break
		}
	}
	return nil
}
