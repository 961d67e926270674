// Package journal knows what a server was asked and what it answered, so that
// a test can say who fetched what from whom.
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
	Origin    string // of the page that asked; empty for what is no page
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

// Wrap returns h with all that it is asked written down when it is answered.
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

// Select returns the entries that keep lets through, in the order in which
// their requests came.
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

// recorder notes what goes through a ResponseWriter.
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

// Unwrap lets http.ResponseController reach the writer below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) done() Entry {
	if r.entry.Status == 0 {
		r.entry.Status = http.StatusOK
	}
	r.entry.Type = r.Header().Get("Content-Type")
	return r.entry
}
