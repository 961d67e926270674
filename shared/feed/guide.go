package feed

import (
	"bytes"
	"github.com/klauspost/compress/gzip"
	"io"
	"iter"
	"time"
)

// A Programme is one entry of a channel's guide.
type Programme struct {
	Start, Stop time.Time
	Title       string
	Desc        string // empty when there is none
	Category    string // likewise
}

const (
	guideHead = `<?xml version="1.0" encoding="UTF-8"?>
<tv generator-info-name="Miramundo">
`
	guideTail = "</tv>\n"
)

// writeGuide writes the guide of l in XMLTV: each channel once, with the id
// that the other formats use, since players compare ids byte by byte, and
// then the programmes of each channel. It holds the programmes of one channel
// at a time, and returns the number of bytes written. Writing to memory, as
// its callers do, does not fail.
//
// The first name of a channel is that in M3U, by which players match a
// channel with an unknown id.
func (l *List) writeGuide(to io.Writer) (size int64) {
	w := &page{to: to}
	w.WriteString(guideHead)
	entries := l.guideEntries()
	for _, e := range entries {
		w.channel(e)
		w.flushIfLarge()
	}
	if l.Programmes != nil {
		for _, e := range entries {
			w.programmes(e.guideID(), l.Programmes(e.Channel))
			w.flushIfLarge()
		}
	}
	w.WriteString(guideTail)
	w.flush()
	return w.size
}

// guideEntries returns one entry for each id.
func (l *List) guideEntries() []*Entry {
	list := make([]*Entry, 0, len(l.Entries))
	known := make(map[string]bool, len(l.Entries))
	for i := range l.Entries {
		e := &l.Entries[i]
		if id := e.guideID(); id != "" && !known[id] {
			known[id] = true
			list = append(list, e)
		}
	}
	return list
}

// A page is the part of a document that is not written yet.
type page struct {
	writer
	to   io.Writer
	size int64 // of what was
}

// pageSize is the size in bytes at which a page is written.
const pageSize = 64 << 10

// flushIfLarge writes the page once it has pageSize bytes.
func (p *page) flushIfLarge() {
	if p.Len() >= pageSize {
		p.flush()
	}
}

// flush writes the page.
func (p *page) flush() {
	n, _ := p.WriteTo(p.to)
	p.size += n
}

// channel writes the channel element of an entry.
func (w *writer) channel(e *Entry) {
	w.WriteString(`  <channel id="`)
	w.escaped(e.guideID())
	w.WriteString("\">\n")
	w.names(e)
	if logo := escapeURL(e.Logo); absolute(logo) {
		w.WriteString(`    <icon src="`)
		w.escaped(logo)
		w.WriteString("\"/>\n")
	}
	w.address("    ", "url", e.Website)
	w.WriteString("  </channel>\n")
}

// names writes the display names of a channel.
func (w *writer) names(e *Entry) {
	clean, plain := title(e.Name), line(e.Name)
	if clean == "" {
		clean, plain = title(e.Channel), ""
	}
	w.element("    ", "display-name", clean)
	if plain != clean {
		w.element("    ", "display-name", plain)
	}
}

// programmes writes the programmes of a channel. Players reject a programme
// without a title or a duration.
func (w *writer) programmes(channel string, list iter.Seq[Programme]) {
	id := new(writer)
	id.escaped(channel)
	for p := range list {
		if !isSimple(p.Title) && line(p.Title) == "" || !p.Start.Before(p.Stop) {
			continue
		}
		w.WriteString(`  <programme start="`)
		w.time(p.Start)
		w.WriteString(`" stop="`)
		w.time(p.Stop)
		w.WriteString(`" channel="`)
		w.Write(id.Bytes())
		w.WriteString("\">\n")
		w.text("title", p.Title)
		w.text("desc", p.Desc)
		w.text("category", p.Category)
		w.WriteString("  </programme>\n")
	}
}

// text writes an element with a text in one line, unless the text is empty.
func (w *writer) text(name, text string) {
	if !isSimple(text) {
		w.element("    ", name, line(text))
		return
	}
	w.open("    ", name)
	w.WriteString(text)
	w.close(name)
}

// time writes a time in XMLTV format, such as "20261122120000 +0000". The
// offset is required: players take a time without one for local time.
func (w *writer) time(t time.Time) {
	year, month, day := t.UTC().Date()
	hour, minute, second := t.UTC().Clock()
	b := w.AvailableBuffer()
	for _, two := range [...]int{year / 100, year % 100, int(month), day, hour, minute, second} {
		b = append(b, '0'+byte(two/10%10), '0'+byte(two%10))
	}
	w.Write(append(b, " +0000"...))
}

// archive returns the gzipped guide of l, deterministically, and its
// uncompressed size.
func (l *List) archive() (data []byte, size int64) {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	size = l.writeGuide(w)
	_ = w.Close()
	return b.Bytes(), size
}
