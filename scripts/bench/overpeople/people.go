// Package overpeople measures the requests that visitors make, on a SQLite file:
// the time to the answer, the reads and writes of documents, and their price in
// Firestore.
package overpeople

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"miramundo.dev/functions"
	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/counting"
	"miramundo.dev/shared/store/storetest"
)

// An errand is a request that visitors make, of the endpoint with the name call. In
// its body, CHANNEL stands for the id of a channel.
type errand struct {
	name, call, query, body string
	again                   bool // by the same visitor each time, instead of a new one
}

var errands = []errand{
	{"search page", "search_channels", "?limit=20", "", false},
	{"channel", "get_channel", "", "", false},
	{"health panel", "get_channel_health", "", "", false},
	{"guest", "create_guest", "", "", false},
	{"library, read", "get_library", "", "", true},
	{"library, write", "create_folder", "", `{"name":"A"}`, false},
	{"history, write", "add_to_history", "", `{"channel_id":"CHANNEL"}`, true},
	{"history, read", "get_history", "", "", true},
	{"favorite, write", "add_favorite", "", `{"channel_id":"CHANNEL"}`, false},
	{"favorites, read", "get_favorites", "", "", true},
	{"comment, write", "add_comment", "", `{"body":"A good channel"}`, false},
	{"comments, read", "list_comments", "", "", true},
	{"play report", "report_play", "", `{"channel_id":"CHANNEL","ok":true}`, false},
	{"play report, again", "report_play", "", `{"channel_id":"CHANNEL","ok":true}`, true},
}

// A service is all functions in this process, on a database that counts operations.
type service struct {
	http.Handler
	parts   *compose.Parts
	meter   *storetest.Meter
	guests  *identity.Guests
	channel string
}

// limit says what limits the figures.
const limit = `Times are those of SQLite on this machine's disk; in the cloud the database's network takes their place. The price is that of
the documents that are read and written, which is the same there.`

// Run makes each errand n times, and adds the figures to t.
func Run(ctx context.Context, t *report.Report, n int) error {
	dir, err := os.MkdirTemp("", "people")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := open(ctx, dir)
	if err != nil {
		return err
	}
	t.Title(fmt.Sprintf("People: %d requests each, documents in SQLite, prices of Firestore in one region", n))
	t.Limit(limit)
	head(t)
	for _, e := range errands {
		if err := s.measure(t, e, n); err != nil {
			return errors.Join(err, s.parts.Close())
		}
	}
	if err := s.full(ctx, t); err != nil {
		return errors.Join(err, s.parts.Close())
	}
	return errors.Join(s.count(ctx, t), s.parts.Close())
}

func head(t *report.Report) {
	t.Head("request", "median µs", "p99 µs", "reads", "writes", "deletes", "USD/million")
}

// open returns all functions on the sample catalog, and a function that closes them.
func open(ctx context.Context, dir string) (*service, error) {
	keys := "main:" + strings.Repeat("k", 32)
	cfg, err := config.Parse(map[string]string{
		"DATA_DIR": dir, "CATALOG": "sample", "GUEST_KEYS": keys, "ACCOUNT_KEYS": keys, "BUDGET_FACTOR": "1000000", // one guest plays thousands
	})
	if err != nil {
		return nil, err
	}
	d, err := compose.Open(ctx, compose.Options{Config: cfg, Log: slog.New(slog.DiscardHandler), Schedules: functions.Schedules()}, functions.Processes()...)
	if err != nil {
		return nil, err
	}
	if _, err := d.Jobs.Run(ctx, reload.Name, job.Order{}); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := d.Catalog.Refresh(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	s := &service{parts: d, meter: storetest.NewMeter(d.DB), guests: d.Guests()}
	s.parts.DB = s.meter
	if s.Handler, err = functions.Mux(s.parts); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	s.channel, err = s.first()
	return s, err
}

// first returns the id of the first channel of the catalog.
func (s *service) first() (string, error) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", catalog.ChannelsPath+"?limit=1", nil))
	_, rest, _ := strings.Cut(w.Body.String(), `"id":"`)
	id, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return "", fmt.Errorf("a search answers %d %.200s", w.Code, w.Body)
	}
	return id, nil
}

