package markup

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/source"
)

// files are made of tokens, which are told as <name> </> and text.
var files = []struct {
	in, want string
	err      error
}{
	{``, ``, nil},
	{`<a/>`, `<a> </>`, nil},
	{"<a\n></a\t>", `<a> </>`, nil},
	{`<a><b c=">" d='/'/>x</a>y`, `<a> <b> </> x </> y`, nil},
	{`<a:b.c-1 x="1"/><é/>`, `<a:b.c-1> </> <é> </>`, nil},
	{`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b '>'><!-- ' -->]><!-- <b> --><a/>`, `<a> </>`, nil},
	{`<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>`, `<a> [<b>&amp;]]] [>] </>`, nil},
	{`<a>&amp;<!-- x -->y</a>`, `<a> &amp; y </>`, nil},
	{`<a`, ``, source.ErrTruncated},
	{`<a>`, `<a>`, source.ErrTruncated},
	{`<a>x`, `<a> x`, source.ErrTruncated},
	{`<a/`, ``, source.ErrTruncated},
	{`<a></a`, `<a>`, source.ErrTruncated},
	{`<a><![CDATA[x]]`, `<a>`, source.ErrTruncated},
	{`<a><![CD`, `<a>`, source.ErrTruncated},
	{`<!-- --`, ``, source.ErrTruncated},
	{`<!DOCTYPE a [ >`, ``, nil}, // a bracket is not looked at
	{`<a></b>`, `<a>`, source.ErrForm},
	{`</a>`, ``, source.ErrForm},
	{`<a><b></a></b>`, `<a> <b>`, source.ErrForm},
	{`< a>`, ``, source.ErrForm},
	{`<>`, ``, source.ErrForm},
	{`<1/>`, ``, source.ErrForm},
	{`<a b="<"/>`, ``, source.ErrForm},
	{`<a><!ELEMENT b ANY></a>`, `<a>`, source.ErrForm},
	{strings.Repeat("<a>", MaxDepth+1), strings.TrimSpace(strings.Repeat("<a> ", MaxDepth)), ErrDeep},
	{`<a b="` + strings.Repeat("b", MaxTag), ``, ErrTag},
}

func TestTokens(t *testing.T) {
	for _, tc := range files {
		for name, s := range map[string]*Scanner{
			"whole": New(strings.NewReader(tc.in)), "bytes": New(iotest.OneByteReader(strings.NewReader(tc.in))),
		} {
			got, err := tokens(s)
			if diff := cmp.Diff(tc.want, got); diff != "" || !errors.Is(err, tc.err) {
				t.Errorf("%s, %.50q: %v, -want +got:\n%s", name, tc.in, err, diff)
			}
		}
	}
}

func tokens(s *Scanner) (string, error) {
	var all []string
	for {
		t, err := s.Next()
		if t == Ended || err != nil {
			return strings.Join(all, " "), err
		}
		switch {
		case t == Opened:
			all = append(all, "<"+string(s.Name)+">")
		case t == Closed:
			all = append(all, "</>")
		case s.CDATA:
			all = append(all, "["+string(s.Part)+"]")
		default:
			all = append(all, string(s.Part))
		}
	}
}

// TestParts gives long texts in parts that are no smaller than they may be.
func TestParts(t *testing.T) {
	text := strings.Repeat("0123456789", MaxTag)
	for _, in := range []string{"<a>" + text + "</a>", "<a><![CDATA[" + text + "]]></a>"} {
		s := New(strings.NewReader(in))
		var got strings.Builder
		var last int
		for {
			token, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if token == Ended {
				break
			}
			if token == Text {
				if got.Len() > 0 && last < MaxPart-len("]]>") {
					t.Errorf("a part of %d bytes", last)
				}
				last = len(s.Part)
				got.Write(s.Part)
			}
		}
		if got.String() != text || s.Offset() != int64(len(in)) {
			t.Errorf("%d bytes of %d, at %d", got.Len(), len(text), s.Offset())
		}
	}
}

func TestAttributes(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{` a="1" b='2'`, "a=1 b=2"},
		{` a = "1"b="2"`, "a=1 b=2"},
		{"\n\ta\r\n=\n'\"'", `a="`},
		{` a="&amp;>"`, "a=&amp;>"},
		{` a="" a="2"`, "a= a=2"},
		{` x:a="1" é="2"`, "x:a=1 é=2"},
		{` a`, ""}, {` a=`, ""}, {` a=1`, ""}, {` a="1`, ""}, {` ="1"`, ""}, {``, ""}, {` `, ""}, {` 1="1"`, ""},
		{` a="1" b c="3"`, "a=1"},
	} {
		var got []string
		for rest := []byte(tc.in); ; {
			name, value, more, ok := Attribute(rest)
			if !ok {
				break
			}
			got = append(got, string(name)+"="+string(value))
			rest = more
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%q is %q, want %q", tc.in, got, tc.want)
		}
	}
	s := &Scanner{Attrs: []byte(` a="1" b="2" a="3"`)}
	if a, b, c := string(s.Attr("a")), string(s.Attr("b")), s.Attr("c"); a != "1" || b != "2" || c != nil {
		t.Errorf("%q, %q, %q", a, b, c)
	}
}

func TestReferences(t *testing.T) {
	long := "&#" + strings.Repeat("0", maxReference) + "65;"
	for in, want := range map[string]string{
		"&lt;&gt;&amp;&quot;&apos;": `<>&"'`,
		"&amp;lt;":                  "&lt;",
		"&#65;&#x41;&#x1F600;":      "AA😀",
		"&nbsp;&eacute;":            "\u00a0é",
		"&#0;":                      "\x00",
		"&#xDFFF;":                  "\ufffd",
		"&;&x&#;&#x;&#-1;&#+1;":     "&;&x&#;&#x;&#-1;&#+1;",
		"&#1114112;&#x7fffffffff;":  "&#1114112;&#x7fffffffff;",
		"&Amp;&lol;&X":              "&Amp;&lol;&X",
		"a&":                        "a&",
		long:                        long,
	} {
		if got := string(Unescape([]byte("a"), []byte(in))); got != "a"+want {
			t.Errorf("%q is %q", in, got)
		}
	}
}

func TestWhole(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "a", "aé": "aé", "a\xc3": "a", "a\xf0\x9f\x98": "a", "\x80": "\x80", "a&am": "a", "a&amp;": "a&amp;", "a&amp;&": "a&amp;",
		"&" + strings.Repeat("a", maxReference): "&" + strings.Repeat("a", maxReference),
	} {
		if got := Whole([]byte(in)); !bytes.Equal(got, []byte(want)) {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
