package xmltv

import (
	"fmt"
	"io"

	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/xmltv/markup"
)

// A reader makes channels and programmes of a guide.
type reader struct {
	*markup.Scanner
	Options
	channel   func(*Channel) error
	programme func(*Programme) error

	clock      clock
	preference preference
	words      words
	folder     folder
	chars      []byte    // of the element that is read
	last       Programme // that was read

	count                source.Count
	channels, programmes int // of the file, whether they make sense or not
}

func newReader(r io.Reader, o Options, channel func(*Channel) error, programme func(*Programme) error) *reader {
	return &reader{
		Scanner: markup.New(r), Options: o, channel: channel, programme: programme,
		clock: clock{zone: o.Location}, preference: prefer(o.Language), words: words{},
	}
}

// document reads a guide to its end.
func (g *reader) document() error {
	if err := g.root(); err != nil {
		return err
	}
	for {
		t, err := g.Next()
		switch {
		case err != nil:
			return err
		case t == markup.Closed:
			return g.after()
		case t == markup.Opened:
			err = g.element()
		}
		if err != nil {
			return err
		}
	}
}

// root reads up to the element that holds the guide.
func (g *reader) root() error {
	blank := int64(0) // bytes
	for {
		t, err := g.Next()
		switch {
		case err != nil:
			return err
		case t == markup.Ended && g.Offset() == blank:
			return source.ErrEmpty
		case t == markup.Ended:
			return source.ErrTruncated
		case t == markup.Opened && string(g.Name) == "tv":
			return nil
		case t != markup.Text || !isSpace(g.Part):
			return fmt.Errorf("%w: it is no XMLTV", source.ErrForm)
		}
		blank += int64(len(g.Part))
	}
}

// after reads what follows the guide, which may be nothing of meaning.
func (g *reader) after() error {
	for {
		t, err := g.Next()
		switch {
		case err != nil:
			return err
		case t == markup.Ended:
			return nil
		case t != markup.Text || !isSpace(g.Part):
			return g.Wrong("something after the guide")
		}
	}
}

func isSpace(text []byte) bool { return len(markup.TrimLeft(text)) == 0 }

// element reads an element of the guide.
func (g *reader) element() error {
	switch string(g.Name) {
	case "channel":
		if g.channels++; g.channels > MaxChannels {
			return ErrTooMany
		}
		return g.readChannel()
	case "programme":
		if g.programmes++; g.programmes > MaxProgrammes {
			return ErrTooMany
		}
		return g.readProgramme()
	}
	return g.leave()
}

// leave goes to the end of the element that opened last.
func (g *reader) leave() error {
	for depth := 1; depth > 0; {
		t, err := g.Next()
		if err != nil {
			return err
		}
		switch t {
		case markup.Opened:
			depth++
		case markup.Closed:
			depth--
		}
	}
	return nil
}

// parts gives each element in the one that opened last to read, which reads it
// to its end.
func (g *reader) parts(read func() error) error {
	for {
		t, err := g.Next()
		switch {
		case err != nil:
			return err
		case t == markup.Closed:
			return nil
		case t == markup.Opened:
			err = read()
		}
		if err != nil {
			return err
		}
	}
}

// readChannel reads a channel and gives it on.
func (g *reader) readChannel() error {
	c := Channel{ID: g.id(g.Attr("id"))}
	err := g.parts(func() error {
		switch string(g.Name) {
		case "display-name":
			return g.readName(&c)
		case "icon":
			if c.Icon == "" {
				c.Icon = string(g.value(g.Attr("src"), source.MaxField))
			}
		}
		return g.leave()
	})
	if err != nil {
		return err
	}
	if c.ID == "" {
		g.count.Skipped++
		return nil
	}
	g.count.Items++
	return g.channel(&c)
}

func (g *reader) readName(c *Channel) error {
	if len(c.Names) == MaxNames {
		return g.leave()
	}
	if err := g.collect(); err != nil {
		return err
	}
	if name := g.folder.fold(repair(g.chars), MaxTitle); len(name) > 0 {
		c.Names = append(c.Names, string(name))
	}
	return nil
}

