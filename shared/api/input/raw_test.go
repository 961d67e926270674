package input

import (
	"errors"
	"io"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"miramundo.dev/shared/fault"
)

// A file takes texts and JSON, apart.
type file struct {
	Text []byte `body:"text/plain, audio/x-mpegurl" description:"A list."`
	JSON []byte `body:"application/json" empty:"true"`
	Name string `query:"name"`
}

// decodeFile sends a body of ten bytes at most.
func decodeFile(t *testing.T, body, contentType string, headers ...string) (file, error) {
	t.Helper()
	p, err := Compile(reflect.TypeFor[file](), "/x")
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/x?name=a", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	v := reflect.New(reflect.TypeFor[file]()).Elem()
	err = p.Decode(r, v, 10)
	return v.Interface().(file), err
}

func TestRaw(t *testing.T) {
	for _, test := range []struct {
		contentType string
		json        bool
	}{
		{"text/plain", false}, {"Text/Plain; charset=UTF-8", false}, {"audio/x-mpegurl; charset=\"utf-8\"", false}, {"application/json", true},
	} {
		got, err := decodeFile(t, "0123456789", test.contentType)
		text, json := "0123456789", ""
		if test.json {
			text, json = json, text
		}
		if err != nil || string(got.Text) != text || string(got.JSON) != json || got.Name != "a" {
			t.Errorf("%s: %+v, %v", test.contentType, got, err)
		}
	}
}

// TestRawEmpty checks that a field may take an empty body.
func TestRawEmpty(t *testing.T) {
	if got, err := decodeFile(t, "", "application/json"); err != nil || len(got.JSON) > 0 || got.Name != "a" {
		t.Errorf("an empty body: %+v, %v", got, err)
	}
	if got, err := decodeFile(t, "", ""); err != nil || len(got.JSON) > 0 || got.Name != "a" {
		t.Errorf("an empty body without a type: %+v, %v", got, err)
	}
}

func TestRawRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		body, contentType string
		headers           []string
		want              *fault.Error
	}{
		"empty":         {"", "text/plain", nil, fault.ErrBody},
		"too long":      {"0123456789x", "text/plain", nil, fault.ErrBodyTooLarge},
		"another type":  {"x", "image/png", nil, fault.ErrMediaType},
		"no type":       {"x", "", nil, fault.ErrMediaType},
		"bad type":      {"x", "text/plain; charset", nil, fault.ErrMediaType},
		"other charset": {"x", "text/plain; charset=latin1", nil, fault.ErrMediaType},
		"compressed":    {"x", "text/plain", []string{"Content-Encoding", "gzip"}, fault.ErrMediaType},
	} {
		if _, err := decodeFile(t, test.body, test.contentType, test.headers...); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

// TestRawPlan checks what the plan tells of the bodies.
func TestRawPlan(t *testing.T) {
	p, err := Compile(reflect.TypeFor[file](), "/x")
	if err != nil {
		t.Fatal(err)
	}
	if !p.Body || len(p.Raws) != 2 || len(p.Raws[0].Media) != 2 || p.Raws[0].Media[1] != "audio/x-mpegurl" || p.Raws[0].Doc != "A list." || len(p.Params) != 1 {
		t.Errorf("plan %+v", p)
	}
}

// TestLargeBodies sends more large bodies at once than are read: the last is refused,
// small ones are read all the same, and a large one is read again later.
func TestLargeBodies(t *testing.T) {
	const limit = 8 << 20
	p, err := Compile(reflect.TypeFor[file](), "/x")
	if err != nil {
		t.Fatal(err)
	}
	send := func(body io.Reader, length int64) error {
		r := httptest.NewRequest("POST", "/x?name=a", body)
		r.ContentLength = length
		r.Header.Set("Content-Type", "text/plain")
		return p.Decode(r, reflect.New(reflect.TypeFor[file]()).Elem(), limit)
	}
	slow := make([]*io.PipeWriter, cap(large))
	ends := make(chan error)
	for n := range slow {
		body, w := io.Pipe()
		slow[n] = w
		go func() { ends <- send(body, -1) }()
		if _, err := w.Write([]byte("a part")); err != nil { // it returns when the part is read
			t.Fatal(err)
		}
	}
	big := strings.Repeat("x", largeBody+1)
	for _, length := range []int64{int64(len(big)), -1} {
		if err := send(strings.NewReader(big), length); !errors.Is(err, fault.ErrUnavailable) {
			t.Errorf("one more of length %d: %v, want unavailable", length, err)
		}
	}
	if err := send(strings.NewReader("small"), 5); err != nil {
		t.Errorf("a small one: %v", err)
	}
	for _, w := range slow {
		w.Close()
		if err := <-ends; err != nil {
			t.Error(err)
		}
	}
	if err := send(strings.NewReader(big), int64(len(big))); err != nil {
		t.Errorf("later: %v", err)
	}
}
