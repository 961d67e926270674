package policy

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestProofsExist checks that the tests which prove how the service meets its
// security standard exist.
func TestProofsExist(t *testing.T) {
	missing, err := Proofs(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range missing {
		t.Error(m)
	}
}

// TestProofs checks what is found on a page.
func TestProofs(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	fsys := fstest.MapFS{
		"docs/asvs.md":                        file("`shared/a.TestOne`, `shared/a/b.TestTwo`, `functions.TestThree` `here.test.mjs` `gone.test.mjs` shared/a.TestNone `shared/a.go`"),
		"shared/a/a_test.go":                  file("func TestOne(t *testing.T) {}\nfunc TestTwo(t *testing.T) {}\n"),
		"shared/a/a.go":                       file("func TestThree(t *testing.T) {}\n"),
		"functions/f_test.go":                 file("// func TestThree(t *testing.T) {}\n"),
		"scripts/pages/account/here.test.mjs": file(""),
	}
	missing, err := Proofs(fsys)
	want := []string{
		"docs/asvs.md names shared/a/b.TestTwo, which does not exist",
		"docs/asvs.md names functions.TestThree, which does not exist",
		"docs/asvs.md names gone.test.mjs, which does not exist",
	}
	if d := cmp.Diff(want, missing); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	fsys["docs/asvs.md"] = file("nothing")
	if _, err := Proofs(fsys); err == nil || !strings.Contains(err.Error(), "no test") {
		t.Errorf("a page without proofs: %v", err)
	}
}