// readProgramme reads a programme and gives it on.
func (g *reader) readProgramme() error {
	if !g.begin() {
		g.count.Skipped++
		return g.leave()
	}
	if !g.wanted(&g.last) {
		g.count.Items++
		return g.leave()
	}
	var title, desc, category choice
	err := g.parts(func() error {
		switch string(g.Name) {
		case "title":
			return g.choose(&title, MaxTitle, false)
		case "desc":
			return g.choose(&desc, MaxDesc, false)
		case "category":
			return g.choose(&category, MaxTitle, true)
		}
		return g.leave()
	})
	if err != nil {
		return err
	}
	if title.text == "" {
		g.count.Skipped++
		return nil
	}
	g.last.Title, g.last.Language = title.text, title.lang
	g.last.Desc, g.last.Category = desc.text, category.text
	g.count.Items++
	return g.programme(&g.last)
}

// begin reads the tag of a programme, and reports whether it makes sense.
func (g *reader) begin() bool {
	p := &g.last
	*p = Programme{Channel: g.id(g.Attr("channel"))}
	if p.Channel == "" {
		return false
	}
	var ok bool
	p.Start, p.Stop, ok = g.clock.times(p.Channel, g.Attr("start"), g.Attr("stop"))
	return ok
}

// wanted reports whether a programme is one that the options ask for.
func (g *reader) wanted(p *Programme) bool {
	end := p.Stop
	if !end.After(p.Start) {
		end = p.Start.Add(MaxLength)
	}
	return (g.To.IsZero() || p.Start.Before(g.To)) && (g.From.IsZero() || end.After(g.From)) &&
		(g.Wants == nil || g.Wants(p.Channel))
}

// A choice is the best of the texts that a programme has for one thing.
type choice struct {
	text, lang string
	fits       bool
}

// choose reads a text and takes it when it is better than the one before it:
// the first that is not empty, in the language to prefer if there is one.
func (g *reader) choose(c *choice, limit int, share bool) error {
	lang := g.words.share(g.value(g.Attr("lang"), MaxID))
	fits := g.preference.fits(lang)
	if c.text != "" && (c.fits || !fits) {
		return g.leave()
	}
	if err := g.collect(); err != nil {
		return err
	}
	line := g.folder.fold(repair(g.chars), limit)
	switch {
	case len(line) == 0:
		return nil
	case share:
		*c = choice{g.words.share(line), lang, fits}
	default:
		*c = choice{string(line), lang, fits}
	}
	return nil
}

// collect reads the element that opened last to its end, and its text, also
// that of elements in it, to chars.
func (g *reader) collect() error {
	g.chars = g.chars[:0]
	for depth, seen := 1, 0; depth > 0; {
		t, err := g.Next()
		if err != nil {
			return err
		}
		switch t {
		case markup.Opened:
			depth++
		case markup.Closed:
			depth--
		case markup.Text:
			g.gather(seen)
			seen += len(g.Part)
		}
	}
	return nil
}

// gather adds the text that was found last to chars, as far as there is room
// after what was seen of the element before.
func (g *reader) gather(seen int) {
	part := g.Part
	if room := max(MaxText-seen, 0); room <= len(part) {
		part = markup.Whole(part[:room])
	}
	if g.CDATA {
		g.chars = append(g.chars, part...)
	} else {
		g.chars = markup.Unescape(g.chars, part)
	}
}

// id returns the id that an attribute holds, or nothing.
func (g *reader) id(raw []byte) string { return g.words.share(g.value(raw, MaxID)) }

// value returns what an attribute says, or nothing when it is longer than limit
// characters.
func (g *reader) value(raw []byte, limit int) []byte {
	g.chars = markup.Unescape(g.chars[:0], raw)
	value := g.folder.fold(repair(g.chars), limit)
	if g.folder.long {
		return nil
	}
	return value
}
