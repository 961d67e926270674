package measure

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"syscall"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe"
)

// A verdict is the status and the reason of a stream that is not online.
type verdict struct {
	status probe.Status
	reason string // as [probe.Result] has it
}

func (v *verdict) Error() string { return string(v.status) + ": " + v.reason }

// The verdicts besides online. The reasons are the words of package probe's
// list.
var (
	noHost    = &verdict{probe.Offline, "no_host"} // the name does not exist
	nobody    = &verdict{probe.Offline, "nobody"}  // no server accepts connections at the address
	missing   = &verdict{probe.Offline, "missing"} // 404 or 410 for the stream's own address
	refused   = &verdict{probe.Offline, "inward"}  // the stream refers to an address that is not allowed, such as one of an internal network
	denied    = &verdict{probe.Blocked, "denied"}  // 401, 403 or 451
	limited   = &verdict{probe.Blocked, "limited"} // 429
	elsewhere = &verdict{probe.Blocked, "geo"}     // a page that says the stream is not available in this country
	late      = &verdict{probe.Timeout, "late"}    // connection, headers or body were not in time

	untrusted = &verdict{probe.Error, "untrusted"} // TLS failed, or the certificate is not trusted
	failing   = &verdict{probe.Error, "failing"}   // a status of 500 or more
	broken    = &verdict{probe.Error, "broken"}    // any other status, a truncated response, or too many redirects
	tooLarge  = &verdict{probe.Error, "too_large"} // a playlist that is larger than any valid one
	page      = &verdict{probe.Error, "page"}      // HTML or JSON in place of media
	noMedia   = &verdict{probe.Error, "no_media"}  // bytes that are not media
	empty     = &verdict{probe.Error, "empty"}     // no bytes, or a playlist without anything to play
	nested    = &verdict{probe.Error, "nested"}    // playlists nested too deep, or in a circle
	noVariant = &verdict{probe.Error, "variant"}   // 404 or 410 for a playlist or segment of the stream
	noKey     = &verdict{probe.Error, "key"}       // the key is not valid
	stalled   = &verdict{probe.Error, "stalled"}   // a live playlist that does not change
	codecs    = &verdict{probe.Error, "codecs"}    // no codec that players decode

	exhausted = &verdict{probe.Error, "overmuch"} // the bounds of a measurement were reached first

	stopped   = &verdict{probe.Unknown, "stopped"} // the caller's context ended
	busy      = &verdict{probe.Unknown, "busy"}    // too many of our own requests are in progress
	noNetwork = &verdict{probe.Unknown, "unwired"} // our own network is down or does not reach the origin
	unknown   = &verdict{probe.Unknown, "kind"}    // streams of this kind are not measured
)

// Statuses of HTTP that tell more than their class.
const (
	notFound       = 404
	gone           = 410
	tooMany        = 429
	forbiddenByLaw = 451
)

// verdictOf returns the verdict for the error that ended a measurement.
func verdictOf(outer context.Context, err error) *verdict {
	if v, ok := errors.AsType[*verdict](err); ok {
		return v
	}
	switch {
	case outer.Err() != nil:
		return stopped
	case errors.Is(err, origin.ErrBusy):
		return busy
	case errors.Is(err, origin.ErrRefused):
		return refused
	case errors.Is(err, origin.ErrAccess):
		return denied
	case errors.Is(err, origin.ErrLimit):
		return tooLarge
	case errors.Is(err, origin.ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return late
	case errors.Is(err, origin.ErrUnreachable):
		return unreachable(err)
	}
	return statusVerdict(status(err))
}

// status returns the HTTP status that an origin failed with, or 0.
func status(err error) int {
	code, _ := fault.From(err).Fields["upstream_status"].(int)
	return code
}

// statusVerdict returns the verdict for a status, 0 when there was none.
func statusVerdict(status int) *verdict {
	switch {
	case status == notFound, status == gone:
		return missing
	case status == forbiddenByLaw:
		return denied
	case status == tooMany:
		return limited
	case status >= 500:
		return failing
	}
	return broken
}

// unreachable returns the verdict for a failed connection.
func unreachable(err error) *verdict {
	var (
		name        *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
		authority   x509.UnknownAuthorityError
	)
	switch {
	case errors.As(err, &name):
		return noHost // the resolver answered: what it does not answer is late
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EMFILE):
		return noNetwork
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &authority):
		return untrusted
	}
	return nobody
}

// ofPart converts "missing" for a part of a stream to a verdict on the
// stream.
func ofPart(err error) error {
	if code := status(err); code == notFound || code == gone {
		return noVariant
	}
	return err
}
