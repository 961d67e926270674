package sitefiles

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/webtest"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// TestOpenSearch reads the description of each language as a browser does.
func TestOpenSearch(t *testing.T) {
	h := handler(t, index.Overlay{}, nil)
	base := webtest.Links.Base
	for _, l := range i18n.Locales {
		w := webtest.Request(h, "GET", page.OpenSearchPath(l))
		var d struct {
			XMLName                                    xml.Name
			ShortName, LongName, Description, Language string
			InputEncoding, OutputEncoding              string
			Image                                      []struct {
				Type string `xml:"type,attr"`
				URL  string `xml:",chardata"`
			}
			Url []struct {
				Type     string `xml:"type,attr"`
				Rel      string `xml:"rel,attr"`
				Offset   string `xml:"indexOffset,attr"`
				Template string `xml:"template,attr"`
			}
		}
		if err := xml.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Header().Get("Content-Type") != "application/opensearchdescription+xml" {
			t.Fatalf("%s: %v, %s", l, err, w.Header().Get("Content-Type"))
		}
		if d.XMLName != (xml.Name{Space: "http://a9.com/-/spec/opensearch/1.1/", Local: "OpenSearchDescription"}) {
			t.Errorf("%s: the root is %v", l, d.XMLName)
		}
		// The bounds are those of OpenSearch 1.1.
		for text, most := range map[string]int{d.ShortName: 16, d.LongName: 48, d.Description: 1024} {
			if n := utf8.RuneCountInString(text); n == 0 || n > most || strings.ContainsAny(text, "<>") {
				t.Errorf("%s: %q has %d characters, at most %d may be", l, text, n, most)
			}
		}
		if d.Language != l.HTML() || d.InputEncoding != "UTF-8" || d.OutputEncoding != "UTF-8" {
			t.Errorf("%s: %+v", l, d)
		}
		for _, image := range d.Image {
			if w := webtest.Request(h, "GET", strings.TrimPrefix(image.URL, base)); w.Code != http.StatusOK || w.Header().Get("Content-Type") != image.Type {
				t.Errorf("%s: the image %+v: %d %s", l, image, w.Code, w.Header().Get("Content-Type"))
			}
		}
		results := "?q={searchTerms}&sort=relevance&kind=all&lang=" + l.Tag() + "&limit={count?}&offset={startIndex?}"
		want := map[string]string{
			"text/html results":                          base + site.Home.Path(l, "") + "?q={searchTerms}",
			"application/x-suggestions+json suggestions": base + "/suggestions?q={searchTerms}&lang=" + l.Tag(),
			"application/json results":                   base + "/api/channels" + results,
			"audio/x-mpegurl results":                    base + "/api/channels.m3u" + results,
			"application/opensearchdescription+xml self": base + page.OpenSearchPath(l),
		}
		got := map[string]string{}
		for _, u := range d.Url {
			got[u.Type+" "+u.Rel] = u.Template
			if u.Offset != "0" {
				t.Errorf("%s: results of %s begin with %q", l, u.Type, u.Offset)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: addresses (-want +got):\n%s", l, diff)
		}
	}
	for _, file := range []string{"PT.xml", "pt", "pt-BR.xml", "xx.xml", ".xml", "%2e%2e"} {
		if w := webtest.Request(h, "GET", page.OpenSearch+file); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", file, w.Code)
		}
	}
}
