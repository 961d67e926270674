package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type record struct {
	ID string `json:"id"`
	N  int    `json:"n"`
}

func TestArray(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     string // the ids given
		count    Count
		err      error
	}{
		{"two", `[{"id":"a","n":1},{"id":"b","n":2}]`, "ab", Count{2, 0}, nil},
		{"nothing", `[]`, "", Count{}, nil},
		{"white space", " [\r\n{\"id\":\"a\"}\n]\n", "a", Count{1, 0}, nil},
		{"unknown and missing fields", `[{"id":"a","x":{"y":[1]}},{}]`, "a", Count{2, 0}, nil},
		{"nulls", `[{"id":null,"n":null},null]`, "", Count{2, 0}, nil},
		{"wrong type in one", `[{"id":"a"},{"id":7},{"id":"b","n":"x"},{"id":"c"}]`, "ac", Count{2, 2}, nil},
		{"other elements", `[1,"x",[],{"id":"a"}]`, "a", Count{1, 3}, nil},
		{"refused by each", `[{"id":"no"},{"id":"a"}]`, "a", Count{1, 1}, nil},
		{"several arrays", `[{"id":"a"}][{"id":"b"}][]`, "ab", Count{2, 0}, nil},
		{"fields do not stay", `[{"id":"a"},{"n":1}]`, "a", Count{2, 0}, nil},
		{"cut in a record", `[{"id":"a"},{"id":"b`, "a", Count{1, 0}, ErrTruncated},
		{"cut between records", `[{"id":"a"},`, "a", Count{1, 0}, ErrTruncated},
		{"cut before the end", `[{"id":"a"}`, "a", Count{1, 0}, ErrTruncated},
		{"empty", ``, "", Count{}, ErrTruncated},
		{"an object", `{"id":"a"}`, "", Count{}, ErrForm},
		{"a page", `<html></html>`, "", Count{}, ErrForm},
		{"not JSON within", `[{"id":"a"},{id:"b"}]`, "a", Count{1, 0}, ErrForm},
		{"something behind", `[{"id":"a"}]}`, "a", Count{1, 0}, ErrForm},
		{"deep", "[" + strings.Repeat("[", 20_000), "", Count{}, ErrForm},
		{"a large record", `[{"id":"` + strings.Repeat("x", MaxRecord+100) + `"}]`, "", Count{}, ErrRecord},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var ids strings.Builder
			count, err := Array(strings.NewReader(tc.in), func(r *record) bool {
				if r.ID == "no" {
					return false
				}
				ids.WriteString(r.ID)
				return true
			})
			if !errors.Is(err, tc.err) || count != tc.count || ids.String() != tc.want {
				t.Errorf("got %q, %+v, %v, want %q, %+v, %v", ids.String(), count, err, tc.want, tc.count, tc.err)
			}
		})
	}
}

// TestArrayManyRecords reads more than one window of records, each small.
func TestArrayManyRecords(t *testing.T) {
	n := 3 * MaxRecord / 10
	in := "[" + strings.Repeat(`{"id":"a"},`, n) + `{"id":"a"}]`
	count, err := Array(strings.NewReader(in), func(*record) bool { return true })
	if err != nil || count.Items != n+1 {
		t.Errorf("%+v, %v, want %d", count, err, n+1)
	}
}

// TestArrayReaderFails checks that a failure of the reader is told as it is.
func TestArrayReaderFails(t *testing.T) {
	broken := errors.New("the line was cut")
	in := io.MultiReader(strings.NewReader(`[{"id":"a"},{"id"`), iotestErr{broken})
	if _, err := Array(in, func(*record) bool { return true }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type iotestErr struct{ err error }

func (r iotestErr) Read([]byte) (int, error) { return 0, r.err }

func packed(data string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, data)
	w.Close()
	return b.String()
}

func TestUnpack(t *testing.T) {
	const limit = 100
	long := strings.Repeat("x", limit)
	gz := packed("hello")
	for _, tc := range []struct {
		name, in, want string
		err            error
	}{
		{"plain", "hello", "hello", nil},
		{"empty", "", "", nil},
		{"one byte", "\x1f", "\x1f", nil},
		{"gzip", gz, "hello", nil},
		{"two gzip members", gz + packed("!"), "hello!", nil},
		{"at the limit", long, long, nil},
		{"over the limit", long + "y", long + "y", ErrTooLarge},
		{"gzip at the limit", packed(long), long, nil},
		{"gzip over the limit", packed(long + "y"), long + "y", ErrTooLarge},
		{"gzip cut", gz[:len(gz)-9], "hello", ErrTruncated},
		{"gzip cut in its heading", gz[:5], "", ErrTruncated},
		{"gzip with a wrong sum", gz[:len(gz)-8] + "\x00\x00\x00\x00" + gz[len(gz)-4:], "hello", ErrForm},
		{"not gzip behind the first bytes", "\x1f\x8bhello world", "", ErrForm},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := Unpack(strings.NewReader(tc.in), limit)
			var got []byte
			if err == nil {
				got, err = io.ReadAll(r)
			}
			if !errors.Is(err, tc.err) || !strings.HasPrefix(tc.want, string(got)) || err == nil && string(got) != tc.want {
				t.Errorf("got %q, %v, want %q, %v", got, err, tc.want, tc.err)
			}
		})
	}
}

func TestBegin(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want byte
		err  error
	}{
		{"[1]", '[', nil},
		{"\ufeff[1]", '[', nil},
		{"\ufeff \r\n\tid,name", 'i', nil},
		{"", 0, ErrEmpty},
		{"\ufeff\n\n", 0, ErrEmpty},
	} {
		br := bufio.NewReader(strings.NewReader(tc.in))
		got, err := Begin(br)
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("Begin(%q) = %q, %v, want %q, %v", tc.in, got, err, tc.want, tc.err)
		}
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"São Paulo 上海 العربية": "São Paulo 上海 العربية",
		"a\r\nb\tc\x00":        "a  b c ",
		"a\u0085b\u2028c":      "a b c",
		"é\x1b[31m":            "é [31m",
	} {
		if got := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAppend(t *testing.T) {
	full := &Dataset{
		Files: []File{{Name: "a"}}, Channels: make([]Channel, 1), Feeds: make([]Feed, 2), Logos: make([]Logo, 3),
		Streams: make([]Stream, 4), Guides: make([]Guide, 5), Categories: make([]Category, 6),
		Languages: make([]Language, 7), Countries: make([]Country, 8), Subdivisions: make([]Subdivision, 9),
		Cities: make([]City, 10), Regions: make([]Region, 11), Timezones: make([]Timezone, 12),
		Blocklist: make([]Block, 13), Stations: make([]Station, 14),
	}
	d := new(Dataset)
	d.Append(full)
	if diff := cmp.Diff(full, d); diff != "" {
		t.Errorf("appended to nothing (-want +got):\n%s", diff)
	}
	d.Append(full)
	if len(d.Files) != 2 || len(d.Stations) != 28 {
		t.Errorf("appended twice: %d files, %d stations", len(d.Files), len(d.Stations))
	}
}
