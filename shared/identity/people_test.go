package identity

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/keyring/keyringtest"
)

const secret = "a secret of at least 32 characters"

var today = DayOf(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))

func caller(addr, agent, guest string) Caller {
	c := Caller{UserAgent: agent, Guest: guest}
	if addr != "" {
		c.Addr = netip.MustParseAddr(addr)
	}
	return c
}

// people are pairs of callers, and whether each is one person and one network.
var people = []struct {
	name            string
	a, b            Caller
	person, network bool
}{
	{"the same", caller("192.0.2.1", "VLC", ""), caller("192.0.2.1", "VLC", ""), true, true},
	{"mapped", caller("192.0.2.1", "VLC", ""), caller("::ffff:192.0.2.1", "VLC", ""), true, true},
	{"another agent", caller("192.0.2.1", "VLC", ""), caller("192.0.2.1", "mpv", ""), false, true},
	{"another address", caller("192.0.2.1", "VLC", ""), caller("192.0.2.2", "VLC", ""), false, false},
	{"one /64", caller("2001:db8::1", "VLC", ""), caller("2001:db8::2", "VLC", ""), true, true},
	{"another /64", caller("2001:db8::1", "VLC", ""), caller("2001:db8:0:1::1", "VLC", ""), false, false},
	{"one guest", caller("192.0.2.1", "VLC", "ipt_a"), caller("2001:db8::1", "mpv", "ipt_a"), true, false},
	{"another guest", caller("192.0.2.1", "VLC", "ipt_a"), caller("192.0.2.1", "VLC", "ipt_b"), false, true},
	{"a guest or not", caller("192.0.2.1", "VLC", "ipt_a"), caller("192.0.2.1", "VLC", ""), false, true},
	{"nobody known", caller("", "VLC", ""), caller("", "VLC", ""), true, true},
	{"one not known", caller("", "VLC", ""), caller("192.0.2.1", "VLC", ""), false, false},
	{"an IPv6 that reads as an IPv4", caller("0:0:0:0::", "", ""), caller("", "", ""), false, false},
	{"a long agent", caller("192.0.2.1", strings.Repeat("x", maxAgent), ""), caller("192.0.2.1", strings.Repeat("x", maxAgent+9), ""), true, true},
	{"another country", Caller{Country: "BR"}, Caller{Country: "PT"}, true, true},
}

func TestPeople(t *testing.T) {
	p, m := NewPeople(keys(secret)), NewMarks()
	for _, test := range people {
		if got := p.Person(test.a, today) == p.Person(test.b, today); got != test.person {
			t.Errorf("%s: one person: %t", test.name, got)
		}
		if got := p.Network(test.a, today) == p.Network(test.b, today); got != test.network {
			t.Errorf("%s: one network: %t", test.name, got)
		}
		if got := m.Person(test.a, today, "x") == m.Person(test.b, today, "x"); got != test.person {
			t.Errorf("%s: one mark of a person: %t", test.name, got)
		}
		if got := m.Network(test.a, today) == m.Network(test.b, today); got != test.network {
			t.Errorf("%s: one mark of a network: %t", test.name, got)
		}
	}
}

// TestWiderNetwork checks which callers speak with one voice: those of one IPv4 /24 or
// one IPv6 /48, whatever else distinguishes them.
func TestWiderNetwork(t *testing.T) {
	p := NewPeople(keys(secret))
	for _, test := range []struct {
		a, b string
		one  bool
	}{
		{"192.0.2.1", "192.0.2.255", true},
		{"192.0.2.1", "::ffff:192.0.2.255", true},
		{"192.0.2.255", "192.0.3.0", false},
		{"2001:db8:7::1", "2001:db8:7:ffff::1", true},
		{"2001:db8:7:ffff::1", "2001:db8:8::1", false},
		{"0.0.0.1", "::1", false}, // the same bits in both versions
		{"", "", true},
		{"", "::1", false}, // an unknown address is not the network of zeros
	} {
		a, b := caller(test.a, "VLC", "ipt_a"), caller(test.b, "mpv", "")
		if got := p.WiderNetwork(a, today) == p.WiderNetwork(b, today); got != test.one {
			t.Errorf("%q and %q are one network: %t", test.a, test.b, got)
		}
	}
	c := caller("192.0.2.0", "", "")
	if p.WiderNetwork(c, today) == p.Network(c, today) {
		t.Error("a network and the wider network around it have one name")
	}
	if p.WiderNetwork(c, today) == p.WiderNetwork(c, today+1) {
		t.Error("a network has one name on two days")
	}
}

