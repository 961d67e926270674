package origin

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// A reason is why a request failed, in words of this package. The errors of
// package net/http repeat what a server sent, such as a header that is not
// valid; what a server sends must not get into logs. The cause can be examined,
// and is not shown.
type reason struct {
	text  string
	cause error
}

func (r *reason) Error() string { return r.text }

func (r *reason) Unwrap() error { return r.cause }

// plain returns err in the words of this package.
func plain(err error) error { return &reason{describe(err), err} }

func describe(err error) string {
	var (
		name    *net.DNSError
		number  syscall.Errno
		network net.Error
	)
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return "the name is unknown"
	case errors.As(err, &name):
		return "the name server did not answer as it should"
	case errors.As(err, &number):
		return "the connection failed: " + number.Error()
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer in time"
	case errors.As(err, new(x509.HostnameError)):
		return "the certificate is for another host"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "the certificate is of an unknown authority"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "the certificate is not valid"
	case errors.As(err, new(tls.RecordHeaderError)), errors.As(err, new(tls.AlertError)):
		return "no agreement on TLS"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the response ended early"
	}
	return "the response is not valid"
}
