package policy

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// proofPage is the page that answers a security standard with the tests that prove
// each answer.
const proofPage = "docs/asvs.md"

// A proof on the page is the folder and the name of a Go test, or the file of a flow
// in a browser.
var (
	testOnPage = regexp.MustCompile("`((?:functions|shared|hop)(?:/[\\w/-]+)?)\\.(Test\\w+)`")
	flowOnPage = regexp.MustCompile("`([\\w-]+\\.test\\.mjs)`")
)

// flowsFolder holds the flows that a browser is led through.
const flowsFolder = "scripts/pages/account"

// Proofs returns the tests that the page of proofs names and that do not exist. It
// returns an error when the page cannot be read or names none.
func Proofs(fsys fs.FS) (missing []string, err error) {
	page, err := fs.ReadFile(fsys, proofPage)
	if err != nil {
		return nil, err
	}
	tests, flows := testOnPage.FindAllStringSubmatch(string(page), -1), flowOnPage.FindAllStringSubmatch(string(page), -1)
	if len(tests) == 0 {
		return nil, fmt.Errorf("%s names no test", proofPage)
	}
	known := map[string][]string{}
	for _, m := range tests {
		folder, name := m[1], m[2]
		if known[folder] == nil {
			known[folder] = testsIn(fsys, folder)
		}
		if !slices.Contains(known[folder], name) {
			missing = append(missing, fmt.Sprintf("%s names %s.%s, which does not exist", proofPage, folder, name))
		}
	}
	for _, m := range flows {
		if _, err := fs.Stat(fsys, path.Join(flowsFolder, m[1])); err != nil {
			missing = append(missing, fmt.Sprintf("%s names %s, which does not exist", proofPage, m[1]))
		}
	}
	return missing, nil
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testsIn returns the names of the tests in a folder; never nil.
func testsIn(fsys fs.FS, folder string) []string {
	names := []string{}
	entries, _ := fs.ReadDir(fsys, folder) // a folder that does not exist has no tests
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, _ := fs.ReadFile(fsys, path.Join(folder, e.Name()))
		for _, m := range testFunction.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}
