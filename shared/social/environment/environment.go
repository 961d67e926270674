// Package environment parses the browser and the system of a User-Agent into the
// names that play reports distinguish.
package environment

import (
	"strings"

	"github.com/mileusna/useragent"

	"miramundo.dev/shared/agent"
	"miramundo.dev/shared/social"
)

// maxAgent is how many bytes of a User-Agent are read: those of browsers take
// less than 300, and the rest would be the caller's to make us read.
const maxAgent = 512

// names are the names that are distinguished, by the parser's names where they
// differ. Any other name is social.Other, so that callers cannot invent
// environments.
var (
	browsers = named("Chrome", "Firefox", "Safari", "Edge", "Opera", "Opera Mini", "Vivaldi", "Samsung Browser",
		"Huawei Browser", "Silk", "Miui Browser", "Android browser", "Internet Explorer", "Facebook App", "Instagram App",
		"TikTok App", "VLC", "Kodi", "mpv", "TiviMate", "IPTVSmarters", "OTT Navigator", "Jellyfin", "AppleCoreMedia",
		"ExoPlayer", "curl")
	systems = named("Windows", "macOS", "iOS", "Android", "Linux", "ChromeOS", "FreeBSD", "Harmony",
		"webOS", "Tizen", "Roku", "Fire TV", "PlayStation", "Xbox")
)

func init() {
	browsers["Opera Touch"] = "Opera"
	browsers["Headless Chrome"] = "Chrome"
	browsers["Mobile Safari"] = "Safari"
	browsers["ExoPlayerLib"] = "ExoPlayer"
	browsers["LibVLC"] = "VLC"
	systems["CrOS"] = "ChromeOS"
}

func named(names ...string) map[string]string {
	m := make(map[string]string, len(names))
	for _, n := range names {
		m[n] = n
	}
	return m
}

// A sign is text in a User-Agent that says more than the parser reads in it.
type sign struct{ text, browser, os string }

// signs are the signs of televisions, which look like browsers of computers, and
// of players. The first that is found counts; an empty name leaves the parser's.
var signs = []sign{
	{"Web0S", "", "webOS"}, // as LG writes it
	{"webOS.TV", "", "webOS"},
	{"SamsungBrowser", "Samsung Browser", ""},
	{"Roku/", social.Other, "Roku"},
	{"PlayStation", "", "PlayStation"},
	{"Xbox", "", "Xbox"},
	{" AFT", "Silk", "Fire TV"},
	{"AppleCoreMedia/", "AppleCoreMedia", ""},
	{"Kodi/", "Kodi", ""},
	{"TiviMate/", "TiviMate", ""},
	{"LibVLC/", "VLC", ""},
	{"ExoPlayer", "ExoPlayer", ""},
}

// Names are the browser and the system of a User-Agent; each is social.Other when
// it is not one of the names that are distinguished.
type Names struct{ Browser, OS string }

// Parse returns the names in a User-Agent. Any text is valid.
func Parse(agent string) Names {
	agent = agent[:min(len(agent), maxAgent)]
	if agent == "" {
		return Names{social.Other, social.Other}
	}
	ua := useragent.Parse(agent)
	n := Names{Browser: ua.Name, OS: ua.OS}
	if strings.Contains(agent, "Tizen") {
		n = tizen(agent)
	}
	for _, s := range signs {
		if strings.Contains(agent, s.text) {
			n = n.with(s)
			break
		}
	}
	return Names{known(browsers, n.Browser), known(systems, n.OS)}
}

// tizen returns the names of a Samsung television, whose browser has three names.
func tizen(agent string) Names {
	if strings.Contains(agent, "SamsungBrowser/") || strings.Contains(agent, "TV Safari") || strings.Contains(agent, "Version/") {
		return Names{"Samsung Browser", "Tizen"}
	}
	return Names{"Chrome", "Tizen"}
}

func (n Names) with(s sign) Names {
	if s.browser != "" {
		n.Browser = s.browser
	}
	if s.os != "" {
		n.OS = s.os
	}
	return n
}

func known(names map[string]string, name string) string {
	if n, ok := names[name]; ok {
		return n
	}
	return social.Other
}

// A Reader parses User-Agents and caches the results. The zero Reader is ready to
// use, and may be used concurrently.
type Reader struct{ cache agent.Cache[Names] }

// Read returns what Parse does.
func (r *Reader) Read(userAgent string) Names { return r.cache.Get(userAgent, Parse) }
