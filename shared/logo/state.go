package logo

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// States are values: each method returns the state after an event, and the job
// stores it. A source that answers is requested again after about 30 days, with
// its validators; one that fails after 1, 3, 7 and then every 30 days, and its
// logo stays meanwhile. A channel with a new source is due at once.

// A State is the last known state of a channel's logo and its source. The JSON
// names are short because a shard holds thousands of states.
type State struct {
	Source   string `json:"s"`           // SourceID of the address last requested
	ETag     string `json:"e,omitempty"` // of the file
	Modified string `json:"m,omitempty"` // Last-Modified of the file, as received
	Logo     string `json:"l,omitempty"` // id of the picture; empty before the first
	Checked  int64  `json:"c"`           // time of the last request, in seconds since 1970
	Next     int64  `json:"n"`           // time of the next request, likewise
	Failures int    `json:"f,omitempty"` // in a row
}

// Intervals between requests of a source.
const (
	recheck = 30 * 24 * time.Hour // of a source that answers, on average
	spread  = 6 * 24 * time.Hour  // around recheck, so that sources found in one night are not due in one

	maxValidator = 128 // bytes of an ETag or a date; longer ones are not kept
)

// backoff is the pause after one failure, two in a row and so on.
var backoff = [...]time.Duration{24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}

// SourceID returns a short hash of an address, to recognize it.
func SourceID(address string) string {
	sum := sha256.Sum256([]byte(address))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// Due reports whether source is to be requested: it is not the one last
// requested, its time has come, or that is later than any answer puts it, because a
// clock was ahead.
func (s State) Due(source string, now time.Time) bool {
	return s.Source != source || now.Unix() >= s.Next || s.Next > now.Add(recheck+spread).Unix()
}

// Validators returns the ETag and the Last-Modified for a conditional request of
// source, or empty texts when the last file came from another address, or when the
// logo made from it has no tone yet, so that the file is needed again.
func (s State) Validators(source string) (etag, modified string) {
	if s.Source != source || s.Logo != "" && ToneOf(s.Logo) == "" {
		return "", ""
	}
	return s.ETag, s.Modified
}

// Answered returns the state after source sent a file. Logo is the id of the
// picture made from it; when it is empty, because none could be made, the channel
// keeps the old one.
func (s State) Answered(source, etag, modified, logo string, now time.Time) State {
	s.Source, s.ETag, s.Modified = source, short(etag), short(modified)
	if logo != "" {
		s.Logo = logo
	}
	return s.rest(now)
}

// Unchanged returns the state after the source answered 304 Not Modified.
func (s State) Unchanged(now time.Time) State { return s.rest(now) }

// Failed returns the state after a request of source failed. The channel keeps
// its picture.
func (s State) Failed(source string, now time.Time) State {
	if s.Source != source {
		s.Source, s.ETag, s.Modified, s.Failures = source, "", "", 0
	}
	s.Failures++
	s.Checked = now.Unix()
	s.Next = now.Add(backoff[min(s.Failures, len(backoff))-1]).Unix()
	return s
}

// rest returns the state after any answer: due in 27 to 33 days, by the hash of
// the source.
func (s State) rest(now time.Time) State {
	s.Failures, s.Checked = 0, now.Unix()
	sum := sha256.Sum256([]byte(s.Source))
	apart := time.Duration(binary.BigEndian.Uint32(sum[:])) * (spread / time.Second) >> 32 * time.Second
	s.Next = now.Add(recheck - spread/2 + apart).Unix()
	return s
}

// short returns a validator, or "" when it is too long to store.
func short(validator string) string {
	if len(validator) > maxValidator {
		return ""
	}
	return validator
}
