package manyorigins

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestOrigin asks the origin for playlists of all kinds that answer at once.
func TestOrigin(t *testing.T) {
	o, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for _, test := range []struct {
		kind   string
		status int
		has    string
		lines  int
	}{
		{"live", 200, "#EXT-X-TARGETDURATION:7", Lines + 4},
		{"vod", 200, "#EXT-X-ENDLIST", Lines + 5},
		{"lines/10", 200, "#EXTINF", 14},
		{"lines/7", 404, "", 1},
		{"master", 200, "/live/00?token=", 9},
		{"failing", 500, "", 0},
		{"slow/1", 200, "#EXTINF", Lines + 4},
	} {
		url := o.URLs(test.kind, 1)[0]
		for range 2 {
			res, err := http.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if n := strings.Count(string(body), "\n"); err != nil || res.StatusCode != test.status || n != test.lines || !strings.Contains(string(body), test.has) {
				t.Errorf("%s: %s, %d lines, %v; want %d, %d lines, %q", test.kind, res.Status, n, err, test.status, test.lines, test.has)
			}
		}
		if n := o.Fetched(test.kind); n != 2 {
			t.Errorf("%s was fetched %d times, want 2", test.kind, n)
		}
	}
}
