// Package played makes the facts that people play channels: a person's first play of a
// channel on a day in UTC.
package played

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
)

// Plays remembers which plays of the day were counted, so that few of them are published
// twice. A play that is published twice all the same, by another process or after a
// crash, has the same key and counts once. Its methods may be called concurrently.
type Plays struct {
	people *identity.People
	marks  identity.Marks
	seen   *identity.MarkSet
}

// New returns the plays of people, whose key must be the same in every process and after a
// restart. It remembers up to the given number of plays a day, with 8 bytes for each.
func New(people *identity.People, remembered int) *Plays {
	return &Plays{people, identity.NewMarks(), identity.NewMarkSet(remembered)}
}

// First returns the play of a channel by a caller, with the mark under which it is
// remembered. It reports false when the person has played the channel on that day.
func (p *Plays) First(who identity.Caller, channel string, at time.Time) (play social.Play, mark uint64, ok bool) {
	day := identity.DayOf(at)
	mark = p.marks.Person(who, day, channel)
	if !p.seen.Add(mark, day) {
		return social.Play{}, mark, false
	}
	return social.Play{
		Key:     key(p.people.Person(who, day), channel, day),
		Network: social.NetworkOf(p.people.WiderNetwork(who, day), channel),
		Channel: strings.Clone(channel), // do not keep the text that it is part of
		Day:     day.String(),
		Country: social.Country(who.Country),
		At:      at.UTC(),
	}, mark, true
}

// Forget makes the next play with a mark a first one again, since this one was not
// published.
func (p *Plays) Forget(mark uint64) { p.seen.Forget(mark) }

// key returns the key of a play. The person's ID is secret and changes daily,
// so a plain hash of it reveals nothing.
func key(person identity.ID, channel string, day identity.Day) string {
	text := fmt.Appendf(nil, "play\x00%s\x00%s\x00%s", person, day, channel)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
