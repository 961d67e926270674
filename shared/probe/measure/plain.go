package measure

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe/content"
	"miramundo.dev/shared/probe/measure/manifest"
	"miramundo.dev/shared/probe/media"
)

// open measures what is at an address of the stream, or of a list in it.
func (r *run) open(address string, depth int) error {
	p, err := r.first(address)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.fill(4 << 10); err != nil && len(p.data) == 0 {
		return err
	}
	switch c := content.Tell(p.data); c {
	case content.Playlist, content.List, content.Manifest:
		if err := p.text(); err != nil {
			return err
		}
		p.good()
		return r.follow(p, content.Tell(p.data), depth)
	case content.Binary:
		return r.plain(p)
	default:
		return p.wrong(c)
	}
}

// first requests the stream's own address. Some origins refuse requests from
// pages only; players that are not pages can still play those.
func (r *run) first(address string) (*reply, error) {
	a := ask{url: address, most: max(maxList, maxMedia)}
	p, err := r.ask(a)
	if errors.Is(err, origin.ErrAccess) && !r.foreign {
		r.foreign = true
		p, err = r.ask(a)
	}
	return p, err
}

// text reads a complete text, such as a playlist.
func (p *reply) text() error {
	if err := p.fill(maxList); err != nil {
		return err
	}
	p.close() // frees the seat for what the text refers to
	if !p.done && int64(len(p.data)) >= p.most {
		return tooLarge
	}
	return nil
}

// wrong returns the verdict on a response that cannot be played.
func (p *reply) wrong(c content.Form) error {
	if c == content.Nothing {
		return empty
	}
	if err := p.fill(64 << 10); err != nil {
		return err
	}
	return refusal(p)
}

// refusal returns the verdict on a document sent instead of media.
func refusal(p *reply) *verdict {
	if content.OfPlace(p.data, p.res.URL) {
		return elsewhere
	}
	return page
}

// follow measures what a playlist refers to.
func (r *run) follow(p *reply, c content.Form, depth int) error {
	switch c {
	case content.Manifest:
		r.kind = catalog.StreamDASH
		return r.dash(p)
	case content.List:
		return r.list(p, depth)
	}
	r.kind = catalog.StreamHLS
	return r.hls(p)
}

// list measures the first stream of a station's list, or else the second. The
// kind is that of the stream. A list of media with durations is played as a
// playlist, and keeps its kind.
func (r *run) list(p *reply, depth int) error {
	if depth > 0 {
		return nested
	}
	err := error(empty)
	for _, ref := range content.Listed(p.data, 2) {
		var to string
		if to, err = manifest.Join(p.res.URL, ref); err == nil {
			err = r.open(to, depth+1)
		}
		if err == nil {
			if content.IsTimed(p.data) {
				r.kind = r.target.Kind
			}
			return nil
		}
	}
	return err
}

// plain measures plain media, which may be endless.
func (r *run) plain(p *reply) error {
	facts, err := p.media()
	if err != nil {
		return err
	}
	p.good()
	p.close()
	if kilobits, _, _ := strings.Cut(p.res.Header.Get("Icy-Br"), ","); r.claimed == 0 {
		n, _ := strconv.ParseUint(strings.TrimSpace(kilobits), 10, 16) // what is no number says nothing
		r.claimed = int(n) * 1000
	}
	r.played, r.kind = facts.Bitrate, content.Kind(facts)
	if err := r.note(facts, ""); err != nil {
		return err
	}
	return r.checkBare(ask{url: p.asked})
}

// media reads until the bytes say everything there is to know. Media that
// comes too slowly is judged by what came.
func (p *reply) media() (media.Facts, error) {
	for n := 16 << 10; ; n *= 2 {
		err := p.fill(n)
		facts := media.Read(p.data)
		ended := p.done || int64(len(p.data)) >= p.most
		switch {
		case enough(facts, len(p.data)), p.slow() && facts.Bitrate > 0 && !facts.Video, ended && facts.Container != "", err != nil && facts.Container != "" && errors.Is(err, origin.ErrTimeout):
			return facts, nil
		case err != nil:
			return facts, err
		case ended:
			return facts, noMedia
		}
	}
}

// soundPatience is how long audio is read before a small amount is enough: a
// station that sends at playback speed would keep other requests to its host
// waiting.
const soundPatience = 2 * time.Second

func (p *reply) slow() bool { return p.run.opts.Now().Sub(p.sent)-p.res.Waited > soundPatience }

// enough reports whether more than n bytes of media would add nothing. A
// bitrate is measured over more bytes of video than of audio, whose frames
// are all alike.
func enough(f media.Facts, n int) bool {
	if f.Bitrate == 0 {
		return false
	}
	if f.Video {
		return f.Height > 0 && n >= maxMedia
	}
	return f.Audio && n >= 64<<10
}

// note records what media says, or else what a playlist claims, and refuses
// codecs that no player decodes.
func (r *run) note(f media.Facts, claimed string) error {
	names := strings.Join(f.Codecs, ",")
	if f.Encrypted || names == "" && f.Container == "" {
		names = cmp.Or(claimed, names)
	}
	r.result.Height = cmp.Or(f.Height, r.result.Height)
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(strings.Split(r.result.Codecs, ","), name) {
			r.result.Codecs = strings.TrimPrefix(r.result.Codecs+","+name, ",")
		}
	}
	if f.Container != "" && names == "" || !manifest.Decodable(names) {
		return codecs
	}
	return nil
}

// checkBare checks whether media that needs no key opens without the stream's
// headers. A failure to find out says nothing.
func (r *run) checkBare(a ask) error {
	if r.target.Referrer == "" && r.target.UserAgent == "" {
		return nil
	}
	a.bare, a.most = true, 4<<10
	p, err := r.fetch(a)
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case err == nil:
		c := content.Tell(p.data)
		r.result.Closed = c == content.Document || c == content.Nothing
	default:
		r.result.Closed = status(err) >= 400
	}
	return nil
}
