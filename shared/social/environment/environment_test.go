package environment

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/social"
)

// agents are what browsers, televisions and players send.
var agents = []struct{ agent, browser, os string }{
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", "Chrome", "Windows"},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.86", "Edge", "Windows"},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/116.0.0.0", "Opera", "Windows"},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox", "Windows"},
	{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15", "Safari", "macOS"},
	{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1", "Safari", "iOS"},
	{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1", "Chrome", "iOS"},
	{"Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/133.0 Mobile/15E148 Safari/605.1.15", "Firefox", "iOS"},
	{"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36", "Chrome", "Android"},
	{"Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36", "Samsung Browser", "Android"},
	{"Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox", "Linux"},
	{"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", "Chrome", "ChromeOS"},
	{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36", "Chrome", "Linux"},
	{"Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128 Safari/537.36 WebAppManager", "Chrome", "webOS"},
	{"Mozilla/5.0 (Linux; Web0S) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.79 Safari/537.36 webOS.TV-2021", "Chrome", "webOS"},
	{"Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0.3809.146/6.0 TV Safari/537.36", "Samsung Browser", "Tizen"},
	{"Mozilla/5.0 (SMART-TV; Linux; Tizen 2.4.0) AppleWebkit/538.1 (KHTML, like Gecko) SamsungBrowser/1.1 TV Safari/538.1", "Samsung Browser", "Tizen"},
	{"Mozilla/5.0 (SMART-TV; LINUX; Tizen 5.5) AppleWebKit/537.36 (KHTML, like Gecko) Version/5.5 TV Safari/537.36", "Samsung Browser", "Tizen"},
	{"Mozilla/5.0 (Linux; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.1 Safari/537.36", "Chrome", "Tizen"},
	{"Mozilla/5.0 (PlayStation; PlayStation 5/9.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15", "Safari", "PlayStation"},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0", "Edge", "Xbox"},
	{"Mozilla/5.0 (Linux; Android 9; AFTKA) AppleWebKit/537.36 (KHTML, like Gecko) Silk/108.4.6 like Chrome/108.0.5359.160 Safari/537.36", "Silk", "Fire TV"},
	{"Roku/DVP-12.5 (12.5.0.4178-88)", "Outro", "Roku"},
	{"VLC/3.0.21 LibVLC/3.0.21", "VLC", "Outro"},
	{"Kodi/21.1 (X11; Linux x86_64) App_Bitness/64 Version/21.1-(21.1.0)-Git:20240817", "Kodi", "Linux"},
	{"TiviMate/5.1.0 (Android 12)", "TiviMate", "Android"},
	{"AppleCoreMedia/1.0.0.22B83 (iPhone; U; CPU OS 18_1 like Mac OS X; pt_br)", "AppleCoreMedia", "iOS"},
	{"curl/8.9.1", "curl", "Outro"},
	{"", "Outro", "Outro"},
	{"Googlebot/2.1 (+http://www.google.com/bot.html)", "Outro", "Outro"},
	{"Made|Up/1.0 (Never Land; \x00\xff)", "Outro", "Outro"},
	{strings.Repeat("A/1 ", 100_000), "Outro", "Outro"},
}

func TestParse(t *testing.T) {
	for _, test := range agents {
		got := Parse(test.agent)
		if diff := cmp.Diff(Names{test.browser, test.os}, got); diff != "" {
			t.Errorf("%.120q (-want +got):\n%s", test.agent, diff)
		}
	}
}

// TestNames checks that every name is valid in a report.
func TestNames(t *testing.T) {
	for _, m := range []map[string]string{browsers, systems} {
		for _, name := range m {
			r := social.Report{Browser: name, OS: name}
			if _, err := r.Event(); err != nil && strings.Contains(err.Error(), "name ") {
				t.Errorf("%q is no name of an event: %v", name, err)
			}
		}
	}
}

// TestReader reads from many goroutines, more agents than are remembered.
func TestReader(t *testing.T) {
	var r Reader
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 3000 {
				r.Read(fmt.Sprintf("made/%d", i))
				test := agents[i%len(agents)]
				if got := r.Read(test.agent); got != (Names{test.browser, test.os}) {
					t.Errorf("%.60q is %+v", test.agent, got)
				}
			}
		})
	}
	all.Wait()
}

func FuzzParse(f *testing.F) {
	for _, test := range agents {
		f.Add(test.agent)
	}
	f.Fuzz(func(t *testing.T, agent string) {
		n := Parse(agent)
		if browsers[n.Browser] != n.Browser && n.Browser != social.Other || systems[n.OS] != n.OS && n.OS != social.Other {
			t.Errorf("%q is %+v", agent, n)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		Parse(agents[0].agent)
	}
}

func BenchmarkRead(b *testing.B) {
	var r Reader
	for b.Loop() {
		r.Read(agents[0].agent)
	}
}
