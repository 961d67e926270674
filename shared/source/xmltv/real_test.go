package xmltv

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/ulikunitz/xz"

	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/source"
)

// realFiles returns the real guides there are.
func realFiles(t testing.TB) []string {
	t.Helper()
	data := reference.Dir(t)
	var files []string
	for _, pattern := range []string{"xmltv/*/*.xml", "xmltv/*/*.xml.gz", "guide/*.xml.xz"} {
		found, err := filepath.Glob(filepath.Join(data, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("no guides in ../shared/data")
	}
	return files
}

// TestRealGuides compares what is read of each real guide with what the naive
// reader makes of it.
func TestRealGuides(t *testing.T) {
	for _, file := range realFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			plain := unpacked(t, data)
			if testing.Short() && len(plain) > 400<<10 {
				t.Skip("a great guide takes long with the race detector")
			}
			compare(t, data, plain, Options{Language: "en"})
			if len(plain) < 100<<10 {
				compare(t, data, plain, Options{})
				compare(t, data, plain, Options{Language: "ar"})
			}
		})
	}
}

// compare reads a guide both ways.
func compare(t testing.TB, data, plain []byte, o Options) {
	t.Helper()
	want, naiveErr := naive(plain, o)
	got, err := readAll(bytes.NewReader(data), o)
	if naiveErr != nil && errors.Is(err, source.ErrForm) {
		return // one of the samples is another form of guide
	}
	if err != nil || naiveErr != nil {
		t.Fatalf("%v, naive: %v", err, naiveErr)
	}
	if diff := difference(want, got); diff != "" {
		t.Errorf("-naive +read:\n%s", diff)
	}
}

// unpacked returns what a file holds.
func unpacked(t testing.TB, data []byte) []byte {
	t.Helper()
	var r io.Reader
	var err error
	switch {
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		r, err = gzip.NewReader(bytes.NewReader(data))
	case bytes.HasPrefix(data, []byte("\xfd7zXZ")):
		r, err = xz.NewReader(bytes.NewReader(data))
	default:
		return data
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// TestRealFacts compares a real guide with what its page states of it.
func TestRealFacts(t *testing.T) {
	if testing.Short() {
		t.Skip("a great guide takes long with the race detector")
	}
	f, err := os.Open(filepath.Join(reference.Dir(t), "guide", "freeview-uk-20230417.xml.xz"))
	if err != nil {
		t.Skip("no guide of Freeview in ../shared/data")
	}
	defer f.Close()
	g, err := readAll(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Channels) != 159 || len(g.Programmes) != 13_120 || g.Count.Skipped > 0 {
		t.Errorf("%d channels, %d programmes, %+v", len(g.Channels), len(g.Programmes), g.Count)
	}
	first := g.Programmes[0]
	if first.Channel != "4Music.uk" || first.Start.Format("20060102150405 MST") != "20230417115000 UTC" || !strings.HasPrefix(first.Title, "Massive") {
		t.Errorf("the first programme is %+v", first)
	}
}
