package outbox

import (
	"context"
	"slices"
	"strings"
)

// The operator sees the letters that wait, and can send or drop a single one. An
// operation on one letter looks for it among those that are listed, so that it
// costs no more than the list and never touches a letter that has been sent.

// MaxListed is how many letters of each shelf are listed.
const MaxListed = 100

// A Waiting is a letter that waits to be sent.
type Waiting struct {
	Letter
	ID      string // names the shelf and the document
	Problem string // why the document cannot be read as a letter; then it is never sent
}

// Waiting returns letters that wait, the oldest first, and how many wait in all. Of a
// shelf with more than [MaxListed] letters it returns as many, not always the
// oldest.
func (o *Outbox) Waiting(ctx context.Context) (list []Waiting, total int, err error) {
	for _, shelf := range o.shelves() {
		of, err := o.waitingOn(ctx, shelf)
		if err != nil {
			return nil, 0, err
		}
		n, err := o.DB.Count(ctx, shelf.Unsent)
		if err != nil {
			return nil, 0, err
		}
		list, total = append(list, of...), total+n
	}
	slices.SortStableFunc(list, func(a, b Waiting) int { return a.At.Compare(b.At.Time) })
	return list, total, nil
}

// waitingOn returns the letters of a shelf.
func (o *Outbox) waitingOn(ctx context.Context, shelf Shelf) (list []Waiting, err error) {
	query := shelf.Unsent
	query.Limit = MaxListed
	for doc, err := range o.DB.Query(ctx, query) {
		if err != nil {
			return nil, err
		}
		w := Waiting{ID: shelf.Name + ":" + doc.ID}
		l, err := shelf.Read(doc)
		if err == nil {
			err = l.event().Check()
		}
		if w.Letter = l; err != nil {
			w.Problem = err.Error()
		}
		list = append(list, w)
	}
	return list, nil
}

// findOne returns a letter that waits, with its shelf and the id of its document. It
// reports false when no listed letter has the id.
func (o *Outbox) findOne(ctx context.Context, id string) (w Waiting, shelf Shelf, doc string, found bool, err error) {
	name, doc, _ := strings.Cut(id, ":")
	for _, shelf := range o.shelves() {
		if shelf.Name != name {
			continue
		}
		list, err := o.waitingOn(ctx, shelf)
		if i := slices.IndexFunc(list, func(w Waiting) bool { return w.ID == id }); i >= 0 {
			return list[i], shelf, doc, true, nil
		}
		return Waiting{}, shelf, doc, false, err
	}
	return Waiting{}, Shelf{}, "", false, nil
}

// SendOne publishes a letter that waits, whatever its age and whether or not the bus
// has just failed, and returns it. It reports false when the letter does not wait any
// more.
func (o *Outbox) SendOne(ctx context.Context, id string) (Waiting, bool, error) {
	w, shelf, doc, found, err := o.findOne(ctx, id)
	if err != nil || !found {
		return w, false, err
	}
	if err := o.publish(ctx, w.Topic, w.event()); err != nil {
		return w, false, err
	}
	return w, true, shelf.Sent(context.WithoutCancel(ctx), o.DB, doc) // it is published
}

// DropOne takes a letter that waits out of the outbox without publishing it, so that
// its fact is never counted. It calls keep with the letter before. It reports false
// when the letter does not wait any more.
func (o *Outbox) DropOne(ctx context.Context, id string, keep func(Waiting) error) (bool, error) {
	w, shelf, doc, found, err := o.findOne(ctx, id)
	if err != nil || !found {
		return false, err
	}
	if err := keep(w); err != nil {
		return false, err
	}
	return true, shelf.Sent(ctx, o.DB, doc)
}
