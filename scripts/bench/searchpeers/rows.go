// Package searchpeers searches the catalog with other programs, as is usual with
// each, so that the index can be measured beside them: SQLite with its full-text
// search, PostgreSQL with its own, and a scan for substrings.
//
// All peers have the same rows of the same catalog, as a view shows it, with the words
// of names folded as the index folds them. Each answers a search with the numbers of
// the records on the page, the total, and the counts of the categories.
package searchpeers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/snapshot"
)

// A Peer is a program with the records of a catalog.
type Peer interface {
	Name() string
	// Ask returns the numbers of the records of the page that q asks for, and how
	// many records q finds.
	Ask(ctx context.Context, q *index.Query) (docs []uint32, total int, err error)
	Close() error
}

// A row is a record as a peer stores it. Row n+1 is record n.
type row struct {
	id                                  int
	kind, playable, guide, online       int
	country, network, subdivision, city string
	votes, score, renown                int
	item                                []byte              // JSON
	values                              map[string][]string // by class: category, language, quality, tag
	words                               string              // of its names, folded, with a space between
}

// rows calls use with the row of each record of v, as v shows it, until use fails.
func rows(v *index.View, use func(*row) error) error {
	places := renown(v)
	for i, r := range v.Index().Records() {
		one, err := rowOf(v, &r)
		if err != nil {
			return err
		}
		one.id, one.renown = i+1, places[i]
		if err := use(one); err != nil {
			return err
		}
	}
	return nil
}

// renown returns the place of each record in the order of how well known they
// are, which also decides between equal scores. The peer takes it from v as a
// column: the time of searches does not include computing it.
func renown(v *index.View) []int {
	const page = 500
	places := make([]int, v.Index().Len())
	q := index.Query{Selection: filter.Selection{Kind: "all", Sort: filter.ByPopularity}, Limit: page}
	for ; q.Offset < len(places); q.Offset += page {
		docs, _ := v.Find(q)
		for i, doc := range docs {
			places[doc] = q.Offset + i
		}
	}
	return places
}

func rowOf(v *index.View, r *catalog.Record) (*row, error) {
	item, ok := v.Item(r.ID, 0)
	if !ok {
		return nil, fmt.Errorf("no item %q", r.ID)
	}
	page, err := json.Marshal(item)
	if err != nil {
		return nil, err
	}
	out := &row{
		kind: int(r.Kind), playable: number(item.PlayableHint), guide: number(item.HasGuide),
		country: r.Country, network: r.Network, subdivision: r.Subdivision, city: r.City, item: page,
		values: map[string][]string{"category": r.Categories, "language": r.Languages, "quality": filter.All[filter.Quality].Values(r)},
	}
	if r.Radio != nil {
		out.votes, out.values["tag"] = r.Radio.Votes, r.Radio.Tags
	}
	if h := item.HealthExt; h != nil {
		out.online = number(h.Online)
		if h.Score != nil { // a channel whose streams were never reached has none
			out.score = 1 + *h.Score
		}
	}
	var words []string
	for name := range snapshot.Names(r) {
		if name.Class <= snapshot.OtherName {
			words = append(words, fold.Words(name.Text), fold.Joined(name.Text))
		}
	}
	out.words = strings.Join(words, " ")
	return out, nil
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
