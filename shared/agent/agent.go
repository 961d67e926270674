// Package agent classifies callers by their User-Agent: people with a browser, AI
// agents, crawlers, players and other programs.
//
// It is the only place with such rules: visits, usage numbers and pages share them.
// The header is the caller's own word, so a class is good for statistics and never
// for access.
package agent

import (
	"slices"
	"strings"

	"github.com/mileusna/useragent"
)

// A Kind is a class of callers.
type Kind uint8

// The kinds. Person is the last guess: a browser that gives no sign of a program.
const (
	Program   Kind = iota // any program without a sign of another kind, such as a script
	Person                // a browser
	Assistant             // an AI agent, or the crawler of an AI company
	Crawler               // of a search engine, a preview or a monitor
	Player                // of TV and radio
	Test                  // a caller that says it is a test of ours
	Kinds                 // how many kinds there are
)

var names = [Kinds]string{"program", "person", "assistant", "crawler", "player", "test"}

// String returns the name of a kind, as it is stored.
func (k Kind) String() string { return names[k] }

// A Class is what a User-Agent says of its caller.
type Class struct {
	Kind   Kind
	Family string // of an Assistant: one of Families; empty for other kinds
}

// A sign is text in a User-Agent, in lower case, with what it is a sign of.
type sign struct{ text, family string }

// assistants are the signs of AI agents.
var assistants = []sign{
	{"gptbot", "OpenAI"}, {"chatgpt", "OpenAI"}, {"oai-", "OpenAI"}, {"openai", "OpenAI"},
	{"claude", "Anthropic"}, {"anthropic", "Anthropic"},
	{"perplexity", "Perplexity"},
	{"mistralai", "Mistral"},
	{"meta-external", "Meta"},
	{"google-cloudvertexbot", "Google"}, {"gemini", "Google"},
	{"bytespider", "ByteDance"},
	{"ccbot", "Common Crawl"},
	{"cohere", "Cohere"},
	{"duckassist", "DuckDuckGo"},
	{"mcp", otherFamily}, {"agent", otherFamily},
}

// otherFamily is the family of agents whose User-Agent says no more than that.
const otherFamily = "other"

// Families returns the families of assistants, in alphabetical order.
func Families() []string {
	var all []string
	for _, s := range assistants {
		all = append(all, s.family)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Signs of the other kinds. Those of players are of the programs that most sets and
// computers play with, and of the libraries that they are made of.
var (
	tests    = []string{"mm-smoke"}
	crawlers = []string{"bot", "crawl", "spider", "slurp", "facebookexternalhit", "preview", "monitor", "lighthouse", "headless"}
	players  = []string{
		"vlc/", "libvlc", "kodi/", "mpv", "exoplayer", "applecoremedia", "tivimate", "ott navigator", "iptvsmarters", "jellyfin",
		"lavf/", "gstreamer", "stagefright", "roku/", "mplayer", "nsplayer", "foobar2000", "winamp",
	}
	browsers = []string{"mozilla/", "opera/"} // begin the User-Agents of browsers
)

// maxAgent is how many bytes of a User-Agent are read.
const maxAgent = 512

// Classify returns the class of a User-Agent. Any text is valid.
func Classify(agent string) Class {
	agent = agent[:min(len(agent), maxAgent)]
	lower := strings.ReplaceAll(strings.ToLower(agent), "cubot", "") // a maker of phones
	has := func(text string) bool { return strings.Contains(lower, text) }
	if slices.ContainsFunc(tests, has) {
		return Class{Kind: Test}
	}
	for _, s := range assistants {
		if has(s.text) {
			return Class{Assistant, s.family}
		}
	}
	switch {
	case slices.ContainsFunc(crawlers, has):
		return Class{Kind: Crawler}
	case slices.ContainsFunc(players, has):
		return Class{Kind: Player}
	case !slices.ContainsFunc(browsers, func(prefix string) bool { return strings.HasPrefix(lower, prefix) }):
		return Class{Kind: Program}
	case useragent.Parse(agent).Bot: // crawlers that name themselves otherwise, with an address
		return Class{Kind: Crawler}
	}
	return Class{Kind: Person}
}
