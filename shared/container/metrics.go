package container

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"miramundo.dev/shared/config"
	"miramundo.dev/shared/metrics"
)

// metricsBounds are those of the private port, which few programs of the operator's use.
var metricsBounds = Bounds{
	Header: 5 * time.Second, Read: 10 * time.Second, Write: 30 * time.Second, Idle: 2 * time.Minute,
	HeaderBytes: 8 << 10, Connections: 16, Grace: time.Second,
}

// showMetrics serves m on the port METRICS_PORT until hide is called. It does nothing when
// m is nil.
func showMetrics(c config.Config, m *metrics.Metrics, log *slog.Logger) (hide func() error, err error) {
	if m == nil {
		return func() error { return nil }, nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host(c), strconv.Itoa(c.MetricsPort)))
	if err != nil {
		return nil, fmt.Errorf("METRICS_PORT: %w", err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- metricsBounds.Serve(ctx, l, m.Handler(), log) }()
	return func() error { end(); return <-ended }, nil
}
