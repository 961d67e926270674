package xmltv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/source"
)

// refused are files that are no guides, or not whole ones.
var refused = []struct {
	name, in string
	want     error
}{
	{"nothing", "", source.ErrEmpty},
	{"white space", " \r\n\t", source.ErrEmpty},
	{"a mark only", "\ufeff", source.ErrEmpty},
	{"zeros", strings.Repeat("\x00", 100), source.ErrForm},
	{"a declaration only", `<?xml version="1.0"?>`, source.ErrTruncated},
	{"text", "not found", source.ErrForm},
	{"JSON", `{"channels":[]}`, source.ErrForm},
	{"HTML", `<!DOCTYPE html><html><head><title>x</title></head></html>`, source.ErrForm},
	{"a feed", `<?xml version="1.0"?><rss><channel/></rss>`, source.ErrForm},
	{"another name", `<TV></TV>`, source.ErrForm},
	{"a name space", `<x:tv xmlns:x="x"></x:tv>`, source.ErrForm},
	{"text before", `x<tv></tv>`, source.ErrForm},
	{"text after", `<tv></tv>x`, source.ErrForm},
	{"an element after", `<tv></tv><tv></tv>`, source.ErrForm},
	{"an empty element after", `<tv/><tv/>`, source.ErrForm},
	{"a section after", `<tv></tv><![CDATA[x]]>`, source.ErrForm},
	{"a tag that closes after", `<tv></tv></tv>`, source.ErrForm},
	{"zeros after", "<tv></tv>\x00\x00", source.ErrForm},
	{"a mark after", "<tv></tv>\ufeff", source.ErrForm},
	{"an instruction cut after", `<tv></tv><?`, source.ErrTruncated},
	{"a comment cut after", `<tv></tv><!--`, source.ErrTruncated},
	{"not closed", `<tv><channel id="a"></channel>`, source.ErrTruncated},
	{"not closed at the end of a day", `<tv>` + newsTag + `<title>T</title></programme>`, source.ErrTruncated},
	{"closed too early", `<tv>` + newsTag + `<title>T</title></tv>`, source.ErrForm},
	{"closed in another order", `<tv>` + newsTag + `<title>T</programme></title></tv>`, source.ErrForm},
	{"closed by another case", `<tv></TV>`, source.ErrForm},
	{"closed by a longer name", `<tv></tvx>`, source.ErrForm},
	{"a break that is not closed", `<tv>` + newsTag + `<title>a<br>b</title></programme></tv>`, source.ErrForm},
	{"a tag without a name", `<tv>< channel id="a"/></tv>`, source.ErrForm},
	{"less than", `<tv>` + newsTag + `<title>1 < 2</title></programme></tv>`, source.ErrForm},
	{"less than at the end", `<tv></tv><`, source.ErrTruncated},
	{"a tag in a tag", `<tv><channel id="a" <icon/></tv>`, source.ErrForm},
	{"a quote that is not closed", `<tv><channel id="a><display-name>A</display-name></channel></tv>`, source.ErrForm},
	{"a quote that is not closed at all", `<tv><channel id="a>`, source.ErrTruncated},
	{"a section that is not closed", `<tv><![CDATA[</tv>`, source.ErrTruncated},
	{"a declaration inside", `<tv><!DOCTYPE tv></tv>`, source.ErrForm},
	{"a declaration that is not closed", `<!DOCTYPE tv [ <!ENTITY a "b"> <tv></tv>`, source.ErrTruncated},
	{"a declaration that is too long", `<!DOCTYPE tv [ ` + strings.Repeat(" ", MaxTag) + `]><tv/>`, ErrTag},
	{"a tag that is too long", `<tv><channel id="` + strings.Repeat("a", MaxTag) + `"/></tv>`, ErrTag},
	{"a name that is too long", `<tv><` + strings.Repeat("a", MaxTag+1) + `/></tv>`, ErrTag},
	{"a tag that closes and is too long", `<tv></tv` + strings.Repeat(" ", MaxTag) + `>`, ErrTag},
	{"too deep", strings.Repeat("<tv>", MaxDepth+1) + strings.Repeat("</tv>", MaxDepth+1), ErrDeep},
	{"deep without an end", strings.Repeat("<tv>", 1<<12), ErrDeep},
}

func TestRefused(t *testing.T) {
	for _, tc := range refused {
		g, err := readText(tc.in)
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
		if err != nil && (len(err.Error()) > 200 || !utf8.ValidString(err.Error())) {
			t.Errorf("%s: %d bytes of error", tc.name, len(err.Error()))
		}
		if len(g.Programmes) > 1 {
			t.Errorf("%s: %+v", tc.name, g.Programmes)
		}
	}
}

