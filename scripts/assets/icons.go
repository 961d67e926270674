package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// icons are the icons that pages show, each with its name in the package.
var icons = [][2]string{
	{"airplay", "airplay"}, {"alert", "triangle-alert"}, {"back", "arrow-left"}, {"bell", "bell"}, {"calendar", "calendar-plus"}, {"captions", "captions"}, {"cast", "cast"}, {"check", "check"},
	{"chevron-down", "chevron-down"}, {"chevron-left", "chevron-left"}, {"chevron-right", "chevron-right"}, {"chevron-up", "chevron-up"},
	{"clock", "clock"}, {"close", "x"}, {"columns", "columns-2"}, {"comment", "message-circle"}, {"copy", "copy"}, {"dice", "dices"}, {"download", "download"},
	{"edit", "pencil"}, {"external", "external-link"}, {"flag", "flag"}, {"folder", "folder"}, {"folder-add", "folder-plus"}, {"folder-check", "folder-check"}, {"fullscreen", "maximize"},
	{"fullscreen-exit", "minimize"}, {"globe", "globe"}, {"grip", "grip-vertical"}, {"heart", "heart"}, {"help", "circle-question-mark"}, {"hidden", "eye-off"}, {"languages", "languages"}, {"theme", "sun-moon"},
	{"history", "history"}, {"keyboard", "keyboard"}, {"list", "list"}, {"locate", "locate"}, {"lock", "lock"}, {"menu", "menu"}, {"minus", "minus"}, {"moon", "moon"}, {"more", "ellipsis"}, {"move", "folder-input"},
	{"muted", "volume-x"}, {"next", "skip-forward"}, {"passkey", "key-round"}, {"pause", "pause"}, {"pip", "picture-in-picture-2"}, {"place", "map-pin"}, {"play", "play"}, {"plus", "plus"},
	{"previous", "skip-back"}, {"print", "printer"}, {"qr", "qr-code"}, {"quality", "settings-2"}, {"radio", "radio"}, {"refresh", "rotate-cw"}, {"search", "search"},
	{"send", "send-horizontal"}, {"settings", "settings"}, {"share", "share-2"}, {"signal", "activity"}, {"sort", "arrow-down-up"}, {"sign-out", "log-out"}, {"star", "star"},
	{"sun", "sun"}, {"trash", "trash-2"}, {"tv", "tv"}, {"upload", "upload"}, {"user", "circle-user-round"}, {"volume", "volume-2"}, {"volume-low", "volume-1"}, {"wallet", "wallet"},
	// Those of categories, on plates.
	{"business", "chart-line"}, {"camera", "telescope"}, {"car", "car"}, {"cooking", "cooking-pot"}, {"culture", "drama"}, {"education", "graduation-cap"},
	{"film", "clapperboard"}, {"home", "house"}, {"kids", "blocks"}, {"laugh", "laugh"}, {"music", "music"}, {"news", "newspaper"}, {"popcorn", "popcorn"},
	{"public", "landmark"}, {"religion", "book-open"}, {"shop", "shopping-bag"}, {"sports", "trophy"}, {"travel", "mountain"}, {"weather", "cloud-sun"},
}

// sprite returns an SVG that has all icons as symbols.
func sprite(from fs.FS) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg">`)
	for _, icon := range icons {
		data, err := read(from, "lucide-static/icons/"+icon[1]+".svg")
		if err == nil {
			err = picture(data)
		}
		if err != nil {
			return nil, fmt.Errorf("icon %s: %w", icon[0], err)
		}
		inner, err := innerXML(data)
		if err != nil {
			return nil, fmt.Errorf("icon %s: %w", icon[0], err)
		}
		fmt.Fprintf(&b, `<symbol id="%s" viewBox="0 0 24 24" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round">%s</symbol>`, icon[0], inner)
	}
	b.WriteString(`</svg>`)
	return b.Bytes(), nil
}

// innerXML returns the content of the root element of an SVG, without spaces between
// elements.
func innerXML(data []byte) (string, error) {
	var root struct {
		Inner string `xml:",innerxml"`
	}
	if err := xml.Unmarshal(data, &root); err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(root.Inner) {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String(), nil
}

// hashed returns the name of a file with a hash of its content.
func hashed(name string, data []byte) string {
	sum := sha256.Sum256(data)
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:5]) + ext
}
