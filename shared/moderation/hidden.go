package moderation

import (
	"context"
	"errors"
	"slices"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// MaxHidden is how many owners an owner can hide.
const MaxHidden = 200

// ErrTooManyHidden refuses one more hidden owner.
var ErrTooManyHidden = fault.New(fault.Invalid, "hidden_limit_reached").With("max", MaxHidden)

// Hidden are the owners whose texts an owner does not see, the newest last.
type Hidden struct {
	Owners []HiddenOwner `json:"owners"`
}

// A HiddenOwner is an owner in a list of hidden ones, with the name that its texts
// showed when it was hidden.
type HiddenOwner struct {
	Owner identity.Owner `json:"owner"`
	Name  string         `json:"name"`
	Since store.Time     `json:"since"`
}

// ID returns the id of o in the list of a viewer. It differs for each viewer and does
// not reveal the owner.
func (o HiddenOwner) ID(viewer identity.Owner) string {
	return "hid_" + keyOf("hidden", string(viewer), string(o.Owner))
}

// HiddenPath returns where the owners that an owner hides are.
func HiddenPath(owner identity.Owner) store.Path {
	return store.Path("owners").Join(string(owner), "kept", "hidden")
}

// HiddenBy returns the owners that an owner hides, by one read.
func HiddenBy(ctx context.Context, db store.DB, owner identity.Owner) (h Hidden, err error) {
	if err = db.Get(ctx, HiddenPath(owner), &h); errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return h, err
}

// ReadHidden returns the owners that an owner hides, within a transaction.
func ReadHidden(tx store.Tx, owner identity.Owner) (h Hidden, err error) {
	if err = tx.Get(HiddenPath(owner), &h); errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return h, err
}

// Has reports whether h hides an owner.
func (h Hidden) Has(owner identity.Owner) bool {
	_, ok := h.Find(owner)
	return ok
}

// Find returns an owner in h, and whether h hides it.
func (h Hidden) Find(owner identity.Owner) (HiddenOwner, bool) {
	i := slices.IndexFunc(h.Owners, func(o HiddenOwner) bool { return o.Owner == owner })
	if i < 0 {
		return HiddenOwner{}, false
	}
	return h.Owners[i], true
}

// Add adds o to h and reports whether that changed h. It returns ErrTooManyHidden when
// h is full.
func (h *Hidden) Add(o HiddenOwner) (bool, error) {
	if h.Has(o.Owner) {
		return false, nil
	}
	if len(h.Owners) >= MaxHidden {
		return false, ErrTooManyHidden
	}
	h.Owners = append(h.Owners, o)
	return true, nil
}

// Put stores h as the list of a viewer, within a transaction.
func (h Hidden) Put(tx store.Tx, viewer identity.Owner) error {
	if len(h.Owners) == 0 {
		return tx.Delete(HiddenPath(viewer))
	}
	return tx.Set(HiddenPath(viewer), h)
}

// take adds the owners of another list to h, except self, and returns those for which h
// has no room.
func (h *Hidden) take(other Hidden, self identity.Owner) (left Hidden) {
	for _, o := range other.Owners {
		if o.Owner == self {
			continue
		}
		if _, err := h.Add(o); err != nil {
			left.Owners = append(left.Owners, o)
		}
	}
	return left
}

// Unhide takes the owner of an id out of the list of a viewer, and reports whether the
// list had it.
func Unhide(ctx context.Context, db store.DB, viewer identity.Owner, id string) (found bool, err error) {
	err = db.Update(ctx, func(tx store.Tx) error {
		h, err := ReadHidden(tx, viewer)
		if err != nil {
			return err
		}
		n := len(h.Owners)
		h.Owners = slices.DeleteFunc(h.Owners, func(o HiddenOwner) bool { return o.ID(viewer) == id })
		if found = len(h.Owners) < n; !found {
			return nil
		}
		return h.Put(tx, viewer)
	})
	return found, err
}

// Remove deletes the mute of an owner that is deleted, and the list of those it hides.
func Remove(ctx context.Context, db store.DB, owner identity.Owner) error {
	return errors.Join(db.Delete(ctx, MutePath(owner)), db.Delete(ctx, HiddenPath(owner)))
}