// TestJustAccepted reads what is just within the bounds.
func TestJustAccepted(t *testing.T) {
	for name, in := range map[string]string{
		"deep":            "<tv>" + strings.Repeat("<a>", MaxDepth-1) + strings.Repeat("</a>", MaxDepth-1) + "</tv>",
		"a long tag":      `<tv><a id="` + strings.Repeat("a", MaxTag-20) + `"/></tv>`,
		"a long comment":  `<tv><!--` + strings.Repeat(" -- ", MaxTag) + `--></tv>`,
		"a long text":     `<tv>` + strings.Repeat("&amp;", MaxTag) + `</tv>`,
		"a long section":  `<tv><![CDATA[` + strings.Repeat("]]", MaxTag) + `]]></tv>`,
		"many comments":   `<tv>` + strings.Repeat("<!---->", 1<<15) + `</tv>`,
		"an instruction":  `<?xml version="1.0"?><?a ` + strings.Repeat("?", MaxTag) + `?><tv/>`,
		"a declaration":   `<!DOCTYPE tv [` + strings.Repeat(`<!ELEMENT a (#PCDATA)>`, 5_000) + `]><tv/>`,
		"quotes":          `<!DOCTYPE tv [ <!ENTITY a '>"'> <!-- " > ' --> ]><tv a='>"' b=">'"/>`,
		"space in tags":   "<tv\n><a\t/></tv \r\n>",
		"comments around": "<!--a--> <tv/> <!--b--><?c?>",
	} {
		if _, err := readText(in); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMany refuses what comes after the last that there may be.
func TestMany(t *testing.T) {
	for _, tc := range []struct {
		channels, programmes int
		want                 error
	}{
		{MaxChannels - 1, MaxProgrammes - 1, nil},
		{MaxChannels, 0, ErrTooMany},
		{0, MaxProgrammes, ErrTooMany},
	} {
		g := newReader(strings.NewReader("<tv><channel/><programme/></tv>"), Options{}, nil, nil)
		g.channels, g.programmes = tc.channels, tc.programmes
		if err := g.document(); !errors.Is(err, tc.want) {
			t.Errorf("after %d and %d: %v, want %v", tc.channels, tc.programmes, err, tc.want)
		}
	}
}

// TestEntities expands nothing that a file declares, and asks for nothing that
// is outside of it.
func TestEntities(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString(`<!DOCTYPE tv [ <!ENTITY lol "lol"> <!ENTITY amp "hijacked"> <!ENTITY % remote SYSTEM "http://127.0.0.1:9/x.dtd"> %remote; <!ENTITY file SYSTEM "file:///etc/passwd">`)
	for i := range 9 {
		fmt.Fprintf(&bomb, `<!ENTITY lol%d "%s">`, i, strings.Repeat(fmt.Sprintf("&lol%d;", i-1), 10))
	}
	bomb.WriteString(`]><tv>` + newsTag + `<title>&lol8;&file;%remote;&amp;</title></programme></tv>`)
	g, err := readText(bomb.String())
	if err != nil || len(g.Programmes) != 1 {
		t.Fatalf("%+v, %v", g, err)
	}
	if want := "&lol8;&file;%remote;&"; g.Programmes[0].Title != want {
		t.Errorf("%q, want %q", g.Programmes[0].Title, want)
	}
}

// TestLongTexts cuts descriptions, whatever they are made of.
func TestLongTexts(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"just short enough", strings.Repeat("abcd ", 59) + "abcde", strings.Repeat("abcd ", 59) + "abcde"},
		{"one character more", strings.Repeat("abcd ", 59) + "abcdef", strings.Repeat("abcd ", 58) + "abcd…"},
		{"a word that just ends in time", strings.Repeat("a", 299) + " b", strings.Repeat("a", 299) + "…"},
		{"a word that ends too late", "abc " + strings.Repeat("a", 150) + " " + strings.Repeat("b", 145) + " c", "abc " + strings.Repeat("a", 150) + "…"},
		{"no words", strings.Repeat("新", 301), strings.Repeat("新", 299) + "…"},
		{"words that are long", "é " + strings.Repeat("新", 301), "é " + strings.Repeat("新", 297) + "…"},
		{"letters with marks", strings.Repeat("a", 298) + "e\u0301\u0301" + "b", strings.Repeat("a", 298) + "…"},
		{"white space", strings.Repeat(" \n", 10_000) + "a" + strings.Repeat("\t", 20_000) + "b" + strings.Repeat(" ", 500), "a b"},
		{"only what is looked at", strings.Repeat(" ", MaxText-4) + "são e mais", "são"},
		{"a letter that is cut", strings.Repeat(" ", MaxText-2) + "são", "s"},
		{"in references", strings.Repeat("&#32;", MaxText), ""},
		{"in parts", strings.Repeat("<b>a</b>", 1_000), strings.Repeat("a", 299) + "…"},
	} {
		for _, wrap := range []string{"%s", "<![CDATA[%s]]>"} {
			if strings.ContainsAny(tc.in, "&<") && wrap != "%s" {
				continue
			}
			in := fmt.Sprintf("<tv>"+newsTag+"<title>Jornal</title><desc>"+wrap+"</desc></programme></tv>", tc.in)
			g, err := readText(in)
			if err != nil || len(g.Programmes) != 1 {
				t.Fatalf("%s: %+v, %v", tc.name, g, err)
			}
			if diff := cmp.Diff(tc.want, g.Programmes[0].Desc); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.name, diff)
			}
		}
	}
}

