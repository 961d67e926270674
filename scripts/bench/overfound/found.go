// Package overfound measures how often a search finds what the person who typed
// it wants.
//
// A judged set of queries, typed as people type them, says for each query which
// records answer it (queries.tsv). Each is asked as a page of search results asks
// it, and the place of the first answer is compared with two simple ways to
// search: the names that contain the query in their order, and the same by votes.
// A query that no record answers is counted apart, as is one whose answers have
// no stream that plays: those are asked among all records. Then every name of a
// feed and of a folded station is asked (names.go).
package overfound

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/source"
)

// The goals of the design, in percent of the queries that have an answer.
const (
	goalFirst = 92.0
	goalFive  = 98.0
	goalZero  = 1.0
)

// shown is the number of results that count: those that a visitor sees at once.
const shown = 5

// limit says what limits the figures.
const limit = `How well the order by relevance guesses what is meant, from names, votes, the caller's language and country. It does not depend
on the machine.`

// ErrMissed is returned when a goal that had to be reached is not.
var ErrMissed = errors.New("a goal is missed")

// Options are the settings of a measurement.
type Options struct {
	Name     string // of the catalog
	Register *catalog.Register
	Dataset  *source.Dataset // that the catalog was built from; nil for a synthetic one
	Queries  string          // file of other queries; empty for the set of the repository
	Misses   bool            // print the queries that are not answered first
	Enforce  bool            // fail with ErrMissed when a goal is missed
}

// Run asks the judged queries, and adds the shares of those that are answered to t.
func Run(t *report.Report, o Options) error {
	list, err := load(o.Queries)
	if err != nil {
		return err
	}
	ix, err := index.Build(o.Register)
	if err != nil {
		return err
	}
	s := newSearcher(index.NewView(ix, index.Overlay{}, catalog.LinkBase{}))
	t.Title(fmt.Sprintf("Found, %s: %d records, %d queries", o.Name, ix.Len(), len(list)))
	t.Limit(limit)
	results := make([]result, len(list))
	for i := range list {
		results[i] = s.ask(&list[i])
	}
	whole := printShares(t, list, results)
	if o.Misses {
		printMisses(t, list, results)
	}
	reached := printGoals(t, whole)
	if o.Dataset != nil {
		reached = namesPart(t, s, o) && reached
	}
	if o.Enforce && !reached {
		return ErrMissed
	}
	return nil
}

// load reads the queries of a file, or those of the repository without one.
func load(file string) ([]judged, error) {
	if file == "" {
		return readQueries(strings.NewReader(ownQueries))
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readQueries(in)
}

// What is known of the answers of a query.
const (
	playable = iota // some answer has a stream that plays
	known           // the answers are in the catalog, but none has such a stream
	absent          // the catalog has no answer
)

// A result is what a query finds.
type result struct {
	state int   // of the answers
	place place // in the search
	total int   // results of the search
	first string

	byName, byVotes place // in the two simple ways to search
}

// A place is the rank of the first answer among the results shown, from 0, or
// nowhere.
type place int

const nowhere place = -1

// A searcher asks queries of one view.
type searcher struct {
	view    *index.View
	records []catalog.Record
	names   []string // in lower case
	byVotes []uint32 // all records, those with the most votes first
}

func newSearcher(v *index.View) *searcher {
	s := &searcher{view: v}
	for i, r := range v.Index().Records() {
		s.records = append(s.records, r)
		s.names = append(s.names, strings.ToLower(r.Name))
		s.byVotes = append(s.byVotes, uint32(i))
	}
	slices.SortStableFunc(s.byVotes, func(a, b uint32) int { return s.votes(b) - s.votes(a) })
	return s
}

// votes returns the votes of a record, and its clicks as a part of one.
func (s *searcher) votes(doc uint32) int {
	const most = 1_000_000 // clicks of a day; no station has as many
	if radio := s.records[doc].Radio; radio != nil {
		return radio.Votes*most + min(radio.Clicks, most-1)
	}
	return 0
}

// ask returns what j finds.
func (s *searcher) ask(j *judged) result {
	docs, total := s.search(j, true)
	r := result{place: s.place(j, docs), total: total}
	if r.place == nowhere {
		r.state = s.state(j)
	}
	if r.state == known {
		docs, r.total = s.search(j, false)
		r.place = s.place(j, docs)
	}
	r.first = s.describe(docs)
	r.byName = s.place(j, s.simple(j, nil, r.state == playable))
	r.byVotes = s.place(j, s.simple(j, s.byVotes, r.state == playable))
	return r
}

// search returns the first results for j of what serves GET /api/channels with
// sort=relevance.
func (s *searcher) search(j *judged, onlyPlayable bool) (docs []uint32, total int) {
	sel := filter.Selection{Q: j.text, Kind: j.kind, Playable: onlyPlayable, Sort: "relevance"}
	sel.Normalize()
	speaks, _ := i18n.LanguageCode(j.locale)
	return s.view.Find(index.Query{Selection: sel, Limit: shown, Home: j.country, Speaks: speaks})
}

// simple returns the first records, in the given order or that of names, whose
// name contains the query.
func (s *searcher) simple(j *judged, order []uint32, onlyPlayable bool) (docs []uint32) {
	text := strings.ToLower(j.text)
	for i := range s.records {
		doc := uint32(i)
		if order != nil {
			doc = order[i]
		}
		r := &s.records[doc]
		if strings.Contains(s.names[doc], text) && j.asksFor(r) && (!onlyPlayable || r.Playable()) {
			if docs = append(docs, doc); len(docs) == shown {
				break
			}
		}
	}
	return docs
}

// asksFor reports whether r is of the kind that j asks for.
func (j *judged) asksFor(r *catalog.Record) bool {
	return j.kind == "all" || j.kind == r.Kind.String()
}

// place returns the place of the first answer among docs.
func (s *searcher) place(j *judged, docs []uint32) place {
	return place(slices.IndexFunc(docs, func(doc uint32) bool { return j.answers.accept(&s.records[doc]) }))
}

// state returns what the catalog has of the answers of j.
func (s *searcher) state(j *judged) int {
	state := absent
	for i := range s.records {
		r := &s.records[i]
		if !j.asksFor(r) || state == known && !r.Playable() || !j.answers.accept(r) {
			continue
		}
		if r.Playable() {
			return playable
		}
		state = known
	}
	return state
}

// describe returns the first of docs for a reader.
func (s *searcher) describe(docs []uint32) string {
	if len(docs) == 0 {
		return "nothing"
	}
	r := &s.records[docs[0]]
	return fmt.Sprintf("%s [%s, %s]", r.Name, r.ID, r.Country)
}
