package input

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
)

type paging struct {
	Limit  int `query:"limit" default:"20" minimum:"1" cap:"50"`
	Offset int `query:"offset" minimum:"0" maximum:"1000"`
}

type everything struct {
	paging
	ID     string   `path:"id" maxLength:"5"`
	Q      string   `query:"q" maxLength:"8"`
	Kind   string   `query:"kind" enum:"tv,radio" default:"tv"`
	Flag   bool     `query:"flag" default:"1"`
	Maybe  *bool    `query:"maybe"`
	Count  *int     `query:"count"`
	Big    int64    `query:"big"`
	Rate   *float64 `query:"rate" minimum:"0"`
	Word   *string  `query:"word" pattern:"^[a-z]+$" minLength:"2"`
	Origin string   `header:"X-Origin" maxLength:"10"`
}

func decodeQuery(t testing.TB, p *Plan, raw string, headers ...string) (everything, error) {
	t.Helper()
	r := httptest.NewRequest("GET", "/x", nil)
	r.URL.RawQuery = raw
	r.SetPathValue("id", "abc")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	in := p.Preset().(everything)
	err := p.Decode(r, reflect.ValueOf(&in).Elem(), 100)
	return in, err
}

func plan(t testing.TB) *Plan {
	t.Helper()
	p, err := Compile(reflect.TypeFor[everything](), "/x/{id}")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDecode(t *testing.T) {
	p := plan(t)
	yes, five, half, word := true, 5, 0.5, "ab"
	base := everything{paging: paging{Limit: 20}, ID: "abc", Kind: "tv", Flag: true}
	for _, test := range []struct {
		raw  string
		want func(*everything)
	}{
		{"", func(*everything) {}},
		{"flag=0&maybe=1&count=5&rate=.5&word=ab", func(e *everything) {
			e.Flag, e.Maybe, e.Count, e.Rate, e.Word = false, &yes, &five, &half, &word
		}},
		{"big=-9223372036854775808&limit=50", func(e *everything) { e.Big, e.Limit = -1<<63, 50 }},
		{"limit=50000", func(e *everything) { e.Limit = 50 }},
		{"q=a=b", func(e *everything) { e.Q = "a=b" }},
		{"q=a;b&;offset=5", func(e *everything) { e.Q = "a;b" }},
		{"&&=&q&=x&q=%20%2B+&q=z", func(e *everything) { e.Q = " + " }},
		{"%6C%69mit=3", func(e *everything) { e.Limit = 3 }},
		{"LIMIT=3", func(*everything) {}},
		{"q=%E2%82%AC%F0%9F%98%80", func(e *everything) { e.Q = "€😀" }},
	} {
		want := base
		test.want(&want)
		got, err := decodeQuery(t, p, test.raw)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(everything{})); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.raw, err, diff)
		}
	}
}

func TestDecodeRefusals(t *testing.T) {
	p := plan(t)
	for raw, want := range map[string][2]string{
		"big=9223372036854775808":            {"big", "not_integer"},
		"count=5x":                           {"count", "not_integer"},
		"count=+5":                           {"count", "not_integer"},
		"count=5_0":                          {"count", "not_integer"},
		"rate=NaN":                           {"rate", "not_number"},
		"rate=Inf":                           {"rate", "not_number"},
		"rate=0x1p4":                         {"rate", "not_number"},
		"rate=1e999":                         {"rate", "not_number"},
		"rate=-1":                            {"rate", "too_small"},
		"maybe=2":                            {"maybe", "not_flag"},
		"word=a":                             {"word", "too_short"},
		"word=a1":                            {"word", "pattern"},
		"kind=TV":                            {"kind", "not_listed"},
		"q=%":                                {"q", "encoding"},
		"q=%C0%80":                           {"q", "encoding"},
		"q=\xff":                             {"q", "encoding"},
		"q=%ED%A0%80":                        {"q", "encoding"},
		"q=%7F":                              {"q", "control"},
		"q=a%0Ab":                            {"q", "control"},
		"q=123456789":                        {"q", "too_long"},
		"x=" + strings.Repeat("y", MaxQuery): {"", "too_long"},
	} {
		_, err := decodeQuery(t, p, raw)
		f := fault.From(err)
		param, _ := f.Fields["param"].(string)
		if err == nil || f.Code != fault.ErrInvalid.Code || param != want[0] || f.Fields["reason"] != want[1] {
			t.Errorf("%.40q: %v %v, want %q", raw, err, f.Fields, want)
		}
	}
	if _, err := decodeQuery(t, p, "", "X-Origin", "over ten characters"); fault.From(err).Fields["param"] != "X-Origin" {
		t.Errorf("a header over its bound: %v", err)
	}
}