// endpoint returns the endpoint with a name.
func endpoint(name string) (api.Endpoint, error) {
	table := functions.Table()
	i := slices.IndexFunc(table, func(e api.Endpoint) bool { return e.Name == name })
	if i < 0 {
		return api.Endpoint{}, fmt.Errorf("no function has the endpoint %s", name)
	}
	return table[i], nil
}

// measure makes an errand n times and adds a row to t.
func (s *service) measure(t *report.Report, e errand, n int) error {
	to, err := endpoint(e.call)
	if err != nil {
		return err
	}
	token, _, err := s.guests.Issue()
	if err != nil {
		return err
	}
	address := pathOf(to, s.channel) + e.query
	body := strings.ReplaceAll(e.body, "CHANNEL", s.channel)
	took := make([]time.Duration, n)
	before := s.meter.Ops()
	for i := range took {
		if !e.again {
			if token, _, err = s.guests.Issue(); err != nil {
				return err
			}
		}
		r := request(to.Method, address, body, token, i)
		w := httptest.NewRecorder()
		start := time.Now()
		s.ServeHTTP(w, r)
		took[i] = time.Since(start)
		if w.Code >= 300 {
			return fmt.Errorf("%s answers %d %.200s", e.name, w.Code, w.Body)
		}
	}
	slices.Sort(took)
	row(t, e.name, took[n/2], took[n*99/100], s.meter.Ops().Less(before), n)
	return nil
}

// pathOf returns the path of an endpoint with id in it.
func pathOf(to api.Endpoint, id string) string {
	return strings.Replace(to.Path, "{id}", url.PathEscape(id), 1)
}

// request returns the nth request to an address, by the guest with a token. Up to 512
// requests come from networks of their own, as each network may comment only so often.
func request(method, address, body, token string, n int) *http.Request {
	r := httptest.NewRequest(method, address, strings.NewReader(body))
	r.RemoteAddr = fmt.Sprintf("198.%d.%d.1:1", 18+n>>8&1, n&255)
	r.Header.Set("X-Guest-Token", token)
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func row(t *report.Report, name string, median, p99 time.Duration, ops storetest.Ops, n int) {
	each := func(v int64) string { return fmt.Sprintf("%.2f", float64(v)/float64(n)) }
	t.Row(name, fmt.Sprint(median.Microseconds()), fmt.Sprint(p99.Microseconds()),
		each(ops.Reads), each(ops.Writes), each(ops.Deletes), fmt.Sprintf("%.2f", ops.USD()/float64(n)*1_000_000))
}

// A month has 8,640 runs of the job that shows counts.
const perMonth = 30 * 24 * 12

// count measures the counting of play reports between two runs of the job that
// shows counts, at one and at ten million reports a month. Each report is of
// another channel and is pushed alone, which is the most expensive case.
func (s *service) count(ctx context.Context, t *report.Report) error {
	t.Title("People: counting of play reports")
	t.Limit("Each report is of another channel and is pushed alone, which is the most expensive case.")
	head(t)
	for _, rate := range []struct {
		name string
		n    int
	}{{"counting a report, 1M/month", 1_000_000 / perMonth}, {"counting a report, 10M/month", 10_000_000 / perMonth}} {
		c := counting.New(counting.Options{DB: s.meter, Now: time.Now, Later: true})
		took := make([]time.Duration, rate.n)
		before := s.meter.Ops()
		for i := range took {
			e, err := reportEvent(i, rate.name)
			if err != nil {
				return err
			}
			start := time.Now()
			if err := c.Count(ctx, social.Reports, e); err != nil {
				return err
			}
			took[i] = time.Since(start)
		}
		if _, err := counting.Refresh(ctx, s.meter, time.Now()); err != nil {
			return err
		}
		slices.Sort(took)
		row(t, rate.name, took[rate.n/2], took[rate.n*99/100], s.meter.Ops().Less(before), rate.n)
	}
	t.Note("A report costs its answer and its counting, and about 0.08 USD a million for the event.")
	return nil
}

// reportEvent returns the event of the nth report, of a channel of its own.
func reportEvent(n int, salt string) (bus.Event, error) {
	channel := fmt.Sprintf("Channel%d.%d", len(salt), n)
	return social.Report{
		Key: fmt.Sprintf("%064x", n), Channel: channel, OK: true,
		Browser: "Firefox", OS: "Linux", Country: social.Unknown, At: time.Now(), Network: social.NetworkOf([16]byte{byte(n)}, channel),
	}.Event()
}
