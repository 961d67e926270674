package measure

import (
	"bytes"
	"math"

	"miramundo.dev/shared/probe/measure/manifest"
	"miramundo.dev/shared/probe/media"
)

// dash measures a manifest: its best video and its best audio.
func (r *run) dash(p *reply) error {
	m, err := manifest.ReadMPD(p.data)
	if err != nil {
		return noMedia
	}
	tracks := m.Best()
	if len(tracks) == 0 {
		return empty
	}
	for _, t := range tracks {
		r.result.Height = max(r.result.Height, t.Height)
		r.claimed += t.Bandwidth
	}
	for _, t := range tracks {
		if err := r.track(p, m, t); err != nil {
			return ofPart(err)
		}
	}
	return nil
}

// track measures the initialization of a track, and a segment when the
// manifest says where one is.
func (r *run) track(p *reply, m *manifest.MPD, t manifest.Track) error {
	base, err := t.Base(p.res.URL)
	if err != nil {
		return err
	}
	initial, segments := t.Spans(m, r.opts.Now())
	var head []byte
	if initial != nil {
		i, err := r.part(base, *initial, maxInit)
		if err != nil {
			return err
		}
		head = i.data
	}
	if len(segments) == 0 {
		return r.watchTrack(&reply{}, head, t)
	}
	for _, s := range segments {
		var one *reply
		if one, err = r.part(base, s.Span, maxSegment); missed(err) {
			continue
		}
		if err != nil {
			return err
		}
		if s.Seconds > 0.1 && one.size() > 0 {
			r.played += int(math.Round(float64(one.size()) * 8 / s.Seconds))
		}
		if err := r.watchTrack(one, head, t); err != nil {
			return err
		}
		return r.checkBare(ask{url: one.asked, span: s.Span})
	}
	return err
}

// watchTrack parses a segment. The initialization of an encrypted track can
// be parsed, its media cannot.
func (r *run) watchTrack(p *reply, head []byte, t manifest.Track) error {
	f := media.Read(append(bytes.Clone(head), p.data...))
	if t.Locked {
		f.Encrypted = true
		return r.note(f, t.Codecs)
	}
	if f.Container == "" {
		return noMedia
	}
	return r.note(f, t.Codecs)
}
