package numbers

import (
	"html"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/vitrine"
)

func number(n int64) vitrine.Number { return &n }

// days are three days, of which the first was not measured and the second had no visitor.
var days = []vitrine.DayNumbers{
	{Day: "2026-11-20"},
	{Day: "2026-11-21", NumberSums: vitrine.NumberSums{Visitors: number(0), Pages: number(10)}},
	{Day: "2026-11-22", NumberSums: vitrine.NumberSums{Visitors: number(1200), Pages: number(5)}},
}

var public = vitrine.Public{
	Since: "2026-11-21", Days: days, Today: &days[2],
	Surfaces: &vitrine.SurfaceNumbers{Site: number(1500), API: number(750)},
	Quality:  &vitrine.ReliabilityNumbers{Failures: number(0), Median: number(25)},
}

// TestChart checks that a day without visitors differs from one that was not measured,
// and that heights are in proportion.
func TestChart(t *testing.T) {
	all := charts(days)
	if len(all) != len(charted) {
		t.Fatalf("%d charts", len(all))
	}
	var got [][2]int
	var gaps []bool
	for _, b := range all[0].Bars {
		got, gaps = append(got, [2]int{b.Y, b.Height}), append(gaps, b.Unmeasured)
	}
	if diff := cmp.Diff([][2]int{{2, 98}, {99, 1}, {0, 100}}, got); diff != "" {
		t.Errorf("bars of visitors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]bool{true, false, false}, gaps); diff != "" {
		t.Errorf("unmeasured (-want +got):\n%s", diff)
	}
	if c := all[0]; *c.Most != 1200 || c.MostDay != "2026-11-22" || c.First != "2026-11-20" {
		t.Errorf("the chart is %+v", c)
	}
	if all[1].Bars[2].Height != 50 {
		t.Errorf("half as many pages are %d high", all[1].Bars[2].Height)
	}
	if len(charts(nil)) > 0 {
		t.Error("no days have charts")
	}
}

// TestStates checks what the page says before the first publication, after it and when
// it is old.
func TestStates(t *testing.T) {
	at := webtest.Now.Add(-time.Hour)
	for _, l := range i18n.Locales {
		for _, test := range []struct {
			name       string
			shown      vitrine.Shown
			now        time.Time
			has, lacks []string
		}{
			{"before", vitrine.Shown{}, webtest.Now, []string{"numbers.unpublished"}, []string{"numbers.summary", "numbers.stale"}},
			{"current", vitrine.Shown{At: at, Public: public}, webtest.Now, []string{"numbers.missing", "numbers.rounded", "numbers.quality"}, []string{"numbers.unpublished", "numbers.stale", "numbers.catalog"}},
			{"stale", vitrine.Shown{At: at, Public: public}, at.Add(27 * time.Hour), []string{"numbers.stale", "numbers.summary"}, []string{"numbers.unpublished"}},
		} {
			v := page.NewRenderer(webtest.Links).View(site.Numbers, l, bodyOf(test.shown, test.now))
			text := rendered(t, v)
			for _, key := range test.has {
				if !strings.Contains(text, l.T(key, nil)) {
					t.Errorf("%s, %s: the page lacks %s", l, test.name, key)
				}
			}
			for _, key := range test.lacks {
				if strings.Contains(text, ">"+l.T(key, nil)+"<") {
					t.Errorf("%s, %s: the page has %s", l, test.name, key)
				}
			}
			if test.name == "current" && !strings.Contains(text, ">"+l.Number(1200)+"<") {
				t.Errorf("%s: the page lacks the visitors of today", l)
			}
		}
	}
}

// rendered returns a page as text with its entities decoded.
func rendered(t *testing.T, v *page.View) string {
	t.Helper()
	out, err := v.Show()
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if err := out.Reply(w, httptest.NewRequest("GET", "/", nil)); err != nil {
		t.Fatal(err)
	}
	return html.UnescapeString(w.Body.String())
}
