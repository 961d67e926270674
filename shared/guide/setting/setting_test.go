package setting

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var sameZone = cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })

func TestParse(t *testing.T) {
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string][]Source{
		"":    nil,
		" , ": nil,
		"https://Guides.example/uk/epg.xml.gz#tz=Europe/London&country=uk&lang=EN&name=freeview": {{
			Name: "freeview", URL: "https://Guides.example/uk/epg.xml.gz", Site: "guides.example", Zone: london, Country: "GB", Language: "en",
		}},
		"/srv/a.xml.xz , b.xml#name=other,c.xml#name=uk&site=Freeview.co.uk,http://h.example:8080?file=a%2Cb": {
			{Name: "a", File: "/srv/a.xml.xz", Site: "a", Zone: time.UTC},
			{Name: "other", File: "b.xml", Site: "other", Zone: time.UTC},
			{Name: "uk", File: "c.xml", Site: "freeview.co.uk", Zone: time.UTC},
			{Name: "h.example", URL: "http://h.example:8080?file=a%2Cb", Site: "h.example", Zone: time.UTC},
		},
	} {
		got, err := Parse(setting)
		if diff := cmp.Diff(want, got, sameZone); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", setting, err, diff)
		}
	}
}

func TestParseRefusals(t *testing.T) {
	for setting, want := range map[string]string{
		"a.xml#tz=Mars/Base":                  `entry 1 has the unknown zone "Mars/Base"`,
		"a.xml#tz=":                           `entry 1 has the unknown zone ""`,
		"a.xml#tz=Local":                      `entry 1 has the unknown zone "Local"`,
		"a.xml#tz=../../etc/passwd":           `entry 1 has the unknown zone "../../etc/passwd"`,
		"a.xml#zone=UTC":                      `entry 1 has the unknown option "zone"`,
		"a.xml#lang=eng":                      `entry 1 has the language "eng", which is not a code of two letters`,
		"a.xml#country=Brazil":                `entry 1 has the country "Brazil", which is not a code of two letters`,
		"a.xml#site=a/b":                      `entry 1 has the site "a/b", which is not a host name`,
		"a.xml#tz=UTC&tz=UTC":                 `entry 1 has the option "tz" more than once`,
		"a.xml#tz=%zz":                        `entry 1 has options that are not in the form of a query`,
		"a.xml#name=a/b":                      `entry 1 needs a name of 1 to 40 letters, digits and -_.: give it one with #name=`,
		"/":                                   `entry 1 needs a name of 1 to 40 letters, digits and -_.: give it one with #name=`,
		"#tz=UTC":                             `entry 1 has options, but no address or path`,
		"https://u:p@h.example/a.xml":         `entry 1 has credentials in its address`,
		"ftp://h.example/a.xml":               `entry 1 has the scheme "ftp", not http or https`,
		"file:///a.xml":                       `entry 1 is not a valid address`,
		"https:///a.xml":                      `entry 1 is not a valid address`,
		"https://h.example/%zz":               `entry 1 is not a valid address`,
		"a.xml,b.xml,a.xml#name=other":        `entry 3 is the same as entry 1`,
		"one/a.xml.gz,two/a.xml":              `entry 2 has the name "a" of entry 1: give it another with #name=`,
		"a.xml#x=1,b.xml#y=1":                 "entry 1 has the unknown option \"x\"\nentry 2 has the unknown option \"y\"",
		strings.Repeat("a.xml,", 33):          "33 entries are more than 32",
		"https://h.example/a?key=SECRET#tz=X": `entry 1 has the unknown zone "X"`,
	} {
		got, err := Parse(setting)
		if err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%q: %+v, %v, want %s", setting, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: the error contains a secret: %v", setting, err)
		}
	}
}

func TestSourceSum(t *testing.T) {
	seen := map[string]string{}
	for _, setting := range []string{"a.xml", "b.xml#name=a", "a.xml#tz=Europe/London", "a.xml#lang=en", "a.xml#country=BR", "a.xml#site=a.example", "http://a.example/a.xml"} {
		s, err := Parse(setting)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[s[0].Sum()]; ok {
			t.Errorf("%s and %s have one sum", setting, other)
		}
		seen[s[0].Sum()] = setting
	}
}
