// Package markdown renders the HTML of a page as Markdown, for agents that ask for it.
//
// The Markdown is made from the page itself, so that it cannot say anything else. Only
// the main element counts. What needs a script or a pointer is left out: buttons, forms,
// drawings, elements that are hidden, marked as needing a script or with data-visual, and
// sections that only a script fills. Pictures become their alternative text, and addresses
// are written whole.
package markdown

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Media is the media type of the result.
const Media = "text/markdown"

// errNoMain means that a page has no main element: a template is wrong.
var errNoMain = errors.New("markdown: the page has no main element")

// convert is made once; it may be used concurrently.
var convert = converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))

// Of returns the main element of a page as Markdown. Addresses on the same host are
// written with origin before them. A page without a heading of its own begins with its
// title.
func Of(page []byte, origin string) ([]byte, error) {
	tree, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil, err
	}
	main := find(tree, atom.Main)
	if main == nil {
		return nil, errNoMain
	}
	prune(main)
	text, err := convert.ConvertNode(main, converter.WithDomain(origin))
	if err != nil {
		return nil, err
	}
	if title := find(tree, atom.Title); title != nil && title.FirstChild != nil && find(main, atom.H1) == nil {
		text = append([]byte("# "+title.FirstChild.Data+"\n\n"), text...)
	}
	return append(bytes.TrimSpace(text), '\n'), nil
}

// find returns the first element of a kind in a tree, or nil.
func find(tree *html.Node, kind atom.Atom) *html.Node {
	for n := range tree.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == kind {
			return n
		}
	}
	return nil
}

// mute are the elements that say nothing without a script or a pointer.
var mute = []atom.Atom{
	atom.Button, atom.Form, atom.Input, atom.Noscript, atom.Script, atom.Select, atom.Style, atom.Svg, atom.Template, atom.Textarea,
}

// prune removes from below n what says nothing in Markdown, and rewrites what Markdown
// does not have: pictures and lists of terms.
func prune(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode {
			prune(c)
			if isMute(c) || isEmpty(c) {
				n.RemoveChild(c)
			} else {
				rewrite(c)
			}
		}
		c = next
	}
}

// isMute reports whether an element is left out.
func isMute(n *html.Node) bool {
	if slices.Contains(mute, n.DataAtom) {
		return true
	}
	for _, a := range n.Attr {
		switch {
		case a.Key == "hidden", a.Key == "data-visual", a.Key == "aria-hidden" && a.Val == "true":
			return true
		case a.Key == "class" && slices.Contains(strings.Fields(a.Val), "needs-js"):
			return true
		}
	}
	return false
}

// isEmpty reports whether an element is a section that has no text besides its heading.
func isEmpty(n *html.Node) bool {
	if n.DataAtom != atom.Section {
		return false
	}
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" && !inHeading(c) {
			return false
		}
	}
	return true
}

// inHeading reports whether n is within a heading of a section.
func inHeading(n *html.Node) bool {
	for a := range n.Ancestors() {
		if a.DataAtom == atom.H2 || a.DataAtom == atom.H3 {
			return true
		}
	}
	return false
}

// rewrite changes n to elements that Markdown has. A list of terms becomes a list whose
// items begin with the term in bold.
func rewrite(n *html.Node) {
	switch n.DataAtom {
	case atom.Img:
		n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " " + attribute(n, "alt") + " "}, n)
		n.Parent.RemoveChild(n)
	case atom.Dl:
		become(n, atom.Ul)
	case atom.Dt:
		become(n, atom.Strong)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: ":"})
		n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " "}, n.NextSibling)
	case atom.Dd:
		become(n, atom.Span)
	case atom.Div:
		if n.Parent.DataAtom == atom.Dl {
			become(n, atom.Li)
		}
	}
}

// become makes n an element of another kind.
func become(n *html.Node, kind atom.Atom) { n.DataAtom, n.Data = kind, kind.String() }

// attribute returns an attribute of n; empty when it has none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
