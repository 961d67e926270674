package page

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
)

// A frame is a page that other sites show within theirs, such as the player of a
// channel. It has a template and a script of its own, nothing of the layout, and
// nothing in it depends on a session: a site that frames it must gain nothing by
// making a visitor click in it.

// Frame renders the view as a page that any site may frame, with a template that is a
// whole document.
func (v *View) Frame(name string, status int) (*Rendered, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if err := pages[name].ExecuteTemplate(b, name+".html", v); err != nil {
		return nil, err
	}
	data := bytes.Clone(b.Bytes())
	return &Rendered{
		data: data, tag: tagOf(data), media: htmlMedia, status: status, locale: v.Locale, policy: framedPolicy(v.renderer.links), base: v.renderer.links.Base, framed: true,
	}, nil
}

// FrameCache is how caches keep a frame: as any page.
const FrameCache = cache

// framedPolicy returns the Content-Security-Policy of frames: that of pages, but any
// site may frame them, and they send no forms.
func framedPolicy(links catalog.LinkBase) string {
	parts := strings.Split(policyFor(links, ""), "; ")
	for i, part := range parts {
		switch name, _, _ := strings.Cut(part, " "); name {
		case "frame-ancestors":
			parts[i] = name + " *"
		case "form-action":
			parts[i] = name + " 'none'"
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return strings.HasPrefix(part, "manifest-src ") }), "; ")
}

// Needs lists the scripts that a script which is an entry of its own imports at once.
func (v *View) Needs(entry string) []string { return v.renderer.assets.lazy[entry] }

// frameHeaders are the headers of frames.
var frameHeaders = func() http.Header {
	h := headers.Clone()
	h.Del("X-Frame-Options")
	h.Del("Cross-Origin-Opener-Policy")
	h.Set("X-Robots-Tag", "noindex")
	return h
}()
