package measure

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"time"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe/content"
	"miramundo.dev/shared/probe/measure/manifest"
	"miramundo.dev/shared/probe/media"
)

// hls measures a playlist: its best variant, or the next one when that is
// missing, as players do.
func (r *run) hls(p *reply) error {
	m := manifest.ReadHLS(p.data)
	if len(m.Variants) == 0 {
		return r.segments(p, m, manifest.Variant{})
	}
	var failed error
	for _, v := range m.Variants[:min(len(m.Variants), 2)] {
		err := r.variant(p, v)
		if err == nil || r.ctx.Err() != nil || r.remaining() <= 0 {
			return err
		}
		if failed == nil {
			failed = err
		}
	}
	return failed
}

// variant measures a variant, with its audio playlist if it has one.
func (r *run) variant(p *reply, v manifest.Variant) error {
	r.played, r.claimed, r.result.Codecs, r.result.Height = 0, v.Bandwidth, "", v.Height
	if err := r.rendition(p, v.URI, v); err != nil {
		return err
	}
	if v.Audio != "" && v.Audio != v.URI && r.result.Requests < maxRequests-2 {
		if err := r.rendition(p, v.Audio, manifest.Variant{}); err != nil {
			return err
		}
	}
	// The average covers more than one segment, but playlists may state
	// anything.
	if v.Average > r.played/2 && v.Average < r.played*2 || r.played == 0 {
		r.played = v.Average
	}
	return nil
}

// rendition measures the media playlist at a reference of another playlist.
func (r *run) rendition(from *reply, uri string, v manifest.Variant) error {
	to, err := manifest.Join(from.res.URL, uri)
	if err != nil {
		return err
	}
	p, err := r.playlist(to)
	if err != nil {
		return ofPart(err)
	}
	m := manifest.ReadHLS(p.data)
	if len(m.Variants) > 0 {
		return nested
	}
	return ofPart(r.segments(p, m, v))
}

// playlist fetches a playlist.
func (r *run) playlist(address string) (*reply, error) {
	p, err := r.ask(ask{url: address, most: maxList})
	if err != nil {
		return nil, err
	}
	defer p.close()
	if err := p.text(); err != nil {
		return nil, err
	}
	switch c := content.Tell(p.data); c {
	case content.Playlist, content.List:
		p.good()
		return p, nil
	case content.Binary:
		return nil, noMedia
	default:
		return nil, p.wrong(c)
	}
}

// segments measures one segment of a media playlist, and whether a live
// playlist changes.
func (r *run) segments(p *reply, m manifest.HLS, v manifest.Variant) error {
	err := error(empty)
	for _, s := range m.Choices() {
		if err = r.segment(p, s, v); !missed(err) {
			break
		}
	}
	if err != nil {
		return ofPart(err)
	}
	return r.advances(p, m)
}

// missed reports whether a segment is missing, so that another may be tried.
func missed(err error) bool { return status(err) == notFound || status(err) == gone }

// segment measures a segment, with the key and the initialization that it
// needs.
func (r *run) segment(p *reply, s manifest.Segment, v manifest.Variant) error {
	locked, err := r.key(p, s)
	if err != nil {
		return err
	}
	var head []byte
	if s.Init != nil {
		i, err := r.part(p.res.URL, *s.Init, maxInit)
		if err != nil {
			return err
		}
		head = i.data
	}
	one, err := r.part(p.res.URL, s.Span, maxSegment)
	if err != nil {
		return err
	}
	if err := r.watch(one, head, locked, v.Codecs); err != nil {
		return err
	}
	if s.Seconds > 0.1 && one.size() > 0 {
		r.played += int(math.Round(float64(one.size()) * 8 / s.Seconds))
	}
	to, err := manifest.Join(p.res.URL, s.URI)
	if err != nil {
		return err
	}
	return r.checkBare(ask{url: to, span: s.Span})
}

// part fetches the bytes of a span.
func (r *run) part(base string, s manifest.Span, most int64) (*reply, error) {
	to, err := manifest.Join(base, s.URI)
	if err != nil {
		return nil, err
	}
	if s.Length > 0 {
		most = min(most, s.Length)
	}
	p, err := r.ask(ask{url: to, span: s, most: maxUnsaid})
	if err != nil {
		return nil, err
	}
	defer p.close()
	if p.res.Length > 0 || s.Length > 0 {
		p.most = min(p.most, most)
	}
	if err := p.fill(int(p.most)); err != nil {
		return nil, err
	}
	switch c := content.Tell(p.data); c {
	case content.Nothing:
		return nil, empty
	case content.Binary:
		p.good()
		return p, nil
	default:
		return nil, refusal(p)
	}
}

// watch parses a segment after its initialization. An encrypted segment says
// nothing.
func (r *run) watch(p *reply, head []byte, locked bool, claimed string) error {
	if locked {
		return r.note(media.Facts{}, claimed)
	}
	f := media.Read(append(bytes.Clone(head), p.data...))
	if f.Container == "" {
		return noMedia
	}
	return r.note(f, claimed)
}

// key reports whether a segment is encrypted, and fetches the key when it is
// of the kind that every player fetches.
func (r *run) key(p *reply, s manifest.Segment) (locked bool, err error) {
	if s.Key == nil || s.Key.Method == "" || strings.EqualFold(s.Key.Method, "NONE") {
		return false, nil
	}
	plain := s.Key.Format == "" || s.Key.Format == "identity"
	to, err := manifest.Join(p.res.URL, s.Key.URI)
	if !strings.EqualFold(s.Key.Method, "AES-128") || !plain || err != nil || !strings.HasPrefix(to, "http") {
		return true, err
	}
	k, err := r.fetch(ask{url: to, most: maxKey})
	switch {
	case missed(err):
		return true, noKey
	case err != nil:
		return true, err
	case len(k.data) != 16:
		return true, noKey
	}
	k.good()
	return true, nil
}

// advances checks that a live playlist changes. A playlist is trusted when
// its segments are longer than the check, or when the bounds of the
// measurement do not allow another request.
func (r *run) advances(p *reply, m manifest.HLS) error {
	if !m.Live || m.Target > (looks*maxAdvance).Seconds() {
		return nil
	}
	interval := min(max(time.Duration(m.Target*float64(time.Second)), time.Second), maxAdvance)
	var failed error
	for range looks {
		if r.result.Requests >= maxRequests || maxBytes-r.result.Bytes < int64(len(p.data))+1 {
			return nil
		}
		if r.remaining() <= interval {
			return nil
		}
		r.opts.Wait(r.ctx, interval-r.opts.Now().Sub(p.sent))
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		again, err := r.playlist(p.asked)
		p.sent = r.opts.Now()
		if failed = err; err != nil {
			continue
		}
		if manifest.ReadHLS(again.data).After(m) {
			return nil
		}
		failed = stalled
	}
	if errors.Is(failed, origin.ErrBusy) || r.remaining() <= 0 {
		return nil // it played
	}
	return failed
}
