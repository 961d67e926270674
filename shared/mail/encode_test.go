package mail

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail/address"
)

// encoded returns a mail as it is sent.
func encoded(t *testing.T, m Message) []byte {
	t.Helper()
	msg, err := head.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEncode reads each mail back with another parser: headers and both bodies
// are what was written, and the whole is ASCII in lines of a length that every
// server accepts.
func TestEncode(t *testing.T) {
	for _, l := range i18n.Locales {
		for _, c := range contents {
			data := encoded(t, Message{To: "Maria@exämple.de", Locale: l, Content: c})
			if i := bytes.IndexFunc(data, func(r rune) bool { return r > unicode.MaxASCII }); i >= 0 {
				t.Errorf("%T in %s is not ASCII at %q", c, l, data[i:min(i+20, len(data))])
			}
			for line := range bytes.Lines(data) {
				if len(line) > 78+2 || !bytes.HasSuffix(line, []byte("\r\n")) {
					t.Errorf("%T in %s has the line %q", c, l, line)
				}
			}
			msg, err := netmail.ReadMessage(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			want := letter(t, l, c)
			subject, err := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
			got := []string{subject, msg.Header.Get("From"), msg.Header.Get("To"), msg.Header.Get("Reply-To"), msg.Header.Get("Content-Language"), msg.Header.Get("Auto-Submitted")}
			if diff := cmp.Diff([]string{want.Subject, `"Miramundo" <mail@miramundo.example>`, "<Maria@xn--exmple-cua.de>", "<help@miramundo.example>", l.HTML(), "auto-generated"}, got); diff != "" || err != nil {
				t.Errorf("%T: headers, error %v (-want +got):\n%s", c, err, diff)
			}
			if diff := cmp.Diff([]string{"text/plain; charset=UTF-8", want.Text, "text/html; charset=UTF-8", want.HTML}, bodies(t, msg)); diff != "" {
				t.Errorf("%T: bodies (-want +got):\n%s", c, diff)
			}
		}
	}
}

// bodies returns the type and the text of each part of a mail.
func bodies(t *testing.T, msg *netmail.Message) (got []string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("the mail is %s, %v", kind, err)
	}
	for parts := multipart.NewReader(msg.Body, params["boundary"]); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, part.Header.Get("Content-Type"), strings.ReplaceAll(string(data), "\r\n", "\n"))
	}
}

// TestHeadersTellNothing checks that a mail does not name the machine or the
// program that wrote it, and that each has an id of its own.
func TestHeadersTellNothing(t *testing.T) {
	ids := map[string]bool{}
	for range 2 {
		msg, err := netmail.ReadMessage(bytes.NewReader(encoded(t, Message{To: "maria@example.org", Content: Deleted{}})))
		if err != nil {
			t.Fatal(err)
		}
		id := msg.Header.Get("Message-ID")
		if !strings.HasSuffix(id, "@miramundo.example>") || ids[id] {
			t.Errorf("the id of a mail is %s", id)
		}
		ids[id] = true
		for _, name := range []string{"User-Agent", "X-Mailer", "Bcc", "Cc"} {
			if value := msg.Header.Get(name); value != "" {
				t.Errorf("%s: %s", name, value)
			}
		}
	}
}

// TestHostileAddresses checks that no text becomes a second recipient or a header.
func TestHostileAddresses(t *testing.T) {
	for _, to := range []string{
		"", "maria@example.org\r\nBcc: ana@example.org", "maria@example.org, ana@example.org", "<maria@example.org>", "maria@example.org\n", "\"a\r\nb\"@example.org",
		"=?utf-8?q?x?=@example.org\r\n", strings.Repeat("a", 65) + "@example.org",
	} {
		msg, err := head.Encode(Message{To: to, Content: Deleted{}})
		if strings.TrimSpace(to) == "maria@example.org" {
			if got := msg.GetToString(); err != nil || !cmp.Equal(got, []string{"<maria@example.org>"}) {
				t.Errorf("%q: sent to %q, %v", to, got, err)
			}
			continue
		}
		if !errors.Is(err, address.ErrInvalid) {
			t.Errorf("%q: %v, want ErrInvalid", to, err)
		}
	}
}

// TestReplyAndID checks the headers of a mail that a stranger caused: answers go to the
// stranger, and the mail has the same id each time that it is sent.
func TestReplyAndID(t *testing.T) {
	m := Message{To: "ana@example.org", Content: Deleted{}, ReplyTo: "Eve@exämple.de", ID: "contact0123"}
	for range 2 {
		msg, err := netmail.ReadMessage(bytes.NewReader(encoded(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		got := []string{msg.Header.Get("Reply-To"), msg.Header.Get("Message-ID")}
		if diff := cmp.Diff([]string{"<Eve@xn--exmple-cua.de>", "<contact0123@miramundo.example>"}, got); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
	}
	for _, to := range []string{"eve@example.org\r\nBcc: ana@example.org", "eve", "eve@example.org, x@example.org"} {
		if _, err := head.Encode(Message{To: "ana@example.org", Content: Deleted{}, ReplyTo: to}); !errors.Is(err, address.ErrInvalid) {
			t.Errorf("answers to %q: %v, want ErrInvalid", to, err)
		}
	}
	for _, id := range []string{"a\r\nBcc: ana@example.org", "a b", "a>", strings.Repeat("a", 65)} {
		if _, err := head.Encode(Message{To: "ana@example.org", Content: Deleted{}, ID: id}); err == nil {
			t.Errorf("the ID %q is written", id)
		}
	}
}
