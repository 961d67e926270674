package takedown

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/takedown"
)

var (
	widget = human.Widget{SiteKey: "site-key", Script: "https://human.example/api.js"}
	noon   = store.At(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
)

// A fixed log has as many cases as it says, of which each second one is blocked.
type fixed int

func (n fixed) Public(_ context.Context, skip, limit int) (list []takedown.Entry, t takedown.Totals, err error) {
	if n < 0 {
		return nil, t, errors.New("no database")
	}
	t = takedown.Totals{Last: int(n), Requests: map[takedown.State]int{takedown.Blocked: 41}}
	for i := int(n) - skip; i > 0 && len(list) < limit; i-- {
		c := takedown.Case{Number: i, Kind: takedown.Court, At: noon, State: takedown.Received}
		if i%2 == 0 {
			c.State, c.DecidedAt, c.Notices = takedown.Blocked, noon, []int{i + 1}
			c.Blocked = []takedown.Blocking{{Kind: block.Channel, Value: `<b>"Evil.br`}, {Kind: block.Host, Value: "evil.example"}}
		}
		list = append(list, takedown.Entry{Case: c, Answered: make([]takedown.Case, len(c.Notices))})
		for j := range c.Notices {
			list[len(list)-1].Answered[j] = takedown.Case{Number: i + 1, State: takedown.Refused}
		}
	}
	return list, t, nil
}

// TestForm checks both forms in each language: that of a request, and that of an answer
// to a block, which names the block in place of kind and targets.
func TestForm(t *testing.T) {
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Widget: widget, Email: "to@mira.example"}), Endpoints)
	for _, l := range i18n.Locales {
		path := site.Takedown.Path(l, "")
		w := webtest.Request(h, "GET", path)
		for _, want := range []string{`data-site-key="site-key"`, "mailto:to@mira.example", `name="targets"`, `value="court_order"`, site.Transparency.Path(l, "")} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: the page lacks %q", l, want)
			}
		}
		if n := strings.Count(w.Header().Get("Content-Security-Policy"), "https://human.example"); n != 3 {
			t.Errorf("%s: the policy names the provider %d times, want 3", l, n)
		}
		answer := webtest.Body(t, h, path+"?answers=12")
		if !strings.Contains(answer, `data-answers="12"`) || strings.Contains(answer, `name="targets"`) || strings.Contains(answer, `name="kind"`) {
			t.Errorf("%s: the form of an answer", l)
		}
	}
	for _, query := range []string{"?answers=x", "?answers=-1", "?answers=99999999999"} {
		if w := webtest.Request(h, "GET", site.Takedown.Path(i18n.EN, "")+query); w.Code != 400 {
			t.Errorf("%s: %d", query, w.Code)
		}
	}
}

// TestWithoutWidget checks that no form is shown where nobody could send it.
func TestWithoutWidget(t *testing.T) {
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links)}), Endpoints)
	if body := webtest.Body(t, h, site.Takedown.Path(i18n.EN, "")); strings.Contains(body, "<textarea") || strings.Contains(body, "mailto:") {
		t.Error("the page has a form or an address")
	}
}

// TestLog walks through the pages of the log.
func TestLog(t *testing.T) {
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Log: fixed(2*pageSize + 2)}), Endpoints)
	path := site.Transparency.Path(i18n.EN, "")
	for query, test := range map[string]struct{ rows, links []string }{
		"":            {[]string{"no-52", "no-28"}, []string{`?offset=25"`}},
		"?offset=25":  {[]string{"no-27", "no-3"}, []string{path + `"`, `?offset=50"`}},
		"?offset=50":  {[]string{"no-2", "no-1"}, []string{`?offset=25"`}},
		"?offset=999": {nil, []string{`?offset=27"`}},
	} {
		body := webtest.Body(t, h, path+query)
		if n := strings.Count(body, `<tr id="no-`); (n == 0) != (test.rows == nil) || n > pageSize {
			t.Errorf("%s: %d rows", query, n)
		}
		for _, row := range test.rows {
			if !strings.Contains(body, `<tr id="`+row+`"`) {
				t.Errorf("%s lacks %s", query, row)
			}
		}
		for _, link := range test.links {
			if !strings.Contains(body, link) {
				t.Errorf("%s has no link to %s", query, link)
			}
		}
	}
	body := webtest.Body(t, h, path)
	for _, want := range []string{"<dd>41</dd>", "&lt;b&gt;&#34;Evil.br", "evil.example", "?answers=52", "no. 53: " + i18n.EN.T("takedown.ui.state_refused", nil), "22 November 2026"} {
		if !strings.Contains(body, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	if strings.Contains(body, "?answers=51") {
		t.Error("a request that blocks nothing can be answered")
	}
}

// TestLogWithout checks the log that is empty, and that of a database that does not answer.
func TestLogWithout(t *testing.T) {
	path := site.Transparency.Path(i18n.EN, "")
	for _, log := range []Log{nil, fixed(0)} {
		h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Log: log}), Endpoints)
		if body := webtest.Body(t, h, path); !strings.Contains(body, i18n.EN.T("transparency.empty", nil)) {
			t.Errorf("%v: the page does not say that the log is empty", log)
		}
	}
	h := webtest.Handler(New(Options{Pages: page.NewRenderer(webtest.Links), Log: fixed(-1)}), Endpoints)
	if w := webtest.Request(h, "GET", path); w.Code != 503 {
		t.Errorf("without a database: %d", w.Code)
	}
}
