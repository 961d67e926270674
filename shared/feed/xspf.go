package feed

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"strconv"
)

// The namespaces of XSPF, and by which VLC knows its own extension.
const (
	xspfHead = `<?xml version="1.0" encoding="UTF-8"?>
<playlist version="1" xmlns="http://xspf.org/ns/0/" xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/">
`
	extension = `<extension application="http://www.videolan.org/vlc/playlist/0">`
)

// XSPF returns l in XSPF 1, with VLC's extension for folders and request
// headers. VLC rejects a list with an empty extension or folder, so these are
// written only when they have content.
func (l *List) XSPF() []byte {
	entries := l.media()
	w := &writer{}
	w.Grow(len(xspfHead) + 900*len(entries))
	w.WriteString(xspfHead)
	w.element("  ", "title", l.Name)
	w.WriteString("  <trackList>\n")
	tree := tree(entries)
	for i := range entries {
		w.track(entries[i], i, tree != nil)
	}
	w.WriteString("  </trackList>\n")
	if tree != nil {
		w.WriteString("  " + extension + "\n")
		w.nodes(tree, "    ")
		w.WriteString("  </extension>\n")
	}
	w.WriteString("</playlist>\n")
	return w.Bytes()
}

// A writer writes XML to memory, which does not fail.
type writer struct{ bytes.Buffer }

// escaped writes text. A character that XML cannot represent becomes U+FFFD.
func (w *writer) escaped(text string) {
	if !isSimple(text) {
		_ = xml.EscapeText(w, []byte(text))
		return
	}
	w.WriteString(text)
}

// element writes an element with a text, unless the text is empty.
func (w *writer) element(indent, name, text string) {
	if text == "" {
		return
	}
	w.open(indent, name)
	w.escaped(text)
	w.close(name)
}

func (w *writer) open(indent, name string) {
	w.WriteString(indent)
	w.WriteByte('<')
	w.WriteString(name)
	w.WriteByte('>')
}

func (w *writer) close(name string) {
	w.WriteString("</")
	w.WriteString(name)
	w.WriteString(">\n")
}

// address writes an element with a URL, unless it is empty.
func (w *writer) address(indent, name, url string) {
	if url = escapeURL(url); absolute(url) {
		w.element(indent, name, url)
	}
}

// track writes the entry with number id. With folders, it includes the number
// by which they refer to it.
func (w *writer) track(e *Entry, id int, named bool) {
	const indent = "      "
	w.WriteString("    <track>\n")
	w.element(indent, "location", escapeURL(e.URL))
	w.address(indent, "identifier", e.API)
	w.element(indent, "title", cmp.Or(e.Name, e.Channel))
	w.element(indent, "annotation", e.Country)
	w.address(indent, "info", e.Website)
	w.address(indent, "image", e.Logo)
	w.element(indent, "album", e.Group)
	w.element(indent, "trackNum", strconv.Itoa(id+1))
	referrer, agent := line(e.Referrer), line(e.Agent)
	if named || referrer != "" || agent != "" {
		w.WriteString(indent + extension + "\n")
		if named {
			w.element(indent+"  ", "vlc:id", strconv.Itoa(id))
		}
		w.option(indent+"  ", "http-referrer", referrer)
		w.option(indent+"  ", "http-user-agent", agent)
		w.WriteString(indent + "</extension>\n")
	}
	w.WriteString("    </track>\n")
}

func (w *writer) option(indent, name, value string) {
	if value != "" {
		w.element(indent, "vlc:option", name+"="+value)
	}
}

// A node is a folder with tracks or folders.
type node struct {
	title  string
	tracks []int
	nodes  []*node
}

// tree returns the folders of entries, or nil when some entry is in none,
// since VLC hides entries outside of all folders.
func tree(entries []*Entry) []*node {
	root := &node{}
	for i := range entries {
		at := root
		for _, title := range entries[i].Folders {
			at = at.lastChild(title)
		}
		if at == root {
			return nil
		}
		at.tracks = append(at.tracks, i)
	}
	return root.nodes
}

// lastChild returns the last folder of n if it has the title, or adds one.
func (n *node) lastChild(title string) *node {
	if last := len(n.nodes) - 1; last >= 0 && n.nodes[last].title == title {
		return n.nodes[last]
	}
	n.nodes = append(n.nodes, &node{title: title})
	return n.nodes[len(n.nodes)-1]
}

// nodes writes folders with their content.
func (w *writer) nodes(list []*node, indent string) {
	for _, n := range list {
		w.WriteString(indent + `<vlc:node title="`)
		w.escaped(n.title)
		w.WriteString("\">\n")
		for _, id := range n.tracks {
			w.WriteString(indent + `  <vlc:item tid="` + strconv.Itoa(id) + "\"/>\n")
		}
		w.nodes(n.nodes, indent+"  ")
		w.WriteString(indent + "</vlc:node>\n")
	}
}
