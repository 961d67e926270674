package ticket

import (
	"encoding/base64"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/keyring/keyringtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	secret = "a key of at least thirty-two characters"
	other  = "another key of thirty-two characters; or more"
	third  = "a third key of at least thirty-two characters"
)

// keys returns a ring of the given secrets, of which the first one signs.
func keys(secrets ...string) *keyring.Ring {
	entries := make([]string, len(secrets))
	for i, secret := range secrets {
		entries[i] = "key-" + strconv.Itoa(i) + ":" + secret
	}
	return keyringtest.Ring(strings.Join(entries, ","))
}

var (
	noon    = time.Date(2026, 11, 22, 12, 34, 56, 0, time.UTC)
	binding = Binding{Stream: 0x1234_5678_9abc_def0, Origin: "https://cdn.example.com/live/one/master.m3u8?token=abc"}
	child   = Ticket{URL: "https://cdn.example.com/live/one/720p.m3u8?token=def", Depth: 1}
)

// at returns a clock that stands still.
func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func sign(t testing.TB, s *Signer, b Binding, tk Ticket) string {
	t.Helper()
	text, err := s.Append(nil, b, tk)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRoundTrip(t *testing.T) {
	for name, tk := range map[string]Ticket{
		"beside the origin": child,
		"another host":      {URL: "http://other.example.net:8080/a/b.m3u8", Depth: 2},
		"upper case scheme": {URL: "HTTPS://cdn.example.com/x", Depth: 1},
		"the origin itself": {URL: binding.Origin, Depth: 3},
		"below the origin":  {URL: binding.Origin + "&more=1", Depth: 1},
		"bytes as they are": {URL: "https://cdn.example.com/100%.m3u8?a=~/%2F+|\xe9", Depth: 1},
		"variables":         {URL: child.URL, Depth: 2, Vars: []playlist.Var{{Name: "a", Value: "1"}, {Name: "empty", Value: ""}, {Name: "c", Value: strings.Repeat("x", 300)}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(keys(secret), at(noon))
			text := sign(t, s, binding, tk)
			if text != sign(t, s, binding, tk) {
				t.Error("the same reference gave two tickets")
			}
			got, until, err := s.Open(binding, text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tk, got); diff != "" {
				t.Errorf("opened (-want +got)\n%s", diff)
			}
			if want := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC); !until.Equal(want) {
				t.Errorf("valid until %v, want %v", until, want)
			}
		})
	}
}

// TestAppends checks that Append keeps what dst holds.
func TestAppends(t *testing.T) {
	s := New(keys(secret), at(noon))
	got, err := s.Append([]byte("?p="), binding, child)
	if err != nil || string(got) != "?p="+sign(t, s, binding, child) {
		t.Errorf("appended %q, %v", got, err)
	}
	got, err = s.Append([]byte("?p="), binding, Ticket{URL: "ftp://x", Depth: 1})
	if err == nil || string(got) != "?p=" {
		t.Errorf("after a failure %q, %v", got, err)
	}
}

// TestTicketsStayTheSame checks how long tickets stay the same and are valid.
func TestTicketsStayTheSame(t *testing.T) {
	day := noon.Truncate(24 * time.Hour)
	first := sign(t, New(keys(secret), at(day.Add(6*time.Hour))), binding, child)
	for _, tc := range []struct {
		clock time.Duration
		same  bool
		good  bool
	}{
		{6*time.Hour - time.Second, false, true}, // a clock that is late
		{6 * time.Hour, true, true},
		{12*time.Hour - time.Second, true, true},
		{12 * time.Hour, false, true},
		{18*time.Hour - time.Second, false, true},
		{18 * time.Hour, false, false},
		{48 * time.Hour, false, false},
	} {
		s := New(keys(secret), at(day.Add(tc.clock)))
		if same := sign(t, s, binding, child) == first; same != tc.same {
			t.Errorf("%v: the same ticket %v, want %v", tc.clock, same, tc.same)
		}
		if _, _, err := s.Open(binding, first); (err == nil) != tc.good || err != nil && !errors.Is(err, ErrTicket) {
			t.Errorf("%v: Open = %v, want it valid: %v", tc.clock, err, tc.good)
		}
	}
}

