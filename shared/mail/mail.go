// Package mail writes and sends the mails of accounts, and those of the contact form.
//
// A [Message] is what is said to one address: its content is one of the types of
// this package, such as [SignIn], and its words are those of the recipient's
// locale. A [Sender] delivers it. The packages in this folder are the two ways to
// do so: smtp gives it to a mail server, and folder keeps it in a file, for the
// local stack and for tests.
//
// A mail is sent before the request that causes it is answered, so that the
// caller learns of a failure and the visitor does not wait for a mail that will
// not come. The answer takes the same time for known and unknown addresses,
// because the same mail goes to both. [Queue] sends after the answer; it is only
// right where a process has its processor between requests.
package mail

import (
	"context"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
)

// ErrNotSent is returned for a message that was not handed over. The visitor can
// ask for another one later.
var ErrNotSent = fault.New(fault.Unavailable, "auth_unavailable")

// A Message is one mail to one address, in the recipient's language.
type Message struct {
	To      string // an address that package address accepts
	Locale  i18n.Locale
	Content Content

	// ReplyTo is the address that answers go to; empty is that of the installation.
	ReplyTo string
	// ID names the mail: 1 to 64 letters and digits. Two mails of one ID are the same
	// one to mail programs, which show it once. Empty is a new name.
	ID string
}

// A Sender delivers messages.
type Sender interface {
	// Send returns when m is handed over: to a mail server, a folder or a queue.
	// It returns address.ErrInvalid for an address that mail cannot be sent to, and
	// ErrNotSent for a message that was not delivered; any other error is a defect
	// of m, such as a link that is not a URL. Errors contain neither the address nor
	// what the mail says. A message that failed may still have arrived, when the
	// connection broke while the server was acknowledging it. Send may be called
	// concurrently.
	Send(ctx context.Context, m Message) error
}

// A Place is where a request came from, as far as it is known. It is shown to the
// recipient, who may recognize it.
type Place struct {
	Browser string // such as Firefox
	System  string // such as Linux
	Country string // ISO 3166-1 alpha-2
}

// An Event is when and where something was done to an account.
type Event struct {
	At    time.Time // shown in its location
	Place Place
}
