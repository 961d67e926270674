// Package factor checks second factors: codes of an authenticator app and recovery
// codes.
//
// It stores nothing. Its types are parts of the document of an account, which the
// caller reads and writes in one transaction, so that each code works once.
//
//	totp.go       codes by time (RFC 6238)
//	recovery.go   codes for the day on which the authenticator is lost
package factor

import "miramundo.dev/shared/fault"

// ErrWrong means that a code is wrong, or was used before.
var ErrWrong = fault.New(fault.Invalid, "invalid_code")