// TestInvalidTickets opens texts that are not tickets for the binding.
func TestInvalidTickets(t *testing.T) {
	s := New(keys(secret), at(noon))
	text := sign(t, s, binding, child)
	far := sign(t, s, binding, Ticket{URL: "http://" + strings.Repeat("a", 1000), Depth: 1})
	for name, tc := range map[string]struct {
		b    Binding
		text string
	}{
		"another stream":         {Binding{binding.Stream + 1, binding.Origin}, text},
		"another origin":         {Binding{binding.Stream, binding.Origin + "2"}, text},
		"another origin, longer": {Binding{binding.Stream, child.URL + binding.Origin}, far},
		"no origin":              {Binding{Stream: binding.Stream}, far},
		"empty":                  {binding, ""},
		"padded":                 {binding, text + "="},
		"padded in full":         {binding, base64.URLEncoding.EncodeToString(decode(t, text))},
		"standard alphabet":      {binding, "+/" + text[2:]},
		"with a line feed":       {binding, text + "\n"},
		"with a line feed in it": {binding, text[:10] + "\r\n" + text[10:]},
		"with a blank":           {binding, text + " "},
		"cut":                    {binding, text[:len(text)-1]},
		"cut to a head":          {binding, text[:32]},
		"line feeds alone":       {binding, strings.Repeat("\n", 32)},
		"line feeds at first":    {binding, "\n\n\n" + text},
		"6001 characters":        {binding, strings.Repeat("A", MaxLength+1)},
		"6000 characters":        {binding, strings.Repeat("A", MaxLength)},
		"a megabyte":             {binding, strings.Repeat("A", 1<<20)},
		"JWT without algorithm":  {binding, "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJ1IjoiaHR0cHM6Ly9jZG4uZXhhbXBsZS5jb20vIn0."},
		"another key":            {binding, sign(t, New(keys(other), at(noon)), binding, child)},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _, err := s.Open(tc.b, tc.text); !errors.Is(err, ErrTicket) {
				t.Errorf("opened as %+v, %v; want ErrTicket", got, err)
			}
		})
	}
}

