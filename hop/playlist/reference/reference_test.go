package reference

import (
	"os"
	"strings"
	"testing"
)

// RFC 3986 section 5.4: the examples, and what browsers make of the abnormal
// ones.
func TestResolveExamples(t *testing.T) {
	b := newTestBase(t, "http://a/b/c/d;p?q")
	for _, test := range [][2]string{
		{"g:h", "g:h"}, {"g", "http://a/b/c/g"}, {"./g", "http://a/b/c/g"}, {"g/", "http://a/b/c/g/"},
		{"/g", "http://a/g"}, {"//g", "http://g/"}, {"?y", "http://a/b/c/d;p?y"}, {"g?y", "http://a/b/c/g?y"},
		{"#s", "http://a/b/c/d;p?q#s"}, {"g#s", "http://a/b/c/g#s"}, {"g?y#s", "http://a/b/c/g?y#s"},
		{";x", "http://a/b/c/;x"}, {"g;x", "http://a/b/c/g;x"}, {"g;x?y#s", "http://a/b/c/g;x?y#s"},
		{"", "http://a/b/c/d;p?q"}, {".", "http://a/b/c/"}, {"./", "http://a/b/c/"}, {"..", "http://a/b/"},
		{"../", "http://a/b/"}, {"../g", "http://a/b/g"}, {"../..", "http://a/"}, {"../../", "http://a/"},
		{"../../g", "http://a/g"}, {"../../../g", "http://a/g"}, {"../../../../g", "http://a/g"},
		{"/./g", "http://a/g"}, {"/../g", "http://a/g"}, {"g.", "http://a/b/c/g."}, {".g", "http://a/b/c/.g"},
		{"g..", "http://a/b/c/g.."}, {"..g", "http://a/b/c/..g"}, {"./../g", "http://a/b/g"}, {"./g/.", "http://a/b/c/g/"},
		{"g/./h", "http://a/b/c/g/h"}, {"g/../h", "http://a/b/c/h"}, {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
		{"g;x=1/../y", "http://a/b/c/y"}, {"g?y/./x", "http://a/b/c/g?y/./x"}, {"g?y/../x", "http://a/b/c/g?y/../x"},
		{"g#s/./x", "http://a/b/c/g#s/./x"}, {"g#s/../x", "http://a/b/c/g#s/../x"}, {"http:g", "http://a/b/c/g"},
		{"https:g", "https://g/"}, {"http:", "http://a/b/c/d;p?q"}, {"http:?y", "http://a/b/c/d;p?y"},
	} {
		if got := string(b.Append(nil, []byte(test[0]))); got != test[1] {
			t.Errorf("%q: got %q, want %q", test[0], got, test[1])
		}
	}
}

// TestBases resolves one reference of each form against bases of every form.
func TestBases(t *testing.T) {
	for _, test := range []struct{ base, want string }{
		{"https://a.example", "https://a.example/x https://a.example/?q https://a.example/r https://b.example/s"},
		{"https://a.example?u=/v/", "https://a.example/x https://a.example/?q https://a.example/r https://b.example/s"},
		{"https://a.example#f", "https://a.example/x https://a.example/?q https://a.example/r https://b.example/s"},
		{"HTTP://A.example:81/d/../e/f/./g?h#i", "http://A.example:81/e/f/x http://A.example:81/e/f/g?q http://A.example:81/r http://b.example/s"},
		{`https:\\a.example\d\e`, "https://a.example/d/x https://a.example/d/e?q https://a.example/r https://b.example/s"},
		{" https://a.example/d e/f\tg ", "https://a.example/d%20e/x https://a.example/d%20e/fg?q https://a.example/r https://b.example/s"},
		{"https://a.example/d/%2e%2E/e/f", "https://a.example/e/x https://a.example/e/f?q https://a.example/r https://b.example/s"},
		{"https://u:p@a.example/d//e", "https://u:p@a.example/d//x https://u:p@a.example/d//e?q https://u:p@a.example/r https://b.example/s"},
	} {
		b := newTestBase(t, test.base)
		var got []string
		for _, ref := range []string{"x", "?q", "/r", "//b.example/s"} {
			got = append(got, string(b.Append(nil, []byte(ref))))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%q:\n got %s\nwant %s", test.base, s, test.want)
		}
	}
}

func newTestBase(t testing.TB, raw string) *Base {
	t.Helper()
	b, _ := New(nil, []byte(raw))
	if !b.Valid() {
		t.Fatalf("%q is no base", raw)
	}
	return &b
}

// TestAppendKeeps checks that what is resolved is added to what is there.
func TestAppendKeeps(t *testing.T) {
	b := newTestBase(t, "https://a.example/b/c")
	for _, ref := range []string{"", "x", "../../x", "/x/..", "//y", "?z", "#f", "https:x", "data:x", "a b"} {
		alone := string(b.Append(nil, []byte(ref)))
		if got := string(b.Append([]byte("/before/../"), []byte(ref))); got != "/before/../"+alone {
			t.Errorf("%q: got %q after a beginning, %q alone", ref, got, alone)
		}
	}
}

// odd are references of many forms.
func odd(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("../testdata/playlists/references.m3u8")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

func FuzzResolve(f *testing.F) {
	for _, ref := range odd(f) {
		f.Add(0, ref)
	}
	bases := []string{"https://origin.example/live/news/index.m3u8?token=a%2Fb~c", "http://a.example/", "https://a.example:81/b//c/d;e=f?g=/h/../#i", "http://a.example/?/.."}
	f.Fuzz(func(t *testing.T, n int, ref string) {
		raw := bases[uint(n)%uint(len(bases))]
		raw, _, _ = strings.Cut(raw, "#")
		b := newTestBase(t, raw)
		got := string(b.Append(nil, []byte(ref)))
		if want := naiveResolve(ref, raw); got != want {
			t.Fatalf("%q from %q: got %q, want %q", ref, raw, got, want)
		}
		if again := string(b.Append(nil, []byte(got))); again != got {
			t.Fatalf("%q resolves to %q, which resolves to %q", ref, got, again)
		}
	})
}
