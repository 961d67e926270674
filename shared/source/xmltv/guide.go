package xmltv

import (
	"fmt"
	"io"

	"miramundo.dev/shared/source"
	"miramundo.dev/shared/source/xmltv/markup"
)

// A reader parses the channels and programmes of a guide.
type reader struct {
	*markup.Scanner
	Options
	channel   func(*Channel) error
	programme func(*Programme) error

	clock      clock
	preference preference
	interner   interner
	normalizer normalizer
	chars      []byte    // of the element that is read
	last       Programme // that was read

	count                source.Count
	channels, programmes int // of the file, whether they make sense or not
}

func newReader(r io.Reader, o Options, channel func(*Channel) error, programme func(*Programme) error) *reader {
	return &reader{
		Scanner: markup.New(r), Options: o, channel: channel, programme: programme,
		clock: clock{zone: o.Location}, preference: newPreference(o.Language), interner: interner{},
	}
}

// document parses a guide to its end.
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
			return g.trailer()
		case t == markup.Opened:
			err = g.element()
		}
		if err != nil {
			return err
		}
	}
}

// root reads up to the root element.
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
			return fmt.Errorf("%w: it is not XMLTV", source.ErrForm)
		}
		blank += int64(len(g.Part))
	}
}

// trailer reads what follows the root element, which may only be white space
// and comments.
func (g *reader) trailer() error {
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

// element parses an element of the guide.
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
	return g.skipElement()
}

// skipElement reads to the end of the current element.
func (g *reader) skipElement() error {
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

// children calls read for each child of the current element; read must read
// the child to its end.
func (g *reader) children(read func() error) error {
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

// readChannel parses a channel and passes it on.
func (g *reader) readChannel() error {
	c := Channel{ID: g.id(g.Attr("id"))}
	err := g.children(func() error {
		switch string(g.Name) {
		case "display-name":
			return g.readName(&c)
		case "icon":
			if c.Icon == "" {
				c.Icon = string(g.value(g.Attr("src"), source.MaxField))
			}
		}
		return g.skipElement()
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
		return g.skipElement()
	}
	if err := g.collect(); err != nil {
		return err
	}
	if name := g.normalizer.normalize(repair(g.chars), MaxTitle); len(name) > 0 {
		c.Names = append(c.Names, string(name))
	}
	return nil
}

// readProgramme parses a programme and passes it on.
func (g *reader) readProgramme() error {
	if !g.begin() {
		g.count.Skipped++
		return g.skipElement()
	}
	if !g.wanted(&g.last) {
		g.count.Items++
		return g.skipElement()
	}
	var title, desc, category choice
	err := g.children(func() error {
		switch string(g.Name) {
		case "title":
			return g.choose(&title, MaxTitle, false)
		case "desc":
			return g.choose(&desc, MaxDesc, false)
		case "category":
			return g.choose(&category, MaxTitle, true)
		}
		return g.skipElement()
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

// begin parses the tag of a programme, and reports whether it makes sense.
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

// wanted reports whether the options ask for a programme.
func (g *reader) wanted(p *Programme) bool {
	end := p.Stop
	if !end.After(p.Start) {
		end = p.Start.Add(MaxLength)
	}
	return (g.To.IsZero() || p.Start.Before(g.To)) && (g.From.IsZero() || end.After(g.From)) &&
		(g.Wants == nil || g.Wants(p.Channel))
}

// A choice is the best text so far for one property of a programme.
type choice struct {
	text, lang string
	fits       bool
}

// choose reads a text and takes it if it is better than the current one: the
// first that is not empty, in the preferred language if there is one.
func (g *reader) choose(c *choice, limit int, share bool) error {
	lang := g.interner.intern(g.value(g.Attr("lang"), MaxID))
	fits := g.preference.fits(lang)
	if c.text != "" && (c.fits || !fits) {
		return g.skipElement()
	}
	if err := g.collect(); err != nil {
		return err
	}
	line := g.normalizer.normalize(repair(g.chars), limit)
	switch {
	case len(line) == 0:
		return nil
	case share:
		*c = choice{g.interner.intern(line), lang, fits}
	default:
		*c = choice{string(line), lang, fits}
	}
	return nil
}

// collect reads the current element to its end, and its text with that of its
// children into chars.
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
			g.addText(seen)
			seen += len(g.Part)
		}
	}
	return nil
}

// addText appends the current text to chars, up to MaxText bytes of the
// element, of which seen came before.
func (g *reader) addText(seen int) {
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

// id returns the id in an attribute, or nothing.
func (g *reader) id(raw []byte) string { return g.interner.intern(g.value(raw, MaxID)) }

// value returns the value of an attribute, or nothing when it is longer than
// limit characters.
func (g *reader) value(raw []byte, limit int) []byte {
	g.chars = markup.Unescape(g.chars[:0], raw)
	value := g.normalizer.normalize(repair(g.chars), limit)
	if g.normalizer.long {
		return nil
	}
	return value
}
