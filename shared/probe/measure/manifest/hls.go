// Package manifest parses the texts that lead to media: HLS playlists and DASH
// manifests.
//
// It is as lenient as players, because real files are often wrong.
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

// HLS is what a player needs of a playlist: variants, or segments.
type HLS struct {
	Variants []Variant // best first: decodable ones, then by bandwidth
	Segments []Segment

	Target float64 // greatest duration of a segment, in seconds
	First  uint64  // number of the first segment
	Live   bool    // it is expected to change

	part string // the last tag of a part of a segment, in a playlist with low latency
}

// A Variant is a variant of a multivariant playlist. Properties that are not
// given are zero.
type Variant struct {
	URI       string
	Audio     string // its audio playlist; may be empty
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

// A Key is the key of an encrypted segment.
type Key struct {
	Method string // such as "AES-128" or "NONE"
	URI    string
	Format string // the zero is "identity": the key itself
}

// A Span is a resource, or a range of its bytes.
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

// ReadHLS parses a playlist leniently, as players do. It never fails; the
// result may have nothing to play.
func ReadHLS(data []byte) HLS {
	lines := cleanLines(data)
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

// cleanLines returns the relevant lines of a playlist, and so few that the
// library stays fast. It drops empty lines, after which the library forgets
// attributes, and image playlists, which would make it drop the audio of all
// variants.
func cleanLines(data []byte) []string {
	var lines []string
	choices := 0
	for line := range strings.FieldsFuncSeq(strings.TrimPrefix(string(data), "\ufeff"), func(r rune) bool { return r == '\n' || r == '\r' }) {
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

// decode parses a playlist with the library. A panic becomes an error.
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

// variants returns the variants, each with its audio.
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

// height returns the height in a resolution such as "1280x720".
func height(resolution string) int {
	_, lines, _ := strings.Cut(strings.ToLower(resolution), "x")
	n, err := strconv.ParseUint(strings.TrimSpace(lines), 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

// segments returns the segments of a playlist. The library reports keys and
// initializations only where they change, and no offsets where they follow
// from the previous segment.
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

// scan parses a playlist that the library refuses: its addresses, with the
// attributes before them.
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

// After reports whether p, read later than q from the same address, has
// changed. Unnumbered segments are compared by address without the query,
// which may differ for each request.
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

// Choices returns the segments to measure: of a live playlist the third from
// the end, where players begin, and the last; of any other the third, whose
// bitrate is more typical than the first's, and the first.
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
