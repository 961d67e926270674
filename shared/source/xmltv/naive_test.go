package xmltv

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"miramundo.dev/shared/source"
)

// A guide is all that a file holds.
type guide struct {
	Channels   []Channel
	Programmes []Programme
	Count      source.Count
}

// readAll reads a guide whole.
func readAll(r io.Reader, o Options) (*guide, error) {
	g := new(guide)
	var err error
	g.Count, err = Read(r, o,
		func(c *Channel) error { g.Channels = append(g.Channels, *c); return nil },
		func(p *Programme) error { g.Programmes = append(g.Programmes, *p); return nil })
	return g, err
}

func readText(text string) (*guide, error) { return readAll(strings.NewReader(text), Options{}) }

// A node is an element of a file that was read whole.
type node struct {
	name  string
	attrs []xml.Attr
	text  strings.Builder // also of the elements in it
	nodes []*node
}

func (n *node) attr(name string) string {
	i := slices.IndexFunc(n.attrs, func(a xml.Attr) bool { return a.Name.Space == "" && a.Name.Local == name })
	if i < 0 {
		return ""
	}
	return n.attrs[i].Value
}

var errNaive = errors.New("not one document")

// tree reads a file with the standard library.
func tree(data []byte) (*node, error) {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
		enc, err := htmlindex.Get(label)
		if err != nil {
			return nil, err
		}
		return transform.NewReader(input, enc.NewDecoder()), nil
	}
	top := new(node)
	open := []*node{top}
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) && len(open) == 1 && len(top.nodes) == 1 {
			return top.nodes[0], nil
		}
		if err != nil {
			return nil, err
		}
		if open, err = grow(open, t); err != nil {
			return nil, err
		}
	}
}

// grow adds a token to the elements that are open, outermost first.
func grow(open []*node, t xml.Token) ([]*node, error) {
	last := open[len(open)-1]
	switch t := t.(type) {
	case xml.StartElement:
		n := &node{name: t.Name.Local, attrs: slices.Clone(t.Attr)}
		if t.Name.Space != "" {
			n.name = t.Name.Space + ":" + n.name
		}
		last.nodes = append(last.nodes, n)
		if len(open) > MaxDepth || len(open[0].nodes) > 1 {
			return nil, errNaive
		}
		return append(open, n), nil
	case xml.EndElement:
		name := t.Name.Local
		if t.Name.Space != "" {
			name = t.Name.Space + ":" + name
		}
		if len(open) == 1 || name != last.name {
			return nil, errNaive
		}
		return open[:len(open)-1], nil
	case xml.Directive:
		if len(open) > 1 {
			return nil, errNaive
		}
	case xml.CharData:
		if len(open) == 1 && strings.Trim(string(t), " \t\r\n") != "" {
			return nil, errNaive
		}
		for _, n := range open[1:] {
			n.text.Write(t)
		}
	}
	return open, nil
}

// naive reads a guide the slow way: the whole file, then each thing for itself.
// It knows no bound but those of texts, and only times with a zone or of UTC.
func naive(data []byte, o Options) (*guide, error) {
	root, err := tree(data)
	if err != nil {
		return nil, err
	}
	if root.name != "tv" {
		return nil, errNaive
	}
	g := new(guide)
	for _, n := range root.nodes {
		switch n.name {
		case "channel":
			naiveChannel(g, n)
		case "programme":
			naiveProgramme(g, n, o)
		}
	}
	return g, nil
}

func naiveChannel(g *guide, n *node) {
	c := Channel{ID: naiveValue(n.attr("id"), MaxID)}
	for _, part := range n.nodes {
		if name := naiveFold(part.text.String(), MaxTitle); part.name == "display-name" && name != "" && len(c.Names) < MaxNames {
			c.Names = append(c.Names, name)
		}
		if part.name == "icon" && c.Icon == "" {
			c.Icon = naiveValue(part.attr("src"), source.MaxField)
		}
	}
	if c.ID == "" {
		g.Count.Skipped++
		return
	}
	g.Count.Items++
	g.Channels = append(g.Channels, c)
}

