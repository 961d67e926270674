package playlist

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
)

var update = flag.Bool("update", false, "rewrite the goldens")

const (
	testBase = "https://origin.example/live/news/index.m3u8?token=a%2Fb~c&name=v%20w"
	testHop  = "https://hop.example/s?p="
)

// readable writes a reference so that goldens show what it resolves to.
func readable(dst []byte, r Reference) ([]byte, error) {
	if len(r.URL) > 4500 {
		return dst, ErrLimit
	}
	if r.Report {
		dst = append(append(dst, "?p="...), r.URL...)
	} else {
		dst = append(append(dst, testHop...), r.URL...)
	}
	for _, v := range r.Vars {
		dst = append(append(append(append(dst, "&"...), v.Name...), '='), v.Value...)
	}
	return dst, nil
}

func testOptions() Options {
	return Options{
		Base: testBase, Route: readable, Host: public, MaxBlock: 8 * time.Second,
		Vars: []Var{{"imported", "value/of-it"}},
	}
}

// playlists returns the playlists of testdata by name.
func playlists(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/playlists/*.m3u8")
	if err != nil || len(paths) == 0 {
		t.Fatal("no playlists in testdata: ", err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".m3u8")] = text
	}
	return all
}

// TestGolden shows the rewriting of whole playlists, which together have
// every tag.
func TestGolden(t *testing.T) {
	for name, text := range playlists(t) {
		t.Run(name, func(t *testing.T) {
			got, _, err := Rewrite(nil, text, testOptions())
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata/goldens", name+".m3u8")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The beginnings of short playlists, whose own rewriting is their text.
const (
	media  = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n"
	dir    = "https://origin.example/live/news/"
	master = "#EXTM3U\n"
	stream = "#EXT-X-STREAM-INF:BANDWIDTH=1\n"
)

func TestRewrite(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"relative", media + "#EXTINF:6,\na.ts", media + "#EXTINF:6,\n" + dir + "a.ts\n"},
		{"byte order mark", "\uFEFF" + media, media},
		{"CR LF", "#EXTM3U\r\n#EXTINF:6,\r\na.ts\r\n", "#EXTM3U\n#EXTINF:6,\n" + dir + "a.ts\n"},
		{"CR", "#EXTM3U\r#EXTINF:6,\ra.ts\r", "#EXTM3U\n#EXTINF:6,\n" + dir + "a.ts\n"},
		{"mixed line ends", "#EXTM3U\n\r#EXTINF:6,\r\r\n\na.ts\r#x\n", "#EXTM3U\n#EXTINF:6,\n" + dir + "a.ts\n#x\n"},
		{"blank lines", "\n \n" + media + "\n\t\n#EXTINF:6,\n\n\na.ts\n\n", media + "#EXTINF:6,\n" + dir + "a.ts\n"},
		{"indented", "  #EXTM3U\n\t#EXTINF:6,\n  a.ts", "#EXTM3U\n#EXTINF:6,\n" + dir + "a.ts\n"},
		{"no header", "#EXTINF:6,\na.ts", "#EXTM3U\n#EXTINF:6,\n" + dir + "a.ts\n"},
		{"comments above the header", "# a\n#b\n" + media, media},
		{"a header with attributes", "#EXTM3U url-tvg=\"x\"\n#EXTINF:6\na", "#EXTM3U url-tvg=\"x\"\n#EXTINF:6\n" + dir + "a\n"},
		{"a plain list of channels", "#EXTM3U\n#EXTINF:-1,One\nhttp://a.example/1.m3u8", "#EXTM3U\n#EXTINF:-1,One\nhttp://a.example/1.m3u8\n"},
		{"trailing space stays in a tag", media + "#EXTINF:6, x \na.ts ", media + "#EXTINF:6, x \n" + dir + "a.ts\n"},
		{"no UTF-8 in a title", media + "#EXTINF:6,Jos\xE9\na.ts", media + "#EXTINF:6,Jos\uFFFD\n" + dir + "a.ts\n"},
		{"no UTF-8 in a reference", media + "#EXTINF:6,\nJos\xE9.ts", media + "#EXTINF:6,\n" + dir + "Jos%E9.ts\n"},
		{"no UTF-8 in a tag", media + "#EXT-X-KEY:A=\"\xE9\",URI=\"\xE9\"\n", media + "#EXT-X-KEY:A=\"\uFFFD\",URI=\"" + dir + "%E9\"\n"},

		{"spaces after commas", media + `#EXT-X-KEY:METHOD=AES-128, URI="k", IV=0x1`, media + `#EXT-X-KEY:METHOD=AES-128, URI="` + dir + `k", IV=0x1` + "\n"},
		{"spaces around =", media + `#EXT-X-KEY: URI = "k" ,IV=0x1`, media + `#EXT-X-KEY: URI = "` + dir + `k" ,IV=0x1` + "\n"},
		{"space in a reference", media + `#EXT-X-MAP:URI=" a b "`, media + `#EXT-X-MAP:URI="` + dir + `a%20b"` + "\n"},
		{"unquoted", media + `#EXT-X-MAP:URI=k,BYTERANGE="1@0"`, media + `#EXT-X-MAP:URI="` + dir + `k",BYTERANGE="1@0"` + "\n"},
		{"a quote within no quotes", media + `#EXT-X-MAP:URI=a"b"c`, media + `#EXT-X-MAP:URI="` + dir + `a%22b%22c"` + "\n"},
		{"a quote that is not closed", media + `#EXT-X-MAP:URI="k,BYTERANGE=1@0`, media + `#EXT-X-MAP:URI="` + dir + `k",BYTERANGE=1@0` + "\n"},
		{"two references", media + `#EXT-X-KEY:URI="a",URI=b,URI="c"`, media + `#EXT-X-KEY:URI="` + dir + `a",URI="` + dir + `b",URI="` + dir + `c"` + "\n"},
		{"a comma in a name", media + `#EXT-X-KEY:NONE,URI="a"`, media + `#EXT-X-KEY:NONE,URI="` + dir + `a"` + "\n"},
		{"a reference within a value", media + `#EXT-X-KEY:A="x,URI=b",URI="a"`, media + `#EXT-X-KEY:A="x,URI=b",URI="` + dir + `a"` + "\n"},
		{"names in other letters", media + `#EXT-X-KEY:uri="a",MYURI="b",URIS="c"` + "\n#ext-x-key:URI=\"d\"", media + `#EXT-X-KEY:uri="a",MYURI="b",URIS="c"` + "\n#ext-x-key:URI=\"d\"\n"},
		{"an empty reference is none", media + `#EXT-X-KEY:URI="",URI=" ",URI=,METHOD=NONE`, media + `#EXT-X-KEY:URI="",URI=" ",URI=,METHOD=NONE` + "\n"},
		{"a tag without a list", media + "#EXT-X-KEY\n#EXT-X-MAP:\n#EXT-X-ENDLIST", media + "#EXT-X-KEY\n#EXT-X-MAP:\n#EXT-X-ENDLIST\n"},
		{"no list but commas", media + "#EXT-X-KEY:,,,\n", media + "#EXT-X-KEY:,,,\n"},
		{"space before the colon", media + `#EXT-X-KEY :URI="a"`, media + `#EXT-X-KEY :URI="` + dir + `a"` + "\n"},
		{"a list on its own", media + "#EXT-X-VENDOR:URI=\"a\"\n", media + "#EXT-X-VENDOR:URI=\"a\"\n"},
		{"an empty prefetch", media + "#EXT-X-PREFETCH:\n", media + "#EXT-X-PREFETCH:\n"},
		{"a foreign reference keeps its bytes", media + `#EXT-X-KEY:URI="skd://a b/../c"`, media + `#EXT-X-KEY:URI="skd://a b/../c"` + "\n"},

		{"one variant stays one", master + stream + "a.m3u8", master + stream + testHop + dir + "a.m3u8\n"},
		{"a variant without suffix", master + stream + "\n# between\n#EXT-X-NEW\nseg.ts", master + stream + "# between\n#EXT-X-NEW\n" + testHop + dir + "seg.ts\n"},
		{"a variant that says its address twice", master + `#EXT-X-STREAM-INF:URI="a",X=1` + "\nb", master + `#EXT-X-STREAM-INF:URI="` + testHop + dir + `a",X=1` + "\n" + testHop + dir + "b\n"},
		{"a line too many", master + stream + "a\nb", master + stream + testHop + dir + "a\n" + dir + "b\n"},
		{"a variant that is not on the web", master + stream + "rtmp://a.example/x\n# stays\n" + stream + "b", master + "# stays\n" + stream + testHop + dir + "b\n"},
		{"a variant with a comment between", master + stream + "# between\nrtmp://a.example/x\n" + stream + "b", master + "# between\n" + stream + testHop + dir + "b\n"},
		{"a variant that is too long", master + stream + strings.Repeat("x", 5000) + "\n" + stream + "b", master + stream + testHop + dir + "b\n"},
		{"the last variant is left out", master + stream + "b\n" + stream + "data:,x", master + stream + testHop + dir + "b\n"},
		{"a variant whose tag is left out", master + "#EXT-X-STREAM-INF:URI=\"rtmp:x\"\na\n" + stream + "b", master + stream + testHop + dir + "b\n"},
		{"a variant whose tag has a second reference", master + "#EXT-X-STREAM-INF:URI=\"c\",URI=\"rtmp:x\"\na\n" + stream + "b", master + stream + testHop + dir + "b\n"},
		{"renditions that are left out", master + "#EXT-X-MEDIA:TYPE=AUDIO,URI=\"rtmp://a.example/x\"\n#EXT-X-I-FRAME-STREAM-INF:URI=\"ftp://a.example/x\"\n#EXT-X-IMAGE-STREAM-INF:URI=\"x:y\"\n" + stream + "b", master + stream + testHop + dir + "b\n"},
		{"a rendition that is left out before its line", master + stream + "#EXT-X-MEDIA:URI=\"rtmp:x\"\nb", master + stream + testHop + dir + "b\n"},
		{"a report that is left out", media + "#EXT-X-RENDITION-REPORT:URI=\"rtmp:x\"\n#EXTINF:6\na", media + "#EXTINF:6\n" + dir + "a\n"},
		{"a variant on an inner host", master + stream + "http://inner.example/x\n" + stream + "b", master + stream + testHop + dir + "b\n"},
		{"a variant in another script", master + stream + "//bücher.example/x", master + stream + testHop + "https://xn--bcher-kva.example/x\n"},
		{"media in another script", media + "#EXT-X-KEY:URI=\"http://bücher.example:81\"\n#EXTINF:6\n//bücher.example/ü?é", media + "#EXT-X-KEY:URI=\"http://xn--bcher-kva.example:81/\"\n#EXTINF:6\nhttps://xn--bcher-kva.example/ü?é\n"},
		{"a key by its name", media + "#EXT-X-KEY:URI=\"skd://inner.example/x\"", media + "#EXT-X-KEY:URI=\"skd://inner.example/x\"\n"},
		{"a variant of space", master + stream + "{$v}\na\n#EXT-X-DEFINE:NAME=x", ""},
		{"a target duration among variants", master + "#EXT-X-TARGETDURATION:6\n" + stream + "a", master + "#EXT-X-TARGETDURATION:6\n" + stream + testHop + dir + "a\n"},
		{"steering goes", master + "#EXT-X-CONTENT-STEERING:SERVER-URI=\"/s\"\n" + stream + "a", master + stream + testHop + dir + "a\n"},
		{"steering alone", media + "#EXT-X-CONTENT-STEERING", media},

		{"a parameter of the address", media + "#EXT-X-DEFINE:QUERYPARAM=\"token\"\n#EXTINF:6\n{$token}", media + "#EXTINF:6\n" + dir + "a/b~c\n"},
		{"a parameter with a space", media + "#EXT-X-DEFINE:QUERYPARAM=\"name\"\n#EXTINF:6\n{$name}", media + "#EXTINF:6\n" + dir + "v%20w\n"},
		{"a variable that is empty", media + "#EXT-X-DEFINE:NAME=\"v\",VALUE=\"\"\n#EXTINF:6\n{$v}a{$v}\n{$v}", media + "#EXTINF:6\n" + dir + "a\n"},
		{"a variable without value", media + "#EXT-X-DEFINE:NAME=\"v\"\n#EXTINF:6\n{$v}a", media + "#EXTINF:6\n" + dir + "a\n"},
		{"a definition of nothing", media + "#EXT-X-DEFINE:VALUE=\"v\"\n#EXT-X-DEFINE", media},
		{"what is no variable", media + "#EXTINF:6\n{$}{$a b}{$a{$", media + "#EXTINF:6\n" + dir + "{$}{$a%20b}{$a{$\n"},
		{"a prefetched variable", media + "#EXT-X-DEFINE:NAME=v,VALUE=x=y\n#EXT-X-PREFETCH:{$v}.ts", media + "#EXT-X-PREFETCH:" + dir + "x=y.ts\n"},
		{"a value cannot begin a tag", media + "#EXT-X-DEFINE:NAME=v,VALUE=\"#EXT-X-ENDLIST\"\n#EXTINF:6\n{$v}", media + "#EXTINF:6\nhttps://origin.example/live/news/index.m3u8?token=a%2Fb~c&name=v%20w#EXT-X-ENDLIST\n"},
		{"a variable in a definition", media + "#EXT-X-DEFINE:NAME=x,VALUE=1\n#EXT-X-DEFINE:NAME=v,VALUE=\"{$x}2\"\n#EXTINF:6\n{$v}", media + "#EXTINF:6\n" + dir + "12\n"},
		{"a value is not replaced again", media + "#EXT-X-DEFINE:NAME=x,VALUE=1\n#EXT-X-DEFINE:NAME=v,VALUE={$x}\n#EXTINF:6\n{$v}.ts", media + "#EXTINF:6\n" + dir + "%7B$x}.ts\n"},
		{"nor what it makes with its neighbours", media + "#EXT-X-DEFINE:NAME=v,VALUE={\n#EXT-X-MAP:URI=\"{$v}$x}\"\n#EXTINF:6\n{$v}{$v}$x y}", media + "#EXT-X-MAP:URI=\"" + dir + "%7B$x}\"\n#EXTINF:6\n" + dir + "{{$x%20y}\n"},
		{"a variable defined below", master + stream + "a\n#EXT-X-DEFINE:NAME=v,VALUE=1\n" + stream + "{$v}", master + stream + testHop + dir + "a&v=1\n" + stream + testHop + dir + "1&v=1\n"},
		{"a report may import what the playlist may", media + "#EXT-X-DEFINE:NAME=v,VALUE=1\n#EXT-X-RENDITION-REPORT:URI=\"../a\"", media + "#EXT-X-RENDITION-REPORT:URI=\"?p=https://origin.example/live/a&imported=value/of-it\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := Rewrite(nil, []byte(test.in), testOptions())
			if (err != nil) != (test.want == "") {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestRefusals has playlists that cannot be rewritten. What dst held before
// stays, and nothing is added.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     *fault.Error
	}{
		{"nothing", "", ErrOrigin},
		{"blank lines", "\n\r\n \t\n", ErrOrigin},
		{"only a byte order mark", "\uFEFF", ErrOrigin},
		{"only a header", "#EXTM3U\n", ErrOrigin},
		{"only comments", "#a\n# b\n", ErrOrigin},
		{"an empty multivariant playlist", "#EXTM3U\n#EXT-X-VERSION:3\n", ErrOrigin},
		{"a variant without address", master + stream, ErrOrigin},
		{"HTML", "<!doctype html>\n<title>Not found</title>", ErrOrigin},
		{"HTML with tags in it", "<html>\n#EXTM3U\n#EXTINF:6\na", ErrOrigin},
		{"JSON", `{"error":"denied"}`, ErrOrigin},
		{"DASH", `<?xml version="1.0"?><MPD/>`, ErrOrigin},
		{"MPEG-TS", "\x47\x40\x00\x10\x00\x00\xB0", ErrOrigin},
		{"UTF-16", "\xFF\xFE#\x00E\x00X\x00T\x00", ErrOrigin},
		{"UTF-16 the other way", "\x00#\x00E\x00X\x00T", ErrOrigin},
		{"a NUL at the end", media + "#EXTINF:6\na\x00", ErrOrigin},
		{"variants and segments", master + stream + "a\n#EXTINF:6\nb", ErrOrigin},
		{"segments and renditions", media + "#EXTINF:6\nb\n#EXT-X-MEDIA:TYPE=AUDIO,URI=\"a\"", ErrOrigin},
		{"a variant that is not on the web", master + stream + "ftp://a.example/x", ErrOrigin},
		{"a variant without host", master + stream + "https:///", ErrOrigin},
		{"a rendition of data", master + `#EXT-X-MEDIA:URI="data:application/x-mpegurl,x"`, ErrOrigin},
		{"variants that are all left out", master + stream + "rtmp://a.example/x\n" + stream + "rtmp://b.example/x", ErrOrigin},
		{"variants that are all too long", master + stream + strings.Repeat("x", 5000) + "\n" + stream + strings.Repeat("y", 5000), ErrLimit},
		{"variants that are all on inner hosts", master + stream + "http://inner.example/x", ErrOrigin},
		{"no variant but a rendition", master + "#EXT-X-MEDIA:URI=\"a\"\n" + stream + "rtmp://a.example/x", ErrOrigin},
		{"129 variants, all but one left out", master + stream + "a\n" + strings.Repeat(stream+"rtmp://a.example/x\n", 128), ErrLimit},
		{"a segment on an inner host", media + "#EXTINF:6\nhttp://inner.example/a", ErrOrigin},
		{"a second segment on an inner host", media + "#EXTINF:6\nhttp://a.example/a\n#EXTINF:6\nHTTP://x@inner.example:80/a", ErrOrigin},
		{"a key on an inner host", media + "#EXT-X-KEY:URI=\"//inner.example\"", ErrOrigin},
		{"a map on an inner host", media + "#EXT-X-MAP:URI=\"http:\\\\inner.example/\"", ErrOrigin},
		{"a part on an inner host", media + "#EXT-X-PART:URI=\"///inner.example/\"", ErrOrigin},
		{"session data on an inner host", master + "#EXT-X-SESSION-DATA:URI=\"//inner.example/\"\n" + stream + "a", ErrOrigin},
		{"a prefetch on an inner host", media + "#EXT-X-PREFETCH:http://inner.example/a", ErrOrigin},
		{"an inner host behind the scheme of a player", media + "#EXTINF:6,\ncrypto+http://inner.example/x\n", ErrOrigin},
		{"an inner host behind two schemes of a player", media + "#EXTINF:6,\ncrypto:HTTP://inner.example/x\n", ErrOrigin},
		{"an inner host in a tag without a colon", media + "#EXT-X-KEY METHOD=AES-128,URI=\"http://inner.example/\"", ErrOrigin},
		{"an inner host in a tag that we do not know", media + "#EXT-X-MAPS:URI=\"//inner.example/\"", ErrOrigin},
		{"an inner host behind two colons", media + "#EXT-X-MAP::URI=\"//inner.example/\"", ErrOrigin},
		{"an inner host behind a semicolon", media + "#EXT-X-KEY:METHOD=AES-128;URI=\"http://inner.example/\"", ErrOrigin},
		{"an inner host behind an open quote", media + "#EXT-X-KEY:METHOD=\"AES-128,URI=\"http://inner.example/\",IV=0x0", ErrOrigin},
		{"an inner host in a date range of another class", media + "#EXT-X-DATERANGE:CLASS=\"x\",X-ASSET-URI=\"http://inner.example/\"", ErrOrigin},
		{"an interstitial with two classes", media + "#EXT-X-DATERANGE:CLASS=\"x\",CLASS=\"com.apple.hls.interstitial\",X-ASSET-LIST=\"//inner.example/\"", ErrOrigin},
		{"an interstitial on an inner host", media + "#EXT-X-DATERANGE:CLASS=\"com.apple.hls.interstitial\",X-ASSET-LIST=\"//inner.example/\"", ErrOrigin},
		{"another protocol on an inner host", media + "#EXTINF:6\nRTMP://inner.example/a", ErrOrigin},
		{"nobody defined it in a definition", media + "#EXT-X-DEFINE:NAME=v,VALUE=\"{$x}\"", ErrOrigin},
		{"nobody defined it", media + "#EXTINF:6\n{$v}", ErrOrigin},
		{"nobody defined it in a string", media + "#EXT-X-KEY:METHOD=\"{$v}\"\n", ErrOrigin},
		{"defined below", media + "#EXTINF:6\n{$v}\n#EXT-X-DEFINE:NAME=v,VALUE=1", ErrOrigin},
		{"defined twice", media + "#EXT-X-DEFINE:NAME=v,VALUE=1\n#EXT-X-DEFINE:NAME=v,VALUE=1", ErrOrigin},
		{"nothing to import", media + "#EXT-X-DEFINE:IMPORT=\"other\"\n", ErrOrigin},
		{"no such parameter", media + "#EXT-X-DEFINE:QUERYPARAM=\"other\"\n", ErrOrigin},
		{"too many bytes", media + strings.Repeat("#", MaxInput), ErrLimit},
		{"129 variants", master + strings.Repeat(stream+"a\n", 129), ErrLimit},
		{"129 references in attributes", master + strings.Repeat("#EXT-X-MEDIA:URI=a\n", 100) + "#EXT-X-I-FRAME-STREAM-INF:" + strings.Repeat("URI=a,", 29), ErrLimit},
		{"129 reports", media + strings.Repeat("#EXT-X-RENDITION-REPORT:URI=a\n", 129), ErrLimit},
		{"129 variables", media + defines(129), ErrLimit},
		{"a value many times", media + "#EXT-X-DEFINE:NAME=v,VALUE=" + strings.Repeat("x", 1000) + "\n" + strings.Repeat("{$v}", 120_000), ErrLimit},
		{"a value many times in strings", media + "#EXT-X-DEFINE:NAME=v,VALUE=" + strings.Repeat("x", 1000) + "\n#EXT-X-KEY:A=\"" + strings.Repeat("{$v}", 120_000) + `"`, ErrLimit},
		{"a long base many times", media + strings.Repeat("a\n", 250_000), ErrLimit},
	} {
		t.Run(test.name, func(t *testing.T) {
			dst := append(make([]byte, 0, 64), "before"...)
			got, info, err := Rewrite(dst, []byte(test.in), testOptions())
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if string(got) != "before" || info != (Info{}) {
				t.Errorf("left %q and %+v", got, info)
			}
		})
	}
}

func defines(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("#EXT-X-DEFINE:NAME=v" + strings.Repeat("x", i) + ",VALUE=1\n")
	}
	return b.String()
}

// TestHostileValues has query parameters that would end a line or a string.
func TestHostileValues(t *testing.T) {
	for _, value := range []string{"a%0Ab", "a%0D%0A%23EXT-X-ENDLIST", "a%22,URI=%22b", "%00", "%FF", "%7F"} {
		o := testOptions()
		o.Base = "https://origin.example/?v=" + value
		if got, _, err := Rewrite(nil, []byte(media+"#EXT-X-DEFINE:QUERYPARAM=v\n#EXTINF:6\n{$v}"), o); !errors.Is(err, ErrOrigin) {
			t.Errorf("%s: got %q, %v", value, got, err)
		}
	}
}

// TestValuesFromElsewhere has an imported value that looks like a reference to a
// variable. It stays text, also for the players that read the output.
func TestValuesFromElsewhere(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"a value from elsewhere is not replaced", media + "#EXT-X-DEFINE:IMPORT=\"nested\"\n#EXT-X-DEFINE:NAME=w,VALUE=\"{$nested}\"\n#EXTINF:6\n{$nested}?{$w}", media + "#EXTINF:6\n" + dir + "%7B$v}?%7B$v}\n"},
		{"a value in a text stays", media + "#EXT-X-DEFINE:IMPORT=\"nested\"\n#EXT-X-DATERANGE:ID=\"{$nested}\"", media + "#EXT-X-DATERANGE:ID=\"{$v}\"\n"},
	} {
		o := testOptions()
		o.Vars = []Var{{"nested", "{$v}"}}
		got, _, err := Rewrite(nil, []byte(test.in), o)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

// TestExpansionStops checks that a line is given up while it grows, not
// after.
func TestExpansionStops(t *testing.T) {
	r := &rewriter{vars: []Var{{"v", strings.Repeat("x", 1000)}}}
	if _, err := r.expand(nil, []byte(strings.Repeat("{$v}", 5000))); !errors.Is(err, ErrLimit) {
		t.Errorf("error %v", err)
	}
}

// TestBounds rewrites the largest playlists within the bounds.
func TestBounds(t *testing.T) {
	for name, in := range map[string]string{
		"128 variants":          master + strings.Repeat(stream+"a\n", 128),
		"5,000 segments":        media + strings.Repeat("#EXTINF:6,\na.ts\n", 5000),
		"one line of 512 KiB":   media + "#EXTINF:6,\n" + strings.Repeat("x", MaxInput-len(media)-len("#EXTINF:6,\n")),
		"100,000 commas":        media + "#EXT-X-KEY:" + strings.Repeat(",", 100_000),
		"100,000 attributes":    media + "#EXT-X-KEY:" + strings.Repeat("A=1,", 100_000),
		"100,000 quotes":        media + "#EXT-X-KEY:" + strings.Repeat(`A="`, 100_000),
		"100,000 controls":      media + strings.Repeat("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n", 11_000),
		"100,000 steps up":      media + "#EXTINF:6\n" + strings.Repeat("../", 100_000) + "x",
		"100,000 dots":          media + "#EXTINF:6\n" + strings.Repeat("./", 100_000),
		"only CR":               strings.ReplaceAll(media, "\n", "\r") + strings.Repeat("#EXTINF:6,\ra\r", 30_000),
		"128 variables":         media + defines(128),
		"names of 128 elements": media + strings.Repeat("{$", 100_000),
	} {
		o := testOptions()
		if _, _, err := Rewrite(nil, []byte(in), o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRouteFails passes the router's error on.
func TestRouteFails(t *testing.T) {
	o := testOptions()
	want := errors.New("too deep")
	o.Route = func(dst []byte, _ Reference) ([]byte, error) { return dst, want }
	if got, _, err := Rewrite(nil, []byte(master+stream+"a"), o); !errors.Is(err, want) || len(got) > 0 {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestErrorsNameLines checks that errors count lines as an editor does,
// whatever ends them.
func TestErrorsNameLines(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		in := strings.Join([]string{"#EXTM3U", "", "#EXTINF:6", "{$v}", ""}, end)
		if _, _, err := Rewrite(nil, []byte(in), testOptions()); err == nil || !strings.HasPrefix(err.Error(), "line 4: ") {
			t.Errorf("%q: %v", end, err)
		}
	}
}

func TestBase(t *testing.T) {
	for _, base := range []string{"", "x", "/a/b", "ftp://a.example/x", "https:", "https:a/b", "https:/a/b", "https://", "https:///x", "https://?x", "//a.example/x"} {
		o := testOptions()
		o.Base = base
		if _, _, err := Rewrite(nil, []byte(media), o); !errors.Is(err, ErrOrigin) {
			t.Errorf("base %q: %v", base, err)
		}
	}
}
