package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAbsentColumns(t *testing.T) {
	for _, test := range []struct {
		name, head string
		want       []string
	}{
		{"a table", "id,name,closed\nA,B,\n", []string{"is_nsfw"}},
		{"a table with a mark and spaces", "\ufeffid, closed ,\"is_nsfw\"\r\nA", nil},
		{"the records of an array", `[{"id":"A","is_nsfw":false,"more":[1,{"closed":2}]},{"closed":null}`, []string{"closed"}},
		{"an empty array", " [ ]", nil},
		{"a record that goes on", `[{"id":"` + strings.Repeat("x", 100), nil},
		{"a heading that goes on", "id,name", nil},
		{"an array of something else", `[1,2]`, nil},
		{"a playlist", "#EXTM3U\n", nil},
		{"an object", `{"id":1}`, nil},
		{"nothing", "", nil},
	} {
		got := AbsentColumns([]byte(test.head), []string{"is_nsfw", "closed"})
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
