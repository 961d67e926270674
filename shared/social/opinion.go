package social

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"miramundo.dev/shared/bus"
)

// The topics of what people think of channels. Each has one subscription, of
// the same name.
const (
	Favorites = "favorites" // of Favorite
	Comments  = "comments"  // of Comment
)

// A Favorite says that a channel has become a favorite of one person more, or
// of one less. Each change has a Key of its own: see NewKey.
type Favorite struct {
	Key     string    `json:"key"` // 32 hexadecimal digits; tells nothing of the person
	Channel string    `json:"channel"`
	Delta   int       `json:"delta"` // 1 or -1
	At      time.Time `json:"at"`
}

// A Comment says that a comment on a channel was made, or taken back. Each of
// the two has a Key of its own: see NewKey.
type Comment struct {
	Key     string    `json:"key"` // 32 hexadecimal digits; tells nothing of the person
	Channel string    `json:"channel"`
	Delta   int       `json:"delta"` // 1 or -1
	At      time.Time `json:"at"`
}

// NewKey returns a key that no other event has. It is kept with the change that
// it is the key of, so that the event can be told again.
func NewKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Event returns f to be published to Favorites, or bus.ErrEvent when f has not
// the form that its fields say.
func (f Favorite) Event() (bus.Event, error) { return encode(f) }

// Event returns c to be published to Comments, or bus.ErrEvent when c has not
// the form that its fields say.
func (c Comment) Event() (bus.Event, error) { return encode(c) }

// FavoriteOf returns the change that e tells of, or bus.ErrEvent.
func FavoriteOf(e bus.Event) (Favorite, error) { return decode[Favorite](e) }

// CommentOf returns the change that e tells of, or bus.ErrEvent.
func CommentOf(e bus.Event) (Comment, error) { return decode[Comment](e) }

func (f Favorite) check() error { return checkChange(f.Key, f.Channel, f.Delta, f.At) }
func (c Comment) check() error  { return checkChange(c.Key, c.Channel, c.Delta, c.At) }

func checkChange(key, channel string, delta int, at time.Time) error {
	if len(key) != 32 || strings.Trim(key, "0123456789abcdef") != "" {
		return errors.New("key is not 32 hexadecimal digits")
	}
	if delta != 1 && delta != -1 {
		return fmt.Errorf("a change by %d", delta)
	}
	return errors.Join(checkChannel(channel), checkMoment(at))
}

func (f Favorite) about() About { return About{Favorites, f.Key, f.Channel, f.At} }
func (c Comment) about() About  { return About{Comments, c.Key, c.Channel, c.At} }

func (f Favorite) count(k *Counts) { k.Favorites += int64(f.Delta) }
func (c Comment) count(k *Counts)  { k.Comments += int64(c.Delta) }
