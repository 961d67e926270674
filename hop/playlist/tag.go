package playlist

import (
	"bytes"

	"miramundo.dev/hop/playlist/reference"
)

// A kind is a set of the kinds of playlists that a tag occurs in.
type kind uint8

const (
	variants kind = 1 << iota // multivariant playlists alone
	segments                  // media playlists alone
	timeline                  // media playlists, and in practice some multivariant ones
)

// A tag says how lines with its name are rewritten. Tags that are not in the
// table are copied.
type tag struct {
	kind  kind
	learn func(*rewriter, []byte) error // updates Info from the attribute list; may be nil
	write func(*rewriter, []byte) error // writes the attribute list; nil copies it
	whole bool                          // the list is one reference instead
	drop  bool                          // the line is dropped
}

// tags are the tags with references, and those that Info is made from.
var tags = map[string]tag{
	"#EXT-X-STREAM-INF":         {kind: variants, learn: (*rewriter).streamInf, write: (*rewriter).variantURI},
	"#EXT-X-MEDIA":              {kind: variants, write: (*rewriter).playlistURI},
	"#EXT-X-I-FRAME-STREAM-INF": {kind: variants, write: (*rewriter).playlistURI},
	"#EXT-X-IMAGE-STREAM-INF":   {kind: variants, write: (*rewriter).playlistURI},
	"#EXT-X-SESSION-KEY":        {write: (*rewriter).mediaURI},
	"#EXT-X-SESSION-DATA":       {write: (*rewriter).linkURI},

	"#EXT-X-KEY":              {write: (*rewriter).mediaURI},
	"#EXT-X-MAP":              {kind: timeline, write: (*rewriter).mediaURI},
	"#EXT-X-PART":             {kind: segments, learn: (*rewriter).part, write: (*rewriter).mediaURI},
	"#EXT-X-PRELOAD-HINT":     {kind: timeline, write: (*rewriter).mediaURI},
	"#EXT-X-PREFETCH":         {write: (*rewriter).prefetch, whole: true}, // dropped when empty, and then does not count as a media tag
	"#EXT-X-DATERANGE":        {write: (*rewriter).dateRange},
	"#EXT-X-RENDITION-REPORT": {kind: timeline, write: (*rewriter).reportURI},

	"#EXT-X-TARGETDURATION": {kind: timeline, learn: (*rewriter).target},
	"#EXT-X-MEDIA-SEQUENCE": {kind: timeline, learn: (*rewriter).sequence},
	"#EXT-X-PLAYLIST-TYPE":  {kind: timeline, learn: (*rewriter).playlistType},
	"#EXT-X-PART-INF":       {kind: timeline, learn: (*rewriter).partInf},
	"#EXT-X-SKIP":           {kind: timeline, learn: (*rewriter).skip},
	"#EXT-X-ENDLIST":        {kind: timeline, learn: (*rewriter).end},
	"#EXT-X-SERVER-CONTROL": {write: (*rewriter).serverControl}, // occurs in both kinds

	// A clone of a pathway takes another host's name into the hop's own
	// addresses. Without steering, players use the pathways that are listed.
	"#EXT-X-CONTENT-STEERING": {drop: true},
	// A player would look for the parameters in the hop's address.
	"#EXT-X-DEFINE": {learn: (*rewriter).define, drop: true},
}

// tag rewrites a line that begins with #EXT-X-.
func (r *rewriter) tag(line []byte) error {
	end := bytes.IndexByte(line, ':')
	if end < 0 {
		end = len(line)
	}
	t, ok := tags[string(bytes.TrimRight(line[:end], " \t"))]
	if !ok {
		return r.writeTag(t, nil, line)
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
	r.writeText(head)
	write := t.write
	if write == nil {
		write = (*rewriter).copyList
	}
	n, routed := len(r.dst), r.info.References
	if err := write(r, list); r.leaveOut(err) {
		r.dst, r.info.References = r.dst[:before], routed
		if r.variant && r.variantAt == before {
			r.variantAt = -1
		}
		return nil
	} else if err != nil {
		return err
	}
	if len(r.dst) == n && len(list) > 0 {
		r.dst = r.dst[:before] // the whole list was dropped
		return nil
	}
	r.dst = append(r.dst, '\n')
	return nil
}

func (r *rewriter) streamInf([]byte) error {
	r.variant, r.variantAt = true, len(r.dst)
	return nil
}

// playlistURI rewrites a tag whose URI is another playlist.
func (r *rewriter) playlistURI(list []byte) error {
	return r.attributes(list, func(ref []byte) error { return r.route(ref, false) }, "URI")
}

// variantURI is playlistURI for the tag of a variant, whose URI some origins
// write into the tag.
func (r *rewriter) variantURI(list []byte) error {
	before := r.info.References
	err := r.playlistURI(list)
	if err == nil && r.info.References > before {
		r.variants++
	}
	return err
}

// reportURI rewrites a rendition report, whose URI players compare with
// another reference; it stays relative.
func (r *rewriter) reportURI(list []byte) error {
	return r.attributes(list, func(ref []byte) error { return r.route(ref, true) }, "URI")
}

// mediaURI rewrites a tag whose URI is media, a key or a map.
func (r *rewriter) mediaURI(list []byte) error {
	return r.attributes(list, r.writeMedia, "URI")
}

// linkURI rewrites a tag whose URI is neither a playlist nor media.
func (r *rewriter) linkURI(list []byte) error {
	return r.link(list, "URI")
}

func (r *rewriter) link(list []byte, names ...string) error {
	return r.attributes(list, r.writeURL, names...)
}

// prefetch rewrites a tag whose whole value is a reference to media.
func (r *rewriter) prefetch(ref []byte) error {
	if len(reference.Trim(ref)) > 0 {
		r.kind |= timeline
		return r.writeMedia(ref)
	}
	return nil
}

// dateRange makes the references of the known classes absolute. Interstitials
// are loaded from their own servers, not through the hop.
func (r *rewriter) dateRange(list []byte) error {
	class, _ := find(list, "CLASS")
	switch string(class) {
	case "com.apple.hls.interstitial":
		return r.link(list, "X-ASSET-URI", "X-ASSET-LIST")
	case "com.apple.hls.preload":
		return r.link(list, "X-URI")
	}
	return r.copyList(list)
}
