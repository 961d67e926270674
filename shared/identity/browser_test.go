package identity

import (
	"errors"
	"strings"
	"testing"

	"miramundo.dev/shared/keyring"
)

func ring(t testing.TB, setting string) *keyring.Ring {
	t.Helper()
	r, err := keyring.Parse(setting)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	home    = "https://mira.example"
	pageKey = "a key of pages that is long enough"
)

// TestPages checks which writes a page of the service sent.
func TestPages(t *testing.T) {
	const one, two = "one:" + pageKey, "two:" + pageKey + "2"
	boot, other := NewBoot(), NewBoot()
	p := &Pages{Origins: []string{home}, Keys: ring(t, one)}
	token := func(p *Pages, boot, session string) string {
		s, err := p.Token(boot, session)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	good := token(p, boot, "session")
	id, mac, _ := strings.Cut(good, ".")
	for name, test := range map[string]struct {
		b       Browser
		session string
		want    error
	}{
		"as it should be":              {Browser{home, good, boot}, "session", nil},
		"without a session":            {Browser{home, token(p, boot, ""), boot}, "", nil},
		"by the key that signs next":   {Browser{home, token(&Pages{Keys: ring(t, two+","+one)}, boot, "session"), boot}, "session", ErrCSRF},
		"no origin":                    {Browser{"", good, boot}, "session", ErrOrigin},
		"another origin":               {Browser{"https://evil.example", good, boot}, "session", ErrOrigin},
		"a null origin":                {Browser{"null", good, boot}, "session", ErrOrigin},
		"by http":                      {Browser{"http://mira.example", good, boot}, "session", ErrOrigin},
		"another port":                 {Browser{home + ":8443", good, boot}, "session", ErrOrigin},
		"a subdomain":                  {Browser{"https://x.mira.example", good, boot}, "session", ErrOrigin},
		"in capitals":                  {Browser{"https://MIRA.example", good, boot}, "session", ErrOrigin},
		"two origins":                  {Browser{home + ", " + home, good, boot}, "session", ErrOrigin},
		"an origin with a path":        {Browser{home + "/", good, boot}, "session", ErrOrigin},
		"no token":                     {Browser{home, "", boot}, "session", ErrCSRF},
		"a token of no session":        {Browser{home, token(p, boot, ""), boot}, "session", ErrCSRF},
		"a token of another session":   {Browser{home, token(p, boot, "session2"), boot}, "session", ErrCSRF},
		"a token of another browser":   {Browser{home, token(p, other, "session"), boot}, "session", ErrCSRF},
		"no cookie of the browser":     {Browser{home, good, ""}, "session", ErrCSRF},
		"an empty browser, signed":     {Browser{home, token(p, "", "session"), ""}, "session", ErrCSRF},
		"a token without the key's id": {Browser{home, mac, boot}, "session", ErrCSRF},
		"a token of another key's id":  {Browser{home, "two." + mac, boot}, "session", ErrCSRF},
		"half a token":                 {Browser{home, good[:len(good)/2], boot}, "session", ErrCSRF},
		"an empty hash":                {Browser{home, id + ".", boot}, "session", ErrCSRF},
		"two tokens":                   {Browser{home, good + ", " + good, boot}, "session", ErrCSRF},
		"a megabyte":                   {Browser{home, strings.Repeat("x.", 1<<19), boot}, "session", ErrCSRF},
		"a boundary moved":             {Browser{home, token(p, boot+"\x00s", "ession"), boot}, "session", ErrCSRF},
	} {
		if err := p.CheckWrite(test.b, test.session); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	both := &Pages{Origins: []string{home}, Keys: ring(t, two+","+one)}
	if err := both.CheckWrite(Browser{home, good, boot}, "session"); err != nil {
		t.Errorf("after a rotation: %v", err)
	}
	var none *Pages
	for name, p := range map[string]*Pages{"no pages": none, "no key": {Origins: []string{home}}} {
		if err := p.CheckWrite(Browser{home, good, boot}, "session"); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := p.Token(boot, ""); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestContext checks that each view has a name of its own.
func TestContext(t *testing.T) {
	seen := map[string]bool{}
	for _, session := range []string{"", "a", "b"} {
		for _, boot := range []string{"x", "y"} {
			c := Context(boot, session)
			if seen[c] || len(c) != 16 || c != Context(boot, session) {
				t.Errorf("%q comes again or has another length", c)
			}
			seen[c] = true
		}
	}
}

func TestKindOf(t *testing.T) {
	id := strings.Repeat("a2", 12)
	for o, want := range map[Owner]Kind{
		"g_f30b6f440eca9656dcb9d0c80c9793d9": Guest, "g_ana": Guest, "a_" + Owner(id): Person, "o_" + Owner(id): Organization,
		"": Unknown, "a": Unknown, "a_": Unknown, "g_": Unknown, "a_1": Unknown, "x_" + Owner(id): Unknown, Owner(id): Unknown,
		"a_" + Owner(strings.ToUpper(id)): Unknown, "a_../" + Owner(id[:21]): Unknown, "o_" + Owner(id) + "a": Unknown,
	} {
		if got := KindOf(o); got != want {
			t.Errorf("KindOf(%q) = %d, want %d", o, got, want)
		}
	}
	seen := map[Owner]bool{}
	for range 1000 {
		for _, k := range []Kind{Person, Organization} {
			o := NewOwner(k)
			if KindOf(o) != k || seen[o] {
				t.Fatalf("NewOwner(%d) = %q", k, o)
			}
			seen[o] = true
		}
	}
}