func TestCompileRefusals(t *testing.T) {
	for name, v := range map[string]any{
		"no struct": 5,
		"no source": struct{ A string }{},
		"two sources": struct {
			A string `path:"a" query:"b"`
		}{},
		"unexported": struct {
			a string `query:"a"`
		}{},
		"type": struct {
			A []byte `query:"a"`
		}{},
		"list of query": struct {
			A []string `query:"a"`
		}{},
		"default": struct {
			A int `query:"a" default:"x"`
		}{},
		"below minimum": struct {
			A int `query:"a" default:"0" minimum:"1"`
		}{},
		"pointer": struct {
			A *int `query:"a" default:"1"`
		}{},
		"pattern": struct {
			A string `query:"a" pattern:"("`
		}{},
		"minimum": struct {
			A int `query:"a" minimum:"low"`
		}{},
		"path": struct {
			A string `path:"a"`
		}{},
		"code of a query": struct {
			A string `query:"a" code:"invalid_a"`
		}{},
		"body of text": struct {
			A string `body:"text/plain"`
		}{},
		"one name twice": struct {
			A string `query:"a"`
			B string `json:"a"`
		}{},
		"body and members": struct {
			A []byte `body:"text/plain"`
			B string `json:"b"`
		}{},
	} {
		if _, err := Compile(reflect.TypeOf(v), "/x/{id}"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestQuery(t *testing.T) {
	for raw, want := range map[string]string{
		"lang=de": "de", "a=1&lang=&lang=fr&lang=es": "fr", "xlang=de": "", "lang": "", "lang=%zz": "", "lang=p%74": "pt",
	} {
		if got := Query(raw, "lang"); got != want {
			t.Errorf("Query(%q) = %q, want %q", raw, got, want)
		}
	}
}

// FuzzDecode checks that whatever is taken keeps its bounds, that whatever is
// refused is refused with a fault, and that a query which the standard library
// reads is read alike.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "q=a+b&limit=5", "limit=99999999999999999999", "q=%E2%82%AC&q=2", "flag=1&maybe=0&count=-1&rate=1e3",
		"q=%", "%71=%41", "&&&=&==", "kind=radio&word=ab", "q=\x00", "limit=-0", "rate=-", "rate=.", "word=%C3%A9",
	} {
		f.Add(seed)
	}
	p := plan(f)
	f.Fuzz(func(t *testing.T, raw string) {
		in, err := decodeQuery(t, p, raw)
		if err != nil {
			if e := fault.From(err); e.Kind != fault.Invalid || e.Fields["reason"] == nil {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		if in.Limit < 1 || in.Limit > 50 || in.Offset < 0 || in.Offset > 1000 || in.Rate != nil && !(*in.Rate >= 0) {
			t.Fatalf("numbers out of bounds: %+v", in)
		}
		if !utf8.ValidString(in.Q) || utf8.RuneCountInString(in.Q) > 8 || strings.ContainsAny(in.Q, "\x00\n\x7f") {
			t.Fatalf("no text: %q", in.Q)
		}
		if in.Kind != "tv" && in.Kind != "radio" {
			t.Fatalf("kind is %q", in.Kind)
		}
		if values, err := url.ParseQuery(raw); err == nil {
			if want := firstOf(values["q"]); in.Q != want {
				t.Fatalf("q is %q, and %q to net/url", in.Q, want)
			}
		}
	})
}

func firstOf(values []string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

type bodyIn struct {
	Name string   `json:"name" required:"true" maxLength:"8"`
	N    *int     `json:"n" minimum:"0" cap:"9"`
	Tags []string `json:"tags" maxItems:"2" maxLength:"3"`
	On   bool     `json:"on"`
}

// FuzzBody checks the same of bodies.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a"}`, `{"name":"a","n":5,"tags":["x"],"on":true}`, `{"name":null}`, `[]`, `{`, `{"name":"\ud800"}`,
		`{"name":"a","n":99999999999999999999}`, `{"name":"a","n":1e2}`, `{"n":{"n":[[]]}}`, "\ufeff{}", `{"name":"a"}x`, `"\"`,
	} {
		f.Add([]byte(seed))
	}
	p, err := Compile(reflect.TypeFor[bodyIn](), "/x")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest("POST", "/x", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		in := p.Preset().(bodyIn)
		if err := p.Decode(r, reflect.ValueOf(&in).Elem(), 1000); err != nil {
			if e := fault.From(err); e.Kind != fault.Invalid && e.Kind != fault.TooLarge {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		if !utf8.ValidString(in.Name) || utf8.RuneCountInString(in.Name) > 8 || len(in.Tags) > 2 ||
			in.N != nil && (*in.N < 0 || *in.N > 9) {
			t.Fatalf("out of bounds: %+v", in)
		}
	})
}

// TestDepth checks the depth of brackets, those in texts aside.
// TestCode checks that a body member may have a fault of its own, and that null is a
// value of a required member that may be null.
func TestCode(t *testing.T) {
	type in struct {
		Name  string  `json:"name" required:"true" maxLength:"2" code:"invalid_name"`
		Owner *string `json:"owner" required:"true" code:"invalid_owner"`
		Other string  `json:"other"`
	}
	p, err := Compile(reflect.TypeFor[in](), "/x")
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"name":"a","owner":null}`:            "",
		`{"name":"a","owner":"b"}`:             "",
		`{"owner":null}`:                       "invalid_name",
		`{"name":null,"owner":null}`:           "invalid_name",
		`{"name":"abc","owner":null}`:          "invalid_name",
		`{"name":"a"}`:                         "invalid_owner",
		`{"name":"a","owner":5}`:               "invalid_owner",
		`{"name":"a","owner":null,"other":1}`:  "invalid_body",
		`{"name":"a","owner":null,"other":"b"`: "invalid_body",
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		err := p.Decode(r, reflect.ValueOf(&in{}).Elem(), 1000)
		got := ""
		if err != nil {
			got = fault.From(err).Code
		}
		if got != want {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

func TestDepth(t *testing.T) {
	for text, want := range map[string]int{
		``: 0, `{}`: 1, `[[],[[]]]`: 3, `{"a":"[[[["}`: 1, `{"a":"\"[[["}`: 1, `]]]]`: 0, `"\`: 0,
	} {
		if got := depth([]byte(text)); got != want {
			t.Errorf("depth(%s) = %d, want %d", text, got, want)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	p := plan(b)
	r := httptest.NewRequest("GET", "/x?q=globo&limit=20&offset=40&kind=tv&flag=1", http.NoBody)
	r.SetPathValue("id", "abc")
	b.ReportAllocs()
	for b.Loop() {
		in := p.Preset().(everything)
		if err := p.Decode(r, reflect.ValueOf(&in).Elem(), 100); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEmptyObject checks which bodies an input without members takes.
func TestEmptyObject(t *testing.T) {
	type empty struct{ EmptyObject }
	p, err := Compile(reflect.TypeFor[empty](), "/x")
	if err != nil || !p.Body {
		t.Fatalf("the body is read: %t, %v", p.Body, err)
	}
	for body, want := range map[string]string{
		"{}": "", `{"a":[1]}`: "", "": "", "[]": "not_object", `"{}"`: "not_object", "{": "syntax", "{}{}": "syntax", "null": "not_object",
	} {
		r := httptest.NewRequest("POST", "/x", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		var in empty
		err := p.Decode(r, reflect.ValueOf(&in).Elem(), 100)
		got, _ := fault.From(err).Fields["reason"].(string)
		if (err != nil) != (want != "") || got != want {
			t.Errorf("%q: %v, reason %q, want %q", body, err, got, want)
		}
	}
}

// TestListedNumbers checks that a number stands for its text where texts are listed, and
// nowhere else.
func TestListedNumbers(t *testing.T) {
	type in struct {
		Days string `json:"days" enum:"30,90"`
		Name string `json:"name"`
	}
	p, err := Compile(reflect.TypeFor[in](), "/x")
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"days":30}`: "30", `{"days":"90"}`: "90", `{"days":31}`: "", `{"days":30.0}`: "", `{"days":-30}`: "", `{"days":[30]}`: "", `{"name":30}`: "",
	} {
		r := httptest.NewRequest("POST", "/x", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		var got in
		if err := p.Decode(r, reflect.ValueOf(&got).Elem(), 100); (err == nil) != (want != "") || err == nil && got.Days != want {
			t.Errorf("%s: %q, %v, want %q", body, got.Days, err, want)
		}
	}
}