func decode(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := encoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestEveryAlteredByteIsRefused changes, drops, doubles and inserts every
// single character.
func TestEveryAlteredByteIsRefused(t *testing.T) {
	s := New(keys(secret, other), at(noon))
	text := sign(t, s, binding, Ticket{URL: child.URL, Depth: 1, Vars: []playlist.Var{{Name: "a", Value: "b"}}})
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \n.\x00"
	refuse := func(altered string) {
		t.Helper()
		if _, _, err := s.Open(binding, altered); altered != text && !errors.Is(err, ErrTicket) {
			t.Errorf("%q is accepted beside %q: %v", altered, text, err)
		}
	}
	for i := range len(text) {
		refuse(text[:i] + text[i+1:])
		refuse(text[:i] + text[i:i+1] + text[i:])
		for _, c := range alphabet {
			refuse(text[:i] + string(c) + text[i+1:])
			refuse(text[:i] + string(c) + text[i:])
		}
	}
}

// TestKeys rotates the key twice: tickets of each earlier key stay valid until they
// expire, for a signer that has it.
func TestKeys(t *testing.T) {
	old := sign(t, New(keys(secret), at(noon)), binding, child)
	for name, ring := range map[string]*keyring.Ring{
		"added": keys(secret, other), "in front": keys(other, secret), "two rotations": keys(third, other, secret),
	} {
		s := New(ring, at(noon))
		if _, _, err := s.Open(binding, old); err != nil {
			t.Errorf("%s: signed with the first key: %v", name, err)
		}
		if same := sign(t, s, binding, child) == old; same != (name == "added") {
			t.Errorf("%s: signed by the first key: %t", name, same)
		}
		if _, _, err := New(ring, at(noon.Add(13*time.Hour))).Open(binding, old); !errors.Is(err, ErrTicket) {
			t.Errorf("%s: an expired ticket: %v, want ErrTicket", name, err)
		}
	}
	next := sign(t, New(keys(other, secret), at(noon)), binding, child)
	if _, _, err := New(keys(secret, other), at(noon)).Open(binding, next); err != nil {
		t.Errorf("where the key does not sign yet: %v", err)
	}
	if _, _, err := New(keys(third, other), at(noon)).Open(binding, old); !errors.Is(err, ErrTicket) {
		t.Errorf("without the key: %v, want ErrTicket", err)
	}
}

// TestKeysWithOneID has two keys with the same id.
func TestKeysWithOneID(t *testing.T) {
	current, previous := newKey([]byte(secret)), newKey([]byte(other))
	previous.id = current.id
	s := &Signer{keys: []*key{previous}, now: at(noon)}
	old := sign(t, s, binding, child)
	s.keys = []*key{current, previous}
	if _, _, err := s.Open(binding, old); err != nil {
		t.Errorf("signed with the previous key: %v", err)
	}
}

func TestNoKey(t *testing.T) {
	for _, s := range []*Signer{New(nil, at(noon)), New(keyringtest.Ring(""), at(noon))} {
		if _, err := s.Append(nil, binding, child); !errors.Is(err, ErrKey) {
			t.Errorf("signing: %v, want ErrKey", err)
		}
		if _, _, err := s.Open(binding, sign(t, New(keys(secret), at(noon)), binding, child)); !errors.Is(err, ErrKey) {
			t.Errorf("opening: %v, want ErrKey", err)
		}
	}
}

// TestNotSigned has tickets that must not be signed.
func TestNotSigned(t *testing.T) {
	long := "https://x.example/" + strings.Repeat("a", 4500)
	s := New(keys(secret), at(noon))
	for name, tc := range map[string]struct {
		t    Ticket
		want error
	}{
		"depth 0":        {Ticket{URL: child.URL}, ErrLong},
		"depth 4":        {Ticket{URL: child.URL, Depth: 4}, ErrLong},
		"negative depth": {Ticket{URL: child.URL, Depth: -1}, ErrLong},
		"deep as a byte": {Ticket{URL: child.URL, Depth: 257}, ErrLong},
		"4501 bytes":     {Ticket{URL: long[:4501], Depth: 1}, ErrLong},
		"6001 letters":   {Ticket{URL: long[:4476], Depth: 1}, nil},
		"too long":       {Ticket{URL: long[:4477], Depth: 1}, ErrLong},
		"variables":      {Ticket{URL: child.URL, Depth: 1, Vars: []playlist.Var{{Name: "a", Value: strings.Repeat("x", 4500)}}}, ErrLong},
		"many variables": {Ticket{URL: child.URL, Depth: 1, Vars: make([]playlist.Var, 100_000)}, ErrLong},
		"file":           {Ticket{URL: "file:///etc/passwd", Depth: 1}, playlist.ErrOrigin},
		"no scheme":      {Ticket{URL: "//x.example/", Depth: 1}, playlist.ErrOrigin},
		"no host":        {Ticket{URL: "https://", Depth: 1}, playlist.ErrOrigin},
		"empty":          {Ticket{Depth: 1}, playlist.ErrOrigin},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := s.Append(nil, Binding{Stream: 1, Origin: "rtmp://x"}, tc.t)
			if !errors.Is(err, tc.want) || len(text) > MaxLength {
				t.Errorf("%d characters, %v; want %v", len(text), err, tc.want)
			}
		})
	}
}

// TestMaxLength checks that the URLs of origins with tokens fit, and that a
// variant beside its parent takes few bytes.
func TestMaxLength(t *testing.T) {
	s := New(keys(secret), at(noon))
	for _, tc := range []struct {
		origin string
		url    int
		most   int
	}{
		{"https://x", 100, 155},
		{"https://x", 1000, 1355},
		{"https://x", 4096, 5483},
		{"https://a.example/" + strings.Repeat("t", 3976) + "/m.m3u8", 4000, 44},
	} {
		url := "https://a.example/" + strings.Repeat("t", tc.url-18-7) + "/v.m3u8"
		text := sign(t, s, Binding{Origin: tc.origin}, Ticket{URL: url, Depth: 1})
		if len(text) > tc.most {
			t.Errorf("%d bytes beside %.20s: %d characters, want at most %d", tc.url, tc.origin, len(text), tc.most)
		}
	}
}

