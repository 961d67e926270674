package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-cmp/cmp"
)

const (
	isc = `Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`
	ours = "All rights reserved. Ask us before you use a line of it, and pay for it when we say so."
)

func TestIdentify(t *testing.T) {
	for _, test := range []struct {
		name  string
		texts []text
		want  []string
	}{
		{"no text", nil, nil},
		{"a licence", []text{{"LICENSE", []byte(isc)}}, []string{"ISC"}},
		{"words of no licence", []text{{"LICENSE", []byte(ours)}}, nil},
		{"a licence below other terms", []text{{"LICENSE", []byte(strings.Repeat(ours+"\n", 20) + isc)}}, nil},
		{"a notice beside it", []text{{"LICENSE.md", []byte(isc)}, {"NOTICE", []byte(ours)}}, []string{"ISC"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, identify(test.texts)); diff != "" {
				t.Errorf("licences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	err := check([]part{
		{name: "good", version: "1", licences: []string{"MIT"}},
		{name: "unknown", version: "2"},
		{name: "strict", version: "3", licences: []string{"MIT", "AGPL-3.0"}},
	})
	want := "unknown 2 has no licence that is known\nstrict 3 has the licence AGPL-3.0, which is not allowed"
	if err == nil || err.Error() != want {
		t.Errorf("check returns %v, want %s", err, want)
	}
}

func TestAlternatives(t *testing.T) {
	for expression, want := range map[string][]string{
		"":                       nil,
		"MIT":                    {"MIT"},
		"GPL-3.0":                {"GPL-3.0"},
		"(GPL-2.0 OR MIT)":       {"MIT"},
		"MIT AND BSD-3-Clause":   {"MIT", "BSD-3-Clause"},
		"GPL-2.0 AND MIT":        {"GPL-2.0 AND MIT"},
		"SEE LICENSE IN license": {"SEE LICENSE IN license"},
	} {
		if diff := cmp.Diff(want, alternatives(expression)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", expression, diff)
		}
	}
}

// TestProgram writes what this test is made of: a program as others are.
func TestProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	modules, version, err := modulesOf([]string{self})
	if err != nil {
		t.Fatal(err)
	}
	if err := check(modules); err != nil {
		t.Error(err)
	}
	name := filepath.Join(t.TempDir(), "sbom.json")
	if err := writeBill(name, version, modules); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(f, cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	licences := map[string]string{}
	for _, c := range *bom.Components {
		licences[c.Name] = (*c.Licenses)[0].License.ID
	}
	want := map[string]string{"github.com/google/licensecheck": "BSD-3-Clause", "github.com/CycloneDX/cyclonedx-go": "Apache-2.0", "std": "BSD-3-Clause"}
	for name, id := range want {
		if licences[name] != id {
			t.Errorf("the licence of %s is %q, want %s", name, licences[name], id)
		}
	}
	if text := string(notices(modules)); !strings.Contains(text, "github.com/google/licensecheck v") || !strings.Contains(text, "Redistribution and use in source and binary forms") {
		t.Errorf("notices of %d bytes lack a module or its licence", len(text))
	}
}

// TestPackages reads a lock file with packages of each kind.
func TestPackages(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := json.Marshal(map[string]any{"packages": map[string]any{
		"":                                 map[string]any{"version": "0"},
		"node_modules/@a/b":                map[string]any{"version": "1.0.0", "license": "MIT"},
		"node_modules/@a/b/node_modules/c": map[string]any{"version": "2.0.0", "license": "ISC"},
		"node_modules/tool":                map[string]any{"version": "3.0.0", "license": "GPL-3.0", "dev": true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	write("package-lock.json", string(lock))
	if _, err := packagesOf(dir); err == nil || !strings.Contains(err.Error(), "make generate") {
		t.Errorf("packages that are not installed: %v, want an error that says what installs them", err)
	}
	write("node_modules/@a/b/LICENSE", "text of b")
	write("node_modules/@a/b/license.js", "no text")
	write("node_modules/@a/b/node_modules/c/readme.md", "no text")
	got, err := packagesOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []part{
		{kind: "npm", name: "@a/b", version: "1.0.0", licences: []string{"MIT"}, texts: []text{{"LICENSE", []byte("text of b")}}},
		{kind: "npm", name: "c", version: "2.0.0", licences: []string{"ISC"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(part{}, text{})); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	if url := got[0].component().PackageURL; url != "pkg:npm/%40a/b@1.0.0" {
		t.Errorf("the package URL is %s", url)
	}
}
