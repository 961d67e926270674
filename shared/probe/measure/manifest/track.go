package manifest

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Track is one representation that a player would choose.
type Track struct {
	Codecs    string // as RFC 6381 lists them; empty when not said
	Bandwidth int    // bits per second; 0 when not said
	Height    int    // of the picture, in lines; 0 when not said
	Locked    bool   // encrypted

	choice choice
	bases  []string      // to be resolved one behind the other
	start  time.Duration // of its period
}

// Bounds of what is believed of a manifest.
const (
	maxHeight    = 1 << 14
	maxBandwidth = 1 << 30
)

// Best returns the best video and the best audio of a manifest, either of
// which may be missing. For a live manifest they are those of the last
// period.
func (m *MPD) Best() []Track {
	if len(m.Periods) == 0 {
		return nil
	}
	p := m.Periods[0]
	if m.live() {
		p = m.Periods[len(m.Periods)-1]
	}
	var all []Track
	for _, kind := range []string{"video", "audio"} {
		if tracks := p.tracks(m.Base, kind); len(tracks) > 0 {
			all = append(all, slices.MaxFunc(tracks, func(a, b Track) int {
				return cmp.Or(compare(Decodable(a.Codecs), Decodable(b.Codecs)),
					cmp.Compare(a.Bandwidth, b.Bandwidth), cmp.Compare(a.Height, b.Height))
			}))
		}
	}
	return all
}

func (m *MPD) live() bool { return m.Type == "dynamic" }

// tracks returns the representations of a type, with the attributes inherited
// from their set and period.
func (p *period) tracks(bases []string, kind string) []Track {
	var all []Track
	for _, s := range p.Sets {
		for _, c := range s.Choices {
			c.MimeType, c.Codecs, c.Height = cmp.Or(c.MimeType, s.MimeType), cmp.Or(c.Codecs, s.Codecs), cmp.Or(c.Height, s.Height)
			c.addressing = c.addressing.orElse(s.addressing).orElse(p.addressing)
			if !strings.HasPrefix(cmp.Or(s.ContentType, c.MimeType), kind) {
				continue
			}
			all = append(all, Track{
				Codecs: c.Codecs, Bandwidth: int(min(max(c.Bandwidth, 0), maxBandwidth)), Height: int(min(max(c.Height, 0), maxHeight)),
				Locked: len(s.Locks)+len(c.Locks) > 0, choice: c, start: seconds(p.Start),
				bases: slices.Concat(first(bases), first(p.Base), first(s.Base), first(c.Base)),
			})
		}
	}
	return all
}

func first(all []string) []string { return all[:min(len(all), 1)] }

// orElse returns a completed by b, the addressing of the level above.
func (a addressing) orElse(b addressing) addressing {
	if a.Template != nil && b.Template != nil {
		t, above := *a.Template, *b.Template
		t.Init, t.Media = cmp.Or(t.Init, above.Init), cmp.Or(t.Media, above.Media)
		t.Timescale, t.Duration = cmp.Or(t.Timescale, above.Timescale), cmp.Or(t.Duration, above.Duration)
		t.Start, t.Timeline = cmp.Or(t.Start, above.Start), cmp.Or(t.Timeline, above.Timeline)
		a.Template = &t
	}
	if a == (addressing{}) {
		return b
	}
	return a
}

// placeholders match the parts of a template that differ by segment.
var placeholders = regexp.MustCompile(`\$(\w*)(%0(\d{1,2})d)?\$`)

// expand returns the address of a template for one segment.
func (t *Track) expand(template string, nth, at number) string {
	return placeholders.ReplaceAllStringFunc(template, func(id string) string {
		m := placeholders.FindStringSubmatch(id)
		var n number
		switch m[1] {
		case "":
			return "$"
		case "RepresentationID":
			return t.choice.ID
		case "Number":
			n = nth
		case "Time":
			n = at
		case "Bandwidth":
			n = t.choice.Bandwidth
		default:
			return id
		}
		s := strconv.FormatInt(int64(n), 10)
		width, _ := strconv.Atoi(m[3]) // no width is none
		return strings.Repeat("0", max(width-len(s), 0)) + s
	})
}

// Base returns the address that those of a track are relative to, given the
// address of the manifest.
func (t *Track) Base(address string) (string, error) {
	for _, b := range t.bases {
		var err error
		if address, err = Join(address, strings.TrimSpace(b)); err != nil {
			return "", err
		}
	}
	return address, nil
}

// Spans returns the initialization of a track, and the segments that a player
// would begin with at a time, best first.
func (t *Track) Spans(m *MPD, now time.Time) (*Span, []Segment) {
	switch {
	case t.choice.Template != nil:
		return t.templated(m, now)
	case t.choice.List != nil:
		return t.listed()
	case t.choice.Single != nil:
		return &Span{Length: t.choice.Single.head()}, nil
	}
	return nil, []Segment{{}}
}

