// Package m3u knows what a list of channels in M3U, written by anyone, says of
// each: the attributes of its #EXTINF line, the lines of players between, and
// the address.
//
// There is no standard, and lists are written by hand: whatever can be read is
// read. What a list says is only a hint to who looks for the channel that was
// meant.
package m3u

import (
	"strings"
	"unicode"
)

// An Entry is one channel of a list. Its texts are valid UTF-8 on one line,
// trimmed; what the list does not say is empty.
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

// Bounds of what is read.
const (
	MaxEntries = 20_000
	maxLine    = 16 << 10 // bytes; the longest address in real lists takes 3,248
)

// Parse returns the entries of a list, in its order: at most MaxEntries, and
// false when there are more. Lines that are too long are skipped, and so are an
// entry without an address and a line that is neither tag nor address.
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

// A pending entry is one whose address has not come yet.
type pending struct {
	Entry
	titled bool // its #EXTINF has come
}

// tidy returns a line as it is read: valid UTF-8 without its end, control
// characters and blanks around it. One that is too long is a comment.
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

// cutTag parts "#EXTINF:-1 …" into the name of the tag, in upper case, and its
// value.
func cutTag(line string) (name, value string, ok bool) {
	if line == "" || line[0] != '#' {
		return "", "", false
	}
	name, value, ok = strings.Cut(line[1:], ":")
	return strings.ToUpper(name), strings.TrimSpace(value), ok
}

// tag takes what one line says of the entry whose address follows.
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

// info takes the duration, the attributes and the title of an entry.
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

// attribute takes one attribute of an entry.
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

// first returns the first of several values, as some readers part them.
func first(value string) string {
	value, _, _ = strings.Cut(value, ";")
	return strings.TrimSpace(value)
}

// attribute cuts key="value", key='value' or key=value from the beginning of
// text. There is no escape: a value in quotation marks, which may hold some, ends
// before what can follow an attribute.
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
