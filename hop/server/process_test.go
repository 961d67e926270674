package server

import (
	"context"
	"log/slog"
	"testing"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/catalog"
)

// TestProcess checks that the hop answers hostile requests as functions do.
func TestProcess(t *testing.T) {
	apitest.CheckProcess(t, func(log *slog.Logger, part apitest.Part) apitest.Process {
		w := start(t, setup{
			streams:   []catalog.StreamRecord{{URL: "/live.m3u8"}},
			playlists: func(Playlists) Playlists { return stubborn(func(ctx context.Context) error { return part(ctx) }) },
			log:       log.Handler(),
		})
		return apitest.Process{Server: HTTP(w.server, log), Target: path(1, "")}
	})
}
