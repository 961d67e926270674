// Package fault defines the errors that callers of the API may see.
//
// A fault has a kind, which says what the caller can do about it, and a code,
// a stable word that the interface documents. Packages declare their faults
// as variables, so that one list serves handlers, API description and tests.
// Any other error is internal: it is logged, and the caller learns only that
// the request failed.
package fault

import (
	"errors"
	"maps"
)

// A Kind says what the caller can do about a failure.
type Kind int

// The kinds, in the order of the HTTP statuses that package api maps them to.
const (
	Internal        Kind = iota // nothing; the defect is ours
	Invalid                     // correct the request
	Unauthenticated             // send a credential
	Unpaid                      // pay, then repeat the call
	Forbidden                   // use another credential
	NotFound                    // ask for something else
	NoMethod                    // use another method
	Conflict                    // resolve the conflict first
	Gone                        // stop calling
	TooLarge                    // send less
	Unsupported                 // send another media type
	Unprocessable               // nothing; what the origin sent is broken
	Upgrade                     // connect by the protocol that the answer names
	Limited                     // wait
	BadGateway                  // try again later; an upstream sent an invalid response
	Unavailable                 // try again later
)

// An Error is a failure with a documented code. It is immutable; Because and
// With return copies.
type Error struct {
	Kind   Kind
	Code   string         // such as "key_limit_reached"
	Fields map[string]any // further members of the error body; never secrets
	err    error          // the cause, for the log only
}

// New returns a fault. Each is declared once, as a package variable.
func New(kind Kind, code string) *Error {
	return &Error{Kind: kind, Code: code}
}

// Because returns a copy of e with err as its cause. The copy matches e under
// [errors.Is]. Where e is Unavailable because of an [Outage], the copy has its
// reason and its time of retry in the fields "reason" and "retry_after", unless
// e has fields of these names.
func (e *Error) Because(err error) *Error {
	c := &Error{Kind: e.Kind, Code: e.Code, Fields: e.Fields, err: err}
	if outage, ok := errors.AsType[*Outage](err); ok && e.Kind == Unavailable {
		c.Fields = maps.Clone(outage.fields())
		maps.Copy(c.Fields, e.Fields)
	}
	return c
}

// With returns a copy of e with one more member in its body. The copy matches
// e under [errors.Is].
func (e *Error) With(name string, value any) *Error {
	fields := maps.Clone(e.Fields)
	if fields == nil {
		fields = map[string]any{}
	}
	fields[name] = value
	return &Error{Kind: e.Kind, Code: e.Code, Fields: fields, err: e.err}
}

func (e *Error) Error() string {
	if e.err == nil {
		return e.Code
	}
	return e.Code + ": " + e.err.Error()
}

func (e *Error) Unwrap() error { return e.err }

// Is reports whether target is a fault with the same kind and code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Code == e.Code
}

// Faults that are not specific to a package.
var (
	ErrInternal      = New(Internal, "internal")                  // any error that is not a fault
	ErrInvalid       = New(Invalid, "invalid_request")            // an invalid parameter, named in the field "param"
	ErrBody          = New(Invalid, "invalid_body")               // a body that the endpoint cannot decode
	ErrNotFound      = New(NotFound, "not_found")                 // no such route or resource
	ErrNoMethod      = New(NoMethod, "method_not_allowed")        // the response names the allowed ones
	ErrBodyTooLarge  = New(TooLarge, "body_too_large")            // over the endpoint's limit
	ErrMediaType     = New(Unsupported, "unsupported_media_type") // not application/json
	ErrOperatorToken = New(Unauthenticated, "invalid_token")      // a missing or wrong operator token
	ErrUnavailable   = New(Unavailable, "unavailable")            // something that the response needs does not answer
)

// From returns the fault in err's chain. Without one it returns ErrUnavailable for
// an [Outage] and ErrInternal for any other error, with err as the cause.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if _, ok := errors.AsType[*Outage](err); ok {
		return ErrUnavailable.Because(err)
	}
	return ErrInternal.Because(err)
}

// OrUnavailable returns err when it is a fault or nil. Any other error comes from
// the infrastructure, such as a database that does not answer: it becomes the
// cause of ErrUnavailable.
func OrUnavailable(err error) error {
	if _, ok := errors.AsType[*Error](err); ok || err == nil {
		return err
	}
	return ErrUnavailable.Because(err)
}
