package passkey

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLists(t *testing.T) {
	one, two := Credential{ID: []byte{1}, Name: "one"}, Credential{ID: []byte{2}, Name: "two"}
	keys := []Credential{one, two}
	var full []Credential
	for i := range MaxKeys {
		full = append(full, Credential{ID: []byte{100, byte(i)}})
	}
	used := Credential{ID: []byte{2}, Name: "two", SignCount: 7}
	renamed := Credential{ID: []byte{2}, Name: "Phone"}
	for _, test := range []struct {
		name string
		do   func() ([]Credential, error)
		want []Credential
		err  error
	}{
		{"add", func() ([]Credential, error) { return Add([]Credential{one}, two) }, keys, nil},
		{"add again", func() ([]Credential, error) { return Add(keys, two) }, nil, ErrInvalid},
		{"add again to a full list", func() ([]Credential, error) { return Add(full, full[0]) }, nil, ErrInvalid},
		{"add to a full list", func() ([]Credential, error) { return Add(full, two) }, nil, ErrLimit},
		{"update", func() ([]Credential, error) { return Update(keys, used) }, []Credential{one, used}, nil},
		{"update a removed passkey", func() ([]Credential, error) { return Update([]Credential{one}, used) }, nil, ErrUnknown},
		{"rename", func() ([]Credential, error) { return Rename(keys, two.Ref(), " Phone ") }, []Credential{one, renamed}, nil},
		{"rename to nothing", func() ([]Credential, error) { return Rename(keys, two.Ref(), " ") }, nil, ErrName},
		{"rename an unknown passkey", func() ([]Credential, error) { return Rename(keys, "x", "Phone") }, nil, ErrUnknown},
		{"remove", func() ([]Credential, error) { return Remove(keys, one.Ref()) }, []Credential{two}, nil},
		{"remove an unknown passkey", func() ([]Credential, error) { return Remove(keys, full[0].Ref()) }, nil, ErrUnknown},
	} {
		got, err := test.do()
		if !errors.Is(err, test.err) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if diff := cmp.Diff([]Credential{one, two}, keys); diff != "" {
		t.Errorf("the lists that were given have changed (-want +got):\n%s", diff)
	}
}

func TestCheckName(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"Phone", "Phone"},
		{"  my phone ", "my phone"},
		{strings.Repeat("é", MaxName), strings.Repeat("é", MaxName)},
		{strings.Repeat("é", MaxName+1), ""},
		{"", ""},
		{"two\nlines", ""},
		{"turned \u202e round", ""},
		{"\xff", ""},
	} {
		got, err := CheckName(test.name)
		if got != test.want || (test.want == "") != errors.Is(err, ErrName) {
			t.Errorf("CheckName(%q) = %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

func TestPartyFollowsOrigins(t *testing.T) {
	for _, test := range []struct {
		origins []string
		id      string
		want    []string
	}{
		{[]string{"https://tv.example.com"}, "tv.example.com", []string{"https://tv.example.com"}},
		{[]string{"http://127.0.0.1:8787", "http://localhost:8787"}, "localhost", []string{"http://localhost:8787"}},
		{[]string{"http://[::1]:8787", "http://localhost:8787"}, "localhost", []string{"http://localhost:8787"}},
		{[]string{"https://a.example.com", "https://b.example.com"}, "a.example.com", []string{"https://a.example.com"}},
	} {
		p, err := New(test.origins)
		if err != nil {
			t.Fatal(err)
		}
		if c := p.web.Config; c.RPID != test.id || fmt.Sprint(c.RPOrigins) != fmt.Sprint(test.want) {
			t.Errorf("New(%v) is %s at %v, want %s at %v", test.origins, c.RPID, c.RPOrigins, test.id, test.want)
		}
	}
	if _, err := New([]string{"https://no_such host"}); err == nil {
		t.Error("New took an origin that is not one")
	}
}

func TestNoDomainNoPasskeys(t *testing.T) {
	p, err := New([]string{"http://192.168.1.5:8787"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, registration := p.BeginRegistration(Account{ID: ana}, nil)
	_, _, signIn := p.BeginSignIn()
	_, finished := p.FinishRegistration(Ceremony{Account: ana}, ana, nil, "x", now)
	_, signedIn := p.FinishSignIn(Ceremony{}, Response{}, nil, now)
	for _, err := range []error{registration, signIn, finished, signedIn} {
		if !errors.Is(err, ErrOff) {
			t.Errorf("a ceremony without a domain: %v, want %v", err, ErrOff)
		}
	}
}
