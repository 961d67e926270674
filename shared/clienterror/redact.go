package clienterror

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// What an error of a page says may hold what its visitor typed or owns. Redaction looks
// for the forms of secrets as well as for their names, and prefers to lose too much: a
// report is read for its place in the code. After a name such as password the rest of the
// line is lost, or the next line, since values are quoted, nested and broken in all ways.
// Escaped characters are decoded, after the queries of URLs are cut off, so that a secret
// is found however often it was escaped. Each rule takes time in proportion to the text.
// What a rule leaves may have the form that an earlier one looks for, so the rules are
// repeated until nothing changes; a text that does not settle is dropped.

// rounds is how often the rules are applied at most. Ordinary texts settle in two.
const rounds = 6

// unsettled stands for a text that the rules change again and again.
const unsettled = "[redacted]"

// Redact returns text without credentials, tokens, e-mail addresses, phone numbers,
// network addresses, and the queries of URLs. Redacting its result changes nothing.
func Redact(text string) string {
	for range rounds {
		next := redactOnce(text)
		if next == text {
			return text
		}
		text = next
	}
	return unsettled
}

// A rule replaces what a form matches.
type rule struct {
	form *regexp.Regexp
	with string
}

// rest is the rest of a line, with the next line where it ends with the name of a value.
const rest = `(?:[^\n]*[:=]\s*\n)*[^\n]+`

// Forms of secrets, in the order in which they are looked for: in URLs as they are
// written, and in texts without escaped characters.
var (
	inURLs = []rule{
		{regexp.MustCompile(`(?i)/f/[^\s/?#"'<>\[\]]+`), "/f/[token]"},
		{regexp.MustCompile(`(?i)/live/[a-z2-7]{8}(?:-[a-z2-7]{8})?/[a-z2-7]{18}`), "/live/[login]"},
		{regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#"'<>\[\]]*@`), "$1"},
		{regexp.MustCompile(`([A-Za-z0-9/_.%~\])-])[?#][^\s"'<>()\[\]]+`), "$1"},
	}
	escaped = regexp.MustCompile(`(?i)(?:%|\\x|\\u00)([0-7][0-9a-f])`)
	whole   = []rule{
		{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|$)`), "[key]"},
		{regexp.MustCompile(`(?i)(bearer|basic|digest)[\s+]+` + rest), "$1 [secret]"},
		{regexp.MustCompile(`eyJ[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)*`), "[token]"},
		{regexp.MustCompile(`(?i)(?:ipt|iptk|mmk|cred|mmr|sk|pk|ghp|gho|xox[a-z])_[A-Za-z0-9._~+/=-]+`), "[token]"},
		{regexp.MustCompile(`(?i)((?:code|c[oó]digo|otp|pin)["'\s:=+]*)\d{6,8}`), "$1[number]"},
		{regexp.MustCompile(`(?i)((?:token|secret|pass|senha|contraseña|auth|kennwort|api[-_]?key|cookie|sessi?on?|csrf|x-payment|signature|credential|pwd|otp|pin)[A-Za-z0-9_-]*["']?\s*[:=])\s*` + rest), "$1[secret]"},
		{regexp.MustCompile(`[^\s@<>"'(),;:\[\]=/]+(?:@|%40)[^\s@<>"'(),;:\[\]/]+`), "[email]"},
	}
	ipv4   = regexp.MustCompile(`\d{1,3}(?:\.\d{1,3}){3}`)
	ipv6   = regexp.MustCompile(`[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*`)
	phone  = regexp.MustCompile(`\+?\(?\d(?:[ \t().\-/+]*\d){7,}`)
	random = regexp.MustCompile(`[A-Za-z0-9_+=-]{20,}`)
)

func redactOnce(text string) string {
	for _, r := range inURLs {
		text = r.form.ReplaceAllString(text, r.with)
	}
	text = escaped.ReplaceAllStringFunc(text, decode)
	for _, r := range whole {
		text = r.form.ReplaceAllString(text, r.with)
	}
	text = ipv4.ReplaceAllString(text, "[address]")
	text = ipv6.ReplaceAllStringFunc(text, address)
	text = phone.ReplaceAllString(text, "[number]")
	return random.ReplaceAllStringFunc(text, token)
}

// decode returns the character that an escape sequence stands for; a plus sign for spaces
// and control characters, which would end the part of a text that a rule replaces.
func decode(sequence string) string {
	n, err := strconv.ParseUint(sequence[len(sequence)-2:], 16, 8)
	if err != nil || n <= ' ' || n == 0x7f {
		return "+"
	}
	return string(rune(n))
}

// address returns what stands for a run of digits and colons. A place in a script, such
// as :10:25, has two colons and is not an address.
func address(run string) string {
	_, err := netip.ParseAddr(strings.Trim(run, "."))
	if err != nil && !strings.Contains(run, "::") && strings.Count(run, ":") < 4 {
		return run
	}
	return "[address]"
}

// token returns what stands for a long word: words of a language have no digits, and
// random ones nearly always have some.
func token(word string) string {
	if strings.ContainsAny(word, "0123456789") {
		return "[token]"
	}
	return word
}
