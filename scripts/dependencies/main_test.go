package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// programs puts stand-ins for go and npm in the way, which print the given texts.
func programs(t *testing.T, goList, outdated, audit string) {
	t.Helper()
	folder := t.TempDir()
	for name, script := range map[string]string{
		"go":  "cat <<'END'\n" + goList + "\nEND\n",
		"npm": "case $1 in outdated) cat <<'END'\n" + outdated + "\nEND\n;; audit) cat <<'END'\n" + audit + "\nEND\n;; esac\nexit 1\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestModules(t *testing.T) {
	for _, test := range []struct{ name, list, shows, fails string }{
		{"all new", `{"Path": "a.example/a", "Version": "v1.0.0"}`, "", ""},
		{"newer", `{"Path": "a.example/a", "Version": "v1.0.0", "Update": {"Version": "v1.1.0"}}`, "a.example/a  v1.0.0  v1.1.0", ""},
		{"newer, but indirect", `{"Path": "a.example/a", "Version": "v1.0.0", "Indirect": true, "Update": {"Version": "v1.1.0"}}`, "", ""},
		{"withdrawn", `{"Path": "a.example/a", "Version": "v1.0.0", "Retracted": ["loses data"]}`, "", "a.example/a v1.0.0 was withdrawn: loses data"},
		{"deprecated", `{"Path": "a.example/a", "Version": "v1.0.0", "Deprecated": "use b"}`, "", "a.example/a is deprecated: use b"},
		{"not served", `{"Path": "a.example/a", "Version": "v1.0.0", "Error": {"Err": "403 Forbidden\nagain"}}`, "skipped: newer versions of a.example/a: 403 Forbidden", ""},
		{"cut off", `{"Path": "a.ex`, "", "the list of modules: invalid character '\\n' in string literal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			programs(t, test.list, "{}", "{}")
			var out bytes.Buffer
			err := checkModules(t.Context(), &out)
			if !strings.Contains(out.String(), test.shows) || (test.shows == "") != (out.Len() == 0) {
				t.Errorf("shows %q, want %q", &out, test.shows)
			}
			if got := text(err); got != test.fails {
				t.Errorf("fails with %q, want %q", got, test.fails)
			}
		})
	}
}

func TestPackages(t *testing.T) {
	for _, test := range []struct{ name, folder, outdated, audit, shows, fails string }{
		{"all new", "x", `{"a": {"wanted": "1.0.0", "latest": "1.0.0"}}`, `{"vulnerabilities": {}}`, "", ""},
		{"newer", "x", `{"a": {"wanted": "1.0.0", "latest": "1.1.0"}}`, `{"vulnerabilities": {}}`, "a  1.0.0  1.1.0", ""},
		{"vulnerable", ".", `{}`, `{"vulnerabilities": {"b": {"severity": "critical"}, "a": {"severity": "high"}, "c": {"severity": "low"}}}`,
			"", "known vulnerabilities in npm packages of .: a, b"},
		{"a vulnerable tool", "x", `{}`, `{"vulnerabilities": {"a": {"severity": "high"}}}`, "known vulnerabilities in npm packages of x: a", ""},
		{"not reached", "x", `{}`, `{"message": "no route"}`, "skipped: vulnerabilities of the npm packages of x: npm audit: no route", ""},
		{"without an answer", "x", ``, ``, "skipped: newer npm packages of x: npm outdated: unexpected end of JSON input", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			programs(t, "", test.outdated, test.audit)
			var out bytes.Buffer
			err := checkPackages(t.Context(), &out, test.folder)
			if !strings.Contains(out.String(), test.shows) || (test.shows == "") != (out.Len() == 0) {
				t.Errorf("shows %q, want %q", &out, test.shows)
			}
			if got := text(err); got != test.fails {
				t.Errorf("fails with %q, want %q", got, test.fails)
			}
		})
	}
}

// TestVulnerabilities checks that the database is asked for before the program runs,
// whose findings count.
func TestVulnerabilities(t *testing.T) {
	programs(t, "a finding", "", "")
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/index" {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer database.Close()
	for path, want := range map[string]string{
		"/index": "a finding\n\n",
		"/other": "skipped: known vulnerabilities of Go modules: " + database.URL + "/other answered 403 Forbidden\n",
	} {
		var out bytes.Buffer
		if err := checkVulnerabilities(t.Context(), &out, database.URL+path); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestFolders(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{"package-lock.json", "a/package-lock.json", "a/node_modules/b/package-lock.json", ".git/package-lock.json", "c/other.json"} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := packageFolders(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Join(root, "a"), root}, got); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
