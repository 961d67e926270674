package act

import (
	"context"
	"errors"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
)

// A removal finds the texts of a sender, batch after batch, in one call: comments first,
// and then messages, room after room.
type removal struct {
	m      *Moderator
	sender Sender
	listed bool         // places were read
	places []chat.Place // rooms that may have messages
	after  string       // id of the last message that was found in the first of them
}

// next returns the step that removes the next batch.
func (r *removal) next(ctx context.Context) (step, error) {
	ids, err := comment.Sent(ctx, r.m.o.DB, comment.Sender(r.sender), batch)
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 {
		return func(tx store.Tx, e *Entry) ([]outbox.Letter, error) { return r.m.removeComments(tx, e, ids) }, nil
	}
	if !r.listed {
		if r.places, err = chat.Places(ctx, r.m.o.DB, chat.Sender(r.sender)); err != nil {
			return nil, err
		}
		r.listed = true
	}
	for ; len(r.places) > 0; r.places, r.after = r.places[1:], "" {
		list, err := chat.Sent(ctx, r.m.o.DB, r.places[0].Channel, r.in(r.places[0]), r.after, batch)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			channel := r.places[0].Channel
			r.after = list[len(list)-1].ID
			return func(tx store.Tx, e *Entry) ([]outbox.Letter, error) {
				return nil, r.m.removeMessages(tx, e, channel, list)
			}, nil
		}
	}
	return nil, nil
}

// in returns the sender as the messages in a room name it.
func (r *removal) in(p chat.Place) chat.Sender {
	if r.sender.Network != "" {
		return chat.Sender{Network: r.sender.Network}
	}
	return chat.Sender{Owner: p.Owner}
}

// removeComments removes the comments with some ids that are still those of the sender of
// an act. Of a network, the traces of comments that do not exist any more are deleted too:
// otherwise they would be found again.
func (m *Moderator) removeComments(tx store.Tx, e *Entry, ids []string) ([]outbox.Letter, error) {
	all, err := comment.ReadAll(ids, tx.GetAll)
	if err != nil {
		return nil, err
	}
	var list []comment.Comment
	var texts []*text
	traces := ids
	if e.Network == "" {
		traces = nil
	}
	for _, c := range all {
		if e.Network == "" {
			if c.Owner != e.Owner {
				continue
			}
			traces = append(traces, c.ID)
		}
		list = append(list, c)
		texts = append(texts, &text{
			Ref: Ref{Comment, c.Channel, c.PublicID()}, owner: c.Owner, author: c.Author, body: c.Body, at: c.CreatedAt, network: c.Network,
		})
	}
	close, err := m.readCases(tx, e.ID, texts)
	if err != nil {
		return nil, err
	}
	e.Bulk.Comments += len(list)
	letters, err := comment.DeleteAll(tx, list, traces, m.o.Now())
	return letters, errors.Join(err, close())
}

// removeMessages removes messages of a room that were not removed meanwhile.
func (m *Moderator) removeMessages(tx store.Tx, e *Entry, channel string, list []chat.Message) error {
	var ids []string
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	edit, err := chat.ReadEdit(tx, channel, ids...)
	if err != nil {
		return err
	}
	var texts []*text
	for _, one := range edit.Messages {
		if !one.Removed {
			texts = append(texts, &text{Ref: Ref{Message, channel, one.ID}, owner: one.Owner, author: one.Author, body: one.Body, at: store.At(one.At)})
		}
	}
	close, err := m.readCases(tx, e.ID, texts)
	if err != nil {
		return err
	}
	for _, one := range edit.Messages {
		edit.Remove(tx, one, m.o.Now())
	}
	e.Bulk.Messages += len(texts)
	return errors.Join(edit.Write(tx), close())
}

// readCases reads the cases of texts that an act removes, and returns what stores them:
// closed, with copies from which the act can be undone.
func (m *Moderator) readCases(tx store.Tx, id string, texts []*text) (put func() error, err error) {
	paths := make([]store.Path, len(texts))
	for i, t := range texts {
		paths[i] = casePath(t.Ref)
	}
	docs, err := tx.GetAll(paths)
	if err != nil {
		return nil, err
	}
	cases := make([]*Case, len(docs))
	for i, doc := range docs {
		c, err := decodeCase(doc)
		if err != nil {
			return nil, err
		}
		if c == nil {
			c = newCase(texts[i])
		}
		c.Open, c.Removed, c.Bulk, c.Network, c.Owner = false, true, id, texts[i].network, texts[i].owner
		c.keep(m.o.Now())
		cases[i] = c
	}
	return func() error {
		var errs []error
		for _, c := range cases {
			errs = append(errs, c.put(tx))
		}
		return errors.Join(errs...)
	}, nil
}
