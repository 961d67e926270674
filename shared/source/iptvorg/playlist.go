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

// headingTag opens a playlist within several that are joined. It is ours: to a
// player it is a comment.
const headingTag = "#MIRAMUNDO-PLAYLIST:"

// Heading returns the line that opens the playlist of the given name, such as
// "br_pluto", when several are joined to one file. The streams below it have
// that name as their File.
func Heading(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, name)
	return "\n" + headingTag + name + "\n"
}

// maxLine is the greatest length of a playlist's line in bytes. The longest
// address in real lists takes 3,248.
const maxLine = source.MaxField

// readPlaylists adds the entries of a playlist, or of several joined, to d.
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
		if stream, ok := p.take(line); ok {
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

// line returns the next line without its end, or "#" in place of one that is
// too long.
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

// take reads one line and returns the entry that it completes.
func (p *playlists) take(line string) (source.Stream, bool) {
	switch {
	case line == "":
	case strings.HasPrefix(line, headingTag):
		p.drop()
		p.file = line[len(headingTag):]
	case strings.HasPrefix(line, "#EXTM3U"), strings.HasPrefix(line, "\ufeff#EXTM3U"):
		p.header = true
	case strings.HasPrefix(line, "#EXTINF:"):
		p.drop()
		p.header, p.titled = true, true
		info(&p.next, line[len("#EXTINF:"):])
	case strings.HasPrefix(line, "#EXTVLCOPT:"):
		name, value, _ := strings.Cut(line[len("#EXTVLCOPT:"):], "=")
		header(&p.next, name, value)
	case line[0] != '#':
		return p.entry(line)
	}
	return source.Stream{}, false
}

// entry completes the next entry with its address. An address without a title
// is none of a channel.
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

// drop forgets an entry that has no address.
func (p *playlists) drop() {
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

// info reads the duration, the attributes and the title of an entry.
func info(s *source.Stream, line string) {
	rest := line[strings.IndexAny(line+",", " ,\t"):]
	for {
		rest = strings.TrimLeft(rest, " \t")
		name, after, found := strings.Cut(rest, "=")
		if !found || strings.ContainsAny(name, ", \t\"") {
			break
		}
		value, tail, closed := attribute(after)
		if !closed {
			break
		}
		attributeOf(s, name, value)
		rest = tail
	}
	if _, text, found := strings.Cut(rest, ","); found {
		title(s, text)
	}
}

// attribute reads a value, in quotes or up to a blank or comma.
func attribute(text string) (value, rest string, ok bool) {
	if quoted, found := strings.CutPrefix(text, `"`); found {
		return strings.Cut(quoted, `"`)
	}
	end := strings.IndexAny(text+",", " ,\t")
	return text[:end], text[end:], true
}

func attributeOf(s *source.Stream, name, value string) {
	if name == "tvg-id" {
		s.Channel, s.Feed, _ = strings.Cut(value, "@")
		return
	}
	header(s, name, value)
}

// header keeps a request header that the stream needs, under each of the names
// that lists give it, and reports whether it was one.
func header(s *source.Stream, name, value string) bool {
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

// pipeOptions reads the headers that Kodi writes behind an address, and
// reports whether these are such.
func pipeOptions(s *source.Stream, options string) bool {
	known := false
	for option := range strings.SplitSeq(options, "&") {
		name, value, _ := strings.Cut(option, "=")
		if decoded, err := url.PathUnescape(value); err == nil {
			value = source.Plain(strings.ToValidUTF8(decoded, "\ufffd"))
		}
		known = header(s, name, value) || known
	}
	return known
}
