package origin

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"miramundo.dev/shared/reference"
)

// A hostile is a case of the file ssrf_cases.tsv.
type hostile struct{ id, category, input, expected string }

func hostileCases(t *testing.T, kind string) []hostile {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(reference.Dir(t), "ssrf_cases.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []hostile
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) >= 4 && strings.HasPrefix(f[0], kind) && f[0] != "id" {
			cases = append(cases, hostile{f[0], f[1], unfold(f[2]), f[3]})
		}
	}
	if len(cases) == 0 {
		t.Fatalf("no case %s in the file", kind)
	}
	return cases
}

var folded = regexp.MustCompile(`(.)…\((\d+) chars\)$`)

// unfold expands the inputs that the file abbreviates and escapes.
func unfold(input string) string {
	input = strings.NewReplacer(`\r`, "\r", `\n`, "\n").Replace(input)
	m := folded.FindStringSubmatch(input)
	if m == nil {
		return input
	}
	head := strings.TrimSuffix(input, m[0])
	n, err := strconv.Atoi(m[2])
	if err != nil {
		panic(err)
	}
	return head + strings.Repeat(m[1], n-len(head))
}

// A zone answers DNS questions in tests. Each name has a list of answers, of
// which the last one repeats.
type zone struct {
	mu      sync.Mutex
	answers map[string][]string // IPv4 and IPv6 addresses between blanks, or "CNAME name"
}

func testZone() *zone {
	return &zone{answers: map[string][]string{
		"public.example.com.":        {"93.184.216.34"},
		"xn--bcher-kva.example.com.": {"93.184.216.34"},
		"v6public.example.com.":      {"2606:2800:220:1::1"},
		"loop.example.com.":          {"127.0.0.1"},
		"v6loop.example.com.":        {"::1"},
		"sixtofour.example.com.":     {"2002:7f00:1::"},
		"ll.example.com.":            {"fe80::1"},
		"169.254.169.254.nip.io.":    {"169.254.169.254"},
		"meta.example.com.":          {"169.254.169.254"},
		"cname.example.com.":         {"CNAME metadata.google.internal."},
		"metadata.google.internal.": {
			"169.254.169.254",
		},
		"ula.example.com.":    {"fd00:ec2::254"},
		"cgnat.example.com.":  {"100.64.0.1"},
		"wire.example.com.":   {"168.63.129.16"},
		"bcast.example.com.":  {"255.255.255.255"},
		"mixed2.example.com.": {"10.0.0.1 93.184.216.34"},
		"rebind.example.com.": {"93.184.216.34", "127.0.0.1"},
	}}
}

func (z *zone) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go z.serve(server)
		return client, nil
	}}
}

func (z *zone) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		query := make([]byte, size)
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(query) != nil {
			return
		}
		z.answer(&m)
		reply, err := m.Pack()
		if err != nil {
			panic(err)
		}
		conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
	}
}

func (z *zone) answer(m *dnsmessage.Message) {
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	name := strings.ToLower(q.Name.String())
	for _, value := range strings.Fields(z.take(name, q.Type)) {
		if target, ok := strings.CutPrefix(value, "CNAME:"); ok {
			m.Answers = append(m.Answers, record(name, &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(target)}))
			for _, value := range strings.Fields(z.take(target, q.Type)) {
				m.Answers = address(m.Answers, target, q.Type, value)
			}
			continue
		}
		m.Answers = address(m.Answers, name, q.Type, value)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if len(z.answers[name]) == 0 {
		m.RCode = dnsmessage.RCodeNameError
	}
}

func (z *zone) take(name string, typ dnsmessage.Type) string {
	z.mu.Lock()
	defer z.mu.Unlock()
	values := z.answers[name]
	if len(values) == 0 {
		return ""
	}
	if len(values) > 1 && typ == dnsmessage.TypeA {
		z.answers[name] = values[1:]
	}
	return strings.Replace(values[0], "CNAME ", "CNAME:", 1)
}

func address(answers []dnsmessage.Resource, name string, typ dnsmessage.Type, value string) []dnsmessage.Resource {
	ip := net.ParseIP(value)
	if v4 := ip.To4(); v4 != nil && typ == dnsmessage.TypeA {
		return append(answers, record(name, &dnsmessage.AResource{A: [4]byte(v4)}))
	} else if v4 == nil && typ == dnsmessage.TypeAAAA {
		return append(answers, record(name, &dnsmessage.AAAAResource{AAAA: [16]byte(ip)}))
	}
	return answers
}

