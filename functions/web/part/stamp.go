// Package part writes the parts that pages show by the dozen: cards of channels
// and chips, which are links with a count.
//
// Executing a template for each part would take most of the time of a page with
// dozens of parts. So the template of a part is executed once for each kind of
// part, with marks in place of the texts; the result, cut at the marks, is called
// a stamp. A part is then written by copying the pieces of its stamp with the
// escaped texts between them.
//
// That is correct because every text stands in HTML text or in a quoted attribute,
// where the same characters are escaped, and because URLs are paths of this
// site that are encoded already. A template must therefore branch only on what the
// kind contains. Tests compare the result with the output of the template.
package part

import (
	"html/template"
	"strings"
	"sync"

	"miramundo.dev/functions/web/page"
)

// A stamp is the output of a template for the parts of one kind, cut at the places
// of their texts. It is never changed once it is made.
type stamp struct {
	between []string // the pieces of HTML; one more than texts
	texts   []int    // for each piece but the last, the index of the text after it
}

// mark takes the place of a text. The letter after it is the index of the text.
// Escaping does not change it, and it is unlikely enough to occur in a template.
const mark = "qzWjVxq"

// putMarks replaces the texts that are not empty by marks.
func putMarks(texts []*string) {
	for i, text := range texts {
		if *text != "" {
			*text = mark + string(rune('a'+i))
		}
	}
}

// filled returns which texts are not empty: bit i is set for text i.
func filled(texts []*string) (present int) {
	for i, text := range texts {
		if *text != "" {
			present |= 1 << i
		}
	}
	return present
}

// newStamp executes a template with a part whose texts are marks, and cuts the
// output.
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

// A part is a value that a stamp can write: texts returns pointers to its texts,
// and kind returns the key of its stamp, given which of the texts are not empty.
type part[P any] interface {
	*P
	texts() []*string
	kind(present int) any
}

// write returns parts as a template would write them, one after the other; size is
// the usual length of one part in bytes. It makes the stamps that are missing. Two
// concurrent calls may make the same stamp; the first one is kept.
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

// write writes one part: the pieces of the stamp with the part's texts between.
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
