package feed

import (
	"bytes"
	"github.com/klauspost/compress/gzip"
	"io"
	"iter"
	"time"
)

// A Programme is what a channel shows for a time.
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

// writeGuide writes the guide of the channels of l in XMLTV: each channel once,
// under the id that the other formats give it, since readers compare ids byte
// by byte, and after all of them what each shows, in the order in which
// l.Programmes tells of it. It holds no more than one channel's at a time, and
// returns how many bytes it wrote. Writing to memory, as callers do, does not
// fail.
//
// The first name is that of M3U, by which readers look for a channel whose id
// they do not know.
func (l *List) writeGuide(to io.Writer) (size int64) {
	w := &page{to: to}
	w.WriteString(guideHead)
	entries := l.guided()
	for _, e := range entries {
		w.channel(e)
		w.turn()
	}
	if l.Programmes != nil {
		for _, e := range entries {
			w.programmes(e.guideID(), l.Programmes(e.Channel))
			w.turn()
		}
	}
	w.WriteString(guideTail)
	w.flush()
	return w.size
}

// guided returns an entry for each id that guides know.
func (l *List) guided() []*Entry {
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

// A page is the part of a document that is not passed on yet.
type page struct {
	writer
	to   io.Writer
	size int64 // of what was
}

// pageSize is how much is passed on together, in bytes.
const pageSize = 64 << 10

// turn passes on what was written once that is much.
func (p *page) turn() {
	if p.Len() >= pageSize {
		p.flush()
	}
}

// flush passes on what was written.
func (p *page) flush() {
	n, _ := p.WriteTo(p.to)
	p.size += n
}

// channel writes what a guide tells of a channel itself.
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

// names writes what a channel is called.
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

// programmes writes what the channel of an id shows. What has no title, or no
// length, is no programme to readers.
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
		w.told("title", p.Title)
		w.told("desc", p.Desc)
		w.told("category", p.Category)
		w.WriteString("  </programme>\n")
	}
}

// told writes what a programme says of itself as a line, unless it says nothing.
func (w *writer) told(name, text string) {
	if !isSimple(text) {
		w.element("    ", name, line(text))
		return
	}
	w.open("    ", name)
	w.WriteString(text)
	w.close(name)
}

// time writes a time as XMLTV has it, such as "20261122120000 +0000". It says
// the offset: readers take a time without one for one of their own zone.
func (w *writer) time(t time.Time) {
	year, month, day := t.UTC().Date()
	hour, minute, second := t.UTC().Clock()
	b := w.AvailableBuffer()
	for _, two := range [...]int{year / 100, year % 100, int(month), day, hour, minute, second} {
		b = append(b, '0'+byte(two/10%10), '0'+byte(two%10))
	}
	w.Write(append(b, " +0000"...))
}

// archive returns the guide of l in gzip, the same for the same guide, and its
// size unpacked. Writing to memory does not fail.
func (l *List) archive() (data []byte, size int64) {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	size = l.writeGuide(w)
	_ = w.Close()
	return b.Bytes(), size
}
