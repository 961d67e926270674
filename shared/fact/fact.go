// Package fact counts what happens: each fact once, however often and in
// whatever order it arrives.
//
// A fact has a topic, a key, a subject and a time. Whoever publishes it does not
// know who counts it. The bus delivers each event at least once and in no order,
// so the key names one fact: two events with one topic and key are the same.
//
// A [Book] is a collection of documents in which facts are counted, one for each
// subject. It lists the kinds of facts that it counts, and everything else
// follows from that list: topics, subscriptions, and how an event is decoded and
// applied. To count something new, add an entry to the list of a book, or a book.
//
//	{collection}/{subject}                   a document that embeds a [Ledger]
//	{collection}/{subject}/seen/{day}-{n}    marks of facts that have no room there
package fact

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"miramundo.dev/shared/bus"
)

// A Fact says that something happened.
type Fact interface {
	About() About
	// Check returns why the fact does not have the form that its fields say.
	Check() error
}

// About is what all facts have.
type About struct {
	Topic   string
	Key     string // names one fact of its topic
	Subject string // the document that it changes
	At      time.Time
}

// A Mark is what a ledger keeps of a key. Of 100,000 facts of a subject and day
// two have one mark with a probability of 3 in 10,000,000,000.
type Mark [8]byte

// Mark returns the mark of a's fact.
func (a About) Mark() Mark {
	sum := sha256.Sum256([]byte(a.Topic + "\x00" + a.Key))
	return Mark(sum[:len(Mark{})])
}

// Day returns the day of a's fact, in UTC, as 2006-01-02.
func (a About) Day() string { return dayOf(a.At) }

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// NewKey returns a key of 32 hexadecimal digits that no other fact has. Keep it
// with the change that it belongs to, so that the fact can be published again.
func NewKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// An envelope is the data of an event. Its version goes up when a reader of the
// version before would misread it.
type envelope[T any] struct {
	Version int `json:"v"`
	Body    T   `json:"body"`
}

const version = 1

// maxData is the most bytes that an event of a fact may have, unless it is Sized.
const maxData = 2048

// Sized is a fact whose events may have more than 2,048 bytes, because it sums up
// much that happened.
type Sized interface {
	Fact
	MaxData() int
}

// limit returns how many bytes an event of a fact may have.
func limit(f Fact) int {
	if sized, ok := f.(Sized); ok {
		return sized.MaxData()
	}
	return maxData
}

// Encode returns the event of f, or bus.ErrEvent when f does not pass its Check.
func Encode(f Fact) (bus.Event, error) {
	if err := f.Check(); err != nil {
		return bus.Event{}, bus.ErrEvent.Because(err)
	}
	data, err := json.Marshal(envelope[Fact]{version, f})
	if err != nil {
		return bus.Event{}, bus.ErrEvent.Because(err)
	}
	return bus.Event{Data: data}, nil
}

// Decode returns the fact of an event. It returns bus.ErrEvent for an event that no
// version of this program can read, and another error for one that a newer version
// wrote: the instances of a service are not all replaced at once, and a newer one will
// count the fact.
func Decode[F Fact](e bus.Event) (F, error) {
	var none F
	if len(e.Data) > limit(none) {
		return none, bus.ErrEvent.Because(fmt.Errorf("%d bytes", len(e.Data)))
	}
	var in envelope[F]
	if err := json.Unmarshal(e.Data, &in); err != nil {
		return none, bus.ErrEvent.Because(err)
	}
	if in.Version > version {
		return none, fmt.Errorf("the event has version %d, and this program reads version %d", in.Version, version)
	}
	if in.Version < version {
		return none, bus.ErrEvent.Because(fmt.Errorf("version %d", in.Version))
	}
	if err := in.Body.Check(); err != nil {
		return none, bus.ErrEvent.Because(err)
	}
	return in.Body, nil
}