func record(name string, body dnsmessage.ResourceBody) dnsmessage.Resource {
	return dnsmessage.Resource{
		Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name), Class: dnsmessage.ClassINET, TTL: 1},
		Body:   body,
	}
}

var errStop = errors.New("stopped before the connection")

// recordingClient returns a client that resolves names with z and records
// each connection that the guard allows instead of making it.
func recordingClient(z *zone, opts Options) (*Client, *[]string) {
	opts.Resolver = z.resolver()
	c := New(opts)
	var mu sync.Mutex
	dials := new([]string)
	c.guard.guarded.Control = func(network, address string, raw syscall.RawConn) error {
		if err := checkDialled(network, address, raw); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		*dials = append(*dials, address)
		return errStop
	}
	return c, dials
}

func hasIPv6() bool {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// TestHostileAddresses requests every address of the reference file with one
// resolver, so that names may change their answers.
func TestHostileAddresses(t *testing.T) {
	cases := hostileCases(t, "U")
	c, dials := recordingClient(testZone(), Options{})
	for _, h := range cases {
		t.Run(h.id+" "+h.category, func(t *testing.T) {
			checkHostile(t, c, dials, h.input, h.expected)
		})
	}
}

func checkHostile(t *testing.T, c *Client, dials *[]string, input, expected string) {
	t.Helper()
	if strings.Contains(input, "v6public") || strings.HasPrefix(input, "http://[2606:") {
		if !hasIPv6() {
			t.Skip("no IPv6 on this machine")
		}
	}
	*dials = nil
	_, _, err := c.Fetch(t.Context(), Request{URL: input})
	want, address, _ := strings.Cut(expected, " ")
	switch {
	case err == nil:
		t.Fatalf("%q: answered", input)
	case want == "refused" && len(*dials) > 0:
		t.Errorf("%q: dialled %v, want no connection", input, *dials)
	case want == "refused" && !errors.Is(err, ErrRefused) && !strings.Contains(input, "nxdomain"):
		t.Errorf("%q: error %v, want ErrRefused", input, err)
	case want == "allowed" && len(*dials) == 0:
		t.Errorf("%q: no connection: %v", input, err)
	case want == "allowed" && !strings.HasPrefix((*dials)[0], address):
		t.Errorf("%q: dialled %v, want %s", input, *dials, address)
	}
}

// TestAddresses checks the classes of addresses without the reference file.
func TestAddresses(t *testing.T) {
	for _, tc := range []struct{ name, url, want string }{
		{"loopback", "http://127.9.9.9/a", "refused"},
		{"loopback by name", "http://loop.example.com/", "refused"},
		{"loopback v6", "http://[::1]:8080/", "refused"},
		{"loopback v6 by name", "http://v6loop.example.com/", "refused"},
		{"short form", "http://127.1/", "refused"},
		{"decimal", "http://3232235777/", "refused"},
		{"octal", "http://0300.0250.1.1/", "refused"},
		{"hexadecimal", "http://0xc0.0xa8.1.1/", "refused"},
		{"mapped", "http://[::ffff:10.1.1.1]/", "refused"},
		{"mapped public", "http://[::ffff:93.184.216.34]/", "refused"},
		{"NAT64", "http://[64:ff9b::a01:101]/", "refused"},
		{"6to4", "http://[2002:a01:101::]/", "refused"},
		{"zone", "http://[fe80::1%25lo]/", "refused"},
		{"unique local", "http://[fd12::1]/", "refused"},
		{"documentation", "http://[2001:db8::1]/", "refused"},
		{"private", "http://10.20.30.40/", "refused"},
		{"carrier", "http://cgnat.example.com/", "refused"},
		{"metadata behind an alias", "http://cname.example.com/", "refused"},
		{"a cloud's agent", "http://wire.example.com/", "refused"},
		{"multicast", "http://239.1.2.3/", "refused"},
		{"single label", "http://router/", "refused"},
		{"inner network", "http://nas.lan/", "refused"},
		{"inner network with a dot", "http://nas.local./", "refused"},
		{"loopback in another script", "http://１２７.０.０.１/", "refused"},
		{"loopback by name in another script", "http://ｌoop.example.com/", "refused"},
		{"inner name in another script", "http://ｎａｓ.ｌａｎ/", "refused"},
		{"a port in another script", "http://public.example.com:８０/", "refused"},
		{"not a name in any script", "http://\xff.example.com/", "refused"},
		{"credentials", "http://a:b@public.example.com/", "refused"},
		{"scheme", "gopher://public.example.com/", "refused"},
		{"no scheme", "public.example.com/", "refused"},
		{"backslash", `http://public.example.com\@10.0.0.1/`, "refused"},
		{"line feed", "http://public.example.com/\nHost: x", "refused"},
		{"null", "http://public.example.com/\x00", "refused"},
		{"SMTP", "http://public.example.com:25/", "refused"},
		{"a database", "http://public.example.com:6379/", "refused"},
		{"port 0", "http://public.example.com:0/", "refused"},
		{"port of six digits", "http://public.example.com:123456/", "refused"},
		{"empty port", "http://public.example.com:/", "refused"},
		{"long host", "http://" + strings.Repeat("a.", 127) + "com/", "refused"},
		{"long label", "http://" + strings.Repeat("a", 64) + ".com/", "refused"},
		{"long address", "http://public.example.com/" + strings.Repeat("a", MaxURL), "refused"},
		{"empty", "", "refused"},
		{"public", "https://public.example.com/a?b=c", "allowed 93.184.216.34:443"},
		{"public with a dot", "http://public.example.com./", "allowed 93.184.216.34:80"},
		{"public in another script", "http://ｐublic.example.com:8081/", "allowed 93.184.216.34:8081"},
		{"public in a script of its own", "http://bücher.example.com/", "allowed 93.184.216.34:80"},
		{"the same, encoded", "http://b%C3%BCcher.example.com/", "allowed 93.184.216.34:80"},
		{"public port", "http://public.example.com:8081/", "allowed 93.184.216.34:8081"},
		{"public literal", "http://93.184.216.34/", "allowed 93.184.216.34:80"},
		{"public v6", "http://v6public.example.com/", "allowed [2606:2800:220:1::1]:80"},
		{"private and public", "http://mixed2.example.com/", "allowed 93.184.216.34:80"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, dials := recordingClient(testZone(), Options{})
			checkHostile(t, c, dials, tc.url, tc.want)
		})
	}
}

