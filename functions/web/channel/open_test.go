package channel

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestOpen hands over what apps share: addresses in each parameter, texts, and what is
// hostile.
func TestOpen(t *testing.T) {
	h := webtest.Handler(watchServer(t), Endpoints)
	base := webtest.Links.Base
	aurora := "/en/channel/Aurora.br"
	for _, test := range []struct{ title, text, url, want string }{
		{"", "", "", "/en"},
		{"Aurora · Brazil", "", base + "/canal/Aurora.br", aurora},
		{"Aurora", "Look: " + base + "/de/sender/Aurora.br?feed=SD ", "", aurora},
		{base + "/c/Older.br", "", "", aurora},
		{"", "", "web+miramundo:Aurora.br", aurora},
		{"", "", "web+miramundo://Aurora.br/", aurora},
		{"", "", "web+miramundo:Older.br", aurora},
		{"", "", "web+miramundo:%zz", "/en"},
		{"", "", "web+miramundo:nowhere", "/en"},
		{"", "Look (" + base + "/c/Aurora.br), it is good.", "", aurora},
		{"", "“" + base + "/c/Aurora.br”…", "", aurora},
		{"", "news https://other.example.", "", "/en?q=news"},
		{"", "", base + "/canal/Mundo.pt", "/en"},
		{"", "", "https://other.example/canal/Aurora.br", "/en"},
		{"News & more", "", "https://other.example/x", "/en?q=News+%26+more"},
		{"Title", "rádio jazz", "", "/en?q=r%C3%A1dio+jazz"},
		{"Title", "https://other.example/x", "", "/en?q=Title"},
		{"", "//other.example", "", "/en?q=%2F%2Fother.example"},
		{"", "\r\nLocation: https://other.example", "", "/en?q=Location%3A"},
		{"", strings.Repeat("é", 300), "", "/en?q=" + strings.Repeat("%C3%A9", 200)},
		{"", "jazz\r\n\tand blues\x00\xff", "", "/en?q=jazz+and+blues"},
		{"", strings.Repeat("a", 5000) + " " + base + "/c/Aurora.br", "", "/en?q=" + strings.Repeat("a", 200)},
	} {
		q := url.Values{"title": {test.title}, "text": {test.text}, "url": {test.url}}
		w := webtest.Request(h, "GET", page.Below(i18n.EN, page.Open)+"?"+q.Encode())
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != test.want || w.Header().Get("Cache-Control") != "private" {
			t.Errorf("%+v: %d to %q", test, w.Code, w.Header().Get("Location"))
		}
	}
	for _, l := range i18n.Locales {
		w := webtest.Request(h, "GET", page.Below(l, page.Open)+"?url=web%2Bmiramundo:Aurora.br")
		if got, want := w.Header().Get("Location"), site.Channel.Path(l, "Aurora.br"); got != want {
			t.Errorf("%s: to %q, want %q", l, got, want)
		}
	}
	empty := webtest.Handler(New(Options{Catalog: webtest.Catalog{}}), Endpoints)
	if w := webtest.Request(empty, "GET", "/open?url=web%2Bmiramundo:Aurora.br"); w.Header().Get("Location") != "/" {
		t.Errorf("without a catalog: %d to %q", w.Code, w.Header().Get("Location"))
	}
}
