package jsontext_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"miramundo.dev/shared/catalog/jsontext"
)

func FuzzQuote(f *testing.F) {
	for _, s := range []string{
		"", "plain", "São Paulo", `a"b\c`, "<b>&amp;</b>", "\x00\x1f\x7f\b\f\n\r\t", "\u2028 \u2029", "😀", "مرحبا", "\xff\xc3", "\ufffd",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		got := jsontext.Quote(nil, s)
		if string(got)+"\n" != want.String() {
			t.Errorf("Quote(%q) = %s, want %s", s, got, want.String())
		}
		if b := jsontext.Quote(nil, []byte(s)); string(b) != string(got) {
			t.Errorf("Quote of the bytes of %q = %s, want %s", s, b, got)
		}
		var back string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(err)
		}
		if text := jsontext.Text(jsontext.Append(nil, s)); text != back {
			t.Errorf("Text of %q = %q, want %q", s, text, back)
		}
		if text := jsontext.AppendText(nil, jsontext.Append(nil, s)); string(text) != back {
			t.Errorf("AppendText of %q = %q, want %q", s, text, back)
		}
	})
}

// TestPlain checks that plain texts, ASCII or not, are known without a copy.
func TestPlain(t *testing.T) {
	for s, want := range map[string]bool{"": true, "abc": true, "são 中央": true, `a"`: false, "1234567\"": false, "12345678\\": false, "ééééééé\x1f": false, "12345678 é~\x7f": true, "’‘…": true, "’\u2029": false, "\xe2": false, "é\n": false, "\u2028": false} {
		if got := jsontext.Plain([]byte(s)); got != want {
			t.Errorf("Plain(%q) = %v, want %v", s, got, want)
		}
	}
}
