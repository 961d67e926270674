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
	"text/tabwriter"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
)

// Options say what to measure.
type Options struct {
	Size     string            // the name of the catalog in the table
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

// Run measures, and prints a table to out.
func Run(ctx context.Context, out io.Writer, o Options) error {
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
		add := func(name, kind string, fresh bool) {
			servers = append(servers, &server{name: name, args: []string{kind, snapshot}, encoding: coding, fresh: fresh, ceiling: ceiling})
		}
		servers = append(servers, ceiling,
			&server{name: "net/http, same bodies and headers" + of, args: []string{"headers", answers}, encoding: coding, ceiling: ceiling})
		add("the service"+of, "service", false)
		if coding == "" {
			add("the service, counting its use", "counting", false)
		} else {
			add("the service"+of+", each page once", "service", true)
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
	return print(out, o.Size, servers, results)
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

func print(out io.Writer, size string, servers []*server, results map[string][]result) error {
	w := tabwriter.NewWriter(out, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "HTTP, %s, %d connections, one core\treq/s\tratio\tCPU µs/req\tover ceiling\tp50 ms\tp99 ms\t\n", size, connections)
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
		fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%.1f\t%+.1f\t%.2f\t%.2f\t\n", s.name,
			median(rs, func(r result) float64 { return r.perSecond }), median(ratios, itself),
			median(rs, func(r result) float64 { return micros(r.cpu) }), median(over, itself),
			median(rs, func(r result) float64 { return micros(r.p50) / 1000 }), median(rs, func(r result) float64 { return micros(r.p99) / 1000 }))
	}
	return w.Flush()
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
