// Package address parses e-mail addresses.
//
// Two addresses that reach the same mailbox have the same key: the domain is
// compared in its ASCII form, as DNS compares it, and the part before the @
// without regard to case. An address is first brought into normal form NFKC, so
// that full-width letters of an input method are those of ASCII, and mail is
// sent to that form alone: there is no second spelling that has the key of
// another mailbox.
//
// Some addresses that the standards allow are refused. A part before the @ with
// letters beyond ASCII needs SMTPUTF8 at every server on its way, and where one
// lacks it the code that the owner needs to sign in does not arrive. The marks !
// and % and the beginning of an encoded word, =?, make some servers read another
// recipient into the part before the @. Quoted parts, addresses in brackets and
// domains without a dot are not used by people.
package address

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"miramundo.dev/shared/fault"
)

// ErrInvalid is returned for text that is not an e-mail address that mail can be
// sent to.
var ErrInvalid = fault.New(fault.Invalid, "invalid_email")

// The limits on the form in which an address is sent: those of RFC 5321, section
// 4.5.3.1, where a path of 256 bytes has two brackets.
const (
	maxLocal   = 64
	maxAddress = 254
)

// maxInput is the size in bytes above which text is refused unread. An address of
// full-width letters has three bytes for each of ASCII.
const maxInput = 3 * maxAddress

var (
	// local is a dot-atom of RFC 5322, section 3.2.3, without ! and %.
	local = regexp.MustCompile("^[A-Za-z0-9#$&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9#$&'*+/=?^_`{|}~-]+)*$")
	// topLevel is the last label of a domain. A domain that ends in a number is an
	// IP address.
	topLevel = regexp.MustCompile(`\.([a-z]{2,63}|xn--[a-z0-9-]{1,59})$`)
)

// domains converts the names of hosts as browsers do.
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// Normalize returns an address as people read it, with its domain in lower case
// and in its own script, and the key by which addresses are compared. Both are
// accepted by Normalize again, with the same key. It returns ErrInvalid for text
// that is not an address.
func Normalize(s string) (display, key string, err error) {
	name, domain, err := parse(s)
	if err != nil {
		return "", "", err
	}
	readable, err := domains.ToUnicode(domain)
	if err != nil {
		return "", "", ErrInvalid.Because(errors.New("the domain has no readable form"))
	}
	return name + "@" + readable, strings.ToLower(name) + "@" + domain, nil
}

// Wire returns the form of an address that mail is sent to: its domain is in
// ASCII, and the part before the @ keeps its case. It returns ErrInvalid for text
// that is not an address. The result has no spaces or control characters.
func Wire(s string) (string, error) {
	name, domain, err := parse(s)
	if err != nil {
		return "", err
	}
	return name + "@" + domain, nil
}

// parse returns the parts of an address, the domain in ASCII. The causes of its
// errors do not repeat the address.
func parse(s string) (name, domain string, err error) {
	if len(s) > maxInput {
		return "", "", ErrInvalid.Because(errors.New("it is too long"))
	}
	if !utf8.ValidString(s) {
		return "", "", ErrInvalid.Because(errors.New("it is not UTF-8"))
	}
	name, host, found := strings.Cut(strings.TrimSpace(norm.NFKC.String(s)), "@")
	if !found || len(name) > maxLocal || !local.MatchString(name) || strings.Contains(name, "=?") {
		return "", "", ErrInvalid.Because(errors.New("the part before the @ must be 1 to 64 letters, digits or marks of ASCII"))
	}
	domain, err = domains.ToASCII(host)
	if err != nil || !topLevel.MatchString(domain) {
		return "", "", ErrInvalid.Because(errors.New("the part after the @ must be a domain with a dot"))
	}
	if len(name)+1+len(domain) > maxAddress {
		return "", "", ErrInvalid.Because(errors.New("it is too long"))
	}
	return name, domain, nil
}
