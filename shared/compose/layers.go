package compose

import (
	"context"
	"sync"
	"time"

	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/probe"
	"miramundo.dev/shared/social"
)

// The layers of the catalog: what jobs found out between two reloads, and how much
// channels are used.
type (
	probeLayer struct{ *probe.Live }
	logoLayer  struct{ *logo.Live }
	guideLayer struct {
		*guide.Live
		now func() time.Time
	}
	useLayer struct{ *social.Uses }
)

func (l probeLayer) AddTo(o *index.Overlay) { o.Streams = l.All() }
func (l logoLayer) AddTo(o *index.Overlay)  { o.Logos = l.All() }
func (l guideLayer) AddTo(o *index.Overlay) { o.Guides = l.Sites(l.now()) }

func (l useLayer) AddTo(o *index.Overlay) {
	all := l.All()
	o.Uses = func(yield func(string, index.Use) bool) {
		for channel, use := range all {
			if !yield(channel, index.Use(use)) {
				return
			}
		}
	}
}

// openLayers follows what jobs found out, as far as it is needed, and returns
// it as layers of the catalog. All are loaded at once, since each waits for the
// database. How much channels are used is one of them where the counters are open
// anyway: it would not be worth sixteen watches to a process without them, whose
// ratings then lack that part.
func (p *Parts) openLayers(ctx context.Context, overlays, programmes bool) (layers []release.Layer) {
	var probes *probe.Live
	var logos *logo.Live
	var loading sync.WaitGroup
	if overlays {
		loading.Go(func() { probes = probe.Follow(ctx, p.Followers) })
		loading.Go(func() { logos = logo.Follow(ctx, p.Followers) })
	}
	if programmes {
		loading.Go(func() { p.Guide = guide.Follow(ctx, p.Followers) })
	}
	loading.Wait()
	if overlays {
		layers = append(layers, probeLayer{probes}, logoLayer{logos})
		if p.Social != nil {
			layers = append(layers, useLayer{social.SampleUses(ctx, p.Social, social.SampleEvery)})
		}
	}
	if programmes {
		layers = append(layers, guideLayer{p.Guide, p.Now})
	}
	return layers
}
