// Package pin stores which channel of the catalog a channel of a guide is, where the
// operator has decided it.
//
// The job that reads guides applies pins before it matches by ids and names. A pin
// takes effect with the job's next run, which reads the source again even when its
// file has not changed.
//
// It keeps one document, so that a run sees all pins of one moment:
//
//	guide/pins    every Pin, in the order in which they were set
package pin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

// Faults of pins. The detail "param" of ErrInvalid names the invalid parameter, the
// detail "limit" of ErrTooMany is how many pins there may be.
var (
	ErrInvalid = fault.New(fault.Invalid, "invalid_guide_pin")
	ErrNoPin   = fault.New(fault.NotFound, "guide_pin_not_found")
	ErrTooMany = fault.New(fault.Conflict, "too_many_guide_pins")
)

// Bounds of pins. All of them fit a document.
const (
	Max        = 500 // pins
	MaxGuideID = 200 // characters of the id of a channel in a guide, as in package xmltv
)

// A Pin says which channel of the catalog a channel of a guide is. The document has
// the fields of the wire, which may gain more.
type Pin struct {
	ID        string     `json:"id" description:"Id of the pin, derived from source and guide_id."`
	Source    string     `json:"source" description:"Name of the guide's source, as in the job's report."`
	GuideID   string     `json:"guide_id" description:"Id of the channel in the guide."`
	ChannelID *string    `json:"channel_id" description:"Catalog id of the channel that it is; null when its programmes are those of no channel."`
	At        store.Time `json:"at" type:"string" format:"date-time"`
}

// New returns the pin of a channel of a source, or ErrInvalid. An empty channel pins
// it to none. Equal sources and ids have equal pins, so that setting one again
// replaces it. New does not check that the source and the channels exist.
func New(source, guideID, channel string, at time.Time) (Pin, error) {
	guideID = strings.TrimSpace(guideID)
	switch {
	case source == "" || len(source) > 40 || strings.ContainsFunc(source, unicode.IsControl):
		return Pin{}, ErrInvalid.With("param", "source")
	case !isText(guideID, MaxGuideID) || guideID == "":
		return Pin{}, ErrInvalid.With("param", "guide_id")
	case !isText(channel, 128):
		return Pin{}, ErrInvalid.With("param", "channel_id")
	}
	sum := sha256.Sum256([]byte(source + "\n" + guideID))
	p := Pin{ID: "pin_" + hex.EncodeToString(sum[:8]), Source: source, GuideID: guideID, At: store.At(at)}
	if channel != "" {
		p.ChannelID = &channel
	}
	return p, nil
}

// isText reports whether s is a line of at most n characters.
func isText(s string, n int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= n && !strings.ContainsFunc(s, unicode.IsControl)
}

// at is the document of all pins.
const at = store.Path("guide/pins")

// A stored is that document.
type stored struct {
	Pins []Pin `json:"pins"`
}

// A List is the list of all pins in a database. Its methods may be called
// concurrently.
type List struct {
	db store.DB
}

// NewList returns the list of the pins in db.
func NewList(db store.DB) *List { return &List{db} }

// All returns every pin, in the order in which they were set.
func (l *List) All(ctx context.Context) ([]Pin, error) {
	var s stored
	if err := l.db.Get(ctx, at, &s); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return s.Pins, nil
}

// Set stores p, and replaces an earlier pin of the same channel of the same source.
// It returns ErrTooMany when there are Max others.
func (l *List) Set(ctx context.Context, p Pin) error {
	return l.update(ctx, func(pins []Pin) ([]Pin, error) {
		pins = slices.DeleteFunc(pins, func(old Pin) bool { return old.ID == p.ID })
		if len(pins) >= Max {
			return nil, ErrTooMany.With("limit", Max)
		}
		return append(pins, p), nil
	})
}

// Remove deletes the pin with an id, or returns ErrNoPin.
func (l *List) Remove(ctx context.Context, id string) error {
	return l.update(ctx, func(pins []Pin) ([]Pin, error) {
		n := len(pins)
		if pins = slices.DeleteFunc(pins, func(p Pin) bool { return p.ID == id }); len(pins) == n {
			return nil, ErrNoPin
		}
		return pins, nil
	})
}

// update replaces all pins by the result of f in one transaction.
func (l *List) update(ctx context.Context, f func([]Pin) ([]Pin, error)) error {
	return l.db.Update(ctx, func(tx store.Tx) error {
		var s stored
		if err := tx.Get(at, &s); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		pins, err := f(s.Pins)
		if err != nil {
			return err
		}
		return tx.Set(at, stored{pins})
	})
}

// A Set is the channels that those of one source are pinned to, by their ids in the
// guide; empty for none.
type Set map[string]string

// Of returns the set of a source among pins.
func Of(pins []Pin, source string) Set {
	set := Set{}
	for _, p := range pins {
		if p.Source != source {
			continue
		}
		set[p.GuideID] = ""
		if p.ChannelID != nil {
			set[p.GuideID] = *p.ChannelID
		}
	}
	return set
}

// Sum returns a hash of s, which is empty for an empty set: equal sets have equal
// sums.
func (s Set) Sum() string {
	if len(s) == 0 {
		return ""
	}
	sum := sha256.Sum256(fmt.Append(nil, map[string]string(s))) // a map prints in the order of its keys
	return hex.EncodeToString(sum[:8])
}
