package functions

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/store"
)

// feedless is a database in which reads of feeds call a part in place.
type feedless struct {
	store.DB
	part apitest.Part
}

func (d feedless) Get(ctx context.Context, p store.Path, doc any) error {
	if strings.HasPrefix(string(p), "feeds/") {
		return d.part(ctx)
	}
	return d.DB.Get(ctx, p, doc)
}

// TestProcess checks that functions answer hostile requests as every process
// does.
func TestProcess(t *testing.T) {
	apitest.CheckProcess(t, func(log *slog.Logger, part apitest.Part) apitest.Process {
		o := optionsOver(t, feedless{openEmbedded(t), part}, fixture)
		o.Log = log
		p, err := compose.Open(t.Context(), o, Processes()...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		loadCatalog(t.Context(), t, p)
		return apitest.Process{Server: &http.Server{Handler: mux(t, p)}, Target: "/f/abcdefghijklmnopqrstuvwxyz/library.m3u"}
	})
}
