package catalog

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	ics "github.com/arran4/golang-ical"
	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
)

// eventOf parses a calendar with one event.
func eventOf(t *testing.T, text string) *ics.VEvent {
	t.Helper()
	c, err := ics.ParseCalendar(strings.NewReader(text))
	if err != nil || len(c.Events()) != 1 {
		t.Fatalf("%v in\n%s", err, text)
	}
	return c.Events()[0]
}

func TestCalendar(t *testing.T) {
	s := open(t, openDB(t))
	const path = "/api/channels/Aurora.br/guia.ics?start=2026-11-22T11:00:00Z"
	res, body := apitest.Do(t, s, "GET", path+"&lang=de", "")
	if got := res.Header.Get("Content-Type") + " " + res.Header.Get("Content-Disposition"); got != "text/calendar; charset=utf-8 inline; filename=programme.ics" {
		t.Errorf("the file is %q", got)
	}
	e := eventOf(t, body)
	start, _ := e.GetStartAt()
	end, _ := e.GetEndAt()
	got := []string{e.Id(), start.Format(time.RFC3339), end.Format(time.RFC3339)}
	for _, name := range []ics.ComponentProperty{ics.ComponentPropertySummary, ics.ComponentPropertyDescription, ics.ComponentPropertyLocation, ics.ComponentPropertyUrl, ics.ComponentPropertyDtstamp} {
		got = append(got, e.GetProperty(name).Value)
	}
	want := []string{
		"1795345200-Aurora.br@miramundo", "2026-11-22T11:00:00Z", "2026-11-22T13:00:00Z",
		"Aurora news 1", "<Text> & more", "Aurora", "https://mira.example/de/sender/Aurora.br", "20261122T120000Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, again := apitest.Do(t, s, "GET", strings.Replace(path, "Aurora.br", "Old.br", 1)+"&lang=de", ""); again != body {
		t.Errorf("an earlier id has another file:\n%s", again)
	}
	for bad, status := range map[string]int{
		"Aurora.br/guia.ics":                               http.StatusBadRequest,
		"Aurora.br/guia.ics?start=":                        http.StatusBadRequest,
		"Aurora.br/guia.ics?start=2026-99-22T11:00:00Z":    http.StatusBadRequest,
		"Aurora.br/guia.ics?start=2026-11-22T11:00:00Z%0D": http.StatusBadRequest,
		"Aurora.br/guia.ics?start=2026-11-22T11:00:01Z":    http.StatusNotFound,
		"Nowhere.br/guia.ics?start=2026-11-22T11:00:00Z":   http.StatusNotFound,
		"Blocked.br/guia.ics?start=2026-11-22T11:00:00Z":   http.StatusNotFound,
		"Blank.br/guia.ics?start=2026-11-22T11:00:00Z":     http.StatusNotFound,
	} {
		if res, body := apitest.Do(t, s, "GET", "/api/channels/"+bad, ""); res.StatusCode != status {
			t.Errorf("%s: %s %s", bad, res.Status, body)
		}
	}
}

// TestEventText checks with hostile and long texts that an event has no line of its own
// making: lines end in CR and LF, have at most 75 octets and whole characters, and read
// back as what was written.
func TestEventText(t *testing.T) {
	for _, text := range []string{
		"a; b, c\\d", "a\r\nEND:VEVENT\nX:1", strings.Repeat("ação;", 60), strings.Repeat("漢字", 100), "<b>x</b> " + strings.Repeat("y>", 90), "\x00\x7f\u0085\xff", "RTL \u202e text", " ",
	} {
		p := guide.Programme{Start: noon, Stop: noon.Add(time.Hour), Title: text, Desc: text}
		e := event{"A.br", text, "https://mira.example/canal/A.br", p, noon}
		file := string(e.file(i18n.PT))
		for line := range strings.SplitSeq(strings.TrimSuffix(file, "\r\n"), "\r\n") {
			if len(line) > 75 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n") {
				t.Errorf("%q has the line %q", text, line)
			}
		}
		got := eventOf(t, file)
		for _, name := range []ics.ComponentProperty{ics.ComponentPropertySummary, ics.ComponentPropertyDescription, ics.ComponentPropertyLocation} {
			if value := got.GetProperty(name).Value; value != printable(text) {
				t.Errorf("%s of %q is %q", name, text, value)
			}
		}
	}
}
