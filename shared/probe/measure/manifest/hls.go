package manifest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/grafov/m3u8"
)

// HLS is a playlist, as far as one is needed to play: variants, or segments.
type HLS struct {
	Variants []Variant // best first: those that players decode, and of these the fastest
	Segments []Segment

	Target float64 // seconds that a segment takes at most
	First  uint64  // number of the first segment
	Live   bool    // it is to go on

	part string // the last tag of a part of a segment, in a playlist with low latency
}

// A Variant is a choice of a multivariant playlist. What is not said is zero.
type Variant struct {
	URI       string
	Audio     string // the playlist of its sound, when that is apart
	Codecs    string // as RFC 6381 lists them
	Bandwidth int    // bits per second, at most
	Average   int    // likewise, on average
	Height    int    // of the picture, in lines
}

// A Segment is a piece of media, with what is needed to decode it.
type Segment struct {
	Span
	Seconds float64 // that it takes; 0 when not known
	Init    *Span   // its initialisation; nil for none
	Key     *Key    // nil for none
}

// A Key is what locks a segment.
type Key struct {
	Method string // such as "AES-128" or "NONE"
	URI    string
	Format string // the zero is "identity": the key itself
}

// A Span is a resource, or some bytes of it.
type Span struct {
	URI    string // relative to the playlist that names it
	Offset int64
	Length int64 // 0 for all
}

// Bounds of what is read of a playlist.
const (
	maxVariants = 500 // and renditions: the library takes the product of both
	maxLines    = 1 << 16
)

// ReadHLS reads a playlist as players do, who take what is right in one and
// pass over what is not. It never fails: there may be nothing to play.
func ReadHLS(data []byte) HLS {
	lines := tidy(data)
	p, err := decode(lines)
	if err != nil || len(p.Variants)+len(p.Segments) == 0 {
		p = scan(lines)
	}
	for _, line := range slices.Backward(lines) {
		if strings.HasPrefix(line, "#EXT-X-PART:") {
			p.part = line
			break
		}
	}
	slices.SortStableFunc(p.Variants, func(a, b Variant) int {
		return cmp.Or(-compare(Decodable(a.Codecs), Decodable(b.Codecs)),
			-cmp.Compare(a.Bandwidth, b.Bandwidth), -cmp.Compare(a.Height, b.Height))
	})
	return p
}

// compare orders false before true.
func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// tidy returns the lines of a playlist that say something, fewer than would
// keep the library busy. An empty line would make it forget what came before,
// and a list of pictures to seek by would take the sound from all variants.
func tidy(data []byte) []string {
	var lines []string
	choices := 0
	for line := range strings.FieldsFuncSeq(string(unmarked(data)), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#EXT-X-STREAM-INF") || strings.HasPrefix(line, "#EXT-X-MEDIA:") {
			if choices++; choices > maxVariants {
				continue
			}
		}
		if line != "" && len(lines) < maxLines && !strings.HasPrefix(line, "#EXT-X-I-FRAME-STREAM-INF") {
			lines = append(lines, line)
		}
	}
	return lines
}

// isMaster reports whether lines are a multivariant playlist.
func isMaster(lines []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "#EXT-X-STREAM-INF") })
}

// decode reads a playlist by the library. What makes it panic is an error.
func decode(lines []string) (p HLS, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the library panics: %v", v)
		}
	}()
	text := *bytes.NewBufferString(strings.Join(lines, "\n"))
	if isMaster(lines) {
		m := m3u8.NewMasterPlaylist()
		err = m.Decode(text, false)
		return HLS{Variants: variants(m)}, err
	}
	m, err := m3u8.NewMediaPlaylist(0, 1024)
	if err != nil {
		return HLS{}, err
	}
	if err := m.Decode(text, false); err != nil {
		return HLS{}, err
	}
	return HLS{
		Segments: segments(m), Target: m.TargetDuration, First: m.SeqNo, Live: !m.Closed && m.MediaType != m3u8.VOD,
	}, nil
}

