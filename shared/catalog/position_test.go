package catalog_test

import (
	"strings"
	"testing"

	"miramundo.dev/shared/catalog"
)

func TestParsePosition(t *testing.T) {
	for text, want := range map[string]catalog.Position{
		"iptv-org:Aurora.br@SD:0":              {Origin: "iptv-org", Channel: "Aurora.br", Feed: "SD"},
		"iptv-org:Aurora.br:12":                {Origin: "iptv-org", Channel: "Aurora.br", N: 12},
		"o:a:b@c@d:99999":                      {Origin: "o", Channel: "a:b@c", Feed: "d", N: 99999},
		"radio-browser:rb.0-0:1":               {Origin: "radio-browser", Channel: "rb.0-0", N: 1},
		"o:" + strings.Repeat("x", 128) + ":0": {Origin: "o", Channel: strings.Repeat("x", 128)},
	} {
		got, ok := catalog.ParsePosition(text)
		if !ok || got != want || got.String() != text {
			t.Errorf("%q is %+v, %v; want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", ":", "::", ":::", "a", "a:b", "a::0", ":b:0", "a:b:", "a:b:-1", "a:b:+1", "a:b:01", "a:b:1 ", "a:b:100000", "a:b:x", "a:b@:0", "a:@f:0",
		"a:b@f", "a:b\xff:0", "s_0000000000002", "a:b:٣", "a:b:0:" + strings.Repeat("9", 40), "o:" + strings.Repeat("x", 400) + ":0",
	} {
		if p, ok := catalog.ParsePosition(text); ok {
			t.Errorf("%.60q parses as %+v, want no position", text, p)
		}
	}
}

func FuzzParsePosition(f *testing.F) {
	for _, s := range []string{"iptv-org:Aurora.br@SD:0", "o:a:1", "o:a@b@c:2", "::", "a:b:007", "a:b@:1", "s_0000000000002", "\xff:a:0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, ok := catalog.ParsePosition(s)
		if !ok {
			return
		}
		if p.String() != s || len(s) > catalog.MaxStreamName || p.N < 0 || p.Channel == "" || p.Origin == "" {
			t.Errorf("%q is %+v, written %q", s, p, p.String())
		}
	})
}
