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
