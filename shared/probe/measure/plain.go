package measure

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/probe/measure/manifest"
	"miramundo.dev/shared/probe/media"
)

// open measures what is at an address that the stream has, or a list of it.
func (r *run) open(address string, depth int) error {
	p, err := r.first(address)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.fill(4 << 10); err != nil && len(p.data) == 0 {
		return err
	}
	switch c := manifest.Tell(p.data); c {
	case manifest.Playlist, manifest.List, manifest.Manifest:
		if err := p.text(); err != nil {
			return err
		}
		p.good()
		return r.follow(p, manifest.Tell(p.data), depth)
	case manifest.Binary:
		return r.plain(p)
	default:
		return p.wrong(c)
	}
}

// first asks for a stream's own address. An origin may refuse pages of others
// and nobody else: players that are no pages would play it.
func (r *run) first(address string) (*reply, error) {
	a := ask{url: address, most: max(maxList, maxMedia)}
	p, err := r.ask(a)
	if errors.Is(err, origin.ErrAccess) && !r.foreign {
		r.foreign = true
		p, err = r.ask(a)
	}
	return p, err
}

// text reads the whole of what is some text to be followed.
func (p *reply) text() error {
	if err := p.fill(maxList); err != nil {
		return err
	}
	p.close() // so that what it names may be on the same host
	if !p.done && int64(len(p.data)) >= p.most {
		return tooLarge
	}
	return nil
}

// wrong returns the verdict on an answer that is nothing to be played.
func (p *reply) wrong(c manifest.Form) error {
	if c == manifest.Nothing {
		return empty
	}
	if err := p.fill(64 << 10); err != nil {
		return err
	}
	return refusal(p)
}

// refusal returns the verdict on a document in place of media.
func refusal(p *reply) *verdict {
	if manifest.OfPlace(p.data, p.res.URL) {
		return elsewhere
	}
	return page
}

// follow measures what a playlist names.
func (r *run) follow(p *reply, c manifest.Form, depth int) error {
	switch c {
	case manifest.Manifest:
		return r.dash(p)
	case manifest.List:
		return r.list(p, depth)
	}
	return r.hls(p)
}

// list measures the first stream of a station's list, or else the second.
func (r *run) list(p *reply, depth int) error {
	if depth > 0 {
		return nested
	}
	err := error(empty)
	for _, ref := range manifest.Listed(p.data, 2) {
		var to string
		if to, err = manifest.Join(p.res.URL, ref); err == nil {
			err = r.open(to, depth+1)
		}
		if err == nil {
			return nil
		}
	}
	return err
}

// plain measures media that come at once, and may never end.
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
	r.played = facts.Bitrate
	if err := r.note(facts, ""); err != nil {
		return err
	}
	return r.alone(ask{url: p.asked})
}

// media reads until the bytes say what there is to know. What comes too slowly
// to say more is judged by what came.
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

// dawdle is how long sound may take to come before a little of it is enough: a
// station that sends no faster than it plays would keep others of its host
// waiting.
const dawdle = 2 * time.Second

func (p *reply) slow() bool { return p.run.opts.Now().Sub(p.sent)-p.res.Waited > dawdle }

// enough reports whether n bytes of media have said what later ones would say
// again. A bitrate is measured over more of pictures than of sound, whose
// frames are all alike.
func enough(f media.Facts, n int) bool {
	if f.Bitrate == 0 {
		return false
	}
	if f.Video {
		return f.Height > 0 && n >= maxMedia
	}
	return f.Audio && n >= 64<<10
}

// note keeps what media say, or a playlist where they say nothing, and refuses
// what no player decodes.
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

// alone looks whether media that opened with the stream's headers open without
// them. What keeps it from being seen says nothing.
func (r *run) alone(a ask) error {
	if r.target.Referrer == "" && r.target.UserAgent == "" {
		return nil
	}
	a.bare, a.most = true, 4<<10
	p, err := r.fetch(a)
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case err == nil:
		c := manifest.Tell(p.data)
		r.result.Closed = c == manifest.Document || c == manifest.Nothing
	default:
		r.result.Closed = status(err) >= 400
	}
	return nil
}
