package apitest

import "testing"

// TestSteady checks which words of an example are taken for ids and secrets, which
// differ from run to run.
func TestSteady(t *testing.T) {
	const id = "k3m7q2x5w4p6t2v5n3r7h4d6"
	for _, test := range []struct{ name, text, want string }{
		{"an id in base32", "q7zhtztvdm3zvvfp", id},
		{"an id in base32 without a digit", "vtzhztvdmezvvfpx", id},
		{"within a path", "/api/me/sessions/vtzhztvdmezvvfpx", "/api/me/sessions/" + id},
		{"with a prefix", "inv_vtzhztvdmezvvfpx", "inv_k3m7q2x5w4p6"},
		{"a token in base64", "GmVtZ-htztvd_MezvvfpxAbc", id},
		{"a token that begins as a hash does", "0xVtZ-htztvd_MezvvfpxAbc", id},
		{"a hash", "0x12ab34cd56ef7890", "0x2525252525252525"},
		{"the name of an operation", "get_organization", "get_organization"},
		{"the name of a header", "X-Operator-OpenAPI", "X-Operator-OpenAPI"},
		{"the name of a member", "documentationUrl", "documentationUrl"},
		{"words", "accept_invitation of the organization", "accept_invitation of the organization"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := steady(test.text); got != test.want {
				t.Errorf("steady(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

// TestShortenPlayers checks that numbers and logins of players are steady, and that other
// values of members with the same names are taken for what they are.
func TestShortenPlayers(t *testing.T) {
	for _, test := range []struct {
		name        string
		value, want any
	}{
		{"stream_id", 645824220.0, 1325689463},
		{"stream_id", "645824220", "1325689463"},
		{"stream", "645824220.m3u8", "1325689463.m3u8"},
		{"category_id", "cat_vtzhztvdmezv", "cat_k3m7q2x5w4p6"},
		{"category_id", 0.0, 0.0},
		{"username", "vtzhztvd-mezvvfpx", "k3m7q2x5"},
		{"username", "", ""},
	} {
		if got := shorten(test.value, test.name); got != test.want {
			t.Errorf("%s %v becomes %v, want %v", test.name, test.value, got, test.want)
		}
	}
}
