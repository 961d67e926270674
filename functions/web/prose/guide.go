package prose

import (
	"context"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/social"
)

// A keyRow is one or several keys with the text of what they do.
type keyRow struct {
	Keys []string
	Text string
}

// A guideBody is what the page of instructions shows besides its texts.
type guideBody struct {
	Sections []string // ids, with which the keys of their texts start
	Keys     []keyRow
	Players  []string
	Codes    []string // of play reports
}

// guideParts are the parts of the page of instructions.
var guideParts = guideBody{
	Sections: []string{"find", "play", "keys", "library", "players", "trouble", "programs"},
	Keys: []keyRow{
		{[]string{"/"}, "search"}, {[]string{"←", "→"}, "move"}, {[]string{"↑", "↓"}, "zap"}, {[]string{"0", "…", "9"}, "digits"}, {[]string{"Space"}, "pause"},
		{[]string{"F"}, "fullscreen"}, {[]string{"M"}, "mute"}, {[]string{"P"}, "pip"}, {[]string{"C"}, "captions"}, {[]string{"L"}, "favorite"},
		{[]string{"Backspace"}, "last"}, {[]string{"?"}, "help"},
	},
	Players: []string{"vlc", "kodi", "tivimate", "jellyfin"},
	Codes:   social.Codes,
}

func (s *Server) guide(_ context.Context, l i18n.Locale, _ struct{}) (*page.Sheet, error) {
	return s.Pages.View(site.Guide, l, guideParts).Show()
}
