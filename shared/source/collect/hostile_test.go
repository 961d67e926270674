package collect

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hostileChannels are the ways in which one file fails, each with a part of
// the reported problem.
var hostileChannels = []struct {
	name, problem string
	serve         http.HandlerFunc
}{
	{"missing", "404", http.NotFound},
	{"forbidden", "403", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }},
	{"empty", "empty", text("")},
	{"no records", "none makes sense", text("[]")},
	{"no record makes sense", "none makes sense", text(`[{"id":1},{"id":2}]`)},
	{"truncated", "in the middle", text(good["channels"][:len(good["channels"])/2])},
	{"cut by the server", "unexpected EOF", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		io.WriteString(w, good["channels"])
	}},
	{"a page", "it is a page", text("<!DOCTYPE html><title>Sorry</title>")},
	{"an object", "not a JSON array", text(`{"message":"API rate limit exceeded"}`)},
	{"a tenth", "10 records where it had 100", text(channels(10))},
	{"just under the share", "69 records where it had 100", text(channels(69))},
	{"wrong gzip", "gzip: invalid header", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, good["channels"])
	}},
	{"truncated gzip", "unexpected EOF", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(gzipped(good["channels"])[:200])
	}},
	{"a file of truncated gzip", "in the middle", func(w http.ResponseWriter, _ *http.Request) {
		w.Write(gzipped(good["channels"])[:200])
	}},
	{"bomb", "more than", func(w http.ResponseWriter, _ *http.Request) { w.Write(bomb()) }},
	{"2 GB announced", "takes 2147483648 bytes", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "2147483648")
		io.WriteString(w, "[")
	}},
	{"endless", "larger than it may be", func(w http.ResponseWriter, _ *http.Request) {
		record := []byte(`{"id":"C.br","name":"` + strings.Repeat("x", 8<<10) + `"},`)
		io.WriteString(w, "[")
		for sent := 0; sent < 2<<30; sent += len(record) {
			if _, err := w.Write(record); err != nil {
				return
			}
		}
	}},
	{"slow", "not complete in time", func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-tick.C:
				fmt.Fprintf(w, `%c{"id":"C%d.br","name":"x"}`, "[,"[min(i, 1)], i)
				http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}},
	{"redirect inside", "not allowed", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/channels.json", http.StatusFound)
	}},
}

// slowTime is the deadline against a server that never finishes. On a busy
// machine others may miss it too.
const slowTime = 300 * time.Millisecond

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
}

func gzipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.Bytes()
}

// bomb returns a few bytes that decompress to twice the limit of the tests.
var bomb = sync.OnceValue(func() []byte {
	return gzipped("[" + strings.Repeat(`{"id":"C.br","name":"`+strings.Repeat("x", 8<<10)+`"},`, 1<<10))
})

// TestHostileKept breaks one file after a good day: the last good files of the
// whole source are kept.
func TestHostileKept(t *testing.T) {
	bomb() // made now: a server that made it when asked could be late
	for _, tc := range hostileChannels {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			opts := s.options(newMemory())
			first := s.load(t, opts)
			checkGood(t, first)
			s.handle("/channels.json", tc.serve)
			s.handle("/countries.json", text(`[{"code":"BR","name":"Brazil"},{"code":"PT","name":"Portugal"}]`))
			if tc.name == "slow" {
				opts.Timeout = slowTime
			}
			d := s.load(t, opts)
			f := fileOf(t, d, "iptv-org/channels")
			if opts.Timeout = time.Minute; tc.name != "slow" {
				checkLeft(t, d, "iptv-org/channels")
			}
			if len(d.Countries) != 1 {
				t.Errorf("%d countries of today beside the channels of before", len(d.Countries))
			}
			if !f.Kept || f.Items != 100 || !strings.Contains(f.Problem, tc.problem) {
				t.Errorf("file %+v, want a problem with %q", f, tc.problem)
			}
			if diff := cmp.Diff(first.Channels, d.Channels); diff != "" {
				t.Errorf("the kept channels are others (-first +kept):\n%s", diff)
			}
			s.handle("/channels.json", text(channels(101)))
			if d := s.load(t, opts); len(d.Channels) != 101 || len(d.Countries) != 2 || fileOf(t, d, "iptv-org/channels").Problem != "" {
				t.Errorf("after it is well again: %d channels, %+v", len(d.Channels), fileOf(t, d, "iptv-org/channels"))
			}
		})
	}
}

// TestHostileFirst breaks one file on the first day, without which the others of
// its source are not used.
func TestHostileFirst(t *testing.T) {
	bomb() // made now: a server that made it when asked could be late
	for _, tc := range hostileChannels {
		if strings.Contains(tc.problem, "where it had") {
			continue // without a former state it is a good file
		}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.handle("/channels.json", tc.serve)
			opts := s.options(newMemory())
			if tc.name == "slow" {
				opts.Timeout = slowTime
			}
			d := s.load(t, opts)
			f := fileOf(t, d, "iptv-org/channels")
			if f.Kept || f.Items != 0 || f.SHA256 != "" || !f.FetchedAt.IsZero() || !strings.Contains(f.Problem, tc.problem) {
				t.Errorf("file %+v, want a problem with %q", f, tc.problem)
			}
			if len(d.Channels)+len(d.Streams) > 0 {
				t.Errorf("%d channels and %d streams of a source that is not whole", len(d.Channels), len(d.Streams))
			}
		})
	}
}
