package functions

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/store/storetest"
)

// A cost is what the calls of one endpoint that succeed cost in documents, over all
// scripts.
type cost struct {
	calls       int
	least, most storetest.Ops
}

// add counts one more call.
func (c *cost) add(o storetest.Ops) {
	if c.calls == 0 {
		c.least = o
	}
	c.calls++
	c.least = storetest.Ops{Reads: min(c.least.Reads, o.Reads), Writes: min(c.least.Writes, o.Writes), Deletes: min(c.least.Deletes, o.Deletes)}
	c.most = storetest.Ops{Reads: max(c.most.Reads, o.Reads), Writes: max(c.most.Writes, o.Writes), Deletes: max(c.most.Deletes, o.Deletes)}
}

// TestCost shows how many documents the calls of each endpoint read and write when
// they succeed, over all API scripts, so that a request that becomes dearer is seen
// in review. The records of sessions and keys are read once in five seconds, and the
// clock of the scripts stands still: the first request of a caller reads one more.
func TestCost(t *testing.T) {
	db := openEmbedded(t)
	keepGuide(t, db)
	keepLogo(t, db)
	meter := storetest.NewMeter(db)
	p := deps(t, meter, fixture)
	h := mux(t, p)
	served, of := http.NewServeMux(), map[string]string{} // the endpoint of each path
	for _, e := range Table() {
		for _, pattern := range patterns(e) {
			served.Handle(pattern, http.NotFoundHandler())
			of[pattern] = e.Pattern()
		}
	}
	costs := map[string]*cost{}
	counting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := served.Handler(r)
		pattern = of[pattern]
		ctx, tally := meter.Within(r.Context())
		status := &statusWriter{ResponseWriter: w}
		h.ServeHTTP(status, r.WithContext(ctx))
		if costs[pattern] == nil {
			costs[pattern] = new(cost)
		}
		if status.code < http.StatusBadRequest {
			costs[pattern].add(tally.Ops())
		}
	})
	apitest.Run(t, withMails(counting, p.Config.MailFolder), "testdata/api/*.txt", signIn(db))
	golden(t, "testdata/costs.golden", report(costs))
}

// report lists the costs of the endpoints of the table.
func report(costs map[string]*cost) string {
	lines := []string{}
	for _, e := range Table() {
		c := costs[e.Pattern()]
		if c == nil || c.calls == 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("%-6s %-44s reads %-6s writes %-6s deletes %s", e.Method, e.Path,
			span(c.least.Reads, c.most.Reads), span(c.least.Writes, c.most.Writes), span(c.least.Deletes, c.most.Deletes)))
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n") + "\n"
}

// span writes a range of numbers.
func span(from, to int64) string {
	if from == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

// A statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	code int
}

// WriteHeader writes the status.
func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap returns the writer of the server.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
