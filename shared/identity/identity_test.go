package identity

import (
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestNetwork(t *testing.T) {
	for addr, want := range map[string]string{
		"192.0.2.1":               "192.0.2.1/32",
		"::ffff:192.0.2.1":        "192.0.2.1/32",
		"2001:db8:1:2:3:4:5:6":    "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::":     "2001:db8:1:2::/64",
		"2001:db8:1:3::1":         "2001:db8:1:3::/64",
		"fe80::1%eth0":            "fe80::/64",
		"::1":                     "::/64",
		"255.255.255.255":         "255.255.255.255/32",
		"::ffff:192.0.2.1%ignore": "192.0.2.1/32",
	} {
		if got := Network(netip.MustParseAddr(addr)); got.String() != want {
			t.Errorf("Network(%s) = %s, want %s", addr, got, want)
		}
	}
	if got := Network(netip.Addr{}); got.IsValid() {
		t.Errorf("Network of no address = %s, want none", got)
	}
}

var addresses = []struct{ remote, header, want string }{
	{"192.0.2.1:80", "", "192.0.2.1"},
	{"192.0.2.1", "", "192.0.2.1"},
	{"[2001:db8::1]:80", "", "2001:db8::1"},
	{"[fe80::1%eth0]:80", "", "fe80::1"},
	{"[::ffff:192.0.2.1]:80", "", "192.0.2.1"},
	{"", "", "invalid IP"},
	{"@", "", "invalid IP"},
	{"pipe", "", "invalid IP"},
	{"0.0.0.0:80", "", "invalid IP"},
	{"[::]:80", "", "invalid IP"},
	{"224.0.0.1:80", "", "invalid IP"},
	{"192.0.2.1:80", "198.51.100.7", "198.51.100.7"},
	{"192.0.2.1:80", " 198.51.100.7\t", "198.51.100.7"},
	{"192.0.2.1:80", "198.51.100.7:4711", "198.51.100.7"},
	{"192.0.2.1:80", "2001:db8::7", "2001:db8::7"},
	{"192.0.2.1:80", "[2001:db8::7]", "2001:db8::7"},
	{"192.0.2.1:80", "[2001:db8::7]:443", "2001:db8::7"},
	{"192.0.2.1:80", "::ffff:198.51.100.7", "198.51.100.7"},
	{"192.0.2.1:80", "10.0.0.1, 198.51.100.7", "198.51.100.7"},
	{"192.0.2.1:80", "10.0.0.1, 10.0.0.2,198.51.100.7", "198.51.100.7"},
	{"192.0.2.1:80", "198.51.100.7, junk", "192.0.2.1"},
	{"192.0.2.1:80", "198.51.100.7,", "192.0.2.1"},
	{"192.0.2.1:80", "unknown", "192.0.2.1"},
	{"192.0.2.1:80", "_hidden", "192.0.2.1"},
	{"192.0.2.1:80", "198.51.100.7:http", "192.0.2.1"},
	{"192.0.2.1:80", "198.51.100.7:123456", "192.0.2.1"},
	{"192.0.2.1:80", "198.51.100.7:", "192.0.2.1"},
	{"192.0.2.1:80", "[198.51.100.7]", "192.0.2.1"},
	{"192.0.2.1:80", "[2001:db8::7", "192.0.2.1"},
	{"192.0.2.1:80", "[2001:db8::7]x", "192.0.2.1"},
	{"192.0.2.1:80", "[2001:db8::7]:", "192.0.2.1"},
	{"192.0.2.1:80", "198.051.100.007", "192.0.2.1"},
	{"192.0.2.1:80", "3325256711", "192.0.2.1"},
	{"192.0.2.1:80", "0.0.0.0", "192.0.2.1"},
	{"192.0.2.1:80", "fe80::7%" + strings.Repeat("x", 200), "192.0.2.1"},
}

func TestAddrOf(t *testing.T) {
	for _, test := range addresses {
		if got := AddrOf(test.remote, test.header); got.String() != test.want {
			t.Errorf("AddrOf(%q, %q) = %s, want %s", test.remote, test.header, got, test.want)
		}
	}
}

// FuzzAddrOf checks that whatever is sent ends as an address that a caller can
// have, in its one form, or as none.
func FuzzAddrOf(f *testing.F) {
	for _, test := range addresses {
		f.Add(test.remote, test.header)
	}
	f.Fuzz(func(t *testing.T, remote, header string) {
		a := AddrOf(remote, header)
		if a.Zone() != "" || a.Is4In6() || a.IsUnspecified() {
			t.Errorf("AddrOf(%q, %q) = %s", remote, header, a)
		}
		if a.IsValid() != Network(a).IsValid() || (a.IsValid() && !Network(a).Contains(a)) {
			t.Errorf("the network of %s is %s", a, Network(a))
		}
	})
}

func TestGuestToken(t *testing.T) {
	const token = "ipt_aZ09._-"
	long := "ipt_" + strings.Repeat("a", maxGuest-4)
	for _, test := range []struct{ header, authorization, want string }{
		{"", "", ""},
		{token, "", token},
		{token, "Bearer ipt_other", token},
		{"", "Bearer " + token, token},
		{"", "bearer  " + token + " ", token},
		{"junk", "BEARER " + token, token},
		{"", "Basic " + token, ""},
		{"", token, ""},
		{"", "Bearer", ""},
		{"", "Bearer ", ""},
		{"", "Bearer " + token + " " + token, ""},
		{"ipt_", "", ""},
		{"iptk_retired", "", ""},
		{"IPT_a", "", ""},
		{" " + token, "", ""},
		{"ipt_a\x00b", "", ""},
		{"ipt_é", "", ""},
		{"ipt_a/b", "", ""},
		{long, "", long},
		{long + "a", "", ""},
	} {
		if got := GuestToken(test.header, test.authorization); got != test.want {
			t.Errorf("GuestToken(%.40q, %.40q) = %.40q, want %.40q", test.header, test.authorization, got, test.want)
		}
	}
}

func TestDay(t *testing.T) {
	for moment, want := range map[string]string{
		"2026-11-22T00:00:00Z":      "2026-11-22",
		"2026-11-22T23:59:59.999Z":  "2026-11-22",
		"2026-11-22T23:00:00-03:00": "2026-11-23",
		"1970-01-01T00:00:00Z":      "1970-01-01",
		"1969-12-31T23:59:59Z":      "1969-12-31",
		"1969-12-31T00:00:00Z":      "1969-12-31",
	} {
		at, err := time.Parse(time.RFC3339, moment)
		if err != nil {
			t.Fatal(err)
		}
		if got := DayOf(at); got.String() != want || got.Start().After(at) || !(got + 1).Start().After(at) {
			t.Errorf("DayOf(%s) = %s from %s, want %s", moment, got, got.Start(), want)
		}
	}
}
