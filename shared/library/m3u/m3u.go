// Package m3u parses lists of channels in the M3U format.
//
// The format has no standard, and lists are often written by hand: attributes
// without quotation marks, several spellings of a tag, lines for one player only.
// Parse takes what it recognizes and skips the rest; it never fails. An entry is
// only a hint: the caller decides which channel of the catalog is meant.
package m3u

import (
	"strings"
	"unicode"
)

// An Entry is one channel of a list. Its texts are valid UTF-8, on one line and
// trimmed; a text that the list does not have is empty.
type Entry struct {
	Line    int    // of its address, from 1
	Name    string // its title, else its tvg-name
	ID      string // tvg-id, which for many lists is <channel>@<feed>
	UUID    string // of radio-browser
	Group   string // group-title, else #EXTGRP; the first where there are several
	Country string // tvg-country, as written
	URL     string // without the headers that Kodi appends to it
	Radio   bool
}

// Bounds of a list.
const (
	MaxEntries = 20_000
	maxLine    = 16 << 10 // bytes; the longest address in real lists takes 3,248
)

// Parse returns the entries of a list in their order, at most MaxEntries; whole is
// false when the list has more. It skips lines that are too long, entries without
// an address, and lines that are neither a tag nor an address.
func Parse(list string) (entries []Entry, whole bool) {
	var next pending
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(list, "\ufeff")) {
		n++
		line = tidy(line)
		if tag, value, ok := cutTag(line); ok {
			next.tag(tag, value)
			continue
		}
		if line == "" || line[0] == '#' || !next.titled && !strings.Contains(line, "://") {
			continue
		}
		if len(entries) == MaxEntries {
			return entries, false
		}
		next.Line = n
		next.URL, _, _ = strings.Cut(line, "|")
		entries = append(entries, next.Entry)
		next = pending{}
	}
	return entries, true
}

// A pending entry is one whose address was not read yet.
type pending struct {
	Entry
	titled bool // its #EXTINF was read
}

// tidy returns a line as valid UTF-8, without control characters and the blanks
// around it. A line that is too long becomes a comment.
func tidy(line string) string {
	if len(line) > maxLine {
		return "#"
	}
	line = strings.ToValidUTF8(line, "\ufffd")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, line))
}

// cutTag splits a line such as "#EXTINF:-1 …" into the name of the tag, in upper
// case, and its value.
func cutTag(line string) (name, value string, ok bool) {
	if line == "" || line[0] != '#' {
		return "", "", false
	}
	name, value, ok = strings.Cut(line[1:], ":")
	return strings.ToUpper(name), strings.TrimSpace(value), ok
}

// tag applies one tag to the entry whose address follows.
func (p *pending) tag(name, value string) {
	switch name {
	case "EXTINF":
		if p.titled {
			*p = pending{} // the one before it has no address
		}
		p.titled = true
		p.info(value)
	case "EXTGRP":
		if p.Group == "" {
			p.Group = first(value)
		}
	case "RADIOBROWSERUUID":
		p.UUID = strings.ToLower(value)
	}
}

// info parses the value of #EXTINF: duration, attributes and title.
func (e *Entry) info(text string) {
	rest := text[strings.IndexAny(text+",", " \t,"):]
	name := ""
	for {
		key, value, tail, ok := attribute(rest)
		if !ok {
			break
		}
		if key = strings.ReplaceAll(strings.ToLower(key), "_", "-"); key == "tvg-name" {
			name = value
		}
		e.attribute(key, value)
		rest = tail
	}
	if _, title, ok := strings.Cut(rest, ","); ok {
		e.Name = strings.TrimSpace(title)
	}
	if e.Name == "" {
		e.Name = name
	}
}

// attribute applies one attribute of #EXTINF.
func (e *Entry) attribute(key, value string) {
	switch key {
	case "tvg-id":
		e.ID = value
	case "group-title":
		e.Group = first(value)
	case "tvg-country":
		e.Country = first(value)
	case "radio":
		e.Radio = strings.EqualFold(value, "true") || value == "1"
	case "tvg-type":
		e.Radio = e.Radio || strings.EqualFold(value, "radio")
	}
}

// first returns the first of several values, which some players separate by
// semicolons.
func first(value string) string {
	value, _, _ = strings.Cut(value, ";")
	return strings.TrimSpace(value)
}

// attribute cuts key="value", key='value' or key=value from the beginning of text.
// The format has no escapes, and a quoted value may contain quotation marks: it ends
// at the first one that is followed by what can follow an attribute.
func attribute(text string) (key, value, rest string, ok bool) {
	text = strings.TrimLeft(text, " \t")
	key, after, ok := strings.Cut(text, "=")
	if key = strings.TrimSpace(key); !ok || key == "" || strings.ContainsAny(key, ", \t\"'") {
		return "", "", text, false
	}
	after = strings.TrimLeft(after, " \t")
	if after == "" || after[0] != '"' && after[0] != '\'' {
		end := strings.IndexAny(after+",", " \t,")
		return key, after[:end], after[end:], true
	}
	quote := after[0]
	for i := 1; i < len(after); i++ {
		if after[i] == quote && follows(after[i+1:]) {
			return key, strings.TrimSpace(after[1:i]), after[i+1:], true
		}
	}
	return "", "", text, false
}

// follows reports whether text can follow an attribute: a comma, the end, or
// another attribute after a blank.
func follows(text string) bool {
	rest := strings.TrimLeft(text, " \t")
	if rest == "" || rest[0] == ',' {
		return true
	}
	end := strings.IndexAny(rest, "= \t,\"'")
	return len(rest) < len(text) && end > 0 && rest[end] == '='
}
