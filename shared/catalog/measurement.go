package catalog

import "time"

// A Measurement is what probes know of a stream. Whoever has one must not
// change it.
type Measurement struct {
	Health StreamHealth // as the interface shows it

	// OnlineAt is when a probe last found it online, to a few hours; zero when
	// none ever did. Health.CheckedAt may lag by days, this does not.
	OnlineAt time.Time

	// Closed says that its media opens only with the headers that the stream
	// needs, which browsers cannot send: it plays in players, not on pages.
	Closed bool

	Codecs string // of its media, as RFC 6381 lists them, such as "avc1.64001f,mp4a.40.2"; empty when not known
	CORS   bool   // the origin lets pages of others read its playlist and media
}