// templated returns the spans of a template.
func (t *Track) templated(m *MPD, now time.Time) (*Span, []Segment) {
	var initial *Span
	if t.choice.Template.Init != "" {
		initial = &Span{URI: t.expand(t.choice.Template.Init, 0, 0)}
	}
	scale := float64(max(t.choice.Template.Timescale, 1))
	var all []Segment
	for _, n := range t.numbers(m, now) {
		all = append(all, Segment{Span: Span{URI: t.expand(t.choice.Template.Media, n.nth, n.at)}, Seconds: float64(max(n.lasts, 0)) / scale})
	}
	return initial, all
}

// A count is a segment as a template counts it.
type count struct{ nth, at, lasts number }

// numbers returns the segments to measure: the third and the first, as
// [HLS.Choices] does, or those just before the live edge.
func (t *Track) numbers(m *MPD, now time.Time) []count {
	start := number(1)
	if t.choice.Template.Start != nil {
		start = *t.choice.Template.Start
	}
	switch {
	case t.choice.Template.Media == "":
		return nil
	case t.choice.Template.Timeline != nil:
		return t.choice.Template.Timeline.counts(start, m.live())
	case t.choice.Template.Duration <= 0:
		return nil
	case !m.live():
		return t.beginnings(m, start)
	}
	began, err := time.Parse(time.RFC3339, m.Began)
	if err != nil {
		return nil // where it is now cannot be known
	}
	lasts := float64(t.choice.Template.Duration) / float64(max(t.choice.Template.Timescale, 1))
	done := number(now.Sub(began.Add(t.start)).Seconds() / lasts)
	var all []count
	for _, back := range []number{4, 2} {
		n := max(done-back, 0)
		all = append(all, count{start + n, n * t.choice.Template.Duration, t.choice.Template.Duration})
	}
	return all
}

// beginnings returns the third segment, if there are so many, and the first.
func (t *Track) beginnings(m *MPD, start number) []count {
	lasts := t.choice.Template.Duration
	all := []count{{start, 0, lasts}}
	if 3*float64(lasts)/float64(max(t.choice.Template.Timescale, 1)) <= seconds(m.Lasts).Seconds() {
		all = append([]count{{start + 2, 2 * lasts, lasts}}, all...)
	}
	return all
}

// maxRuns is the greatest repeat count of a timeline entry that is believed.
const maxRuns = 1 << 20

// counts returns the third segment of a timeline and the first or, for a live
// one, the third from its end and the last. The end is unknown when the last
// entry repeats until now.
func (l *timeline) counts(nth number, live bool) []count {
	var all []count // the first and the last of each line
	var at number
	for _, s := range l.S {
		if s.T != nil {
			at = *s.T
		}
		if s.R < 0 && live {
			return nil
		}
		runs := min(max(s.R, 0), maxRuns)
		for i := number(0); i <= runs; i++ {
			if i == 3 {
				i = max(i, runs-2) // those between are of no use
			}
			all = append(all, count{nth + i, at + i*s.D, s.D})
		}
		nth += runs + 1
		at += (runs + 1) * s.D
	}
	if len(all) == 0 {
		return nil
	}
	if !live {
		return []count{all[min(2, len(all)-1)], all[0]}
	}
	return []count{all[max(len(all)-3, 0)], all[len(all)-1]}
}

// listed returns the spans of a segment list.
func (t *Track) listed() (*Span, []Segment) {
	var initial *Span
	if i := t.choice.List.Init; i != nil {
		s := ranged(i.URL, i.Range)
		initial = &s
	}
	if len(t.choice.List.Segments) == 0 {
		return initial, nil
	}
	lasts := float64(t.choice.List.Duration) / float64(max(t.choice.List.Timescale, 1))
	var all []Segment
	for _, i := range []int{min(2, len(t.choice.List.Segments)-1), 0} {
		s := t.choice.List.Segments[i]
		all = append(all, Segment{Span: ranged(s.Media, s.Range), Seconds: max(lasts, 0)})
	}
	return initial, all
}

// ranged parses a byte range of a manifest: first and last byte.
func ranged(uri, bytes string) Span {
	from, to, _ := strings.Cut(bytes, "-")
	a, err := strconv.ParseInt(from, 10, 64)
	b, err2 := strconv.ParseInt(to, 10, 64)
	if cmp.Or(err, err2) != nil || a < 0 || b < a {
		return Span{URI: uri}
	}
	return Span{uri, a, b - a + 1}
}

// maxHead is the greatest number of bytes that are believed to precede the
// media of a file.
const maxHead = 256 << 10

// head returns the number of bytes before the media of a file: up to the end
// of its index.
func (i *indexed) head() int64 {
	index := ranged("", i.Index)
	return min(max(index.Offset+index.Length, 4<<10), maxHead)
}
