package catalog

import "time"

// A Measurement is the result of the probes of a stream. It is shared by
// concurrent requests and must not be changed.
type Measurement struct {
	Health StreamHealth // as the interface shows it

	// OnlineAt is when a probe last found the stream online, exact to a few
	// hours; zero when no probe ever did. Health.CheckedAt may lag by days,
	// because a measurement that repeats the last is seldom written; OnlineAt
	// does not.
	OnlineAt time.Time

	// Closed is set when the media opens only with the headers that the stream
	// requires. Browsers cannot send those: the stream plays in players, not on
	// pages.
	Closed bool

	Codecs string // of its media, as RFC 6381 lists them, such as "avc1.64001f,mp4a.40.2"; empty when not known
	CORS   bool   // the origin lets pages of others read its playlist and media

	// Kind is the kind of the stream by its content, when that is another than
	// the kind in the catalog, which goes by the address; empty otherwise.
	Kind string
}