// TestRebinding requests a name twice that resolves to a public address first
// and to a private one then.
func TestRebinding(t *testing.T) {
	c, dials := recordingClient(testZone(), Options{})
	checkHostile(t, c, dials, "http://rebind.example.com/", "allowed 93.184.216.34:80")
	checkHostile(t, c, dials, "http://rebind.example.com/", "refused")
}

func TestDeny(t *testing.T) {
	c, dials := recordingClient(testZone(), Options{Deny: []string{"public.example.com"}})
	checkHostile(t, c, dials, "http://PUBLIC.example.com./a", "refused")
	checkHostile(t, c, dials, "http://v6public.example.com/", "allowed [2606:2800:220:1::1]:80")
}

// TestAllowIsExact has an allowed address, and others that only look like it.
func TestAllowIsExact(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.SetDeadline(time.Now().Add(time.Minute))
			bufio.NewReader(conn).ReadString('\n')
			io.WriteString(conn, "HTTP/1.0 200 OK\r\n\r\nhere")
			conn.Close()
		}
	}()
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	c := New(Options{Allow: []string{address}})
	_, data, err := c.Fetch(t.Context(), Request{URL: "http://" + address + "/"})
	if err != nil || string(data) != "here" {
		t.Errorf("allowed address: %q, %v", data, err)
	}
	for _, host := range []string{"localhost:" + port, "127.0.0.2:" + port, "127.0.0.1:1" + port[1:], "[::ffff:127.0.0.1]:" + port} {
		if _, _, err := c.Fetch(t.Context(), Request{URL: "http://" + host + "/"}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v, want ErrRefused", host, err)
		}
	}
}

func TestCheck(t *testing.T) {
	if u, err := Check("https://example.com:8443/a?b#c"); err != nil || u.Host != "example.com:8443" {
		t.Errorf("Check: %v, %v", u, err)
	}
	if _, err := Check("https://10.0.0.1/"); !errors.Is(err, ErrRefused) {
		t.Errorf("Check of a private address: %v", err)
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"http://public.example.com/", "http://127.0.0.1/", "http://[::1]/", "http://a@b/", "http://1.2.3.4:80:80/",
		"http://\u3002/", "http:/\\x", "http://[fe80::1%25eth0]/", "https://xn--bcher-kva.example/?q=%00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := Check(raw)
		if err != nil {
			return
		}
		again, err := Check(u.String())
		if err != nil && len(u.String()) <= MaxURL {
			t.Fatalf("%q is let through, but as it is asked (%q) it is not: %v", raw, u, err)
		}
		if err == nil && again.Host != u.Host {
			t.Fatalf("%q has the host %q, then %q", raw, u.Host, again.Host)
		}
		if u.User != nil || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsAny(u.Host, "\\@/ ") {
			t.Fatalf("%q is let through", raw)
		}
	})
}
