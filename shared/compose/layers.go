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
)

// The layers of the catalog: what jobs found out between two reloads.
type (
	probeLayer struct{ *probe.Live }
	logoLayer  struct{ *logo.Live }
	guideLayer struct {
		*guide.Live
		now func() time.Time
	}
)

func (l probeLayer) AddTo(o *index.Overlay) { o.Streams = l.All() }
func (l logoLayer) AddTo(o *index.Overlay)  { o.Logos = l.All() }
func (l guideLayer) AddTo(o *index.Overlay) { o.Guides = l.Sites(l.now()) }

// openLayers follows what jobs found out, as far as it is needed, and returns
// it as layers of the catalog. All are loaded at once, since each waits for the
// database.
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
	}
	if programmes {
		layers = append(layers, guideLayer{p.Guide, p.Now})
	}
	return layers
}
