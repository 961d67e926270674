package address

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// forms are the results for one address.
type forms struct{ Display, Key, Wire string }

func TestNormalize(t *testing.T) {
	for _, test := range []struct {
		in   string
		want forms
	}{
		{"maria@example.org", forms{"maria@example.org", "maria@example.org", "maria@example.org"}},
		{"  Maria.Silva+tv@Example.ORG\t", forms{"Maria.Silva+tv@example.org", "maria.silva+tv@example.org", "Maria.Silva+tv@example.org"}},
		{"maria@exämple.de", forms{"maria@exämple.de", "maria@xn--exmple-cua.de", "maria@xn--exmple-cua.de"}},
		{"maria@EXÄMPLE.de", forms{"maria@exämple.de", "maria@xn--exmple-cua.de", "maria@xn--exmple-cua.de"}},
		{"maria@xn--exmple-cua.de", forms{"maria@exämple.de", "maria@xn--exmple-cua.de", "maria@xn--exmple-cua.de"}},
		{"maria@straße.de", forms{"maria@straße.de", "maria@xn--strae-oqa.de", "maria@xn--strae-oqa.de"}},
		{"ｍａｒｉａ＠ｅｘａｍｐｌｅ．ｊｐ", forms{"maria@example.jp", "maria@example.jp", "maria@example.jp"}},
		{"maria@例え。テスト", forms{"maria@例え.テスト", "maria@xn--r8jz45g.xn--zckzah", "maria@xn--r8jz45g.xn--zckzah"}},
		{"o'neil_{x}@mail.example.co.uk", forms{"o'neil_{x}@mail.example.co.uk", "o'neil_{x}@mail.example.co.uk", "o'neil_{x}@mail.example.co.uk"}},
		{"\u212Aate@example.org", forms{"Kate@example.org", "kate@example.org", "Kate@example.org"}},
		{longest, forms{longest, longest, longest}},
	} {
		var got forms
		var err, err2 error
		got.Display, got.Key, err = Normalize(test.in)
		got.Wire, err2 = Wire(test.in)
		if diff := cmp.Diff(test.want, got); err != nil || err2 != nil || diff != "" {
			t.Errorf("%q: errors %v, %v (-want +got):\n%s", test.in, err, err2, diff)
		}
	}
}

// longest is an address of 254 bytes whose parts are as long as they may be.
var longest = strings.Repeat("a", 64) + "@" + strings.Repeat(strings.Repeat("b", 61)+".", 3) + "org"

func TestRefusals(t *testing.T) {
	for name, in := range map[string]string{
		"nothing":                         "",
		"no @":                            "maria.example.org",
		"no name":                         "@example.org",
		"no domain":                       "maria@",
		"two @":                           "maria@x@example.org",
		"a host without a dot":            "maria@localhost",
		"an IP address":                   "maria@127.0.0.1",
		"an IP address in brackets":       "maria@[127.0.0.1]",
		"a quoted name":                   `"maria silva"@example.org`,
		"a display name":                  "Maria <maria@example.org>",
		"two addresses":                   "maria@example.org,ana@example.org",
		"a space within":                  "maria silva@example.org",
		"a space in the domain":           "maria@exam ple.org",
		"a line break":                    "maria@example.org\r\nBcc: ana@example.org",
		"a line break before the @":       "maria\n@example.org",
		"a null byte":                     "maria\x00@example.org",
		"a bidi control":                  "maria\u202E@example.org",
		"a bidi control in the domain":    "maria@exam\u202Eple.org",
		"letters beyond ASCII before @":   "joão@example.org",
		"a Cyrillic letter before the @":  "m\u0430ria@example.org",
		"another host before a %":         "maria%example.com@example.org",
		"another host before a !":         "example.com!maria@example.org",
		"an encoded word":                 "=?utf-8?q?maria=40example.com?=@example.org",
		"a dot first":                     ".maria@example.org",
		"a dot last":                      "maria.@example.org",
		"two dots":                        "maria..silva@example.org",
		"a final dot":                     "maria@example.org.",
		"two dots in the domain":          "maria@example..org",
		"an underscore in the domain":     "maria@exam_ple.org",
		"a hyphen first in a label":       "maria@-example.org",
		"a slash that compatibility adds": "maria@example.org\u2100x.org",
		"invalid punycode":                "maria@xn--a.org",
		"invalid UTF-8":                   "maria@\xff.org",
		"a top level of one letter":       "maria@example.o",
		"a name of 65 bytes":              strings.Repeat("a", 65) + "@example.org",
		"a label of 64 bytes":             "maria@" + strings.Repeat("a", 64) + ".org",
		"255 bytes":                       strings.Replace(longest, "@b", "@bb", 1),
		"a megabyte":                      strings.Repeat("a", 1<<20) + "@example.org",
	} {
		if display, key, err := Normalize(in); !errors.Is(err, ErrInvalid) || display+key != "" {
			t.Errorf("%s: Normalize returns %q, %q, %v, want ErrInvalid", name, display, key, err)
		}
		if wire, err := Wire(in); !errors.Is(err, ErrInvalid) || wire != "" {
			t.Errorf("%s: Wire returns %q, %v, want ErrInvalid", name, wire, err)
		}
	}
}

// TestErrorsKeepTheAddress checks that no error repeats what was typed, which
// would bring addresses of people into the log.
func TestErrorsKeepTheAddress(t *testing.T) {
	for _, in := range []string{"maria", "maria@localhost", "maria@xn--a.org", "maria@" + strings.Repeat("a", 300)} {
		if _, err := Wire(in); err == nil || strings.Contains(err.Error(), "maria") || strings.Contains(err.Error(), "xn--") {
			t.Errorf("%.20q: the error is %v", in, err)
		}
	}
}

// FuzzNormalize checks that what is accepted is accepted again with the same key,
// and can stand in a header.
func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{
		"maria@example.org", " Maria@EXÄMPLE.de ", "ｍ＠ｅ．ｊｐ", "a@xn--r8jz45g.xn--zckzah", "a@b.c\r\nX: y", "\"a b\"@c.de",
		"a@\u05d0.\u05d1\u05d2", "a@1.2.3.4", "a@faß.de", "a@\u00adb.de", "a@b\u3002de", "\u2100@x.org", "a@xn--zca.de", "İ@x.org",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		display, key, err := Normalize(in)
		if err != nil {
			return
		}
		wire, err := Wire(in)
		if err != nil || strings.ToLower(wire) != key {
			t.Errorf("%q: Wire is %q, %v, and the key %q", in, wire, err, key)
		}
		for _, form := range []string{display, key, wire} {
			again, same, err := Normalize(form)
			if err != nil || same != key || form == display && again != display {
				t.Errorf("%q: %q is normalized to %q, %q, %v; want the key %q", in, form, again, same, err, key)
			}
			if strings.ContainsFunc(form, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
				t.Errorf("%q: %q has characters that cannot be seen", in, form)
			}
		}
		if strings.ContainsFunc(wire, func(r rune) bool { return r > unicode.MaxASCII }) || len(wire) > maxAddress {
			t.Errorf("%q: %q cannot be sent", in, wire)
		}
	})
}
