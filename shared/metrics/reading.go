package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/overlay"
)

// patience is how long a part may take to be read. What takes longer is left out.
const patience = 2 * time.Second

// A reading is a set of gauges whose values are read when the metrics are asked for.
type reading struct {
	gauges []*prometheus.Desc
	read   func(set func(gauge *prometheus.Desc, value float64, labels ...string))
}

// gauge returns a gauge of a reading.
func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// Describe implements [prometheus.Collector].
func (r reading) Describe(out chan<- *prometheus.Desc) {
	for _, g := range r.gauges {
		out <- g
	}
}

// Collect implements [prometheus.Collector].
func (r reading) Collect(out chan<- prometheus.Metric) {
	r.read(func(gauge *prometheus.Desc, value float64, labels ...string) {
		m, err := prometheus.NewConstMetric(gauge, prometheus.GaugeValue, value, labels...)
		if err != nil {
			m = prometheus.NewInvalidMetric(gauge, err)
		}
		out <- m
	})
}

// registerOnce adds a collector that may have been added before.
func (m *Metrics) registerOnce(c prometheus.Collector) {
	if err := m.registry.Register(c); err != nil {
		if _, again := err.(prometheus.AlreadyRegisteredError); !again { //nolint:errorlint // the registry returns it as it is
			panic(err) // two metrics with one name are a defect of this package
		}
	}
}

// A Catalog is the state of the catalog that a process shows.
type Catalog struct {
	Version  string    // of the release
	Synced   time.Time // when its sources were last confirmed
	Channels int       // channels and stations
	Problem  bool      // a newer release is not shown
}

// ReadCatalog shows the state of the catalog that read returns, and whether one is loaded.
func (m *Metrics) ReadCatalog(read func() (Catalog, bool)) {
	if m == nil {
		return
	}
	var (
		loaded   = gauge("catalog_loaded", "1 when the process shows a release of the catalog, else 0.")
		info     = gauge("catalog_info", "Always 1. The label names the release that the process shows.", "version")
		synced   = gauge("catalog_synced_timestamp_seconds", "When the sources of the release were last confirmed.")
		channels = gauge("catalog_channels", "Channels and stations of the release.")
		problem  = gauge("catalog_problem", "1 when something prevents a newer release from being shown, else 0.")
	)
	m.registerOnce(reading{[]*prometheus.Desc{loaded, info, synced, channels, problem}, func(set func(*prometheus.Desc, float64, ...string)) {
		c, ok := read()
		set(loaded, number(ok))
		set(problem, number(c.Problem))
		if ok {
			set(info, 1, c.Version)
			set(synced, timestamp(c.Synced))
			set(channels, float64(c.Channels))
		}
	}})
}

// ReadBackups shows when the newest backup was made, as read returns it: the zero time
// before the first backup. The metric is left out while read returns an error.
func (m *Metrics) ReadBackups(read func() (time.Time, error)) {
	if m == nil {
		return
	}
	last := gauge("backup_last_success_timestamp_seconds", "When the newest backup of the data folder was made; 0 before the first backup.")
	m.registerOnce(reading{[]*prometheus.Desc{last}, func(set func(*prometheus.Desc, float64, ...string)) {
		switch at, err := read(); {
		case err != nil:
		case at.IsZero():
			set(last, 0)
		default:
			set(last, timestamp(at))
		}
	}})
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// ReadFollowers shows how far the followers of a process are behind. It has them
// confirmed first, as before an answer: without requests nothing else would, and a
// process without visitors would look as if its database were away.
func (m *Metrics) ReadFollowers(s *overlay.Set) {
	if m == nil {
		return
	}
	var (
		following = gauge("followers", "Subjects of the database that the process keeps up to date.")
		behind    = gauge("follower_behind_seconds", "Age of the last confirmation of a subject that may be out of date; absent for one that is up to date.", "follower")
		unloaded  = gauge("followers_unloaded", "Subjects that were never loaded.")
	)
	m.registerOnce(reading{[]*prometheus.Desc{following, behind, unloaded}, func(set func(*prometheus.Desc, float64, ...string)) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = s.Confirm(ctx) // the ages show that it failed
		set(following, float64(s.Len()))
		missing := 0
		for _, lag := range s.Stale(s.Now()) {
			set(behind, lag.Age.Seconds(), lag.Name)
			if !lag.Loaded {
				missing++
			}
		}
		set(unloaded, float64(missing))
	}})
}

