// Package content recognizes what an origin sends by its first bytes: a
// playlist, a list of addresses, a manifest, media, or a document.
//
// The bytes alone decide. What servers say of their content, as in a
// Content-Type, is often wrong.
package content

import (
	"bytes"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// A Form is what bytes are, whatever their Content-Type says.
type Form int

// The forms.
const (
	Binary   Form = iota // media, or unknown
	Nothing              // empty, or white space alone
	Playlist             // HLS
	List                 // of addresses, as stations have: M3U, PLS, ASX
	Manifest             // DASH
	Document             // HTML, JSON or other text
)

// Tell returns the form of data, which should have at least the first 512
// bytes of a response.
func Tell(data []byte) Form {
	text := bytes.TrimLeft(trimMark(data), " \t\r\n")
	if len(text) == 0 {
		return Nothing
	}
	begins := text[:min(len(text), 4<<10)]
	if page.Match(begins) {
		return Document
	}
	if !isText(begins) {
		return Binary
	}
	head := bytes.ToLower(begins)
	switch {
	case head[0] == '#' && bytes.Contains(text, []byte("#EXT-X-")):
		return Playlist
	case isList(head):
		return List
	case mpd.Match(head):
		return Manifest
	}
	return Document
}

// page matches the beginning of HTML. What follows it may be anything, which
// players of media do not look for.
var page = regexp.MustCompile(`^(?i:<!doctype html|<html|<head|<body|<script)\b`)

// mpd matches XML whose first element is an MPD, in lower case.
var mpd = regexp.MustCompile(`(?s)^(?:\s|<\?.*?\?>|<!--.*?-->|<!doctype[^>]*>)*<(?:[\w.-]+:)?mpd(?:[\s/>]|$)`)

// trimMark returns data without a byte order mark.
func trimMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// listHeads are the beginnings of lists of addresses, in lower case.
var listHeads = []string{"#extm3u", "#extinf", "[playlist]", "[reference]", "<asx", "http://", "https://"}

func isList(head []byte) bool {
	for _, h := range listHeads {
		if bytes.HasPrefix(head, []byte(h)) {
			return true
		}
	}
	return head[0] == '#'
}

// isText reports whether data, possibly truncated, has only characters of
// texts. Data that begins like HTML or JSON may have others, in any encoding,
// but no zeros.
func isText(data []byte) bool {
	web := bytes.IndexByte([]byte("#<{["), data[0]) >= 0
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == 0, !web && r < ' ' && !unicode.IsSpace(r):
			return false
		case !web && r == utf8.RuneError && n == 1 && utf8.FullRune(data[i:]):
			return false
		}
		i += n
	}
	return true
}

// ofPlace matches the words by which pages and their addresses say that a
// stream is not available in a country.
var ofPlace = regexp.MustCompile(`(?i)geo[-_ ]?(block|restrict|fenc|filter|lock|denied|error)|` +
	`(un|not )available (in|for|from) (your|this) (country|region|location|area|territory)|` +
	`(country|region|location|territory) (is )?(not allowed|blocked|restricted|forbidden)|outside (of )?(the|your) (country|region|territory)|` +
	`n(ã|a)o (est(á|a) )?dispon(í|i)vel (n[oa]|em) (seu|sua) (pa(í|i)s|regi(ã|a)o)|no (est(á|a) )?disponible en (su|tu) (pa(í|i)s|regi(ó|o)n)`)

// OfPlace reports whether a document sent instead of media, or its address,
// says that the stream is not available where the request came from.
func OfPlace(data []byte, address string) bool {
	return ofPlace.Match(data[:min(len(data), 64<<10)]) || ofPlace.MatchString(address)
}

// The addresses in lists: the lines of M3U and plain lists, the values of FileN
// in PLS and RefN in its relatives, and the references of ASX.
var (
	lines      = regexp.MustCompile(`(?m)^[ \t]*([^#\s]\S*)[ \t]*\r?$`)
	files      = regexp.MustCompile(`(?im)^[ \t]*(?:file|ref)\d+[ \t]*=[ \t]*(\S+)`)
	references = regexp.MustCompile(`(?i)<ref\s[^>]*?href\s*=\s*["']\s*([^"'\s]+)`)
)

// timed matches the duration of an entry that takes time. Lists of stations
// give -1 or 0.
var timed = regexp.MustCompile(`(?m)^[ \t]*#EXTINF:[ \t]*(?:0*[1-9]|0*\.0*[1-9])`)

// IsTimed reports whether a list says of some entry how long it takes. Then the
// entries are played one after another, as the segments of a playlist are.
func IsTimed(data []byte) bool { return timed.Match(data) }

// Listed returns the first n addresses of a list, or all.
func Listed(data []byte, n int) []string {
	place := lines
	switch data = bytes.TrimLeft(trimMark(data), " \t\r\n"); {
	case bytes.HasPrefix(data, []byte("[")):
		place = files
	case bytes.HasPrefix(data, []byte("<")):
		place = references
	}
	var all []string
	for _, m := range place.FindAllSubmatch(data, n) {
		all = append(all, string(m[1]))
	}
	return all
}
