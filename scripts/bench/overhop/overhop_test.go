package overhop

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOrigin asks the origin for playlists of all kinds that answer at once.
func TestOrigin(t *testing.T) {
	o, err := startOrigin()
	if err != nil {
		t.Fatal(err)
	}
	defer o.close()
	for _, test := range []struct {
		kind   string
		status int
		has    string
		lines  int
	}{
		{"live", 200, "#EXT-X-TARGETDURATION:7", lines + 4},
		{"vod", 200, "#EXT-X-ENDLIST", lines + 5},
		{"master", 200, "/live/00?token=", 9},
		{"failing", 500, "", 0},
		{"slow/1", 200, "#EXTINF", lines + 4},
	} {
		url := o.urls(test.kind, 1)[0]
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
		if n := o.fetched(test.kind); n != 2 {
			t.Errorf("%s was fetched %d times, want 2", test.kind, n)
		}
	}
}

// TestAnswer sends what was taken down.
func TestAnswer(t *testing.T) {
	a := answer{http.Header{"X-Service-Source": {"x"}, "Content-Length": {"4"}, "Content-Type": {"text/plain"}}, []byte("body")}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, nil)
	if diff := cmp.Diff(a, answer{w.Header(), w.Body.Bytes()}); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// TestRatio compares rivals round by round.
func TestRatio(t *testing.T) {
	rounds := func(counts ...int) *rival {
		r := new(rival)
		for _, n := range counts {
			r.results = append(r.results, result{Requests: n, Micros: 1e6})
		}
		return r
	}
	// The machine halves its speed in the second round; the ratio does not.
	if got := ratio(rounds(90, 45, 100), rounds(100, 50, 100), result.perSecond); got != 0.9 {
		t.Errorf("ratio is %v, want 0.9", got)
	}
	if got := median([]int{5, 1, 3}); got != 3 {
		t.Errorf("median is %d, want 3", got)
	}
}

// TestCrashLog keeps the crash and not the log before it.
func TestCrashLog(t *testing.T) {
	var l crashLog
	for _, text := range []string{"a line\n", "another\nSIGQUIT: quit\n", "\ngoroutine 1 [running]:\n", "\ngoroutine 2 [select]:\n"} {
		if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	if want := "SIGQUIT: quit\n\ngoroutine 1 [running]:\n\ngoroutine 2 [select]:\n"; l.String() != want {
		t.Errorf("kept %q, want %q", l.String(), want)
	}
}

// TestTable writes Markdown.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	tab := newTable(&b, "figure", "reached", "target", "")
	tab.goal("a", 0.5, 0.4, true)
	tab.goal("b", 0.3, 0.4, false)
	if err := tab.flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| figure | reached | target |", "| a      | 0.500   | 0.4    | reached |", "| b      | 0.300   | 0.4    | MISSED  |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
