package playlist

import (
	"bytes"

	"miramundo.dev/hop/playlist/reference"
)

// A kind is a set of kinds of playlists that a tag occurs in.
type kind uint8

const (
	variants kind = 1 << iota // only a multivariant playlist
	segments                  // only a media playlist
	timeline                  // a media playlist, and some careless multivariant ones
)

// A tag is what is done with a line of its name. Tags that are not in the
// table are copied.
type tag struct {
	kind  kind
	learn func(*rewriter, []byte) error // takes facts from the attribute list; may be nil
	write func(*rewriter, []byte) error // writes the attribute list; nil copies it
	whole bool                          // the list is one reference instead
	drop  bool                          // the line goes
}

// tags are those that name a reference, or a fact that the hop needs.
var tags = map[string]tag{
	"#EXT-X-STREAM-INF":         {kind: variants, learn: (*rewriter).streamInf, write: (*rewriter).routed},
	"#EXT-X-MEDIA":              {kind: variants, write: (*rewriter).routed},
	"#EXT-X-I-FRAME-STREAM-INF": {kind: variants, write: (*rewriter).routed},
	"#EXT-X-IMAGE-STREAM-INF":   {kind: variants, write: (*rewriter).routed},
	"#EXT-X-SESSION-KEY":        {write: (*rewriter).fetched},
	"#EXT-X-SESSION-DATA":       {write: (*rewriter).linked},

	"#EXT-X-KEY":              {write: (*rewriter).fetched},
	"#EXT-X-MAP":              {kind: timeline, write: (*rewriter).fetched},
	"#EXT-X-PART":             {kind: segments, learn: (*rewriter).part, write: (*rewriter).fetched},
	"#EXT-X-PRELOAD-HINT":     {kind: timeline, write: (*rewriter).fetched},
	"#EXT-X-PREFETCH":         {write: (*rewriter).prefetch, whole: true}, // may go, and makes no playlist then
	"#EXT-X-DATERANGE":        {write: (*rewriter).dateRange},
	"#EXT-X-RENDITION-REPORT": {kind: timeline, write: (*rewriter).reported},

	"#EXT-X-TARGETDURATION": {kind: timeline, learn: (*rewriter).target},
	"#EXT-X-MEDIA-SEQUENCE": {kind: timeline, learn: (*rewriter).sequence},
	"#EXT-X-PLAYLIST-TYPE":  {kind: timeline, learn: (*rewriter).playlistType},
	"#EXT-X-PART-INF":       {kind: timeline, learn: (*rewriter).partInf},
	"#EXT-X-SKIP":           {kind: timeline, learn: (*rewriter).skip},
	"#EXT-X-ENDLIST":        {kind: timeline, learn: (*rewriter).end},
	"#EXT-X-SERVER-CONTROL": {write: (*rewriter).serverControl}, // likewise

	// A clone of a pathway takes another host's name into the hop's own
	// addresses. Without steering, players use the pathways that are listed.
	"#EXT-X-CONTENT-STEERING": {drop: true},
	// A player would look for the parameters in the hop's address.
	"#EXT-X-DEFINE": {learn: (*rewriter).define, drop: true},
}

// tag writes what becomes of a line that begins with #EXT-X-.
func (r *rewriter) tag(line []byte) error {
	end := bytes.IndexByte(line, ':')
	if end < 0 {
		end = len(line)
	}
	t, ok := tags[string(bytes.TrimRight(line[:end], " \t"))]
	if !ok {
		r.copy(line)
		return nil
	}
	r.kind |= t.kind
	head := line[:min(end+1, len(line))]
	list, err := r.expandTag(t, line[len(head):])
	if err == nil && t.learn != nil {
		err = t.learn(r, list)
	}
	if err != nil || t.drop {
		return err
	}
	return r.writeTag(t, head, list)
}

func (r *rewriter) expandTag(t tag, list []byte) ([]byte, error) {
	if t.whole {
		return r.expandAll(list)
	}
	return r.expandList(list)
}

func (r *rewriter) writeTag(t tag, head, list []byte) error {
	before := len(r.dst)
	r.text(head)
	if t.write == nil {
		r.copy(list)
		return nil
	}
	n := len(r.dst)
	if err := t.write(r, list); err != nil {
		return err
	}
	if len(r.dst) == n && len(list) > 0 {
		r.dst = r.dst[:before] // nothing of its list is left
		return nil
	}
	r.dst = append(r.dst, '\n')
	return nil
}

func (r *rewriter) streamInf([]byte) error {
	r.variant = true
	return nil
}

// routed leads to other playlists.
func (r *rewriter) routed(list []byte) error {
	return r.attributes(list, func(ref []byte) error { return r.route(ref, false) }, "URI")
}

// reported leads to other playlists that players compare, as references that
// are relative.
func (r *rewriter) reported(list []byte) error {
	return r.attributes(list, func(ref []byte) error { return r.route(ref, true) }, "URI")
}

// fetched leads to media, or to what it needs.
func (r *rewriter) fetched(list []byte) error {
	return r.attributes(list, func(ref []byte) error { r.fetch(ref); return nil }, "URI")
}

// linked leads elsewhere.
func (r *rewriter) linked(list []byte) error {
	return r.link(list, "URI")
}

func (r *rewriter) link(list []byte, names ...string) error {
	return r.attributes(list, func(ref []byte) error {
		r.dst = r.base.Append(r.dst, ref)
		return nil
	}, names...)
}

// prefetch leads to media by its whole value.
func (r *rewriter) prefetch(ref []byte) error {
	if len(reference.Trim(ref)) > 0 {
		r.kind |= timeline
		r.fetch(ref)
	}
	return nil
}

// dateRange leads elsewhere when its class is one of those whose references
// are known. Advertisements are another's: they do not pass through the hop.
func (r *rewriter) dateRange(list []byte) error {
	class, _ := find(list, "CLASS")
	switch string(class) {
	case "com.apple.hls.interstitial":
		return r.link(list, "X-ASSET-URI", "X-ASSET-LIST")
	case "com.apple.hls.preload":
		return r.link(list, "X-URI")
	}
	r.text(list)
	return nil
}
