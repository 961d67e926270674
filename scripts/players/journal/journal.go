// Package journal records the requests to a server with its answers, so that a test
// can check which client fetched what.
package journal

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// An Entry is one request with its answer.
type Entry struct {
	At        time.Time // when the request came
	Method    string
	Path      string
	Query     string // as it came, without the question mark
	UserAgent string
	Origin    string // the request header; only pages send it
	Status    int
	Type      string // Content-Type of the answer
	Bytes     int64  // of the body
}

// A Journal keeps the entries of one server. The zero value is ready. Its
// methods may be called concurrently.
type Journal struct {
	mu      sync.Mutex
	entries []Entry
}

// Wrap returns a handler that calls h and records each request when it is answered.
func (j *Journal) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w, entry: Entry{
			At: time.Now(), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery,
			UserAgent: r.UserAgent(), Origin: r.Header.Get("Origin"),
		}}
		defer func() { j.add(rec.done()) }()
		h.ServeHTTP(rec, r)
	})
}

func (j *Journal) add(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, e)
}

// Select returns the entries for which keep returns true, in the order of their
// requests.
func (j *Journal) Select(keep func(Entry) bool) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []Entry
	for _, e := range j.entries {
		if keep(e) {
			found = append(found, e)
		}
	}
	slices.SortStableFunc(found, func(a, b Entry) int { return a.At.Compare(b.At) })
	return found
}

// recorder is a ResponseWriter that records status and size.
type recorder struct {
	http.ResponseWriter
	entry Entry
}

func (r *recorder) WriteHeader(status int) {
	if r.entry.Status == 0 && status >= 200 {
		r.entry.Status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(data []byte) (int, error) {
	if r.entry.Status == 0 {
		r.entry.Status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(data)
	r.entry.Bytes += int64(n)
	return n, err
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) done() Entry {
	if r.entry.Status == 0 {
		r.entry.Status = http.StatusOK
	}
	r.entry.Type = r.Header().Get("Content-Type")
	return r.entry
}
