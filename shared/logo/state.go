package logo

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// A State is what the job knows of a channel's logo. The names of its members
// are short because there are many.
type State struct {
	Source   string `json:"s"`           // SourceID of the address it was last asked for
	ETag     string `json:"e,omitempty"` // of what was there
	Modified string `json:"m,omitempty"` // its Last-Modified, as it was said
	Logo     string `json:"l,omitempty"` // id of the picture; empty before the first
	Checked  int64  `json:"c"`           // when it was last asked for, in seconds since 1970
	Next     int64  `json:"n"`           // when it is to be asked for again
	Failures int    `json:"f,omitempty"` // in a row
}

// How often sources are asked again.
const (
	recheck = 30 * 24 * time.Hour // a source that answers
	spread  = 6 * 24 * time.Hour  // over which rechecks lie apart, so that no day has them all

	maxValidator = 128 // bytes of an ETag or a date; longer ones are not kept
)

// backoff is how long a source rests that has failed once, twice and so on.
var backoff = [...]time.Duration{24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}

// SourceID returns a short name of an address, which tells it from others.
func SourceID(address string) string {
	sum := sha256.Sum256([]byte(address))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// Due reports whether the source is to be asked: it is another than before, or
// its time has come.
func (s State) Due(source string, now time.Time) bool {
	return s.Source != source || now.Unix() >= s.Next
}

// Validators returns what a conditional request for source says: the ETag and
// the Last-Modified of what is known, empty when that came from elsewhere.
func (s State) Validators(source string) (etag, modified string) {
	if s.Source != source {
		return "", ""
	}
	return s.ETag, s.Modified
}

// Answered returns the state after source answered with a file. An empty logo
// means that none could be made of it: the old one stays.
func (s State) Answered(source, etag, modified, logo string, now time.Time) State {
	s.Source, s.ETag, s.Modified = source, short(etag), short(modified)
	if logo != "" {
		s.Logo = logo
	}
	return s.rest(now)
}

// Unchanged returns the state after source answered that nothing has changed.
func (s State) Unchanged(now time.Time) State { return s.rest(now) }

// Failed returns the state after source failed. The picture stays.
func (s State) Failed(source string, now time.Time) State {
	if s.Source != source {
		s.Source, s.ETag, s.Modified, s.Failures = source, "", "", 0
	}
	s.Failures++
	s.Checked = now.Unix()
	s.Next = now.Add(backoff[min(s.Failures, len(backoff))-1]).Unix()
	return s
}

// rest is what holds after every answer: within 27 to 33 days, as the source's
// name says, so that those found in one night do not come again in one.
func (s State) rest(now time.Time) State {
	s.Failures, s.Checked = 0, now.Unix()
	sum := sha256.Sum256([]byte(s.Source))
	apart := time.Duration(binary.BigEndian.Uint32(sum[:])) * (spread / time.Second) >> 32 * time.Second
	s.Next = now.Add(recheck - spread/2 + apart).Unix()
	return s
}

func short(validator string) string {
	if len(validator) > maxValidator {
		return ""
	}
	return validator
}
