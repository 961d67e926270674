package identity

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// accounts know one session and one key.
type accounts struct{}

func (accounts) Session(_ context.Context, cookie string, organization Owner) (Speaker, error) {
	if cookie != "live" {
		return Speaker{}, ErrEnded
	}
	if organization != "" {
		return Speaker{Owner: organization}, nil
	}
	return Speaker{Owner: "a_1"}, nil
}

func (accounts) Key(_ context.Context, key string) (Speaker, error) {
	if key != "mmk_good" {
		return Speaker{}, ErrCredential
	}
	return Speaker{Owner: "a_2"}, nil
}

const (
	oldToken = "ipt_0123456789abcdef" // owns something
	newcomer = "ipt_fedcba9876543210" // has the form, and nothing

	anOrganization = "o_abcdefghijklmnopqrstuvwx"
)

// owning owns what oldToken names, and counts how often it is asked.
type owning struct {
	asked int
	err   error
}

func (o *owning) owns(_ context.Context, who Owner) (bool, error) {
	o.asked++
	name, _ := OldGuest(oldToken)
	return who == name, o.err
}

func authority(o Options) *Authority {
	o.Guests, o.Now = NewGuests(keys(keyOne), noon), noon
	if o.Owns == nil {
		o.Owns = new(owning).owns
	}
	return NewAuthority(o)
}

