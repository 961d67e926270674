package web

import (
	"bytes"
	"html/template"
	"strings"
	"sync"
)

// A page has dozens of cards and chips, and to fill in a template takes long. So
// the template of such a part is filled in once for each kind of it, with marks in
// the place of texts; what is written then is what stands between the marks, and
// the texts. All of them stand in text or in quoted attributes, where the same
// characters are escaped; those that are addresses are of this site and encoded
// already. Tests compare what comes of both ways.

// A stamp is a template that was filled in for parts of one kind.
type stamp struct {
	between []string // one more than texts
	texts   []int    // which text of the part follows
}

// mark stands for a text: no escaping changes it. The letter that follows it
// tells which.
const mark = "qzWjVxq"

// putMarks puts marks in the place of the texts that there are.
func putMarks(texts []*string) {
	for i, text := range texts {
		if *text != "" {
			*text = mark + string(rune('a'+i))
		}
	}
}

// filled says in bits which of some texts there are.
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
	var b bytes.Buffer
	if err := pages["home"].ExecuteTemplate(&b, name, part); err != nil {
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

// stamps are kept by the kinds of parts that they are for.
type stamps struct{ kept sync.Map }

// A part can be stamped: texts are where its texts stand, of which there says
// which there are, and kind is what its stamp is kept by.
type part[P any] interface {
	*P
	texts() []*string
	kind(there int) any
}

// written returns parts as a template would write them, each of some size in
// bytes. A stamp is made when there is none yet.
func written[P any, S part[P]](s *stamps, name string, parts []P, size int) (template.HTML, error) {
	var b strings.Builder
	b.Grow(size * len(parts))
	for i := range parts {
		p := S(&parts[i])
		texts := p.texts()
		kind := p.kind(filled(texts))
		kept, ok := s.kept.Load(kind)
		if !ok {
			marked := parts[i]
			putMarks(S(&marked).texts())
			made, err := newStamp(name, marked)
			if err != nil {
				return "", err
			}
			kept, _ = s.kept.LoadOrStore(kind, made)
		}
		kept.(*stamp).write(&b, texts)
	}
	return template.HTML(b.String()), nil
}

func (s *stamp) write(b *strings.Builder, texts []*string) {
	for i, which := range s.texts {
		b.WriteString(s.between[i])
		escape(b, *texts[which])
	}
	b.WriteString(s.between[len(s.texts)])
}

// escape writes a text as it may stand in text and in quoted attributes.
func escape(b *strings.Builder, text string) {
	if !strings.ContainsAny(text, "\"'&<>\x00") {
		b.WriteString(text)
		return
	}
	template.HTMLEscape(b, []byte(text))
}
