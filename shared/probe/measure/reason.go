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

// A verdict is why a stream is not online.
type verdict struct {
	status probe.Status
	reason string // as [probe.Result] has it
}

func (v *verdict) Error() string { return string(v.status) + ": " + v.reason }

// What measurements find besides streams that are online. The reasons are the
// words of this package's list.
var (
	noHost    = &verdict{probe.Offline, "no_host"} // there is no such name
	nobody    = &verdict{probe.Offline, "nobody"}  // nothing answers at the address
	missing   = &verdict{probe.Offline, "missing"} // the answer to the stream's own address is 404 or 410
	inward    = &verdict{probe.Offline, "inward"}  // the stream, or what it names, is where no request may go, such as an inner network
	denied    = &verdict{probe.Blocked, "denied"}  // 401, 403 or 451
	limited   = &verdict{probe.Blocked, "limited"} // 429
	elsewhere = &verdict{probe.Blocked, "geo"}     // a page that says it is not for this place
	late      = &verdict{probe.Timeout, "late"}    // connection, header or body not in time

	untrusted = &verdict{probe.Error, "untrusted"} // no agreement on TLS, or a certificate that nobody trusts
	failing   = &verdict{probe.Error, "failing"}   // a status of 500 or more
	broken    = &verdict{probe.Error, "broken"}    // another status, an answer that is cut short, redirects without end
	tooLarge  = &verdict{probe.Error, "too_large"} // a playlist that is larger than any right one, or unpacks to it
	page      = &verdict{probe.Error, "page"}      // HTML or JSON in place of media
	noMedia   = &verdict{probe.Error, "no_media"}  // bytes that are no media
	empty     = &verdict{probe.Error, "empty"}     // no bytes, or a playlist without anything to play
	nested    = &verdict{probe.Error, "nested"}    // playlists in playlists, or one in itself
	noVariant = &verdict{probe.Error, "variant"}   // a playlist or segment that the stream names is 404 or 410
	noKey     = &verdict{probe.Error, "key"}       // the key is none
	stalled   = &verdict{probe.Error, "stalled"}   // a live playlist that does not go on
	codecs    = &verdict{probe.Error, "codecs"}    // nothing in it that players decode

	overmuch = &verdict{probe.Error, "overmuch"} // nothing to see within the requests and bytes that a measurement has

	stopped = &verdict{probe.Unknown, "stopped"} // the caller gave up
	busy    = &verdict{probe.Unknown, "busy"}    // too many requests of ours are under way
	unwired = &verdict{probe.Unknown, "unwired"} // our own network does not reach so far
	unknown = &verdict{probe.Unknown, "kind"}    // streams of this kind are not measured
)

// Statuses of HTTP that tell more than their class.
const (
	notFound       = 404
	gone           = 410
	tooMany        = 429
	forbiddenByLaw = 451
)

// judge turns what ended a measurement into a verdict.
func judge(outer context.Context, err error) *verdict {
	if v, ok := errors.AsType[*verdict](err); ok {
		return v
	}
	switch {
	case outer.Err() != nil:
		return stopped
	case errors.Is(err, origin.ErrBusy):
		return busy
	case errors.Is(err, origin.ErrRefused):
		return inward
	case errors.Is(err, origin.ErrAccess):
		return denied
	case errors.Is(err, origin.ErrLimit):
		return tooLarge
	case errors.Is(err, origin.ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return late
	case errors.Is(err, origin.ErrUnreachable):
		return unreachable(err)
	}
	return answered(status(err))
}

// status returns the status with which an origin failed, or 0.
func status(err error) int {
	code, _ := fault.From(err).Fields["upstream_status"].(int)
	return code
}

// answered returns the verdict on a status, 0 when there was none.
func answered(status int) *verdict {
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

// unreachable tells apart why there was no connection.
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
		return unwired
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &authority):
		return untrusted
	}
	return nobody
}

// within turns what is missing in a stream, rather than the stream itself,
// into an error of it.
func within(err error) error {
	if code := status(err); code == notFound || code == gone {
		return noVariant
	}
	return err
}
