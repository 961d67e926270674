package refresh_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/job"
)

// TestGuideLarge names files of a gigabyte, of which the beginning tells that
// they are no guides: it is for that that they are refused.
func TestGuideLarge(t *testing.T) {
	const size, page = 1 << 30, "<html></html>"
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
		if !strings.Contains(s.Problem, "not XMLTV") {
			t.Errorf("%s: %q", s.Name, s.Problem)
		}
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