// TestFormat keeps the format of tickets: another one would cut off everyone
// who plays while a new build starts.
func TestFormat(t *testing.T) {
	s := New(keys(secret), at(noon))
	var b strings.Builder
	for _, tk := range []Ticket{child, {URL: "http://a.example/", Depth: 3, Vars: []playlist.Var{{Name: "n", Value: "v"}}}} {
		b.WriteString(sign(t, s, binding, tk) + "\n")
	}
	golden := filepath.Join("testdata", "tickets.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("tickets (-want +got)\n%s", diff)
	}
}

// TestForged signs bodies that Append would not write, as another build with
// the same key might: they are refused without a panic.
func TestForged(t *testing.T) {
	s := New(keys(secret), at(noon))
	for name, rest := range map[string]string{
		"depth 0":              "\x00\x00\x00http://x/",
		"depth 4":              "\x04\x00\x00http://x/",
		"more than the origin": "\x01\xff\xffhttp://x/",
		"no URL":               "\x01\x00\x00",
		"another scheme":       "\x01\x00\x00ftp://x/",
		"no variables":         "\x81\x00\x00\x00\x00http://x/",
		"half a length":        "\x81\x00\x00\x00",
		"variables too long":   "\x81\x00\x00\xff\xffhttp://x/",
		"a name too long":      "\x81\x00\x00\x00\x02\x7faahttp://x/",
		"no value":             "\x81\x00\x00\x00\x02\x01ahttp://x/",
		"a huge length":        "\x81\x00\x00\x00\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01http://x/",
	} {
		m := s.keys[0].codec()
		m.bind(binding)
		m.body = append(m.body, version|s.keys[0].id, 0xff, 0xff, 0xff, 0xff)
		m.body = append(m.body, rest...)
		text := encoding.EncodeToString(append(m.body, m.sum()...))
		m.release()
		if got, _, err := s.Open(binding, text); !errors.Is(err, ErrTicket) {
			t.Errorf("%s: %+v, %v; want ErrTicket", name, got, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	s := New(keys(secret, other), at(noon))
	good := sign(f, s, binding, child)
	f.Add(good, binding.Origin, uint64(binding.Stream))
	f.Add(good+"\n", binding.Origin, uint64(binding.Stream))
	f.Add(good, binding.Origin+"x", uint64(binding.Stream))
	f.Add(strings.Repeat("A", MaxLength), "", uint64(0))
	f.Fuzz(func(t *testing.T, text, origin string, stream uint64) {
		b := Binding{catalog.StreamID(stream), origin}
		got, _, err := s.Open(b, text)
		if err == nil && (text != good || b != binding) {
			t.Fatalf("%q is accepted for %+v: %+v", text, b, got)
		}
		if err != nil && !errors.Is(err, ErrTicket) {
			t.Fatal(err)
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("https://a.example/x", "https://a.example/y", 1, "n", "v")
	f.Add("", "http://b.example/", 3, "", "")
	f.Fuzz(func(t *testing.T, origin, url string, depth int, name, value string) {
		s, b, tk := New(keys(secret), at(noon)), Binding{7, origin}, Ticket{URL: url, Depth: depth}
		if name != "" {
			tk.Vars = []playlist.Var{{Name: name, Value: value}}
		}
		text, err := s.Append(nil, b, tk)
		if err != nil {
			return
		}
		got, _, err := s.Open(b, string(text))
		if diff := cmp.Diff(tk, got); err != nil || diff != "" || len(text) > MaxLength {
			t.Fatalf("%d characters, %v, (-want +got)\n%s", len(text), err, diff)
		}
	})
}
