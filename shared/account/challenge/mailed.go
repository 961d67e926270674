package challenge

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"

	"miramundo.dev/shared/identity"
)

// A mail proves that its reader receives the mail of an address. It has a code, which
// is typed into the browser that asked for it, and a link, which works in any
// browser, such as that of the phone on which the mail is read. Either ends the
// challenge. The link has a secret of its own, which the browser that started the
// challenge does not have.

// CodeLength is the number of digits of a code.
const CodeLength = 6

// A Sent challenge has what is sent by mail, and the id for the browser.
type Sent struct {
	ID   string // for the browser that started it
	Code string // for the mail
	Link string // for the mail: the token of a link
}

// mailed is what the database keeps of the code and the link of a mail.
type mailed struct {
	Code []byte `json:"code"` // a MAC
	Key  string `json:"key"`  // the id of the key that made it
	Link string `json:"link"` // a hash
}

// codePurpose names the subkey for codes.
const codePurpose = "challenge code"

// StartMailed stores a challenge with a code and a link, in one write.
func (c *Challenges) StartMailed(ctx context.Context, r Request) (Sent, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err == nil {
		err = c.keys.Check()
	}
	if err != nil {
		return Sent{}, identity.ErrUnavailable.Because(err)
	}
	id, secret, code := random(), random(), fmt.Sprintf("%0*d", CodeLength, n)
	m := mailed{Link: hash(secret)}
	m.Code, m.Key = c.keys.Sign(codePurpose, codeData(id, code))
	return Sent{ID: id, Code: code, Link: id + "." + secret}, c.create(ctx, id, r, &m)
}

// codeData is what the MAC of a code is made of: a code is valid for one challenge.
func codeData(id, code string) []byte { return []byte(id + "\x00" + code) }

// TakeCode ends a challenge that the browser started, when code is the one in its
// mail. Spaces and hyphens in the code are ignored. It returns ErrWrong and
// ErrExpired as Take does.
func (c *Challenges) TakeCode(ctx context.Context, kind Kind, id, browser, code string) (Challenge, error) {
	code = digits(code)
	return c.take(ctx, kind, id, func(doc document) error {
		if err := startedBy(browser, nil)(doc); err != nil || doc.Mailed == nil {
			return ErrExpired
		}
		if !c.keys.Verify(codePurpose, doc.Mailed.Key, codeData(id, code), doc.Mailed.Code) {
			return ErrWrong
		}
		return nil
	})
}

// digits returns code without spaces and hyphens, and without what is longer than a
// person types.
func digits(code string) string {
	if len(code) > 64 {
		return ""
	}
	return strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(code)
}

// TakeLink ends the challenge of a link, in any browser. It returns ErrExpired when
// the link is not valid any more.
func (c *Challenges) TakeLink(ctx context.Context, kind Kind, link string) (Challenge, error) {
	id, secret, _ := strings.Cut(link, ".")
	return c.take(ctx, kind, id, linkedBy(secret))
}

// PeekLink returns the challenge of a link without ending it, for the page on which
// the visitor confirms the sign-in.
func (c *Challenges) PeekLink(ctx context.Context, kind Kind, link string) (Challenge, error) {
	id, secret, _ := strings.Cut(link, ".")
	return c.peek(ctx, kind, id, linkedBy(secret))
}

// linkedBy returns a check that a challenge has a link with a secret.
func linkedBy(secret string) func(document) error {
	return func(doc document) error {
		if doc.Mailed == nil || !wellFormed(secret) || !equal(doc.Mailed.Link, hash(secret)) {
			return ErrExpired
		}
		return nil
	}
}
