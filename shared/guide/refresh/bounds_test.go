package refresh_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/job"
)

// TestGuideLarge names a file and an address of more bytes than a source may have:
// both are refused before they are read.
func TestGuideLarge(t *testing.T) {
	const size, page = 300<<20 + 1, "<html></html>"
	file := filepath.Join(t.TempDir(), "large.xml")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, size); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, "@/large.xml#name=served,"+file)
	r.set("/large.xml", "", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		io.WriteString(w, page)
	})
	rep, err := r.run(job.Order{})
	if err == nil {
		t.Error("it went well")
	}
	for _, s := range rep.Sources {
		if s.Limit != "bytes" || !strings.Contains(s.Problem, "314572800 bytes") || s.Bytes > 0 {
			t.Errorf("%s: limit %q, %d bytes read, %q", s.Name, s.Limit, s.Bytes, s.Problem)
		}
	}
}

// bomb returns a guide of spaces, packed to about a thousandth.
func bomb(t *testing.T, size int) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, "<tv>"+strings.Repeat(" ", size)+"</tv>"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGuideHostile reads sources that want to hold the job, each in its own way,
// before a good one: each ends at a limit that its report names, and the good one
// is read.
func TestGuideHostile(t *testing.T) {
	channel := `<channel id="%d"><display-name>x</display-name></channel>`
	for name, test := range map[string]struct {
		serve http.HandlerFunc
		limit string
	}{
		"never answers": {func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }, "time"},
		"drips": {func(w http.ResponseWriter, q *http.Request) {
			io.WriteString(w, "<tv>")
			http.NewResponseController(w).Flush()
			<-q.Context().Done()
		}, "time"},
		"drips packed": {func(w http.ResponseWriter, q *http.Request) {
			io.WriteString(w, bomb(t, 1000)[:30])
			http.NewResponseController(w).Flush()
			<-q.Context().Done()
		}, "time"},
		"is endless": {func(w http.ResponseWriter, q *http.Request) {
			io.WriteString(w, "<tv>")
			for i := 0; q.Context().Err() == nil; i++ {
				fmt.Fprintf(w, channel, i)
			}
		}, "bytes"},
		"unpacks to more": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, bomb(t, 2<<20)) }, "bytes"},
		"is packed in transit": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, bomb(t, 2<<20))
		}, "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "@/bad.xml,@/good.xml")
			r.MaxBytes, r.MaxTime = 1<<20, 10*time.Minute
			if test.limit == "time" {
				r.MaxTime = 30 * time.Millisecond
			}
			r.set("/bad.xml", "", test.serve)
			r.set("/good.xml", xmltvOf(noon, "good", "A.br"), nil)
			rep, _ := r.run(job.Order{}) // with so little time the good one may fail too
			if s := rep.Sources[0]; s.Limit != test.limit || s.Problem == "" {
				t.Errorf("limit %q, %q", s.Limit, s.Problem)
			}
			if s := rep.Sources[1]; test.limit != "time" && (s.Limit != "" || s.Problem != "" || s.Channels != 1) {
				t.Errorf("the good one: %+v", s)
			}
		})
	}
}

// TestGuideReportFits reads as many sources as there may be, each with many
// channels of long ids and names that are none of the catalog's: the report of
// the run is kept all the same.
func TestGuideReportFits(t *testing.T) {
	var sources []string
	for i := range setting.MaxSources {
		sources = append(sources, fmt.Sprintf("@/many.xml?%d#name=n%d", i, i))
	}
	r := newRig(t, strings.Join(sources, ","))
	var b strings.Builder
	b.WriteString("<tv>")
	for i := range 80 {
		long := strings.Repeat("\U0001F4FA", 190)
		fmt.Fprintf(&b, `<channel id="%s%d"><display-name>%s</display-name></channel>`, long, i, long)
	}
	r.set("/many.xml", b.String()+strings.TrimPrefix(xmltvOf(noon, "one", "A.br"), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tv>"), nil)
	rep := r.must()
	if s := rep.Sources[31]; s.Unmatched != 80 || len(s.Sample) == 0 {
		t.Errorf("%d unmatched, %d of them named", s.Unmatched, len(s.Sample))
	}
	if last, err := r.runner().Last(t.Context(), "guide"); err != nil || last == nil {
		t.Errorf("the report that is kept: %v, %v", last, err)
	}
}
