package mail

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"miramundo.dev/shared/i18n"
)

func TestHarmless(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"Rádio Sol", "Rádio Sol"},
		{"  two \t spaces\u00a0 ", "two spaces"},
		{"a\r\nBcc: b@c.example", "a Bcc∶ bⓐc․example"},
		{"https://evil.example/x", "https∶//evil․example/x"},
		{"www。evil．example", "www․evil․example"},
		{"tel:+4912345", "tel∶+4912345"},
		{"\u202Eegnahc\u202C", "egnahc"},
		{"\u2066\u200b\ufeffx\u2069", "x"},
		{"\u3164\u115f", "?"},
		{"", "?"},
		{"\x00\x1b[31m", "[31m"},
		{"bad \xff utf-8", "bad utf-8"},
		{"שלום", "\u2068שלום\u2069"},
		{"Z\u0310\u0311\u0312\u0313\u0314x", "Z\u0310\u0311\u0312x"},
		{strings.Repeat("ä", 64), strings.Repeat("ä", 64)},
		{strings.Repeat("ä", 65), strings.Repeat("ä", 64) + "…"},
		{"👩‍🚀 TV", "👩🚀 TV"},
	} {
		if got := Harmless(test.in); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.in, got, test.want)
		}
	}
}

// hostile are names that try to leave their place in a mail.
var hostile = []string{
	`<a href="https://evil.example">click</a>`, `"><img src=x onerror=alert(1)>`, "{{.Link}} {product} {link}", "</title><script>alert(1)</script>",
	"x\r\n\r\n<html>", "\u202Eelpmaxe.live//:sptth", "Prize: https://evil.example/ or mail win@evil.example", strings.Repeat("W", 5000),
}

// TestHostileNames checks that the names in an invitation add no element and no
// link to the mail, stand on its line, and are not in its subject.
func TestHostileNames(t *testing.T) {
	plain := letter(t, i18n.EN, Invitation{Organization: "a", Inviter: "b", Role: Member, Link: security})
	for _, name := range hostile {
		got := letter(t, i18n.EN, Invitation{Organization: name, Inviter: name, Role: Member, Link: security})
		if got.Subject != plain.Subject {
			t.Errorf("%.40q: the subject is %q", name, got.Subject)
		}
		if tags(got.HTML) != tags(plain.HTML) {
			t.Errorf("%.40q: the mail has other elements:\n%s", name, got.HTML)
		}
		if strings.Count(got.Text, "\n") != strings.Count(plain.Text, "\n") || strings.Contains(got.Text, "evil.example") || len(got.Text) > len(plain.Text)+600 {
			t.Errorf("%.40q: the text is\n%s", name, got.Text)
		}
	}
}

// tags returns the elements of a body with their attributes.
func tags(body string) string {
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(body)); z.Next() != html.ErrorToken; {
		if token := z.Token(); token.Type != html.TextToken {
			b.WriteString(token.String())
		}
	}
	return b.String()
}

func TestQuoted(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"  Bom dia.\r\nTudo bem?\n", "Bom dia.\nTudo bem?"},
		{"a\n\n\n\nb", "a\n\nb"},
		{"see https://a.example and b@c.example", "see https://a.example and b@c.example"},
		{"tab\there", "tab here"},
		{"\u202egnp.exe\u2066x\u200b\ufeff", "gnp.exex"},
		{"family \U0001F468\u200d\U0001F469 \u2764\ufe0f", "family \U0001F468\u200d\U0001F469 \u2764\ufe0f"},
		{"a" + strings.Repeat("\u0301", 50), "a" + strings.Repeat("\u0301", 3)},
		{"a\x00\x1b[31mb\xff", "a  [31mb"},
		{"one\u2028two", "one\ntwo"},
		{"\u200b\n\u2066 \t", ""},
		{"", ""},
	} {
		if got := Quoted(test.in); got != test.want {
			t.Errorf("Quoted(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// TestHostileContact checks that what a stranger writes to the operator adds no
// element, no header and no line that looks like one of the service.
func TestHostileContact(t *testing.T) {
	c := Contact{
		Name: "Eve\r\nBcc: x@y.example", Email: "eve@example.org",
		Text:    "</blockquote><script>alert(1)</script><a href=\"javascript:x\">y</a>\n-- \nMiramundo\nhttps://m.example",
		Details: []Detail{{"site", "https://evil.example/<b>"}, {"empresa", "a\r\nTo: b@c.example"}},
	}
	got := letter(t, i18n.EN, c)
	plain := letter(t, i18n.EN, Contact{Name: "Eve", Email: "eve@example.org", Text: "x", Details: []Detail{{"site", "x"}, {"empresa", "y"}}})
	if strings.ContainsAny(got.Subject, "\r\n") || got.Subject != plain.Subject {
		t.Errorf("the subject is %q", got.Subject)
	}
	for _, tag := range []string{"script", "a", "b", "blockquote"} {
		if n, want := count(t, got.HTML, tag), count(t, plain.HTML, tag); n != want {
			t.Errorf("the mail has %d elements %s, want %d", n, tag, want)
		}
	}
	if line := "\n> -- \n> Miramundo\n> https://m.example\n"; !strings.Contains(got.Text, line) {
		t.Errorf("%q is not quoted in\n%s", line, got.Text)
	}
	if n := strings.Count(got.Text, "\n-- \n"); n != 1 {
		t.Errorf("the mail has %d signatures", n)
	}
}

// count returns how many elements of a name an HTML text has.
func count(t *testing.T, text, name string) (n int) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for node := range doc.Descendants() {
		if node.Type == html.ElementNode && node.Data == name {
			n++
		}
	}
	return n
}
