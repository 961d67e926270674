package iptvorg

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"miramundo.dev/shared/source"
)

// headingTag begins a playlist within several that were concatenated. Players
// take it for a comment.
const headingTag = "#MIRAMUNDO-PLAYLIST:"

// Heading returns the line that begins the playlist called name, such as
// "br_pluto", within several that are concatenated. The streams below it get
// name as their File.
func Heading(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, name)
	return "\n" + headingTag + name + "\n"
}

// maxLine is the greatest length of a line in bytes. The longest address in
// real lists takes 3,248.
const maxLine = source.MaxField

// readPlaylists adds the entries of one or more playlists to d.
func readPlaylists(d *source.Dataset, r *bufio.Reader) (source.Count, error) {
	p := playlists{lines: r}
	for {
		line, err := p.line()
		if errors.Is(err, io.EOF) {
			return p.count, p.end()
		}
		if err != nil {
			return p.count, err
		}
		if p.count.Items+p.count.Skipped > source.MaxRecords {
			return p.count, source.ErrTooMany
		}
		if stream, ok := p.takeLine(line); ok {
			d.Streams = append(d.Streams, stream)
			p.count.Items++
		}
	}
}

// playlists is the state of reading playlists line by line.
type playlists struct {
	lines  *bufio.Reader
	count  source.Count
	file   string
	header bool          // #EXTM3U or an entry was seen
	titled bool          // #EXTINF was seen, its address not yet
	next   source.Stream // what is known of the next entry
}

// line returns the next line, or "#" instead of one that is too long.
func (p *playlists) line() (string, error) {
	var long int
	for {
		part, err := p.lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long += len(part)
			continue
		case errors.Is(err, io.EOF) && len(part)+long > 0:
		case err != nil:
			return "", err
		}
		if long+len(part) > maxLine {
			p.count.Skipped++
			p.titled = false
			return "#", nil
		}
		return source.Plain(strings.ToValidUTF8(string(bytes.TrimSpace(part)), "\ufffd")), nil
	}
}

// takeLine handles a line and returns the entry that it completes, if any.
func (p *playlists) takeLine(line string) (source.Stream, bool) {
	switch {
	case line == "":
	case strings.HasPrefix(line, headingTag):
		p.dropEntry()
		p.file = line[len(headingTag):]
	case strings.HasPrefix(line, "#EXTM3U"), strings.HasPrefix(line, "\ufeff#EXTM3U"):
		p.header = true
	case strings.HasPrefix(line, "#EXTINF:"):
		p.dropEntry()
		p.header, p.titled = true, true
		parseInfo(&p.next, line[len("#EXTINF:"):])
	case strings.HasPrefix(line, "#EXTVLCOPT:"):
		name, value, _ := strings.Cut(line[len("#EXTVLCOPT:"):], "=")
		setHeader(&p.next, name, value)
	case line[0] != '#':
		return p.entry(line)
	}
	return source.Stream{}, false
}

// entry completes the current entry with its address. An address without a
// title is skipped.
func (p *playlists) entry(address string) (source.Stream, bool) {
	s, titled := p.next, p.titled
	p.next, p.titled = source.Stream{}, false
	if !titled || !strings.Contains(address, "://") {
		p.count.Skipped++
		return s, false
	}
	s.File = p.file
	s.URL = address
	if before, options, found := strings.Cut(address, "|"); found && pipeOptions(&s, options) {
		s.URL = before
	}
	return s, true
}

// dropEntry skips an entry that has no address.
func (p *playlists) dropEntry() {
	if p.titled {
		p.count.Skipped++
	}
	p.next, p.titled = source.Stream{}, false
}

func (p *playlists) end() error {
	if !p.header {
		return fmt.Errorf("%w: it is not a playlist", source.ErrForm)
	}
	if p.titled {
		return source.ErrTruncated
	}
	return nil
}

// parseInfo parses the duration, the attributes and the title of an entry.
func parseInfo(s *source.Stream, line string) {
	rest := line[strings.IndexAny(line+",", " ,\t"):]
	for {
		rest = strings.TrimLeft(rest, " \t")
		name, after, found := strings.Cut(rest, "=")
		if !found || strings.ContainsAny(name, ", \t\"") {
			break
		}
		value, tail, closed := parseAttribute(after)
		if !closed {
			break
		}
		setAttribute(s, name, value)
		rest = tail
	}
	if _, text, found := strings.Cut(rest, ","); found {
		parseTitle(s, text)
	}
}

// parseAttribute reads a value, in quotes or up to a space or comma.
func parseAttribute(text string) (value, rest string, ok bool) {
	if quoted, found := strings.CutPrefix(text, `"`); found {
		return strings.Cut(quoted, `"`)
	}
	end := strings.IndexAny(text+",", " ,\t")
	return text[:end], text[end:], true
}

func setAttribute(s *source.Stream, name, value string) {
	if name == "tvg-id" {
		s.Channel, s.Feed, _ = strings.Cut(value, "@")
		return
	}
	setHeader(s, name, value)
}

// setHeader sets a request header that the stream needs, by any of the names
// in use, and reports whether name was one.
func setHeader(s *source.Stream, name, value string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "user-agent", "http-user-agent":
		s.UserAgent = strings.TrimSpace(value)
	case "referrer", "referer", "http-referrer", "http-referer":
		s.Referrer = strings.TrimSpace(value)
	default:
		return false
	}
	return true
}

// pipeOptions parses headers that Kodi writes after an address and a "|", and
// reports whether there were any.
func pipeOptions(s *source.Stream, options string) bool {
	known := false
	for option := range strings.SplitSeq(options, "&") {
		name, value, _ := strings.Cut(option, "=")
		if decoded, err := url.PathUnescape(value); err == nil {
			value = source.Plain(strings.ToValidUTF8(decoded, "\ufffd"))
		}
		known = setHeader(s, name, value) || known
	}
	return known
}
