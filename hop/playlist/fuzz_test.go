package playlist

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// rewritten is how every line of a rewritten playlist looks that is no tag.
var rewritten = regexp.MustCompile(`(?s)^[A-Za-z][A-Za-z0-9+.-]*:`)

// inner is a line with a URL whose host public refuses.
var inner = regexp.MustCompile(`^https?://([^/?#\\]*@)?inner\.example[/:]`)

// public refuses one host, and writes another one otherwise.
func public(host string) (string, error) {
	name, port, _ := strings.Cut(host, ":")
	switch name {
	case "inner.example":
		return "", errors.New("the host is not public")
	case "bücher.example":
		return strings.TrimSuffix("xn--bcher-kva.example:"+port, ":"), nil
	}
	return host, nil
}

// short writes a reference as it is, when it is not too long for a ticket.
func short(dst []byte, ref Reference) ([]byte, error) {
	if len(ref.URL) > 4500 {
		return dst, ErrLimit
	}
	return append(dst, ref.URL...), nil
}

func FuzzRewrite(f *testing.F) {
	for _, text := range playlists(f) {
		f.Add(text)
	}
	for _, text := range corpus(f, 200) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		o := testOptions()
		o.Route, o.Host = short, public
		out, info, err := Rewrite([]byte("before"), src, o)
		if err != nil {
			refused(t, out, info, err)
			return
		}
		out = bytes.TrimPrefix(out, []byte("before"))
		wellFormed(t, out, info)
		if bytes.Contains(src, []byte("#EXT-X-DEFINE")) {
			return // values may say what looks like references to variables
		}
		again, _, err := Rewrite(nil, out, o)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("once\n%q\ntwice\n%q, %v", out, again, err)
		}
		// The shorter one knows nothing of SERVER-CONTROL, nor of hosts.
		if info.LeftOut == 0 && !bytes.Contains(out, []byte("//xn--")) && utf8.Valid(src) && !bytes.Contains(src, []byte("#EXT-X-SERVER-CONTROL")) {
			if want := naive(string(src), testBase); string(out) != want {
				t.Fatalf("got\n%q\nwant\n%q", out, want)
			}
		}
	})
}

func refused(t *testing.T, out []byte, info Info, err error) {
	t.Helper()
	if !errors.Is(err, ErrOrigin) && !errors.Is(err, ErrLimit) {
		t.Errorf("error %v", err)
	}
	if string(out) != "before" || info != (Info{}) {
		t.Errorf("left %q, %+v", out, info)
	}
}

func wellFormed(t *testing.T, out []byte, info Info) {
	t.Helper()
	switch {
	case !utf8.Valid(out), bytes.ContainsAny(out, "\x00\r"), !bytes.HasPrefix(out, []byte("#EXTM3U")), !bytes.HasSuffix(out, []byte("\n")), len(out) > MaxOutput:
		t.Fatalf("wrote %q", out)
	case info.Multivariant == info.Media, info.References > MaxReferences, info.NextMSN < 0, info.NextPart < 0, info.Target < 0, info.PartTarget < 0:
		t.Fatalf("learned %+v", info)
	}
	for line := range strings.Lines(string(out)) {
		if strings.TrimSpace(line) == "" || line[0] != '#' && !rewritten.MatchString(line) {
			t.Fatalf("wrote the line %q", line)
		}
		if inner.MatchString(line) {
			t.Fatalf("wrote a reference to an inner address, %q", line)
		}
		if strings.HasPrefix(line, "#EXT-X-DEFINE:") || strings.HasPrefix(line, "#EXT-X-CONTENT-STEERING:") {
			t.Fatalf("left %q", line)
		}
	}
}

// corpus returns up to n playlists of the shared corpus, if it is there.
func corpus(t testing.TB, n int) [][]byte {
	paths, err := filepath.Glob(filepath.Join(shared(), "data/hls/*/*.m3u8"))
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, path := range paths[:min(n, len(paths))] {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

// shared returns the folder that lies beside the repository.
func shared() string {
	dir, _ := os.Getwd()
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared")
		}
	}
	return ""
}

// TestCorpus rewrites every playlist of the shared corpus as the shorter
// rewriter does.
func TestCorpus(t *testing.T) {
	all := corpus(t, 1<<20)
	if len(all) == 0 {
		t.Skip("no ../shared/data")
	}
	passed := 0
	for _, text := range all {
		o := testOptions()
		o.Route = direct
		o.MaxBlock = time.Hour
		out, info, err := Rewrite([]byte("before"), text, o)
		if err != nil {
			refused(t, out, info, err)
			continue
		}
		passed++
		out = bytes.TrimPrefix(out, []byte("before"))
		wellFormed(t, out, info)
		if info.LeftOut == 0 && utf8.Valid(text) && !bytes.Contains(text, []byte("#EXT-X-DEFINE")) && !bytes.Contains(text, []byte("RELOAD")) {
			if want := naive(string(text), testBase); string(out) != want {
				t.Errorf("got\n%s\nwant\n%s", out, want)
			}
		}
	}
	t.Logf("%d of %d passed on", passed, len(all))
	if passed < len(all)*9/10 {
		t.Errorf("only %d of %d are passed on", passed, len(all))
	}
}
