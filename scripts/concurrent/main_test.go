package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPackages(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"plain/a.go":             "package plain\nfunc A() {}\n",
		"starts/a.go":            "package starts\nfunc A() { go A() }\n",
		"queue/a.go":             "package queue\nfunc (q *Q) A() { q.work.Go(func() {}) }\n",
		"locks/a.go":             "package locks\nimport _ \"sync\"\n",
		"locks/a_test.go":        "package locks\nfunc TestLock(t *testing.T) { go func() {}() }\nfunc TestAlone(t *testing.T) {}\nfunc TestSuite(t *testing.T) { adtest.Run(t) }\nfunc TestDo(t *testing.T) { adtest.Do() }\n",
		"single/a.go":            "package single\nimport _ \"sync/atomic\"\n",
		"single/a_test.go":       "package single\nfunc TestSingle(t *testing.T) {}\n",
		"adtest/a.go":            "package adtest\nfunc Run(t *testing.T) { flood() }\nfunc flood() { go func() {}() }\nfunc Do() {}\n",
		"tested/a.go":            "package tested\nfunc A() {}\n",
		"tested/a_test.go":       "package tested\nfunc TestA(t *testing.T) { t.Parallel() }\n",
		"functions/a.go":         "package functions\nfunc A() { go A() }\n",
		"functions/a_test.go":    "package functions\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { go A() }\n",
		"node_modules/x/a.go":    "package x\nfunc A() { go A() }\n",
		"starts/testdata/in.go":  "not Go\n",
		"plain/_drafts/draft.go": "not Go\n",
		"plain/notes.txt":        "go A()\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := packages(root)
	if err != nil {
		t.Fatal(err)
	}
	whole, partly := choose(all)
	got := [][]string{whole}
	for _, part := range partly {
		got = append(got, part.packages, part.tests)
	}
	want := [][]string{{"./adtest", "./queue", "./starts"}, {"./functions"}, {"TestB"}, {"./locks", "./tested"}, {"TestA", "TestLock", "TestSuite"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("whole packages, others, and their tests (-want +got):\n%s", diff)
	}
}

func TestPackagesOfABrokenSource(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := packages(root); err == nil {
		t.Error("a source that does not parse was read without an error")
	}
}

func TestConcurrentTests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a_test.go")
	text := `package a
func TestStarts(t *testing.T) { go func() {}() }
func TestByHelper(t *testing.T) { helper(t) }
func TestByMethod(t *testing.T) { var c client; c.flood() }
func TestAlone(t *testing.T) { quiet() }
func TestMain(m *testing.M) { go quiet() }
func helper(t *testing.T) { deeper() }
func deeper() { var g sync.WaitGroup; g.Go(quiet) }
func quiet() {}
func (client) flood() { go quiet() }
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &pkg{code: newBodies(), tests: newBodies()}
	if err := p.add(path); err != nil {
		t.Fatal(err)
	}
	want := []string{"TestByHelper", "TestByMethod", "TestStarts"}
	if diff := cmp.Diff(want, p.concurrentTests(nil)); diff != "" {
		t.Errorf("concurrent tests (-want +got):\n%s", diff)
	}
}
