package mail

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"miramundo.dev/shared/i18n"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	now   = time.Date(2026, 11, 23, 8, 45, 0, 0, time.UTC)
	place = Place{Browser: "Firefox", System: "Linux", Country: "BR"}
	event = Event{At: now, Place: place}
	head  = Letterhead{
		From: "mail@miramundo.example", Base: "https://miramundo.example", Contact: "help@miramundo.example",
		Now: func() time.Time { return now },
	}
)

const security = "https://miramundo.example/en/account/security"

// contents are one content of each type.
var contents = []Content{
	SignIn{Code: "123456", Link: "https://miramundo.example/en/sign-in?token=a&b=c", Holds: 10 * time.Minute, From: place},
	ChangeEmail{Code: "123456", Holds: 10 * time.Minute, From: place},
	EmailChanged{Event: event},
	PasswordChanged{Event: event, Security: security},
	FactorAdded{Factor: Passkey, Event: event, Security: security},
	FactorRemoved{Factor: App, Event: event, Security: security},
	RecoveryUsed{Left: 4, Event: event, Security: security},
	NewDevice{Event: event, Security: security},
	DeletionScheduled{Day: "2026-12-07", SignIn: "https://miramundo.example/en/sign-in", Event: event},
	Deleted{},
	Contact{
		Name: "Ana", Email: "ana@example.org", Text: "Bom dia.\n\nA rádio não toca.",
		Details: []Detail{{"tipo", "parceria"}, {"empresa", "Rádio Sol"}},
	},
	TakedownReceived{Number: 12, Link: "https://miramundo.example/en/takedown#12.secret"},
	TakedownDecided{Number: 12, Text: "Hello,\n\nwe have blocked it.", Link: "https://miramundo.example/en/takedown#12.secret"},
	TakedownArrived{Number: 12, Link: "https://miramundo.example/en/operator#takedowns"},
	Invitation{Organization: "Rádio Sol", Inviter: "Ana", Role: Administrator, Link: "https://miramundo.example/en/invitation/x", Holds: 7 * 24 * time.Hour},
}

func letter(t *testing.T, l i18n.Locale, c Content) Letter {
	t.Helper()
	letter, err := head.Letter(Message{To: "maria@example.org", Locale: l, Content: c})
	if err != nil {
		t.Fatalf("%T in %s: %v", c, l, err)
	}
	return letter
}

// TestTexts shows the text of every mail in every language.
func TestTexts(t *testing.T) {
	for _, l := range i18n.Locales {
		var b strings.Builder
		for _, c := range contents {
			fmt.Fprintf(&b, "==== %T\n%s", c, letter(t, l, c).Text)
		}
		golden(t, "texts."+l.Tag()+".golden", b.String())
	}
}

// TestHTML shows the HTML body of the mail with the most parts.
func TestHTML(t *testing.T) {
	golden(t, "sign_in.golden.html", letter(t, i18n.EN, contents[0]).HTML)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestEveryText checks that the mails use every text about mails, and have no
// placeholder that nothing fills.
func TestEveryText(t *testing.T) {
	for _, l := range i18n.Locales {
		all := ""
		for _, c := range slices.Concat(contents, others) {
			letter := letter(t, l, c)
			all += letter.Subject + letter.Text
			if unfilled.MatchString(letter.Subject + letter.Text) {
				t.Errorf("%s: %T has a placeholder or a key in\n%s", l, c, letter.Text)
			}
		}
		for key, text := range l.Under("mail.") {
			longest := ""
			for _, piece := range pieces(text) {
				if len(piece) > len(longest) {
					longest = piece
				}
			}
			if !strings.Contains(all, longest) {
				t.Errorf("%s: no mail says %s: %s", l, key, text)
			}
		}
	}
}

// unfilled matches a placeholder, and the key of a text that does not exist.
var unfilled = regexp.MustCompile(`[{}]|\bmail\.[a-z_]`)

// pieces returns what stands around the placeholders of a text.
func pieces(text string) []string {
	return strings.FieldsFunc(strings.NewReplacer("{", "\x00", "}", "\x00").Replace(text), func(r rune) bool { return r == 0 })
}

// others are contents for the texts that contents do not use.
var others = []Content{
	SignIn{Code: "123456", Link: security, Holds: time.Minute}, ChangeEmail{Code: "123456", Holds: time.Minute},
	FactorAdded{Factor: Password}, FactorAdded{Factor: Recovery}, RecoveryUsed{Left: 1},
	Invitation{Role: Owner, Holds: 24 * time.Hour}, Invitation{Role: Member, Holds: 24 * time.Hour},
}

// TestEveryContent checks that the tests have a content of each type, with each
// field set, so that none is left out of a mail unseen.
func TestEveryContent(t *testing.T) {
	for _, c := range contents {
		v := reflect.ValueOf(c)
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%T has no %s", c, v.Type().Field(i).Name)
			}
		}
	}
}

// TestBodies checks the HTML bodies: well nested, with a language and a direction,
// and with nothing that is fetched or run.
func TestBodies(t *testing.T) {
	for _, l := range i18n.Locales {
		for _, c := range contents {
			letter := letter(t, l, c)
			root := false
			for z := html.NewTokenizer(strings.NewReader(letter.HTML)); z.Next() != html.ErrorToken; {
				token := z.Token()
				root = root || token.String() == `<html lang="`+l.HTML()+`" dir="ltr">`
				checkTag(t, c, token)
			}
			if !root {
				t.Errorf("%T in %s has no language and direction", c, l)
			}
			if strings.Contains(letter.HTML, "url(") || strings.Contains(letter.HTML, "@import") || len(letter.HTML) > 10_000 {
				t.Errorf("%T in %s has a style that fetches, or %d bytes", c, l, len(letter.HTML))
			}
		}
	}
}

func checkTag(t *testing.T, c Content, token html.Token) {
	t.Helper()
	if slices.Contains([]string{"script", "img", "link", "iframe", "form", "object", "video"}, token.Data) && token.Type == html.StartTagToken {
		t.Errorf("%T has %s", c, token)
	}
	for _, a := range token.Attr {
		if a.Key == "src" || a.Key == "background" || strings.HasPrefix(a.Key, "on") || a.Key == "href" && !strings.HasPrefix(a.Val, head.Base) {
			t.Errorf("%T has %s", c, token)
		}
	}
}

// TestSameMail checks that the two bodies say the same: each line of the text is in
// the HTML body.
func TestSameMail(t *testing.T) {
	for _, c := range contents {
		letter := letter(t, i18n.DE, c)
		for line := range strings.Lines(letter.Text) {
			line = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSpace(line), ":"), "> ")
			if line != "--" && line != ">" && !strings.Contains(html.UnescapeString(letter.HTML), line) {
				t.Errorf("%T: the HTML body does not say %q", c, line)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]Content{
		"no content": nil,
		"a script":   SignIn{Code: "123456", Link: "javascript:alert(1)"},
		"a path":     NewDevice{Security: "/en/account"},
		"a file":     Invitation{Link: "file:///etc/passwd"},
	} {
		if _, err := head.Letter(Message{To: "maria@example.org", Content: c}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestUnknownPlace checks that a mail says nothing about a place that is unknown.
func TestUnknownPlace(t *testing.T) {
	letter := letter(t, i18n.EN, SignIn{Code: "123456", Link: security, Holds: time.Minute, From: Place{Country: "XX"}})
	if strings.Contains(letter.Text, "From where") {
		t.Errorf("the mail names a place:\n%s", letter.Text)
	}
}