// variants returns what there is to choose from, each with its sound.
func variants(m *m3u8.MasterPlaylist) []Variant {
	var all []Variant
	for _, v := range m.Variants {
		if v.Iframe || v.URI == "" {
			continue
		}
		one := Variant{URI: v.URI, Codecs: v.Codecs, Bandwidth: int(v.Bandwidth), Average: int(v.AverageBandwidth), Height: height(v.Resolution)}
		for _, a := range v.Alternatives {
			if a.Type == "AUDIO" && a.URI != "" && (a.Default || one.Audio == "") {
				one.Audio = a.URI
			}
		}
		all = append(all, one)
	}
	return all
}

// height reads the lines of a resolution such as "1280x720".
func height(resolution string) int {
	_, lines, _ := strings.Cut(strings.ToLower(resolution), "x")
	n, err := strconv.ParseUint(strings.TrimSpace(lines), 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

// segments returns the segments of a playlist. The library has keys and
// initialisations only where they change, and no offsets where they follow
// from the segment before.
func segments(m *m3u8.MediaPlaylist) []Segment {
	var all []Segment
	var now Segment
	for _, s := range m.Segments {
		if s == nil {
			break
		}
		if s.Map != nil {
			now.Init = &Span{s.Map.URI, max(s.Map.Offset, 0), max(s.Map.Limit, 0)}
		}
		if s.Key != nil {
			now.Key = &Key{s.Key.Method, s.Key.URI, s.Key.Keyformat}
		}
		offset := max(s.Offset, 0)
		if now.URI == s.URI && s.Offset == 0 && s.Limit > 0 {
			offset = now.Offset + now.Length
		}
		now.Span, now.Seconds = Span{s.URI, offset, max(s.Limit, 0)}, s.Duration
		all = append(all, now)
	}
	return all
}

// scan reads the addresses of a playlist that the library refuses, with the
// attributes that stand before them.
func scan(lines []string) HLS {
	p := HLS{Live: true}
	master := isMaster(lines)
	var tag string
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "#EXT-X-ENDLIST"):
			p.Live = false
		case strings.HasPrefix(line, "#EXT-X-STREAM-INF"), strings.HasPrefix(line, "#EXTINF"):
			tag = line
		case strings.HasPrefix(line, "#"):
		case master:
			a := m3u8.DecodeAttributeList(tag)
			bandwidth, _ := strconv.ParseUint(a["BANDWIDTH"], 10, 31) // what is no number says nothing
			p.Variants = append(p.Variants, Variant{URI: line, Codecs: a["CODECS"], Bandwidth: int(bandwidth), Height: height(a["RESOLUTION"])})
		default:
			p.Segments = append(p.Segments, Segment{Span: Span{URI: line}})
		}
	}
	return p
}

// After reports whether p, read later than q from the same place, goes on.
// Where segments are numbered their addresses are compared without queries,
// which may be made anew for each reader.
func (p HLS) After(q HLS) bool {
	if p.First != q.First || len(p.Segments) != len(q.Segments) || p.part != q.part || !p.Live {
		return true
	}
	if len(p.Segments) == 0 {
		return false
	}
	now, then := p.Segments[len(p.Segments)-1], q.Segments[len(q.Segments)-1]
	if p.First == 0 {
		return now.Span != then.Span
	}
	a, _, _ := strings.Cut(now.URI, "?")
	b, _, _ := strings.Cut(then.URI, "?")
	return a != b || now.Offset != then.Offset
}

// Choices returns the segments to look at: the third from the end of a live
// playlist, with which a player would begin, and the last. Of another they are
// the third, which says more of the bitrate than the first, and the first.
func (p HLS) Choices() []Segment {
	n := len(p.Segments)
	switch {
	case n < 2:
		return p.Segments
	case p.Live:
		return []Segment{p.Segments[max(n-3, 0)], p.Segments[n-1]}
	}
	return []Segment{p.Segments[min(2, n-1)], p.Segments[0]}
}