// random writes a guide of many programmes, so that all that it is made of comes
// to stand across the ends of what is read at once.
func random(seed uint64, programmes int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE tv [<!ELEMENT tv ANY>]><tv>")
	for i := range programmes {
		start := time.Date(2026, 3, 14, 0, i, 0, 0, time.UTC)
		fmt.Fprintf(&b, `<programme start="%s" stop='%s' channel="c%d%s">`, start.Format("200601021504 -0700"),
			start.Add(time.Duration(r.IntN(300))*time.Minute).Format("20060102150405"), r.IntN(50), pick("", "&amp;", "é"))
		for range r.IntN(6) {
			fmt.Fprintf(&b, "%s<%s%s>%s%s</%[2]s>", pick("", "\n  ", "<!-- > -->", "<?x?>"), pick("title", "desc", "category", "sub-title"),
				pick("", ` lang="pt"`, ` lang='en' x=">"`), strings.Repeat(pick("á", "b ", "&lt;", "<i>x</i>", "\n", "<![CDATA[ ]>é]]>"), r.IntN(200)), pick("", "é", "&#233;"))
		}
		b.WriteString("</programme>")
	}
	b.WriteString("</tv>")
	return b.Bytes()
}

// TestAcrossReads reads long guides in parts of all sizes.
func TestAcrossReads(t *testing.T) {
	for seed := range uint64(2) {
		data := random(seed, 250)
		want, err := naive(data, Options{Language: "pt"})
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(data), "bytes": iotest.OneByteReader(bytes.NewReader(data)),
			"halves": iotest.HalfReader(bytes.NewReader(data)), "sizes": &sizes{r: bytes.NewReader(data), random: rand.New(rand.NewPCG(seed, 2))},
		} {
			got, err := readAll(r, Options{Language: "pt"})
			if diff := difference(want, got); diff != "" || err != nil {
				t.Fatalf("%s: %v, -naive +read:\n%s", name, err, diff)
			}
		}
	}
}

// sizes reads a random number of bytes at once, now and then none.
type sizes struct {
	r      io.Reader
	random *rand.Rand
}

func (s *sizes) Read(p []byte) (int, error) {
	return s.r.Read(p[:min(len(p), s.random.IntN(20_000))])
}

// TestNoProgress ends on a reader that gives nothing.
func TestNoProgress(t *testing.T) {
	if _, err := readAll(iotest.ErrReader(nil), Options{}); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

// endless is a guide of a size that is never whole in memory.
type endless struct {
	part        []byte
	left        int // parts to come
	head, tail  string
	rest        []byte
	begun, done bool
}

func newEndless(part []byte, size int) *endless {
	return &endless{part: part, left: size / len(part), head: "<tv>", tail: "</tv>"}
}

func (e *endless) Read(p []byte) (int, error) {
	for len(e.rest) == 0 {
		switch {
		case !e.begun:
			e.begun, e.rest = true, []byte(e.head)
		case e.left > 0:
			e.left--
			e.rest = e.part
		case !e.done:
			e.done, e.rest = true, []byte(e.tail)
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// greatest returns the most that the heap holds while a guide is read, and what
// is read.
func greatest(t testing.TB, r io.Reader, o Options) (heap uint64, count source.Count) {
	t.Helper()
	n := 0
	count, err := Read(r, o, func(*Channel) error { return nil }, func(*Programme) error {
		if n++; n%20_000 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			heap = max(heap, m.HeapAlloc)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return heap, count
}

// TestMemory reads a great guide in the memory of a small one.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a great guide takes long with the race detector")
	}
	const size, most = 64 << 20, 32 << 20
	part := realistic(1_000)
	runtime.GC()
	heap, count := greatest(t, newEndless(part, size), Options{})
	t.Logf("%d MiB of heap, %+v", heap>>20, count)
	if heap == 0 || heap > most || count.Items < 60_000 {
		t.Errorf("%d MiB of heap, %+v", heap>>20, count)
	}
}
