package origin

import (
	"errors"
	"testing"
)

// TestPublic checks which hosts players may be given, and in which form.
func TestPublic(t *testing.T) {
	c := New(Options{Allow: []string{"127.0.0.1:8080", "localhost:9000"}})
	for _, host := range []string{
		"127.0.0.1", "127.0.0.1:80", "10.1.2.3", "172.16.0.1", "192.168.1.1:8443", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255",
		"127.1", "2130706433", "0x7f000001", "0X7F.1", "017700000001", "0300.0250.1.1", "127.0.0.0x1", "192.168.257", "127.0.0.1.",
		"[::1]", "[::1]:80", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:a01:203]:80", "[0:0:0:0:0:ffff:c0a8:0101]", "[::127.0.0.1]", "[::]",
		"[fe80::1]", "[fe80::1%25eth0]", "[fd12::1]", "[fec0::1]", "[64:ff9b::a01:101]", "[2002:a01:101::]", "[2001:db8::1]", "[ff02::1]",
		"localhost", "LOCALHOST:80", "localhost.", "a.localhost", "router", "router:8080", "nas.lan", "nas.local.", "db.internal", "x.home.arpa", "1.0.0.127.in-addr.arpa",
		"%6c%6fcalhost", "%31%32%37.0.0.1", "127%2e0.0.1", "１２７.０.０.１", "127。0。0。1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1", "ｎａｓ.ｌａｎ",
		"127.0.0.1:8081", "localhost",
		"my_ｎas.local", "ro--ｕter.local", "-ü.local", "ü-.lan:80", "ｌｏ--caｌhost",
	} {
		if got, err := c.Public(host); !errors.Is(err, ErrRefused) || got != "" {
			t.Errorf("%s: %q, %v; want ErrRefused", host, got, err)
		}
	}
	for host, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080", "localhost:9000": "localhost:9000",
		"93.184.216.34": "93.184.216.34", "[2606:2800:220:1::1]:443": "[2606:2800:220:1::1]:443",
		"Example.com": "Example.com", "cdn_1.example.com:8443": "cdn_1.example.com:8443", "example.com.": "example.com.", "a-.example.com": "a-.example.com",
		"bücher.example": "xn--bcher-kva.example", "BÜCHER.example:8080": "xn--bcher-kva.example:8080", "пример.рф": "xn--e1afmkfd.xn--p1ai",
		"b%C3%BCcher.example": "xn--bcher-kva.example", "ｅxample.com": "example.com", "xn--bcher-kva.example": "xn--bcher-kva.example",
		"a b.example.com": "a b.example.com", "a%zz.example.com": "a%zz.example.com", "\xff.example.com": "\xff.example.com",
	} {
		if got, err := c.Public(host); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", host, got, err, want)
		}
	}
}

func TestASCII(t *testing.T) {
	for address, want := range map[string]string{
		"https://bücher.example:8443/ü?é#ß": "https://xn--bcher-kva.example:8443/ü?é#ß",
		"http://bücher.example":             "http://xn--bcher-kva.example",
		"http://bücher.example?q":           "http://xn--bcher-kva.example?q",
		"http://example.com/ü":              "http://example.com/ü",
		"http://\xff.example/":              "http://\xff.example/",
		"bücher":                            "bücher",
		"":                                  "",
	} {
		if got := ASCII(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
