// Package clienterror validates and redacts the errors that pages report, and merges
// repetitions of one failure within a minute.
//
// A [Report] is what a page sends. It holds no visitor: neither an address nor a cookie
// nor a User-Agent reaches this package, and what a message may repeat of a visitor is
// redacted before anything is kept. A [Merger] keeps the reports of the current minute in
// memory, within bounds that hold whatever callers send, and writes each failure to the
// log once, with its count.
package clienterror

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds of a report, in characters.
const (
	MaxMessage = 2000
	MaxStack   = 12000
	maxCode    = 48
	maxPhase   = 32
	maxPath    = 300
)

// A Report is one error of a page.
type Report struct {
	Code    string // such as UI-JS-001
	Phase   string // what the page was doing, in lower case
	Path    string // of the page, without a query
	Message string
	Stack   string
	Source  string // path of the script
	Line    int
	Column  int
	Visible bool // the visitor saw the page
}

// Family names the usage counters of reports, by their codes.
const Family = "client_errors"

// OtherCode is what any code is counted as that is not one of codes: callers could make
// up any number of them.
const OtherCode = "other"

// codes are those that the pages of the service send.
var codes = []string{"UI-JS-001", "UI-PROMESSA-001", "UI-RECURSO-001", "UI-CSP-001", "UI-APP-001"}

var (
	codeForm  = regexp.MustCompile(`^UI(?:-[A-Za-z0-9]+)+$`)
	phaseForm = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
)

// Clean returns r as it may be kept: with its texts redacted and its addresses reduced
// to their paths. It reports false for a report that is not valid.
func (r Report) Clean() (Report, bool) {
	switch {
	case len(r.Code) > maxCode || !codeForm.MatchString(r.Code),
		len(r.Phase) > maxPhase || !phaseForm.MatchString(r.Phase),
		utf8.RuneCountInString(r.Message) > MaxMessage, utf8.RuneCountInString(r.Stack) > MaxStack,
		r.Line < 0, r.Column < 0:
		return Report{}, false
	}
	r.Path, r.Source = pathOf(r.Path), pathOf(r.Source)
	r.Code, r.Phase = Redact(r.Code), Redact(r.Phase)
	r.Message, r.Stack = Redact(oneCase(r.Message)), Redact(oneCase(r.Stack))
	return r, true
}

// oneCase returns text without the control characters that logs cannot show; line breaks
// stay.
func oneCase(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' || c == 0x7f {
			return ' '
		}
		return c
	}, text)
}

// pathOf returns the redacted path of an address, without its host, query and fragment.
func pathOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		at := strings.IndexAny(rest, "/?#")
		if at < 0 {
			return "/"
		}
		address = rest[at:]
	}
	if at := strings.IndexAny(address, "?#"); at >= 0 {
		address = address[:at]
	}
	address = Redact(oneCase(address))
	if utf8.RuneCountInString(address) > maxPath {
		return unsettled
	}
	return address
}
