// Package part writes the parts that pages show by the dozen: cards of channels
// and chips, which are links with a count.
//
// Filling in a template takes long, and a page has dozens of parts. So the
// template of a part is filled in once for each kind of part, with marks in the
// place of its texts; the result is called a stamp. A part is then written by
// copying what stands between the marks, and the escaped texts. All texts stand in
// text or in quoted attributes, where the same characters are escaped; URLs are
// paths of this site and encoded already. Tests compare the result with what the
// template writes.
package part

import (
	"html/template"
	"strings"
	"sync"

	"miramundo.dev/functions/web/page"
)

// A stamp is a template that was filled in for the parts of one kind.
type stamp struct {
	between []string // one longer than texts
	texts   []int    // the index of the text that follows
}

// mark stands for a text. The letter that follows it is the index of the text. No
// escaping changes it.
const mark = "qzWjVxq"

// putMarks replaces the texts that are not empty by marks.
func putMarks(texts []*string) {
	for i, text := range texts {
		if *text != "" {
			*text = mark + string(rune('a'+i))
		}
	}
}

// filled returns which texts are not empty, as bits.
func filled(texts []*string) (there int) {
	for i, text := range texts {
		if *text != "" {
			there |= 1 << i
		}
	}
	return there
}

// newStamp fills in a template with a part whose texts are marks.
func newStamp(name string, part any) (*stamp, error) {
	var b strings.Builder
	if err := page.Fill(&b, name, part); err != nil {
		return nil, err
	}
	var s stamp
	first, rest, more := strings.Cut(b.String(), mark)
	s.between = append(s.between, first)
	for more {
		s.texts = append(s.texts, int(rest[0]-'a'))
		first, rest, more = strings.Cut(rest[1:], mark)
		s.between = append(s.between, first)
	}
	return &s, nil
}

// stamps are the stamps made so far, by the kind of part. A stamp depends only on
// templates, texts and files of the build, so it is good for the whole process.
var stamps sync.Map

// A part can be stamped: texts returns pointers to its texts, and kind the key of
// its stamp, given which of the texts are not empty.
type part[P any] interface {
	*P
	texts() []*string
	kind(there int) any
}

// write returns parts as a template would write them; size is the usual length
// of one of them in bytes. It makes the stamps that are missing.
func write[P any, S part[P]](name string, parts []P, size int) (template.HTML, error) {
	var b strings.Builder
	b.Grow(size * len(parts))
	for i := range parts {
		p := S(&parts[i])
		texts := p.texts()
		kind := p.kind(filled(texts))
		kept, ok := stamps.Load(kind)
		if !ok {
			marked := parts[i]
			putMarks(S(&marked).texts())
			made, err := newStamp(name, marked)
			if err != nil {
				return "", err
			}
			kept, _ = stamps.LoadOrStore(kind, made)
		}
		kept.(*stamp).write(&b, texts)
	}
	return template.HTML(b.String()), nil
}

// write writes one part with its texts.
func (s *stamp) write(b *strings.Builder, texts []*string) {
	for i, which := range s.texts {
		b.WriteString(s.between[i])
		escape(b, *texts[which])
	}
	b.WriteString(s.between[len(s.texts)])
}

// escape writes a text so that it may stand in text and in quoted attributes.
func escape(b *strings.Builder, text string) {
	if !strings.ContainsAny(text, "\"'&<>\x00") {
		b.WriteString(text)
		return
	}
	template.HTMLEscape(b, []byte(text))
}
