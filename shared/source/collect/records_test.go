package collect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/source"
)

func TestRecords(t *testing.T) {
	want := &source.Dataset{
		Channels: []source.Channel{{ID: "A.br", Name: "A", Country: "BR", Categories: []string{"general"}}},
		Streams:  []source.Stream{{Channel: "A.br", URL: "http://a.example/a.m3u8"}},
		Stations: []source.Station{{UUID: "5f0e7a52-6b1d-4c0a-9d0e-6d6972616d75", Name: "B", LastCheckOK: true}},
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, text, failure string }{
		{"records", string(text), ""},
		{"not JSON", "#EXTM3U", "invalid character"},
		{"an unknown member", `{"Chanels":[]}`, "unknown field"},
		{"two values", `{} {}`, "more than one"},
		{"too large", strings.Repeat(" ", maxRecords) + "{}", "more than 16777216 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "extra.json")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := Records(path)
			if test.failure != "" {
				if err == nil || !strings.Contains(err.Error(), test.failure) || !strings.Contains(err.Error(), path) {
					t.Errorf("the error is %v, want the path and %q", err, test.failure)
				}
				return
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	if _, err := Records(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a file that does not exist has records")
	}
}