// ReadBus shows how much the subscriptions that the process receives have not handled.
// It shows nothing of a bus that does not count that.
func (m *Metrics) ReadBus(b bus.Bus, subscriptions []string) {
	if m == nil || b == nil || len(subscriptions) == 0 {
		return
	}
	const label = "subscription"
	var (
		waiting = gauge("bus_waiting_events", "Events that wait or are being handled.", label)
		failing = gauge("bus_failing_events", "Waiting events that could not be handled before.", label)
		dead    = gauge("bus_dead_letters", "Events that were given up or rejected.", label)
		oldest  = gauge("bus_oldest_event_timestamp_seconds", "When the oldest waiting event was published; absent when none waits.", label)
	)
	m.registerOnce(reading{[]*prometheus.Desc{waiting, failing, dead, oldest}, func(set func(*prometheus.Desc, float64, ...string)) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for _, name := range subscriptions {
			l, counted, err := b.Backlog(ctx, name)
			if err != nil || !counted {
				continue
			}
			set(waiting, float64(l.Waiting), name)
			set(failing, float64(l.Failed), name)
			set(dead, float64(l.Dead), name)
			if !l.Oldest.IsZero() {
				set(oldest, timestamp(l.Oldest), name)
			}
		}
	}})
}

// hop are the fetches of a hop.
type hop struct {
	fetches *prometheus.CounterVec
	seconds prometheus.Histogram
}

func newHop() hop {
	return hop{
		fetches: counters("hop_fetches_total", "Fetches from origins, by their outcome: ok, other for what is no playlist, or the code of a fault.", "outcome"),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Name: "hop_fetch_duration_seconds", Buckets: []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16},
			Help: "Time from the wish for a playlist until its fetch ended, waiting for a place included.",
		}),
	}
}

// A Hop is the state of a hop.
type Hop struct {
	Pools   map[string]Pool // by name
	Bytes   int64           // of the cache, by its estimate
	Entries int             // of the cache
}

// A Pool is how many places of a pool are taken, and how many fetches wait for one.
type Pool struct{ Taken, Waiting int }

// CountFetches returns what counts the finished fetches of a hop by their outcome, which
// must be one of few. It returns nil when m is nil.
func (m *Metrics) CountFetches() func(outcome string, took time.Duration) {
	if m == nil {
		return nil
	}
	m.registerOnce(m.hop.fetches)
	m.registerOnce(m.hop.seconds)
	return func(outcome string, took time.Duration) {
		m.hop.fetches.WithLabelValues(outcome).Inc()
		m.hop.seconds.Observe(took.Seconds())
	}
}

// ReadHop shows the state of a hop.
func (m *Metrics) ReadHop(read func() Hop) {
	if m == nil {
		return
	}
	var (
		places  = gauge("hop_places", "Places of fetches, by pool and state: taken, or waiting for one.", "pool", "state")
		bytes   = gauge("hop_cache_bytes", "Estimated size of the cached playlists.")
		entries = gauge("hop_cache_entries", "Cached playlists, as origins sent them and as streams show them.")
	)
	m.registerOnce(reading{[]*prometheus.Desc{places, bytes, entries}, func(set func(*prometheus.Desc, float64, ...string)) {
		h := read()
		for name, p := range h.Pools {
			set(places, float64(p.Taken), name, "taken")
			set(places, float64(p.Waiting), name, "waiting")
		}
		set(bytes, float64(h.Bytes))
		set(entries, float64(h.Entries))
	}})
}

// ReadChat shows how many sockets and rooms a chat room holds.
func (m *Metrics) ReadChat(read func() (sockets, rooms int)) {
	if m == nil {
		return
	}
	var (
		sockets = gauge("chat_sockets", "Sockets that the process holds.")
		rooms   = gauge("chat_rooms", "Rooms that the process follows.")
	)
	m.registerOnce(reading{[]*prometheus.Desc{sockets, rooms}, func(set func(*prometheus.Desc, float64, ...string)) {
		s, r := read()
		set(sockets, float64(s))
		set(rooms, float64(r))
	}})
}
