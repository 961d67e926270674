// Package overhttp measures how fast the function catalog answers over HTTP, with
// everything on: routing, validation, overlays, choice of compression and a log
// record for each request.
//
// The service and its ceiling, a plain net/http handler that writes the same
// bodies from a map, run as processes of their own on one core; the load comes
// from this process on another. Rounds of the two alternate, so that other load
// of the machine affects both.
package overhttp

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// Options say what to measure.
type Options struct {
	Name     string            // of the catalog
	Size     string            // which goals it is judged by: report.Real, report.Million or another for none
	Register *catalog.Register // the catalog
	Index    *index.Index      // the same, indexed
	Rounds   int               // of each server
	Round    time.Duration     // how long each round lasts
}

const (
	requests    = 4000 // of the mix, before it repeats
	connections = 64
)

// A result has the figures of one round of a server.
type result struct {
	perSecond float64
	cpu       time.Duration // of the server, for each request
	p50, p99  time.Duration
}

// limit says what limits the figures.
const limit = `The kernel's sockets and net/http itself: of a request that the service answers without compression, more than half is what the
ceiling costs too. The rest is routing, parsing, the search, its rendering, headers and the log record. Compressing a page takes longer than
finding it, so what is asked for again is kept compressed; "each page once" shows what a page costs that nobody asked for before.`

// Run measures, and adds the figures to t.
func Run(ctx context.Context, t *report.Report, o Options) error {
	dir, err := os.MkdirTemp("", "overhttp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	snapshot := filepath.Join(dir, "snapshot")
	data, err := o.Index.Encode()
	if err == nil {
		err = os.WriteFile(snapshot, data, 0o600)
	}
	if err != nil {
		return err
	}
	targets := mix(o.Register)
	var servers []*server
	for _, coding := range []string{"", "zstd", "gzip"} {
		answers, err := record(ctx, dir, snapshot, targets, coding)
		if err != nil {
			return err
		}
		of := ""
		if coding != "" {
			of = ", " + coding
		}
		ceiling := &server{name: "net/http, same bodies" + of, args: []string{"ceiling", answers}, encoding: coding}
		add := func(name, kind string, fresh bool, goal *report.Goal) {
			servers = append(servers, &server{name: name, goal: goal, args: []string{kind, snapshot}, encoding: coding, fresh: fresh, ceiling: ceiling})
		}
		servers = append(servers, ceiling,
			&server{name: "net/http, same bodies and headers" + of, args: []string{"headers", answers}, encoding: coding, ceiling: ceiling})
		add("the service"+of, "service", false, goalOf(coding)[o.Size])
		if coding == "" {
			add("the service, counting its use", "counting", false, nil)
		} else {
			add("the service"+of+", each page once", "service", true, nil)
		}
	}
	for _, s := range servers {
		if err := s.start(ctx); err != nil {
			return err
		}
		defer s.stop()
	}
	results := map[string][]result{}
	for range o.Rounds {
		for _, s := range servers {
			r, err := s.measure(ctx, targets, o.Round)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			results[s.name] = append(results[s.name], r)
		}
	}
	show(t, o, servers, results)
	return nil
}

// mix returns the request targets of a usual day in random order. The classes and
// their shares are those of the search part.
func mix(reg *catalog.Register) []string {
	rnd := rand.New(rand.NewPCG(11, 13))
	records := reg.Records
	pick := func(ok func(r *catalog.Record) bool) *catalog.Record {
		for {
			if r := &records[rnd.IntN(len(records))]; ok(r) {
				return r
			}
		}
	}
	word := func(r *catalog.Record) string { words := strings.Fields(r.Name); return words[rnd.IntN(len(words))] }
	any := func(*catalog.Record) bool { return true }
	tv := func(r *catalog.Record) bool { return r.Kind == catalog.TV && r.Country != "" }
	tagged := func(r *catalog.Record) bool { return r.Radio != nil && len(r.Radio.Tags) > 0 }
	classes := []struct {
		share int
		query func() url.Values
	}{
		{35, func() url.Values { return url.Values{"kind": {[]string{"tv", "radio", "all"}[rnd.IntN(3)]}} }},
		{5, func() url.Values {
			return url.Values{"kind": {"all"}, "playable": {"0"}, "offset": {fmt.Sprint(20 * rnd.IntN(500))}}
		}},
		{15, func() url.Values { return url.Values{"country": {pick(tv).Country}} }},
		{10, func() url.Values {
			r := pick(func(r *catalog.Record) bool { return tv(r) && len(r.Categories) > 0 })
			return url.Values{"country": {r.Country}, "category": {r.Categories[0]}}
		}},
		{15, func() url.Values { return url.Values{"q": {word(pick(any))}} }},
		{8, func() url.Values {
			r := pick(any)
			return url.Values{"q": {word(r) + " " + prefix(word(r))}, "kind": {"all"}}
		}},
		{5, func() url.Values {
			r := pick(tv)
			return url.Values{"q": {word(r)}, "country": {r.Country}, "playable": {"0"}}
		}},
		{4, func() url.Values { return url.Values{"kind": {"radio"}, "tag": {pick(tagged).Radio.Tags[0]}} }},
		{2, func() url.Values { return url.Values{"sort": {"score"}} }},
		{1, func() url.Values { return url.Values{"kind": {"radio"}, "sort": {"votes"}} }},
	}
	var targets []string
	for _, c := range classes {
		for range c.share * requests / 100 {
			targets = append(targets, catalog.ChannelsPath+"?"+c.query().Encode())
		}
	}
	rnd.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	return targets
}

func prefix(s string) string {
	r := []rune(s)
	return string(r[:min(len(r), 3)])
}

// record requests every target once from the service in a content coding, empty for
// none, and writes the answers into a file for the ceiling.
func record(ctx context.Context, dir, snapshot string, targets []string, coding string) (string, error) {
	s := &server{name: "record", args: []string{"service", snapshot}}
	if err := s.start(ctx); err != nil {
		return "", err
	}
	defer s.stop()
	file := filepath.Join(dir, "answers"+coding)
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := answerWriter{bufio.NewWriter(f)}
	for _, target := range slices.Compact(slices.Sorted(slices.Values(targets))) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+target, nil)
		if err != nil {
			return "", err
		}
		if req.Header.Set("Accept-Encoding", "identity"); coding != "" {
			req.Header.Set("Accept-Encoding", coding)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return "", err
		}
		if res.StatusCode != http.StatusOK {
			return "", fmt.Errorf("%s: %s", target, res.Status)
		}
		res.Header.Del("Date") // which net/http adds
		if err := w.write(target, res.Header, body); err != nil {
			return "", err
		}
	}
	return file, w.w.Flush()
}

