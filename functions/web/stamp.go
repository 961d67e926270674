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

// write writes a part of a kind that has some texts. The stamp is made when there
// is none yet.
func (s *stamps) write(b *strings.Builder, kind any, texts []*string, make func() (*stamp, error)) error {
	kept, ok := s.kept.Load(kind)
	if !ok {
		made, err := make()
		if err != nil {
			return err
		}
		kept, _ = s.kept.LoadOrStore(kind, made)
	}
	st := kept.(*stamp)
	for i, which := range st.texts {
		b.WriteString(st.between[i])
		escape(b, *texts[which])
	}
	b.WriteString(st.between[len(st.texts)])
	return nil
}

// escape writes a text as it may stand in text and in quoted attributes.
func escape(b *strings.Builder, text string) {
	if !strings.ContainsAny(text, "\"'&<>\x00") {
		b.WriteString(text)
		return
	}
	template.HTMLEscape(b, []byte(text))
}
