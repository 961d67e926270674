package channel

import (
	"slices"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/part"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/i18n"
)

// A streamRow is a stream as the page lists it.
type streamRow struct {
	catalog.Stream
	W       *streamWords
	Name    string   // such as Stream 1
	Traits  []string // what distinguishes it, such as its feed and its format
	Label   string   // why it may not play for everyone; empty for most streams
	Status  string   // text of the last measured status
	Grade   string   // grade of the badge: good, fair, bad or empty
	Facts   []string // measured resolution, bitrate and latency
	Checked string   // RFC 3339 time of the measurement; empty when never measured
	Open    string   // URL for other players; empty when they cannot open the stream
}

// streamWords are the texts and icons that all rows share. They are looked up once
// for a page, because some pages list a hundred streams.
type streamWords struct {
	Play, Open, Copy, Legacy, Platform string
	PlayIcon, CopyIcon, ExternalIcon   string
}

// wordsOf looks up the texts and icons of rows.
func wordsOf(v *page.View) *streamWords {
	return &streamWords{
		Play: v.T("channel.play"), Open: v.T("channel.open_short"), Copy: v.T("channel.copy"), Legacy: v.T("channel.legacy"), Platform: v.T("channel.platform"),
		PlayIcon: v.Icon("play"), CopyIcon: v.Icon("copy"), ExternalIcon: v.Icon("external"),
	}
}

// shownStreams is how many streams are listed before the others, which are folded
// away.
const shownStreams = 6

// rowsOf returns the streams of a channel in the order of the record, best first:
// those that are listed at once, and those that are folded away.
func rowsOf(v *page.View, c *catalog.ChannelFull) (first, others []streamRow) {
	rows, w := make([]streamRow, len(c.Streams)), wordsOf(v)
	for i := range c.Streams {
		rows[i] = rowOf(v.Locale, i+1, &c.Streams[i], c.Name)
		rows[i].W = w
	}
	if len(rows) <= shownStreams+1 { // a single row is not worth folding
		return rows, nil
	}
	return rows[:shownStreams], rows[shownStreams:]
}

// rowOf returns the row of a stream. number counts the streams of the channel from
// 1 on; channel is the channel's name, which is left out of the traits.
func rowOf(l i18n.Locale, number int, s *catalog.Stream, channel string) streamRow {
	row, status := streamRow{Stream: *s, Name: l.T("channel.stream", map[string]any{"n": number}), Traits: traitsOf(l, s, channel)}, "none"
	if s.Label != nil {
		if key, ok := labels[*s.Label]; ok {
			row.Label = l.T(key, nil)
		} else {
			row.Traits = append(row.Traits, part.Truncated(*s.Label, 60))
		}
	}
	row.Open = text(s.PlayURL)
	if h := s.HealthExt; h != nil {
		status, row.Grade, row.Facts = h.Status, grades[h.Status], measuredOf(l, h)
		row.Checked = text(h.CheckedAt)
	}
	row.Status = l.T("channel.status_"+status, nil)
	return row
}

// CheckedDay returns the day in UTC on which the stream was measured, such as
// 2026-11-22; empty when it never was.
func (r *streamRow) CheckedDay() string {
	day, _, _ := strings.Cut(r.Checked, "T")
	return day
}

// grades are the grades of badges by the status of a stream.
var grades = map[string]string{"online": "good", "blocked": "fair", "offline": "bad", "timeout": "bad", "error": "bad"}

// formats are the names of the kinds of streams.
var formats = map[string]string{
	catalog.StreamHLS: "HLS", catalog.StreamDASH: "DASH", catalog.StreamTS: "MPEG-TS", catalog.StreamFLV: "FLV", catalog.StreamYouTube: "YouTube",
}

// traitsOf returns what distinguishes a stream from the others of its channel: its
// title, feed, quality and format, each once.
func traitsOf(l i18n.Locale, s *catalog.Stream, channel string) (traits []string) {
	add := func(text string) {
		if text != "" && !slices.Contains(traits, text) {
			traits = append(traits, part.Truncated(text, 60))
		}
	}
	if s.Title != nil && !strings.EqualFold(*s.Title, channel) {
		add(*s.Title)
	}
	if s.Feed != nil {
		add(*s.Feed)
	}
	if s.Quality != nil {
		add(*s.Quality)
	}
	switch s.Kind {
	case catalog.StreamAudio:
		add(l.T("channel.format_audio", nil))
	case catalog.StreamExternal:
		add(l.T("channel.format_external", nil))
	default:
		add(formats[s.Kind])
	}
	return traits
}

// labels are the labels of sources that say why a stream may not play, with the
// keys of their texts. Any other label is shown as a trait.
var labels = map[string]string{"Geo-blocked": "channel.label_geo", "Not 24/7": "channel.label_hours"}

// measuredOf returns the measured facts of a stream, with the bitrate in kbit/s and
// the latency in milliseconds.
func measuredOf(l i18n.Locale, h *catalog.StreamHealth) (facts []string) {
	if h.Resolution != nil {
		facts = append(facts, *h.Resolution)
	}
	if h.Bitrate != nil {
		facts = append(facts, l.T("channel.bitrate", map[string]any{"n": l.Number(*h.Bitrate / 1000)}))
	}
	if h.LatencyMS != nil {
		facts = append(facts, l.T("channel.latency", map[string]any{"n": l.Number(*h.LatencyMS)}))
	}
	return facts
}
