package mail

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	netmail "net/mail"
	"regexp"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"miramundo.dev/shared/config"
	"miramundo.dev/shared/mail/address"
)

// Encode returns m as a MIME message with a text and an HTML body. It returns
// address.ErrInvalid for an address that mail cannot be sent to or answered at; any
// other error is a defect of the caller.
//
// Nothing that a stranger chose is in a header but the recipient's address and the one
// for answers, whose form package address checks. Bodies and subject are ASCII on the wire, so that
// every server passes them on unchanged.
func (h Letterhead) Encode(m Message) (*gomail.Msg, error) {
	to, err := address.Wire(m.To)
	if err != nil {
		return nil, err
	}
	if !validID.MatchString(m.ID) {
		return nil, errors.New("mail: the ID is not 1 to 64 letters and digits")
	}
	letter, err := h.Letter(m)
	if err != nil {
		return nil, err
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(gomail.EncodingQP))
	if err := msg.EnvelopeFrom(h.From); err != nil {
		return nil, fmt.Errorf("the sender's address: %w", err)
	}
	msg.FromMailAddress(&netmail.Address{Name: config.Product, Address: h.From})
	msg.ToMailAddress(&netmail.Address{Address: to})
	if err := h.replyTo(msg, m); err != nil {
		return nil, err
	}
	msg.Subject(letter.Subject)
	msg.SetDateWithValue(h.Now())
	msg.SetMessageIDWithValue(cmp.Or(m.ID, rand.Text()) + "@" + h.Domain())
	msg.SetGenHeader("Content-Language", m.Locale.HTML())
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no program answers it
	msg.SetBodyString(gomail.TypeTextPlain, letter.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, letter.HTML)
	return msg, nil
}

// replyTo sets the address that answers to m go to, if there is one.
func (h Letterhead) replyTo(msg *gomail.Msg, m Message) error {
	to := h.Contact
	if m.ReplyTo != "" {
		var err error
		if to, err = address.Wire(m.ReplyTo); err != nil {
			return err
		}
	}
	if to != "" {
		msg.ReplyToMailAddress(&netmail.Address{Address: to})
	}
	return nil
}

// validID matches the names of mails.
var validID = regexp.MustCompile(`^[A-Za-z0-9]{0,64}$`)

// Domain returns the domain of the sender's address.
func (h Letterhead) Domain() string { return h.From[strings.LastIndexByte(h.From, '@')+1:] }