// TestSpeaker checks who speaks with which credentials, and which of several
// decides. ONE and TWO stand for tokens of guests.
func TestSpeaker(t *testing.T) {
	a, alone := authority(Options{Accounts: accounts{}}), authority(Options{})
	one, first := issue(t, a.o.Guests)
	two, second := issue(t, a.o.Guests)
	old, _ := OldGuest(oldToken)
	fill := strings.NewReplacer("ONE", one, "TWO", two)
	big := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name  string
		c     Credentials
		class Class
		want  Owner // with accounts
		err   error
		alone error // without; the owner is the same when err is nil in both
	}{
		{"nothing", Credentials{}, Anyone, "", ErrCredential, ErrCredential},
		{"nothing, of an account", Credentials{}, Account, "", ErrCredential, ErrCredential},
		{"a guest", Credentials{GuestToken: "ONE"}, Anyone, first, nil, nil},
		{"a guest as bearer", Credentials{Authorization: "Bearer ONE"}, Anyone, first, nil, nil},
		{"a guest as bearer, in small letters", Credentials{Authorization: "bearer  ONE "}, Anyone, first, nil, nil},
		{"a guest is no account", Credentials{GuestToken: "ONE"}, Account, "", ErrCredential, ErrCredential},
		{"an old guest", Credentials{GuestToken: oldToken}, Anyone, old, nil, nil},
		{"an old guest as bearer", Credentials{Authorization: "Bearer " + oldToken}, Anyone, old, nil, nil},
		{"an old guest who has nothing", Credentials{GuestToken: newcomer}, Anyone, "", ErrCredential, ErrCredential},
		{"what is no old token", Credentials{GuestToken: "ipt_short"}, Anyone, "", ErrCredential, ErrCredential},
		{"a guest in Basic", Credentials{Authorization: "Basic ONE"}, Anyone, "", ErrCredential, ErrCredential},
		{"a guest without a scheme", Credentials{Authorization: "ONE"}, Anyone, "", ErrCredential, ErrCredential},
		{"a guest as an API key", Credentials{APIKey: "ONE"}, Anyone, "", ErrCredential, ErrCredential},
		{"a guest twice", Credentials{GuestToken: "ONE, ONE"}, Anyone, "", ErrCredential, ErrCredential},
		{"a bearer twice", Credentials{Authorization: "Bearer ONE, Bearer ONE"}, Anyone, "", ErrCredential, ErrCredential},
		{"junk", Credentials{GuestToken: "\x00\xff"}, Anyone, "", ErrCredential, ErrCredential},
		{"a letter that looks like another", Credentials{GuestToken: "іpt_0123456789abcdef"}, Anyone, "", ErrCredential, ErrCredential},
		{"a megabyte", Credentials{GuestToken: "ipt_" + big}, Anyone, "", ErrCredential, ErrCredential},
		{"a megabyte as bearer", Credentials{Authorization: "Bearer ipt_" + big}, Anyone, "", ErrCredential, ErrCredential},
		{"a megabyte of a scheme", Credentials{Authorization: big}, Anyone, "", ErrCredential, ErrCredential},
		{"a megabyte of a cookie", Credentials{Session: big}, Anyone, "", ErrEnded, ErrEnded},
		{"a megabyte of a key", Credentials{APIKey: "mmk_" + big}, Anyone, "", ErrCredential, ErrCredential},

		{"the header before the bearer", Credentials{GuestToken: "ONE", Authorization: "Bearer TWO"}, Anyone, first, nil, nil},
		{"a bad header before a good bearer", Credentials{GuestToken: "junk", Authorization: "Bearer TWO"}, Anyone, "", ErrCredential, ErrCredential},
		{"a credit beside a guest", Credentials{GuestToken: "TWO", Authorization: "Bearer cred_1"}, Anyone, second, nil, nil},
		{"a credit alone", Credentials{Authorization: "Bearer cred_1"}, Anyone, "", ErrCredential, ErrCredential},
		{"an operator beside a guest", Credentials{GuestToken: "TWO", Authorization: "Bearer operator"}, Anyone, second, nil, nil},

		{"a session", Credentials{Session: "live"}, Anyone, "a_1", nil, ErrEnded},
		{"a session, of an account", Credentials{Session: "live"}, Account, "a_1", nil, ErrEnded},
		{"a session before a guest", Credentials{Session: "live", GuestToken: "ONE"}, Anyone, "a_1", nil, ErrEnded},
		{"a session for an organization", Credentials{Session: "live", Organization: anOrganization}, Anyone, anOrganization, nil, ErrEnded},
		{"a session for an organization, of an account", Credentials{Session: "live", Organization: anOrganization}, Account, "a_1", nil, ErrEnded},
		{"a session for an account", Credentials{Session: "live", Organization: "a_2"}, Anyone, "", ErrOrganization, ErrEnded},
		{"a session for a megabyte", Credentials{Session: "live", Organization: "o_" + big}, Anyone, "", ErrOrganization, ErrEnded},
		{"a guest for an organization", Credentials{GuestToken: "ONE", Organization: anOrganization}, Anyone, first, nil, nil},
		{"a session that is over", Credentials{Session: "over"}, Account, "", ErrEnded, ErrEnded},
		{"no guest in place of a session that is over", Credentials{Session: "over", GuestToken: "ONE"}, Anyone, "", ErrEnded, ErrEnded},
		{"no key in place of a session that is over", Credentials{Session: "over", APIKey: "mmk_good"}, Anyone, "", ErrEnded, ErrEnded},
		{"a key", Credentials{APIKey: "mmk_good"}, Anyone, "a_2", nil, ErrCredential},
		{"a key as bearer", Credentials{Authorization: "Bearer mmk_good"}, Anyone, "a_2", nil, ErrCredential},
		{"a key is no session", Credentials{APIKey: "mmk_good"}, Account, "", ErrCredential, ErrCredential},
		{"a key before a guest", Credentials{Authorization: "Bearer mmk_good", GuestToken: "ONE"}, Anyone, "a_2", nil, ErrCredential},
		{"a bad key before a guest", Credentials{APIKey: "mmk_bad", GuestToken: "ONE"}, Anyone, "", ErrCredential, ErrCredential},
		{"no key by its form", Credentials{APIKey: "key", GuestToken: "ONE"}, Anyone, "", ErrCredential, ErrCredential},

		{"a retired key", Credentials{APIKey: "iptk_1"}, Anyone, "", ErrRetired, ErrRetired},
		{"a retired key as bearer", Credentials{Authorization: "Bearer iptk_1"}, Anyone, "", ErrRetired, ErrRetired},
		{"a retired key as a guest", Credentials{GuestToken: "iptk_1"}, Anyone, "", ErrRetired, ErrRetired},
		{"a retired key beside a guest", Credentials{GuestToken: "ONE", Authorization: "Bearer iptk_1"}, Anyone, "", ErrRetired, ErrRetired},
		{"a retired key beside a session", Credentials{Session: "live", APIKey: "iptk_1"}, Account, "", ErrRetired, ErrRetired},
	} {
		c := test.c
		c.GuestToken, c.Authorization, c.APIKey = fill.Replace(c.GuestToken), fill.Replace(c.Authorization), fill.Replace(c.APIKey)
		check(t, test.name, a, c, test.class, test.want, test.err)
		want := test.want
		if test.alone != nil {
			want = ""
		}
		check(t, test.name+", without accounts", alone, c, test.class, want, test.alone)
	}
}

