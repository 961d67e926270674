package prose

import (
	"context"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/social"
)

// A keyRow documents one or several keys of the keyboard.
type keyRow struct {
	Keys []string // labels of the keys
	Text string   // last part of the key of the text with their effect
}

// A guideBody is the body of the page of instructions.
type guideBody struct {
	Sections []string // ids of sections; the keys of their texts begin with them
	Keys     []keyRow
	Players  []string // ids of programs that read feeds
	Codes    []string // failure codes of play reports
}

// guideParts is the body of the page of instructions in every language. A test
// compares the keys and codes with the texts that explain them.
var guideParts = guideBody{
	Sections: []string{"find", "play", "keys", "library", "players", "trouble", "programs"},
	Keys: []keyRow{
		{[]string{"/"}, "search"}, {[]string{"←", "→"}, "move"}, {[]string{"↑", "↓"}, "zap"}, {[]string{"0", "…", "9"}, "digits"}, {[]string{"Space"}, "pause"},
		{[]string{"F"}, "fullscreen"}, {[]string{"M"}, "mute"}, {[]string{"P"}, "pip"}, {[]string{"C"}, "captions"}, {[]string{"B"}, "sound"}, {[]string{"L"}, "favorite"}, {[]string{"G"}, "channels"},
		{[]string{"Backspace"}, "last"}, {[]string{"?"}, "help"},
	},
	Players: []string{"vlc", "kodi", "tivimate", "jellyfin", "homeassistant"},
	Codes:   social.Codes,
}

// guide shows the instructions.
func (s *Server) guide(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	return s.Pages.View(site.Guide, l, guideParts).Show()
}
