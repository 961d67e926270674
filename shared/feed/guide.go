package feed

const guideHead = `<?xml version="1.0" encoding="UTF-8"?>
<tv generator-info-name="Miramundo">
`

// XMLTV returns the guide of the channels of l: each once, under the id that
// the other formats give it, since readers compare ids byte by byte. Programmes
// are in it once they are recorded.
//
// The first name is that of M3U, by which readers look for a channel whose id
// they do not know.
func (l *List) XMLTV() []byte {
	w := &writer{}
	w.Grow(len(guideHead) + 300*len(l.Entries))
	w.WriteString(guideHead)
	written := map[string]bool{}
	for i := range l.Entries {
		e := &l.Entries[i]
		id := e.guideID()
		if id == "" || written[id] {
			continue
		}
		written[id] = true
		w.WriteString(`  <channel id="`)
		w.escaped(id)
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
	w.WriteString("</tv>\n")
	return w.Bytes()
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