func naiveProgramme(g *guide, n *node, o Options) {
	p := Programme{Channel: naiveValue(n.attr("channel"), MaxID)}
	start, err := naiveTime(n.attr("start"))
	p.Start = start
	if p.Stop, _ = naiveTime(n.attr("stop")); p.Stop.Sub(p.Start) > MaxLength {
		p.Stop = time.Time{}
	}
	if err != nil || p.Channel == "" {
		g.Count.Skipped++
		return
	}
	p.Title, p.Language = naiveChoice(n, "title", MaxTitle, o.Language)
	p.Desc, _ = naiveChoice(n, "desc", MaxDesc, o.Language)
	p.Category, _ = naiveChoice(n, "category", MaxTitle, o.Language)
	if p.Title == "" {
		g.Count.Skipped++
		return
	}
	g.Count.Items++
	g.Programmes = append(g.Programmes, p)
}

// naiveChoice prefers texts of a language of two letters.
func naiveChoice(n *node, name string, limit int, lang string) (text, of string) {
	for _, prefer := range []bool{true, false} {
		for _, part := range n.nodes {
			code := naiveValue(part.attr("lang"), MaxID)
			fits := lang == "" || code == lang || strings.HasPrefix(code, lang+"_") || strings.HasPrefix(code, lang+"-")
			line := naiveFold(part.text.String(), limit)
			if part.name == name && fits == prefer && line != "" {
				return line, code
			}
		}
	}
	return "", ""
}

var naiveZone = regexp.MustCompile(`^[+-](\d\d)(?::?([0-5]\d))?$`)

func naiveTime(text string) (time.Time, error) {
	text = strings.Trim(text, " \t\r\n")
	i := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if i < 0 {
		i = len(text)
	}
	digits, zone := text[:i], strings.TrimSpace(text[i:])
	if len(digits) < 8 || len(digits) > 14 || len(digits)%2 > 0 {
		return time.Time{}, errNaive
	}
	digits += "000000"[:14-len(digits)]
	if offset, ok := zones[strings.ToUpper(zone)]; ok || zone == "" {
		zone = time.Unix(0, 0).In(time.FixedZone("", offset*60)).Format("-07:00")
	}
	if parts := naiveZone.FindStringSubmatch(zone); parts == nil || parts[1] > "14" || parts[1] == "14" && parts[2] > "00" {
		return time.Time{}, errNaive
	} else if zone = strings.ReplaceAll(zone, ":", ""); parts[2] == "" {
		zone += "00"
	}
	day, late := strings.CutSuffix(digits, "240000")
	if late && len(day) == 8 {
		digits = day + "000000"
	}
	t, err := time.Parse("20060102150405-0700", digits+zone)
	if err != nil || t.Year() < 1900 {
		return time.Time{}, errNaive
	}
	if late && len(day) == 8 {
		t = t.Add(24 * time.Hour)
	}
	return t.UTC(), nil
}

func naiveValue(text string, limit int) string {
	text = strings.Join(strings.Fields(source.Plain(text)), " ")
	if len([]rune(text)) > limit {
		return ""
	}
	return text
}

// naiveFold cuts after the last word for which there is room.
func naiveFold(text string, limit int) string {
	text = strings.Join(strings.Fields(source.Plain(text)), " ")
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	words := limit - 1
	for words > 0 && runes[words] != ' ' {
		words--
	}
	letters := limit - 1
	for letters > 0 && unicode.Is(unicode.M, runes[letters]) {
		letters--
	}
	head := string(runes[:words])
	if rest := string(runes[:letters]); len(head) < len(rest)/2 {
		head = strings.TrimSuffix(rest, " ")
	}
	return head + "…"
}

// difference tells how two guides differ. That takes long where they do not.
func difference(want, got *guide) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}
