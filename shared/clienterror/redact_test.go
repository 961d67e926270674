package clienterror

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// planted are texts of which the secret must not survive, with %s in its place.
var planted = []struct{ name, secret, text string }{
	{"guest token", "ipt_Zk3v9QwX7Lr2Ts8", "%s"},
	{"API key", "mmk_4fGh29sKdl", "%s"},
	{"credit", "cred_a8Lw93", "Bearer %s"},
	{"bearer", "abcdefgh", "Authorization: Bearer %s"},
	{"basic", "dXNlcjpwYXNz", "basic %s"},
	{"JWT", "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "%s"},
	{"password", "hunter2", `password="%s"`},
	{"password in Portuguese", "hunter2", `senha: %s`},
	{"JSON member", "hunter2", `{"csrf_token": "%s"}`},
	{"cookie", "hunter2", "cookie=%s; path=/"},
	{"user of a URL", "ana:hunter2", "https://%s@m.example/x"},
	{"query", "hunter2", "https://m.example/entrar?to=%s"},
	{"query of a path", "hunter2", "/api/s/s_1?p=%s"},
	{"fragment", "hunter2", "https://m.example/conta#%s"},
	{"feed", "hunter2", "/f/%s/library.m3u"},
	{"live stream", "x5w4p6t2v5n3r7h4d6", "https://mira.example/live/k3m7q2x5/%s/12.ts"},
	{"live stream of a folder", "x5w4p6t2v5n3r7h4d6", "/live/k3m7q2x5-abcdefgh/%s/12"},
	{"e-mail", "ana.souza+tv@mira.example", "%s"},
	{"escaped e-mail", "ana%%40mira.example", "%s"},
	{"e-mail escaped twice", "ana%%2540mira.example", "%s"},
	{"e-mail in JSON", "mira.example", `{\"to\":\"ana\u0040%s\"}`},
	{"feed in an escaped URL", "hunter2", "https%%3A%%2F%%2Fm.example%%2Ff%%2F%s%%2Flibrary.m3u"},
	{"feed in capitals", "hunter2", "/F/%s/LIBRARY.M3U"},
	{"query of an escaped URL", "hunter2", "https%%3A%%2F%%2Fm.example%%2Fentrar%%3Fto%%3Dana%%20%s"},
	{"escaped token", "abc.def", "ipt%%5F%s"},
	{"escaped bearer", "abcdefgh", "Bearer%%20%s"},
	{"value on the next line", "hunter2", "password =\n\t%s"},
	{"JSON over lines", "hunter2", "{\"x-guest-token\":\n  \"%s\"}"},
	{"session", "abcd", "__Host-mm-auth=%s"},
	{"pass", "hunter2", "pass: %s"},
	{"code", "482913", "codigo=%s"},
	{"code in JSON", "482913", `{"code": "%s"}`},
	{"escaped IPv4", "203%%2E0%%2E113%%2E77", "%s"},
	{"escaped phone", "91234-5678", "%%2B55%%2011%%20%s"},
	{"phone", "+55 (11) 91234-5678", "%s"},
	{"local phone", "91234-5678", "%s"},
	{"IPv4", "203.0.113.77", "%s"},
	{"IPv6", "2001:db8:7::1f", "%s"},
	{"long IPv6", "2001:db8:1:2:3:4:5:6", "[%s]:443"},
	{"hash", "9f86d081884c7d659a2feaa0c55ad015", "%s"},
	{"random", "Xy7_kLm2PqR9sT4vWz01", "%s"},
	{"card", "4111 1111 1111 1111", "%s"},
	{"wallet", "0x52908400098527886E0F7030069857D2E4169EE7", "%s"},
	{"key", "MC4CAQAwBQYDK2Vw", "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----"},
}

// checkRedacted checks that a secret within a text does not survive, and that the result
// is as redacted as it can be.
func checkRedacted(t *testing.T, name, secret, text string) {
	t.Helper()
	got := Redact(text)
	if strings.Contains(got, strings.ReplaceAll(secret, "%%", "%")) {
		t.Errorf("%s: %q survives in %q", name, secret, got)
	}
	if again := Redact(got); again != got {
		t.Errorf("%s: redacted again %q becomes %q", name, got, again)
	}
}

func TestRedact(t *testing.T) {
	for _, p := range planted {
		checkRedacted(t, p.name, p.secret, fmt.Sprintf(p.text, strings.ReplaceAll(p.secret, "%%", "%")))
	}
}

// TestRedactKeeps checks that what a defect is found by survives.
func TestRedactKeeps(t *testing.T) {
	for _, text := range []string{
		"", "TypeError: Cannot read properties of undefined (reading 'streams')",
		"at play (https://m.example/assets/main-LQDHZ3Q6.js:1:20345)", "Refused to load a script in 'script-src'",
		"token is not defined", "fetch of /api/channels/Aurora.br failed with 503", "at 10:25:30", "Uncaught (in promise) AbortError",
	} {
		if got := Redact(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// words are parts of texts among which secrets are planted.
var words = []string{
	"TypeError:", "at", "(https://m.example/a.js:1:2)", "token", "=", ":", "?", "#", "@", "/", "[secret]", "[token]", `"`, "'", "12", "é", "\n", "bearer",
	"password:", "1.2.3", "::", "eyJ", "ipt_", "%", "+", "ana@", "-----BEGIN X-----", "a?b", "&c=d",
}

// TestRedactAnywhere plants each secret among random words: it never survives, and the
// result is final.
func TestRedactAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 28))
	some := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString([]string{"", " "}[r.IntN(2)])
		}
		return b.String()
	}
	for range 3000 {
		p := planted[r.IntN(len(planted))]
		checkRedacted(t, p.name, p.secret, some()+" "+fmt.Sprintf(p.text, strings.ReplaceAll(p.secret, "%%", "%"))+" "+some())
	}
}

// TestRedactTime checks that the longest texts of hostile forms take little time.
func TestRedactTime(t *testing.T) {
	for _, part := range []string{"a@", "1 ", ":", "eyJ.", "token=", "?#", "/f/", "-----BEGIN A-----", "[secret]@", "ipt_ipt_", "é"} {
		begun := time.Now()
		Redact(strings.Repeat(part, MaxStack/len(part)))
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%q repeated takes %v", part, took)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for i, p := range planted {
		f.Add(uint8(i), "before", "after")
		f.Add(uint8(i), p.text, p.text)
	}
	f.Add(uint8(0), "\"'", "@[")
	f.Add(uint8(3), "x?", "#-")
	f.Fuzz(func(t *testing.T, n uint8, before, after string) {
		if len(before)+len(after) > MaxStack {
			t.Skip("longer than any report")
		}
		p := planted[int(n)%len(planted)]
		secret := strings.ReplaceAll(p.secret, "%%", "%")
		if strings.Contains(before+" "+after, secret) {
			t.Skip("the text has the secret in a form of its own")
		}
		checkRedacted(t, p.name, p.secret, before+" "+fmt.Sprintf(p.text, secret)+" "+after)
	})
}
