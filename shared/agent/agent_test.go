package agent

import (
	"fmt"
	"strings"
	"testing"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"

func TestClassify(t *testing.T) {
	for agent, want := range map[string]Class{
		firefox: {Kind: Person},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1": {Kind: Person},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0":               {Kind: Person},
		"Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36":                                         {Kind: Person},
		"Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0 Safari/537.36 WebAppManager":                      {Kind: Person},
		"Opera/9.80 (Android; Opera Mini/8.0.1807/36.1609; U; en) Presto/2.12.423 Version/12.16":                                                  {Kind: Person},

		"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)": {Kind: Crawler},
		"facebookexternalhit/1.1":                                               {Kind: Crawler},
		"Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/131.0":                  {Kind: Crawler},
		"Mozilla/5.0 (compatible; Indexer/3.1; +https://indexer.example/about)": {Kind: Crawler},

		"Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://x)":           {Assistant, "OpenAI"},
		"Mozilla/5.0 AppleWebKit/537.36 (compatible; ChatGPT-User/1.0; +https://x/bot)": {Assistant, "OpenAI"},
		"Mozilla/5.0 (compatible; ClaudeBot/1.0; +x@y.example)":                         {Assistant, "Anthropic"},
		"some-mcp-client/0.3": {Assistant, "other"},

		"VLC/3.0.21 LibVLC/3.0.21":                                                 {Kind: Player},
		"Kodi/21.1 (X11; Linux x86_64) App_Bitness/64 Version/21.1":                {Kind: Player},
		"AppleCoreMedia/1.0.0.22B83 (iPhone; U; CPU OS 18_1 like Mac OS X; pt_br)": {Kind: Player},
		"Dalvik/2.1.0 (Linux; U; Android 11) ExoPlayerLib/2.18.1":                  {Kind: Player},
		"curl/8.11.0":                           {Kind: Program},
		"python-requests/2.32":                  {Kind: Program},
		"":                                      {Kind: Program},
		"mm-smoke":                              {Kind: Test},
		"Mozilla/5.0 MM-Smoke":                  {Kind: Test},
		strings.Repeat("a", 1<<16) + "mozilla/": {Kind: Program},
	} {
		if got := Classify(agent); got != want {
			t.Errorf("%.60q is %v, want %v", agent, got, want)
		}
	}
}

// TestFamilies checks that every family of a class is listed, once.
func TestFamilies(t *testing.T) {
	listed := map[string]int{}
	for _, f := range Families() {
		listed[f]++
	}
	for _, s := range assistants {
		if got := Classify("x " + s.text + "/1").Family; listed[got] != 1 {
			t.Errorf("%q is of the family %q, which is listed %d times", s.text, got, listed[got])
		}
	}
}

// TestCache reads more User-Agents than the cache keeps, and one of them all the
// time: that one is parsed once, and the cache stays small.
func TestCache(t *testing.T) {
	var c Cache[string]
	parsed := map[string]int{}
	parse := func(agent string) string { parsed[agent]++; return "read " + agent }
	for n := range 5 * maxKept {
		other := fmt.Sprint("agent ", n)
		if got := c.Get(other, parse); got != "read "+other {
			t.Fatalf("%q is %q", other, got)
		}
		c.Get(firefox, parse)
	}
	if parsed[firefox] != 1 {
		t.Errorf("the User-Agent in use was parsed %d times", parsed[firefox])
	}
	if n := len(c.young) + len(c.old); n > 2*maxKept {
		t.Errorf("%d are kept", n)
	}
	long := strings.Repeat("x", maxAgent)
	if c.Get(long, parse) != c.Get(long+"y", parse) || parsed[long] != 1 {
		t.Error("the bytes beyond the limit are read")
	}
}

// TestCacheCost checks that reading a User-Agent that is kept allocates nothing.
func TestCacheCost(t *testing.T) {
	var c Cache[Class]
	c.Get(firefox, Classify)
	if n := testing.AllocsPerRun(100, func() { c.Get(firefox, Classify) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(firefox)
	f.Add("GPTBot")
	f.Fuzz(func(t *testing.T, agent string) {
		c := Classify(agent)
		if c.Kind >= Kinds || (c.Kind == Assistant) != (c.Family != "") {
			t.Errorf("%q is %v", agent, c)
		}
	})
}

func BenchmarkCache(b *testing.B) {
	var c Cache[Class]
	b.ReportAllocs()
	for b.Loop() {
		c.Get(firefox, Classify)
	}
}
