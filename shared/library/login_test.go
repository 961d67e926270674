package library

import (
	"strings"
	"testing"
)

const loginToken = "k3m7q2x5w4p6t2v5n3r7h4d6ab"

// TestLogin checks that a login leads back to the token and the part that it was made of.
func TestLogin(t *testing.T) {
	for _, test := range []struct{ part, username, name string }{
		{"", "k3m7q2x5", ""},
		{"cat_abcdefghijkl", "k3m7q2x5-abcdefgh", "abcdefgh"},
		{"grp_zzzzzzzzzzzz", "k3m7q2x5-zzzzzzzz", "zzzzzzzz"},
		{"abcdefgh", "k3m7q2x5-abcdefgh", "abcdefgh"}, // as ParseLogin returned it
	} {
		username, password := LoginOf(loginToken, test.part)
		if username != test.username || password != loginToken[userLen:] {
			t.Errorf("%q: %q and %q", test.part, username, password)
		}
		for _, typed := range []string{username, " " + strings.ToUpper(username) + "\t"} {
			if token, part := ParseLogin(typed, password+" "); token != loginToken || part != test.name {
				t.Errorf("%q leads to %q and %q", typed, token, part)
			}
		}
	}
	if username, password := LoginOf("", ""); username != "" || password != "" {
		t.Errorf("without a token there is the login %q, %q", username, password)
	}
}

// TestLoginRefused checks that a token has one login: it cannot be divided elsewhere.
func TestLoginRefused(t *testing.T) {
	for _, test := range [][2]string{
		{"", ""}, {"", loginToken}, {loginToken, ""}, {loginToken[:7], loginToken[7:]}, {loginToken[:9], loginToken[9:]},
		{loginToken[:8] + "-", loginToken[8:]}, {loginToken[:8] + "-abc", loginToken[8:]}, {loginToken[:8] + "-abcdefghi", loginToken[8:]},
		{"-abcdefgh", loginToken},
	} {
		if token, part := ParseLogin(test[0], test[1]); token != "" || part != "" {
			t.Errorf("%q leads to %q and %q", test, token, part)
		}
	}
}

// TestPart finds folders and sub-tabs by the names in user names.
func TestPart(t *testing.T) {
	l := new(Library)
	first, err := l.AddCategory("One")
	if err != nil {
		t.Fatal(err)
	}
	folder := first.ID
	second, err := l.AddCategory("Two")
	if err != nil {
		t.Fatal(err)
	}
	for id, group := range map[string]string{folder: "", second.ID: "", second.Groups[0].ID: second.Groups[0].ID} {
		c, g, ok := l.Part(partName(id))
		if !ok || (g == nil) != (group == "") || g != nil && g.ID != group || g == nil && c.ID != id {
			t.Errorf("%s: %+v, %+v, %v", id, c, g, ok)
		}
	}
	if _, _, ok := l.Part("zzzzzzz1"); ok {
		t.Error("finds a part that is not there")
	}
}