// show adds a row for each server to t.
func show(t *report.Report, o Options, servers []*server, results map[string][]result) {
	t.Title(fmt.Sprintf("HTTP, %s, %d connections, one core", o.Name, connections))
	t.Limit(limit)
	t.Head("server", "req/s", "of same bodies", "goal", "", "CPU µs/req", "over ceiling", "p50 ms", "p99 ms")
	for _, s := range servers {
		rs, ceiling := results[s.name], results[s.name]
		if s.ceiling != nil {
			ceiling = results[s.ceiling.name]
		}
		var ratios, over []float64
		for i, r := range rs {
			ratios = append(ratios, r.perSecond/ceiling[i].perSecond)
			over = append(over, micros(r.cpu)-micros(ceiling[i].cpu))
		}
		ratio, asked, verdict := median(ratios, itself), "", ""
		if s.goal != nil {
			asked, verdict = s.goal.Asked(), report.Verdict(s.goal.Reached(ratio))
			t.Judge(s.goal, ratio)
		}
		t.Row(s.name, fmt.Sprintf("%.0f", median(rs, func(r result) float64 { return r.perSecond })), fmt.Sprintf("%.2f", ratio), asked, verdict,
			fmt.Sprintf("%.1f", median(rs, func(r result) float64 { return micros(r.cpu) })), fmt.Sprintf("%+.1f", median(over, itself)),
			fmt.Sprintf("%.2f", median(rs, func(r result) float64 { return micros(r.p50) / 1000 })),
			fmt.Sprintf("%.2f", median(rs, func(r result) float64 { return micros(r.p99) / 1000 })))
	}
}

// goalOf returns the goals of a content coding.
func goalOf(coding string) map[string]*report.Goal {
	switch coding {
	case "gzip":
		return report.HTTPGzip
	case "zstd":
		return report.HTTPZstd
	}
	return report.HTTPIdentity
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func itself(f float64) float64 { return f }

func median[T any](list []T, of func(T) float64) float64 {
	values := make([]float64, len(list))
	for i, v := range list {
		values[i] = of(v)
	}
	slices.SortFunc(values, cmp.Compare[float64])
	return values[len(values)/2]
}
