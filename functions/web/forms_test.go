package web_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// templateTexts returns the templates of pages, by the names of their files.
func templateTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	folder := os.DirFS("templates")
	names, err := fs.Glob(folder, "*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

var (
	inputTag    = regexp.MustCompile(`<input[^>]*>`)
	ofPassword  = regexp.MustCompile(`(id|name|type|autocomplete)="[^"]*password`)
	passwordTag = regexp.MustCompile(`type="password".*autocomplete="(current|new)-password"`)
)

// TestPasswordFields checks that each field for a password hides it, and names itself
// to password managers. No field refuses what is pasted: pages have no inline
// scripts, and the scripts listen to no paste.
func TestPasswordFields(t *testing.T) {
	fields := 0
	for name, text := range templateTexts(t) {
		for _, tag := range inputTag.FindAllString(text, -1) {
			if !ofPassword.MatchString(tag) || strings.Contains(tag, `type="hidden"`) || strings.Contains(tag, `name="email"`) {
				continue
			}
			fields++
			if !passwordTag.MatchString(tag) {
				t.Errorf("%s: %s", name, tag)
			}
		}
		if strings.Contains(text, "onpaste") {
			t.Errorf("%s listens to what is pasted", name)
		}
	}
	if fields < 2 {
		t.Errorf("found %d fields for passwords, want those of the sign-in and the security page", fields)
	}
	err := fs.WalkDir(os.DirFS("app"), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".ts") {
			return err
		}
		text, err := os.ReadFile("app/" + path)
		if err == nil && strings.Contains(string(text), `"paste"`) {
			t.Errorf("%s listens to what is pasted", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestEveryPageSignsOut checks that a visitor can sign out on each page of the account.
func TestEveryPageSignsOut(t *testing.T) {
	texts := templateTexts(t)
	if !strings.Contains(texts["_account_top.html"], `{{.Body.Hidden "signout"}}`) {
		t.Error("the head of the account pages has no form that signs out")
	}
	for _, name := range []string{"account", "security", "sessions", "keys", "organizations", "organization", "devices", "privacy"} {
		if !strings.Contains(texts[name+".html"], `{{template "_account_top.html" .}}`) {
			t.Errorf("the page %s lacks the head of the account pages", name)
		}
	}
}