// TestNames checks what names depend on: the key, the day and the kind; and
// that a day asked for again has its names again.
func TestNames(t *testing.T) {
	c := caller("192.0.2.1", "VLC", "")
	p, same, other := NewPeople(keys(secret)), NewPeople(keys(secret)), NewPeople(keys(secret+"!"))
	id := p.Person(c, today)
	if same.Person(c, today) != id {
		t.Error("two processes with one key give two names")
	}
	if here, there := NewPeople(nil), NewPeople(keys()); here.Person(c, today) == there.Person(c, today) {
		t.Error("two processes without a key give one name")
	}
	for what, got := range map[string]ID{
		"another key": other.Person(c, today), "another day": p.Person(c, today+1),
		"a network": p.Network(c, today), "nothing": {},
	} {
		if got == id {
			t.Errorf("%s gives the same name", what)
		}
	}
	if p.Person(c, today) != id {
		t.Error("a day has other names after another was asked for")
	}
	if got := id.String(); len(got) != 32 || strings.Trim(got, "0123456789abcdef") != "" {
		t.Errorf("the name is %q", got)
	}
}

// TestNamesStay keeps the names of a day as they have always been, and holds them
// through rotations: a key named for a day takes over when that day begins, at
// instances that list it first and at others.
func TestNamesStay(t *testing.T) {
	c := caller("192.0.2.1", "VLC", "")
	const want = "969e9e6583beb48d3066773c42d473ff"
	tomorrow := NewPeople(keys(keyTwo)).Person(c, today+1)
	for _, setting := range []string{
		secret, "a:" + secret, "a:" + secret + ",b:" + escape(keyTwo),
		"a:" + secret + ",2026-11-23:" + escape(keyTwo), "2026-11-23:" + escape(keyTwo) + ",a:" + secret,
	} {
		p := NewPeople(keyringtest.Ring(setting))
		if got := p.Person(c, today).String(); got != want {
			t.Errorf("%s: the name is %s, want %s", setting, got, want)
		}
		if got := p.Person(c, today+1) == tomorrow; got != strings.Contains(setting, "2026") {
			t.Errorf("%s: the second key names the next day: %t", setting, got)
		}
	}
}

// TestMarks checks that marks tell apart what is done, and when, and that what
// is said twice is not confused with what is said once.
func TestMarks(t *testing.T) {
	m, c := NewMarks(), caller("192.0.2.1", "VLC", "ipt_a")
	marks := map[uint64]string{}
	for _, what := range []string{"", "a", "ab", "b"} {
		for d := today; d < today+3; d++ {
			marks[m.Person(c, d, what)] = fmt.Sprint(what, d)
		}
	}
	if len(marks) != 12 {
		t.Errorf("%d marks, want 12", len(marks))
	}
	if NewMarks().Network(c, today) == m.Network(c, today) {
		t.Error("marks can be foreseen")
	}
}

// TestLongMarks checks that nothing is cut or lost where what is marked is
// longer than what callers usually send.
func TestLongMarks(t *testing.T) {
	m := NewMarks()
	long := strings.Repeat("x", 2000)
	a, b := caller("", "", "ipt_"+long+"a"), caller("", "", "ipt_"+long+"b")
	if m.Person(a, today, long) == m.Person(b, today, long) {
		t.Error("two persons have one mark")
	}
}

func BenchmarkMarkPerson(b *testing.B) {
	m, c := NewMarks(), caller("2001:db8::1", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36", "")
	b.ReportAllocs()
	for b.Loop() {
		m.Person(c, today, "RecordNews.br")
	}
}

func BenchmarkPerson(b *testing.B) {
	p, c := NewPeople(keys(secret)), caller("2001:db8::1", "Mozilla/5.0 (X11; Linux x86_64)", "")
	b.ReportAllocs()
	for b.Loop() {
		p.Person(c, today)
	}
}

func BenchmarkAddrOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		AddrOf("[2001:db8::1]:4711", "198.51.100.7")
	}
}
