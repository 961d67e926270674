package social

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
)

// A Favorite says that a channel has become a favorite of one person more, or
// of one less. Each change has a Key of its own: see [fact.NewKey].
type Favorite struct {
	Key     string    `json:"key"` // 32 hexadecimal digits that do not identify the person
	Channel string    `json:"channel"`
	Delta   int       `json:"delta"` // 1 or -1
	At      time.Time `json:"at"`
	Network string    `json:"network,omitempty"` // as NetworkOf returns it; a favorite without one has no voice
}

// MaxComments is how many comments of a channel one Comment can be about.
const MaxComments = 50

// A Comment says that comments on a channel were made, or taken back: one, or up to
// MaxComments that the operator removed or restored together. Each has a Key of its own:
// see [fact.NewKey].
type Comment struct {
	Key     string    `json:"key"` // 32 hexadecimal digits that do not identify the person
	Channel string    `json:"channel"`
	Delta   int       `json:"delta"` // comments, negative when they were taken back
	At      time.Time `json:"at"`
}

// Event returns f as an event of Favorites, or bus.ErrEvent when a field is not
// valid.
func (f Favorite) Event() (bus.Event, error) { return fact.Encode(f) }

// Event returns c as an event of Comments, or bus.ErrEvent when a field is not
// valid.
func (c Comment) Event() (bus.Event, error) { return fact.Encode(c) }

// FavoriteOf returns the change of an event, or bus.ErrEvent.
func FavoriteOf(e bus.Event) (Favorite, error) { return fact.Decode[Favorite](e) }

// CommentOf returns the change of an event, or bus.ErrEvent.
func CommentOf(e bus.Event) (Comment, error) { return fact.Decode[Comment](e) }

// Check implements [fact.Fact].
func (f Favorite) Check() error {
	return errors.Join(checkChange(f.Key, f.Channel, f.Delta, 1, f.At), checkNetwork(f.Network))
}

// Check implements [fact.Fact].
func (c Comment) Check() error { return checkChange(c.Key, c.Channel, c.Delta, MaxComments, c.At) }

func checkChange(key, channel string, delta, most int, at time.Time) error {
	if len(key) != 32 || strings.Trim(key, "0123456789abcdef") != "" {
		return errors.New("key is not 32 hexadecimal digits")
	}
	if delta == 0 || delta > most || delta < -most {
		return fmt.Errorf("a change by %d", delta)
	}
	return errors.Join(checkChannel(channel), checkMoment(at))
}
