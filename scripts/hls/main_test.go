package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJudge checks that the parsers notice wrongly rewritten playlists, each wrong in
// another way.
func TestJudge(t *testing.T) {
	if _, err := os.Stat("node_modules/hls.js"); err != nil {
		t.Skip("no scripts/hls/node_modules: run make test-hls")
	}
	const (
		media  = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:6,\na.ts\n"
		master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"
		ticket = hop + "?p="
	)
	right := func(text string) string { return string(rewrite("", bases[0], []byte(text)).Rewritten) }
	tests := []struct{ name, original, rewritten, want string }{
		{"right", media, right(media), "same"},
		{"right variants", master, right(master), "same"},
		{"another folder", media, strings.Replace(right(media), "/news/a.ts", "/a.ts", 1), "differs"},
		{"another key", media, strings.Replace(right(media), "/news/k", "/k", 1), "differs"},
		{"another duration", media, strings.Replace(right(media), "#EXTINF:6", "#EXTINF:5", 1), "differs"},
		{"another bandwidth", master, strings.Replace(right(master), "BANDWIDTH=1", "BANDWIDTH=2", 1), "differs"},
		{"another ticket", master, strings.Replace(right(master), ticket+"a", ticket+"b", 1), "differs"},
		{"a segment is gone", media + "#EXTINF:6,\nb.ts\n", right(media), "differs"},
		{"not rewritten", media, media, "relative"},
		{"variants not rewritten", master, master, "relative"},
		{"cut off", media, right(media)[:30], "broken"},
		{"header added", strings.TrimPrefix(media, "#EXTM3U\n"), right(media), "fixed"},
	}
	var tasks bytes.Buffer
	want, got := map[string]string{}, map[string]string{}
	for _, test := range tests {
		task := task{Name: test.name, Base: bases[0], Hop: hop, Original: []byte(test.original), Rewritten: []byte(test.rewritten)}
		if err := json.NewEncoder(&tasks).Encode(task); err != nil {
			t.Fatal(err)
		}
		want[test.name] = test.want
	}
	t.Chdir("../..")
	rulings, err := ask(&tasks)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rulings {
		if r.Parser == "hls.js" {
			got[r.Name] = r.Verdict
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCompare(t *testing.T) {
	known := exceptions{
		{"hls.js", "differs", "a.m3u8"}:  "a reason",
		{"hls.js", "refused", "b.m3u8"}:  "a reason",
		{"hls.js", "refused", "un.m3u8"}: "not judged here",
	}
	a, b, c := ruling{"a.m3u8", "hls.js", "differs", ""}, ruling{"b.m3u8", "hls.js", "refused", ""}, ruling{"c.m3u8", "hls.js", "same", ""}
	for _, test := range []struct {
		name    string
		rulings []ruling
		want    string
	}{
		{"as declared", []ruling{a, b, c}, ""},
		{"another differs", []ruling{a, b, {"c.m3u8", "hls.js", "differs", "here"}}, "hls.js\tdiffers\tc.m3u8\there\n"},
		{"another verdict", []ruling{{"a.m3u8", "hls.js", "broken", "here"}, b}, "hls.js\tbroken\ta.m3u8\there\na.m3u8 is no longer differs for hls.js: take it out of the exceptions\n"},
		{"another parser", []ruling{a, b, {"a.m3u8", "hls-parser", "differs", "here"}}, "hls-parser\tdiffers\ta.m3u8\there\n"},
		{"better than declared", []ruling{a, {"b.m3u8", "hls.js", "same", ""}}, "b.m3u8 is no longer refused for hls.js: take it out of the exceptions\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			err := known.compare(&out, test.rulings, false)
			if (err != nil) != (test.want != "") {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReadExceptions(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                 true,
		"hls.js\tdiffers\ta\treason\n":     true,
		"\nhls.js\tdiffers\ta\treason\n\n": true,
		"hls.js\tdiffers\ta\n":             false,
		"hls.js\tdiffers\ta\t \n":          false,
	} {
		path := filepath.Join(t.TempDir(), "exceptions.tsv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readExceptions(path); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := readExceptions("exceptions.tsv"); err != nil {
		t.Error(err)
	}
}

func TestGather(t *testing.T) {
	t.Chdir("../..")
	var out strings.Builder
	sources, err := gather(&out, t.TempDir()+"/none")
	if err != nil || len(sources) != 2 || len(sources[0].playlists) < 10 || !strings.HasPrefix(out.String(), "no ") {
		t.Errorf("%d sources, %v, %q", len(sources), err, out.String())
	}
	if _, err := gather(&out, t.TempDir()); err == nil {
		t.Error("an empty corpus is none")
	}
}