func check(t *testing.T, name string, a *Authority, c Credentials, class Class, want Owner, fault error) {
	t.Helper()
	s, err := a.Speaker(t.Context(), c, class)
	if s.Owner != want || !errors.Is(err, fault) || s.Guest != strings.HasPrefix(string(want), "g_") {
		t.Errorf("%s: %+v, %v; want %q, %v", name, s, err, want, fault)
	}
	if err != nil && len(err.Error()) > 100 {
		t.Errorf("%s: the error shows what was sent: %.200v", name, err)
	}
}

// TestWithoutDatabase checks that guests speak while the database does not,
// and that nobody is called a stranger for it.
func TestWithoutDatabase(t *testing.T) {
	down := owning{err: errors.New("down")}
	a := authority(Options{Owns: down.owns})
	token, o := issue(t, a.o.Guests)
	check(t, "signed", a, Credentials{GuestToken: token}, Anyone, o, nil)
	if down.asked != 0 {
		t.Errorf("a signed token asked the database %d times", down.asked)
	}
	check(t, "old", a, Credentials{GuestToken: oldToken}, Anyone, "", ErrUnavailable)
	down.err = nil
	old, _ := OldGuest(oldToken)
	check(t, "old, when it is back", a, Credentials{GuestToken: oldToken}, Anyone, old, nil)
	none := NewAuthority(Options{Guests: NewGuests(keys(), noon)})
	check(t, "no key", none, Credentials{GuestToken: token}, Anyone, "", ErrUnavailable)
	check(t, "no way to ask", none, Credentials{GuestToken: oldToken}, Anyone, "", ErrCredential)
}

// TestAskedOnce checks for how long an answer of the database holds.
func TestAskedOnce(t *testing.T) {
	var db owning
	now := noon()
	a := NewAuthority(Options{Guests: NewGuests(keys(keyOne), noon), Owns: db.owns, Now: func() time.Time { return now }})
	old, _ := OldGuest(oldToken)
	for _, step := range []struct {
		after time.Duration
		token string
		want  Owner
		err   error
		asked int
	}{
		{0, oldToken, old, nil, 1},
		{0, oldToken, old, nil, 1},
		{0, newcomer, "", ErrCredential, 2},
		{ownsNotFor - 1, newcomer, "", ErrCredential, 2},
		{1, newcomer, "", ErrCredential, 3},
		{ownsFor - ownsNotFor - 1, oldToken, old, nil, 3},
		{1, oldToken, old, nil, 4},
	} {
		now = now.Add(step.after)
		check(t, fmt.Sprint(now.Sub(noon())), a, Credentials{GuestToken: step.token}, Anyone, step.want, step.err)
		if db.asked != step.asked {
			t.Errorf("after %s the database was asked %d times, want %d", now.Sub(noon()), db.asked, step.asked)
		}
	}
}

// TestFlood checks that a flood of made-up tokens takes bounded memory, and
// that what it pushes out is known again.
func TestFlood(t *testing.T) {
	var h holdings
	now := noon()
	h.note("g_first", true, now)
	for i := range 3 * maxOwning {
		h.note(Owner(fmt.Sprint("g_", i)), false, now)
		if len(h.known) > maxOwning {
			t.Fatalf("%d owners are remembered", len(h.known))
		}
	}
	h.note("g_last", true, now)
	if owns, known := h.has("g_last", now); !owns || !known {
		t.Error("what was noted last is forgotten")
	}
	now = now.Add(ownsNotFor)
	for i := range maxOwning/8 + 1 { // the next sweep forgets the refusals, which are over, and no more
		h.note(Owner(fmt.Sprint("g_again", i)), true, now)
	}
	if owns, known := h.has("g_last", now); !owns || !known {
		t.Error("what still holds is forgotten before what does not")
	}
	if len(h.known) > maxOwning/2 {
		t.Errorf("%d owners are remembered, nearly all in vain", len(h.known))
	}
}

// TestSpeakers has many callers at once.
func TestSpeakers(t *testing.T) {
	a := NewAuthority(Options{Guests: NewGuests(keys(keyOne, keyTwo), noon), Owns: func(_ context.Context, o Owner) (bool, error) {
		return o[2] < '8', nil
	}})
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 300 {
				token := fmt.Sprintf("ipt_%016d", (worker+i)%100)
				o, _ := OldGuest(token)
				s, err := a.Speaker(context.Background(), Credentials{GuestToken: token}, Anyone)
				if owns := o[2] < '8'; owns != (err == nil) || owns && s.Owner != o {
					t.Errorf("%s: %+v, %v", token, s, err)
				}
			}
		})
	}
	all.Wait()
}

func TestOldGuest(t *testing.T) {
	seen := map[Owner]string{}
	for token, want := range map[string]bool{
		"":                                false,
		"ipt_":                            false,
		"ipt_0123456789abcde":             false,
		"ipt_0123456789abcdef":            true,
		"ipt_0123456789ABCDEF":            true,
		"ipt_AZaz09_-AZaz09_-":            true,
		"ipt_0123456789.abcdef":           false,
		"ipt_0123456789 abcdef":           false,
		"ipt_0123456789/abcdef":           false,
		"ipt_0123456789abcdé":             false,
		"IPT_0123456789abcdef":            false,
		"iptk0123456789abcdef":            false,
		"0123456789abcdef0123":            false,
		"ipt_" + strings.Repeat("a", 128): true,
		"ipt_" + strings.Repeat("a", 129): false,
	} {
		o, ok := OldGuest(token)
		if ok != want || ok != (o != "") {
			t.Errorf("OldGuest(%q) = %q, %t; want %t", token, o, ok, want)
		}
		if other := seen[o]; ok && other != "" {
			t.Errorf("%q and %q are one owner", token, other)
		}
		seen[o] = token
	}
}

// TestOwning checks each document that makes an old token good, in a database.
func TestOwning(t *testing.T) {
	db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	owns := Owning(db,
		func(o Owner) store.Path { return store.Path("libraries").Join(string(o)) },
		func(o Owner) store.Path { return store.Path("owners").Join(string(o), "kept", "things") })
	for i, path := range []store.Path{"libraries/g_0", "owners/g_1/kept/things"} {
		o := Owner(fmt.Sprint("g_", i))
		if got, err := owns(t.Context(), o); got || err != nil {
			t.Errorf("before %s: %t, %v", path, got, err)
		}
		if err := db.Set(t.Context(), path, map[string]any{}); err != nil {
			t.Fatal(err)
		}
		if got, err := owns(t.Context(), o); !got || err != nil {
			t.Errorf("with %s: %t, %v", path, got, err)
		}
	}
	if got, err := owns(t.Context(), "g_4"); got || err != nil {
		t.Errorf("with what others have: %t, %v", got, err)
	}
	db.Close()
	if _, err := owns(t.Context(), "g_0"); err == nil {
		t.Error("a closed database is no error")
	}
}

func TestSpeakerOf(t *testing.T) {
	if s, ok := SpeakerOf(t.Context()); ok || s.Owner != "" {
		t.Errorf("in an empty context speaks %+v", s)
	}
	want := Speaker{Owner: "g_1", Guest: true}
	if s, ok := SpeakerOf(With(t.Context(), want)); !ok || s != want {
		t.Errorf("speaks %+v, want %+v", s, want)
	}
}

func BenchmarkSpeaker(b *testing.B) {
	a := authority(Options{})
	token, _ := issue(b, a.o.Guests)
	for name, t := range map[string]string{"signed": token, "old": oldToken} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Speaker(b.Context(), Credentials{GuestToken: t}, Anyone); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
